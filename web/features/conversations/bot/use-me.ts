import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../queries.ts'

/** The id of the person who reads. */
export const useMe = () => useQuery(meQuery).data?.id
