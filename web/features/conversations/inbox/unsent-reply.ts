import { useSyncExternalStore } from 'react'
import type { NewMessage } from '../../../../src/conversations/threads/api.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { onForget, readStored, writeStored } from '../../../storage.ts'

/** The picture of a reply, with what the screen shows of it. */
export type ReplyPicture = Pick<MediaFile, 'id' | 'fileName' | 'altText' | 'storageUrl' | 'thumbnailUrl'>

/** A reply that is not sent yet. This tab keeps it whole, so that it is later sent the way that its writer chose. */
export interface UnsentReply {
  text: string
  /** Whether only the customer will see it. */
  privately: boolean
  /** The comment that it answers; null for the newest. */
  parentId: string | null
  picture: ReplyPicture | null
}

const NOTHING: UnsentReply = { text: '', privately: false, parentId: null, picture: null }

const keyOf = (threadId: string) => `parley.reply.${threadId}`
/** What was read or written, which also holds where storage is blocked. */
const known = new Map<string, UnsentReply>()
const listeners = new Set<() => void>()
onForget(() => known.clear())

function stored(threadId: string): UnsentReply {
  const text = readStored(keyOf(threadId), 'sessionStorage')
  if (!text) return NOTHING
  // Earlier versions stored only the text.
  const old = { ...NOTHING, text }
  try {
    const reply = JSON.parse(text) as Partial<UnsentReply> | null
    return typeof reply?.text === 'string' ? { ...NOTHING, ...reply } : old
  } catch {
    return old
  }
}

export function unsentReply(threadId: string): UnsentReply {
  const reply = known.get(threadId) ?? stored(threadId)
  known.set(threadId, reply)
  return reply
}

export function changeReply(threadId: string, change: Partial<UnsentReply>): void {
  const reply = { ...unsentReply(threadId), ...change }
  known.set(threadId, reply)
  const isEmpty = reply.text === '' && !reply.privately && reply.parentId === null && reply.picture === null
  writeStored(keyOf(threadId), isEmpty ? null : JSON.stringify(reply), 'sessionStorage')
  for (const listener of listeners) listener()
}

export const dropReply = (threadId: string) => changeReply(threadId, NOTHING)

/**
 * Adds a text below the one that is there. The reply stays private if either text is, because a private text must not
 * become public.
 */
export function addToReply(threadId: string, added: Pick<UnsentReply, 'text' | 'privately'>, gap = '\n'): void {
  const { text, privately } = unsentReply(threadId)
  changeReply(threadId, {
    text: [text.trimEnd(), added.text].filter(Boolean).join(gap),
    privately: added.privately || (privately && text.trim() !== ''),
  })
}

/** Drops what was sent. A picture is sent alone, and text that was typed meanwhile stays, to be sent the same way. */
export function dropSent(threadId: string, { text, attachments }: Pick<NewMessage, 'text' | 'attachments'>): void {
  const reply = unsentReply(threadId)
  if (attachments) {
    if (reply.picture?.id === attachments[0]) changeReply(threadId, { picture: null })
  } else if (reply.text.trim() === text) changeReply(threadId, { ...NOTHING, picture: reply.picture })
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The unsent reply of a thread, as it changes. */
export const useUnsentReply = (threadId: string) => useSyncExternalStore(subscribe, () => unsentReply(threadId))
