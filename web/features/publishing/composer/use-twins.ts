import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../../client.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { bodyOf, type Draft } from './draft.ts'

const REST_MS = 1000

/** The service's findings for an unsaved post, requested when typing pauses. */
export function useTwins(draft: Draft, enabled: boolean) {
  const { ws } = usePlace()
  const [rested, setRested] = useState(draft)
  useEffect(() => {
    const timer = setTimeout(() => setRested(draft), REST_MS)
    return () => clearTimeout(timer)
  }, [draft])
  const body = bodyOf(rested)
  const { data = [] } = useQuery({
    queryKey: [ws, 'calendar', 'twins', body],
    queryFn: async ({ signal }) => (await call('validatePost', { workspace: ws, body, signal })).checks,
    enabled: enabled && body.targets.length > 0 && body.caption !== '',
    placeholderData: keepPreviousData,
  })
  return data
}
