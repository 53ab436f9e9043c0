import { useCallback, useEffect, useState } from 'react'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { forgetUsedOptions } from '../../assistant/used-options.ts'
import { type Draft, draftOf, sameDraft } from './draft.ts'
import { clearMirror, writeMirror } from './mirror.ts'
import { useDiscard } from './use-discard.ts'
import { useDraftState } from './use-draft-state.ts'
import { doesAutosave, useSaving } from './use-saving.ts'

type SaveState = 'clean' | 'dirty' | 'saving' | 'failed' | 'conflict'

/**
 * The draft of the composer. A saved DRAFT autosaves 800 ms after the last change, conditional on the version that it
 * started from. Unsaved content is mirrored in the browser immediately. A new post starts with `targets`.
 * While it is `held`, the draft stays as the person sees it, so that what they confirm is what they have seen.
 */
export function useDraft(ws: string, post: Post | null, targets: readonly string[], held: boolean) {
  const current = useDraftState(ws, post, targets)
  const { id, made, draft, base, version, dirty, error, theirs, now, adopt, rebase } = current
  const { setDraft, setBase, setVersion, setTheirs, setError } = current
  const autosaves = post !== null && doesAutosave(post)
  const { save, busy } = useSaving(ws, current, autosaves)
  const { discard, withdrawOffer } = useDiscard(current)
  /** The labels of a new post. Those of a saved post change immediately. */
  const [labels, setLabels] = useState<readonly LabelMark[]>([])

  const edit = useCallback(
    (change: (draft: Draft) => Draft) => {
      withdrawOffer()
      setDraft(change)
    },
    [setDraft, withdrawOffer],
  )

  useEffect(() => {
    if (dirty) writeMirror(ws, id, { draft, version, at: new Date().toISOString(), carried: made !== null })
    else {
      clearMirror(ws, id)
      forgetUsedOptions(ws, id)
    }
  }, [ws, id, made, draft, version, dirty])

  // Adopt another person's change as long as there are no unsaved edits here, or if it left the content unchanged.
  useEffect(() => {
    if (!post || version === null || post.version <= version || busy || theirs || held) return
    if (!dirty) adopt(post, null)
    else if (sameDraft(draftOf(post), base)) rebase(post)
  }, [post, version, base, busy, dirty, theirs, held, adopt, rebase])

  /** The version shown here, which may be older than the stored one. */
  const shownVersion = useCallback(() => now.current.version ?? undefined, [now])

  /** Shows the stored post after an action was refused as stale. Returns whether its content differs, as a conflict. */
  const meet = useCallback(
    (stored: Post): boolean => {
      const differs = !sameDraft(draftOf(stored), now.current.draft)
      if (differs) setTheirs(stored)
      else adopt(stored, null)
      return differs
    },
    [adopt, now, setTheirs],
  )

  const keepMine = useCallback(() => {
    if (!theirs) return
    setVersion(theirs.version)
    setBase(draftOf(theirs))
    setTheirs(null)
    setError(null)
  }, [setBase, setError, setTheirs, setVersion, theirs])

  const takeTheirs = useCallback(() => {
    if (theirs) adopt(theirs, null)
  }, [adopt, theirs])

  const state: SaveState = theirs ? 'conflict' : busy ? 'saving' : error && dirty ? 'failed' : dirty ? 'dirty' : 'clean'
  return {
    id,
    draft,
    edit,
    dirty,
    autosaves,
    state,
    error,
    savedAt: current.savedAt,
    save,
    theirs,
    keepMine,
    takeTheirs,
    restored: current.restored,
    discard,
    labels,
    setLabels,
    adoptAct: current.adoptAct,
    become: current.become,
    shownVersion,
    meet,
  }
}

export type DraftHandle = ReturnType<typeof useDraft>
