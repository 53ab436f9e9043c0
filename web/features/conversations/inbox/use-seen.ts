import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { OpenThread } from '../../../../src/conversations/api.ts'
import { call } from '../../../client.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { patchThread } from './cache.ts'

/** Presence ends 15 seconds after a sign of life, so signs come more often. */
const SIGN_MS = 10_000

/** Tells the service, while the window is looked at, what the reader has read, and that they have the thread open. */
export function useSeen({ id, messages, unread }: OpenThread, typing: boolean) {
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const present = useVisible() && !refusal(membership, 'seeConversation')
  const newest = messages.at(-1)?.id
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const tell = useEffectEvent((more: { typing?: boolean; away?: true }) => {
    if (newest === undefined) return
    const body = { messageId: newest, ...more }
    // One after the other: of two that overtake each other the older would count.
    last.current = last.current
      .then(() => call('seeConversation', { workspace: ws, params: { id }, body }))
      .then(
        () => unread && patchThread(client, ws, id, { unread: false }),
        // Nothing is lost: the next sign tells it.
        (error: unknown) => console.warn('A thread could not be marked as read.', error),
      )
  })
  useEffect(() => {
    if (!present) return undefined
    const sign = () => tell({ typing })
    sign()
    const timer = setInterval(sign, SIGN_MS)
    return () => clearInterval(timer)
  }, [present, newest, typing])
  useEffect(() => (present ? () => tell({ away: true }) : undefined), [present])
}

/** Whether this window is looked at. */
function useVisible(): boolean {
  const [visible, setVisible] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return visible
}
