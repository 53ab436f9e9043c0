import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { noContent } from '../../../../src/publishing/posts/compose/rules.ts'
import { postQuery } from '../../../queries.ts'
import { type Draft, draftOf, sameDraft } from './draft.ts'
import { clearMirror, readMirror } from './mirror.ts'

interface Begin {
  draft: Draft
  base: Draft
  /** Whether unsaved text from the last visit was restored. */
  restored: boolean
  conflict: boolean
}

function begin(ws: string, post: Post | null, targets: readonly string[]): Begin {
  const base = post ? draftOf(post) : { ...noContent, targets: [...targets] }
  const mirrored = readMirror(ws, post?.id ?? null)
  // A draft mirrored by an older version of the app lacks newer fields.
  const kept = mirrored && { ...noContent, ...mirrored.draft }
  if (!kept || sameDraft(kept, base)) return { draft: base, base, restored: false, conflict: false }
  return {
    draft: kept,
    base,
    restored: !mirrored.carried,
    conflict: mirrored.version !== (post?.version ?? null),
  }
}

/** The draft, the stored version that it started from, and what the answers of the service change in both. */
export function useDraftState(ws: string, post: Post | null, targets: readonly string[]) {
  const client = useQueryClient()
  const [start] = useState(() => begin(ws, post, targets))
  const [draft, setDraft] = useState(start.draft)
  const [base, setBase] = useState(start.base)
  const [version, setVersion] = useState(post?.version ?? null)
  const [savedAt, setSavedAt] = useState<Date | null>(post ? new Date(post.updatedAt) : null)
  const [error, setError] = useState<unknown>(null)
  /** The version of another person, while it conflicts with the draft. */
  const [theirs, setTheirs] = useState<Post | null>(start.conflict ? post : null)
  const [restored, setRestored] = useState(start.restored)
  /** The id of the post created from a new draft, until its own page opens. */
  const [made, setMade] = useState<string | null>(null)
  const now = useRef({ draft, base, version, theirs })
  now.current = { draft, base, version, theirs }

  const adopt = useCallback(
    (answer: Post, sent: Draft | null) => {
      const content = draftOf(answer)
      setBase(content)
      // Keep text typed while the request was running.
      const after = (current: Draft) => (sent === null || current === sent ? content : current)
      setDraft(after)
      // The next save may read these before React renders.
      now.current = { draft: after(now.current.draft), base: content, version: answer.version, theirs: null }
      setVersion(answer.version)
      setSavedAt(new Date(answer.updatedAt))
      setTheirs(null)
      setError(null)
      setRestored(false)
      client.setQueryData(postQuery(ws, answer.id).queryKey, answer)
    },
    [client, ws],
  )

  /** Takes the version of a stored post whose content is still what the draft started from. The draft stays. */
  const rebase = useCallback(
    (stored: Post) => {
      const content = draftOf(stored)
      setBase(content)
      setVersion(stored.version)
      now.current = { ...now.current, base: content, version: stored.version }
      client.setQueryData(postQuery(ws, stored.id).queryKey, stored)
    },
    [client, ws],
  )

  /** Adopts the response of an action on a saved post. Text typed in the meantime stays. */
  const adoptAct = useCallback(
    (answer: Post) => adopt(answer, sameDraft(now.current.draft, now.current.base) ? null : now.current.base),
    [adopt],
  )

  /** Adopts the post created from `sent`. Text typed since then moves to the post's own page and is saved there. */
  const become = useCallback(
    (answer: Post, sent: Draft) => {
      clearMirror(ws, null)
      setMade(answer.id)
      adopt(answer, sent)
    },
    [adopt, ws],
  )

  return {
    id: post?.id ?? made,
    made,
    draft,
    setDraft,
    base,
    setBase,
    version,
    setVersion,
    savedAt,
    error,
    setError,
    theirs,
    setTheirs,
    restored,
    setRestored,
    now,
    dirty: !sameDraft(draft, base),
    adopt,
    rebase,
    adoptAct,
    become,
  }
}

export type DraftState = ReturnType<typeof useDraftState>
