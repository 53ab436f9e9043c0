import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { useInboxProblem } from './problem.ts'

const UNDO_MS = 10_000

/** The notes that are hidden here. They are deleted for all once their undo is gone. */
let leaving: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

function change(id: string, leaves: boolean) {
  leaving = new Set([...[...leaving].filter((one) => one !== id), ...(leaves ? [id] : [])])
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useLeavingNotes = () => useSyncExternalStore(subscribe, () => leaving)

/** Deletes a note, with an undo. The service cannot restore a note, so it gets the request once the undo is gone. */
export function useRemoveNote(threadId: string) {
  const t = useTranslations('inbox')
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  return (noteId: string) => {
    const over = new AbortController()
    const undo = () => {
      over.abort()
      change(noteId, false)
    }
    const remove = async (keepalive = false) => {
      if (over.signal.aborted) return
      over.abort()
      try {
        await call('deleteNote', { workspace: ws, params: { id: threadId, noteId }, keepalive })
      } catch (error) {
        change(noteId, false)
        toast.error(text(error))
      } finally {
        renewThread(client, ws, threadId)
      }
    }
    change(noteId, true)
    addEventListener('pagehide', () => void remove(true), { signal: over.signal })
    toast.success(t('noteDeleted'), {
      id: `note-${noteId}`,
      duration: UNDO_MS,
      action: { label: t('undo'), onClick: undo },
      onAutoClose: () => void remove(),
      onDismiss: () => void remove(),
    })
  }
}
