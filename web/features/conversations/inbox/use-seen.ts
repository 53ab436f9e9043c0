import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { call } from '../../../client.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { patchThread } from './cache.ts'

/** Milliseconds between presence signals. The service drops a reader after 15 seconds without one. */
const SIGN_MS = 10_000

/** While the window is visible, reports what the reader has read and that they have the thread open. */
export function useSeen({ id, messages, comments, unread }: OpenThread, typing: boolean) {
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const present = useVisible() && !refusal(membership, 'seeConversation')
  // A thread that only counts comments has no message of a customer. Its notes may be older than its newest comment.
  const newest = comments === null ? messages.at(-1)?.id : undefined
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const tell = useEffectEvent((more: { typing?: boolean; away?: true }) => {
    const body = { ...(newest !== undefined && { messageId: newest }), ...more }
    // Send one at a time: if two overtook each other, the older one would win.
    last.current = last.current
      .then(() => call('seeConversation', { workspace: ws, params: { id }, body }))
      .then(
        () => unread && patchThread(client, ws, id, { unread: false }),
        // The next signal reports the same.
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

/** Whether this window is visible. */
function useVisible(): boolean {
  const [visible, setVisible] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return visible
}
