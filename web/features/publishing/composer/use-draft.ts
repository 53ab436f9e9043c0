import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { noContent } from '../../../../src/publishing/posts/compose/rules.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { call, isProblem } from '../../../client.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { changeEndsApproval } from '../approvals/states.ts'
import { forgetUsedOptions, reportUsedOptions } from '../../assistant/used-options.ts'
import { bodyOf, type Draft, draftOf, sameDraft } from './draft.ts'
import { clearMirror, readMirror, writeMirror } from './mirror.ts'

const AUTOSAVE_MS = 800

/** Whether the service refused the content itself. An error without a known code is one of a proxy. */
const isRefusal = (error: unknown) =>
  isProblem(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  !isProblem(error, 'unknown', 'rate_limited', 'unauthenticated')

/** The id of the toast that offers to restore discarded text. */
const DISCARDED = 'draft-discarded'

type SaveState = 'clean' | 'dirty' | 'saving' | 'failed' | 'conflict'

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

/**
 * The draft of the composer. A saved DRAFT autosaves 800 ms after the last change, conditional on the version that it
 * started from. Unsaved content is mirrored in the browser immediately. A new post starts with `targets`.
 * While it is `held`, the draft stays as the person sees it, so that what they confirm is what they have seen.
 */
export function useDraft(ws: string, post: Post | null, targets: readonly string[], held: boolean) {
  const t = useTranslations('approvals')
  const words = useTranslations('composer')
  const client = useQueryClient()
  const [start] = useState(() => begin(ws, post, targets))
  const [draft, setDraft] = useState(start.draft)
  const [base, setBase] = useState(start.base)
  const [version, setVersion] = useState(post?.version ?? null)
  const [savedAt, setSavedAt] = useState<Date | null>(post ? new Date(post.updatedAt) : null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [theirs, setTheirs] = useState<Post | null>(start.conflict ? post : null)
  const [restored, setRestored] = useState(start.restored)
  /** The labels of a new post. Those of a saved post change immediately. */
  const [labels, setLabels] = useState<readonly LabelMark[]>([])
  /** The id of the post created from a new draft, until its own page opens. */
  const [made, setMade] = useState<string | null>(null)
  const id = post?.id ?? made
  const autosaves = post?.status === 'DRAFT' && !changeEndsApproval(post)
  const dirty = !sameDraft(draft, base)
  const now = useRef({ draft, base, version, theirs })
  now.current = { draft, base, version, theirs }
  const running = useRef<Promise<Post | null> | null>(null)
  /** The content that the service refused. Autosaving it again would be refused again. */
  const [refused, setRefused] = useState<Draft | null>(null)

  /** Whether Undo restores the discarded text. Only as long as nothing newer has been typed. */
  const offered = useRef(false)
  const withdrawOffer = useCallback(() => {
    if (offered.current) toast.dismiss(DISCARDED)
    offered.current = false
  }, [])
  useEffect(() => withdrawOffer, [withdrawOffer])

  const edit = useCallback(
    (change: (draft: Draft) => Draft) => {
      withdrawOffer()
      setDraft(change)
    },
    [withdrawOffer],
  )

  useEffect(() => {
    if (dirty) writeMirror(ws, id, { draft, version, at: new Date().toISOString(), carried: made !== null })
    else {
      clearMirror(ws, id)
      forgetUsedOptions(ws, id)
    }
  }, [ws, id, made, draft, version, dirty])

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

  /** Saves the unsaved content of a saved post. Resolves with the post, or with null if saving failed. */
  const save = useCallback(async (): Promise<Post | null> => {
    if (!id) return null
    if (running.current) await running.current
    const { draft: sent, base: before, version: basedOn, theirs: other } = now.current
    if (other) return null
    const was = client.getQueryData(postQuery(ws, id).queryKey)
    if (sameDraft(sent, before)) return was ?? null
    const attempt = async () => {
      setBusy(true)
      try {
        const answer = await call('updatePost', {
          workspace: ws,
          params: { id },
          body: bodyOf(sent),
          ifMatch: basedOn ?? undefined,
        })
        adopt(answer, sent)
        reportUsedOptions(ws, id, false)
        if (was?.status === 'SCHEDULED' && answer.status === 'DRAFT') toast.message(t('takenBack'))
        else if (was && changeEndsApproval(was) && !changeEndsApproval(answer)) toast.message(t('withdrawnByChange'))
        return answer
      } catch (problem) {
        if (isProblem(problem, 'stale_version'))
          setTheirs(await call('getPost', { workspace: ws, params: { id } }).catch(() => null))
        else if (isRefusal(problem)) setRefused(sent)
        setError(problem)
        return null
      } finally {
        setBusy(false)
        running.current = null
      }
    }
    running.current = attempt()
    return running.current
  }, [adopt, client, id, t, ws])

  useEffect(() => {
    if (!autosaves || !dirty || theirs || busy || draft === refused) return
    const timer = setTimeout(() => void save(), error ? 5000 : AUTOSAVE_MS)
    return () => clearTimeout(timer)
  }, [autosaves, dirty, theirs, busy, error, save, draft, refused])

  // Adopt another person's change as long as there are no unsaved edits here.
  useEffect(() => {
    if (post && version !== null && post.version > version && !busy && !dirty && !theirs && !held) adopt(post, null)
  }, [post, version, busy, dirty, theirs, held, adopt])

  /** The version shown here, which may be older than the stored one. */
  const shownVersion = useCallback(() => now.current.version ?? undefined, [])

  /** Shows the stored post after an action was refused as stale. Returns whether its content differs, as a conflict. */
  const meet = useCallback(
    (stored: Post): boolean => {
      const differs = !sameDraft(draftOf(stored), now.current.draft)
      if (differs) setTheirs(stored)
      else adopt(stored, null)
      return differs
    },
    [adopt],
  )

  const keepMine = useCallback(() => {
    if (!theirs) return
    setVersion(theirs.version)
    setBase(draftOf(theirs))
    setTheirs(null)
    setError(null)
  }, [theirs])

  const takeTheirs = useCallback(() => {
    if (theirs) adopt(theirs, null)
  }, [adopt, theirs])

  /** Discards the unsaved changes, and offers to restore them together with the version that they started from. */
  const discard = useCallback(() => {
    const thrown = now.current
    setDraft(thrown.base)
    setRestored(false)
    setError(null)
    offered.current = true
    const undo = () => {
      if (!offered.current) return
      offered.current = false
      setDraft(thrown.draft)
      setBase(thrown.base)
      setVersion(thrown.version)
      setRestored(true)
    }
    toast.message(words('discarded'), { id: DISCARDED, action: { label: words('undo'), onClick: undo } })
  }, [words])

  const state: SaveState = theirs ? 'conflict' : busy ? 'saving' : error && dirty ? 'failed' : dirty ? 'dirty' : 'clean'
  return {
    id,
    draft,
    edit,
    dirty,
    autosaves,
    state,
    error,
    savedAt,
    save,
    theirs,
    keepMine,
    takeTheirs,
    restored,
    discard,
    labels,
    setLabels,
    adoptAct,
    become,
    shownVersion,
    meet,
  }
}

export type DraftHandle = ReturnType<typeof useDraft>
