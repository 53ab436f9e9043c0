import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { freeSlotsQuery } from './queries.ts'

interface Props {
  queued: { accountIds: readonly string[]; postId: string | undefined }
  /** Renders the text with the time of the slot. */
  children: (text: string) => ReactNode
}

/** The next free queue slot for a post. Renders nothing if there is none. */
export default function NextSlot({ queued: { accountIds, postId }, children }: Props) {
  const t = useTranslations('schedule')
  const moment = useMoment()
  const { ws } = usePlace()
  const { data } = useQuery(freeSlotsQuery(ws, { limit: 1, accountIds: accountIds.join(','), postId }))
  const next = data?.[0]
  return next && children(t('addToQueue', { time: moment(next.at) }))
}
