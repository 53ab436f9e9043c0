import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../queries.ts'

/** The id of the signed-in person. */
export const useMe = () => useQuery(meQuery).data?.id
