import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call, isProblem } from '../../../client.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { changeEndsApproval } from '../approvals/states.ts'
import { reportUsedOptions } from '../../assistant/used-options.ts'
import { bodyOf, type Draft, draftOf, sameDraft } from './draft.ts'
import type { DraftState } from './use-draft-state.ts'

const AUTOSAVE_MS = 800
const RETRY_MS = 5000

/** Whether the service refused the content itself. An error without a known code is one of a proxy. */
const isRefusal = (error: unknown) =>
  isProblem(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  !isProblem(error, 'unknown', 'rate_limited', 'unauthenticated')

/** What a save is for: the autosave, the person's own request, or an act that follows it. */
type Purpose = 'autosave' | 'save' | 'act'

/** Whether a post autosaves. Other posts wait for "Save changes". */
export const doesAutosave = (post: Post) => post.status === 'DRAFT' && !changeEndsApproval(post)

/** Saves the content of a saved post, conditional on the version that it started from. `autosaves`: without being asked. */
export function useSaving(ws: string, state: DraftState, autosaves: boolean) {
  const t = useTranslations('approvals')
  const client = useQueryClient()
  const { id, draft, dirty, error, theirs, now, adopt, rebase, setTheirs, setError } = state
  const [busy, setBusy] = useState(false)
  const running = useRef<Promise<Post | null> | null>(null)
  /** The content that the service refused. Autosaving it again would be refused again. */
  const [refused, setRefused] = useState<Draft | null>(null)

  /**
   * Resolves with the post, or with null if saving failed. If others have changed only the time or the status, it saves
   * over their version, unless an act follows that the person chose without seeing the change.
   */
  const save = useCallback(
    async (purpose: Purpose = 'save'): Promise<Post | null> => {
      if (!id) return null
      if (running.current) await running.current
      const { draft: sent, base: before, version: basedOn, theirs: other } = now.current
      if (other) return null
      let was = client.getQueryData(postQuery(ws, id).queryKey)
      if (sameDraft(sent, before)) return was ?? null
      const put = (version: number | null) =>
        call('updatePost', { workspace: ws, params: { id }, body: bodyOf(sent), ifMatch: version ?? undefined })
      const read = () => call('getPost', { workspace: ws, params: { id } }).catch(() => null)
      const putOver = async (problem: unknown): Promise<Post | null> => {
        const stored = isProblem(problem, 'stale_version') ? await read() : null
        if (!stored || !sameDraft(draftOf(stored), before)) throw problem
        rebase(stored)
        was = stored
        if (purpose === 'act') throw problem
        return purpose === 'save' || doesAutosave(stored) ? put(stored.version) : null
      }
      const attempt = async () => {
        setBusy(true)
        try {
          const answer = await put(basedOn).catch(putOver)
          if (!answer) return null
          adopt(answer, sent)
          reportUsedOptions(ws, id, false)
          if (was?.status === 'SCHEDULED' && answer.status === 'DRAFT') toast.message(t('takenBack'))
          else if (was && changeEndsApproval(was) && !changeEndsApproval(answer)) toast.message(t('withdrawnByChange'))
          return answer
        } catch (problem) {
          if (isProblem(problem, 'stale_version')) {
            const stored = await read()
            if (!stored || !sameDraft(draftOf(stored), now.current.base)) setTheirs(stored)
          } else if (isRefusal(problem)) setRefused(sent)
          setError(problem)
          return null
        } finally {
          setBusy(false)
          running.current = null
        }
      }
      running.current = attempt()
      return running.current
    },
    [adopt, client, id, now, rebase, setError, setTheirs, t, ws],
  )

  useEffect(() => {
    if (!autosaves || !dirty || theirs || busy || draft === refused) return
    const timer = setTimeout(() => void save('autosave'), error ? RETRY_MS : AUTOSAVE_MS)
    return () => clearTimeout(timer)
  }, [autosaves, dirty, theirs, busy, error, save, draft, refused])

  return { save, busy }
}
