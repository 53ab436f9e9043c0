import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { allowed, demandsApproval, isTimePassed, mayPublishNow } from '../../../../src/publishing/posts/rules.ts'
import { momentOf } from '../../../time.ts'
import { usePopup } from '../../../ui/popup.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { isWritten } from './draft.ts'
import { useActs } from './use-acts.ts'
import type { Editing } from './use-editing.ts'
import { obstaclesTo, requestOf, type SendWay, waysOf } from './ways.ts'

/** The question that is open before the post is sent: its time, its approval, or the risks of publishing now. */
export function useQuestion() {
  const [asking, setAsking] = useState<'time' | 'approval' | null>(null)
  const [risks, setRisks] = useState<Check[] | null>(null)
  return { asking, ask: setAsking, risks, setRisks, isOpen: asking !== null || risks !== null }
}

export type OpenQuestion = ReturnType<typeof useQuestion>

/**
 * Sends the post, or saves it: the ways that this person has, what stands in the way, and the question before each.
 * `at` is the wall time that a new post starts with. `onRetried` is called after the failed networks are retried.
 */
export function useSending(
  { post, handle, uploads, fixes }: Editing,
  found: Check[] | undefined,
  { asking, ask, setRisks }: OpenQuestion,
  at?: string,
  onRetried?: () => void,
) {
  const t = useTranslations('composer')
  const { workspace, membership } = usePlace()
  const acts = useActs(handle, setRisks, asking !== null)
  const problems = usePopup()
  const [tried, setTried] = useState(false)
  const stored = post !== null
  const { draft, dirty } = handle

  // An untouched form shows no findings. They appear with content, or when the person tries to proceed without.
  const begun = stored || tried || uploads.active || isWritten(draft)
  const stops = (way: SendWay | 'retry') => obstaclesTo(way, found).length > 0
  const reason = uploads.active ? t('uploadsRunning') : handle.state === 'conflict' ? t('conflictFirst') : null

  const submits = !refusal(membership, 'submitPost') && (!stored || allowed(post.status).includes('submit'))
  /** This person cannot publish before the current version is approved. */
  const unapproved = submits && demandsApproval(workspace.approvalMode, membership.role) && !(post?.approved && !dirty)
  const request = requestOf(post, dirty)
  const isBound = stored && !dirty && !mayPublishNow(workspace.approvalMode, membership.role, post)
  const ways = waysOf({ unapproved, isBound, submits, ...request })
  const main = unapproved ? 'submit' : 'schedule'

  const late = post?.checks.find(isTimePassed)
  const planned = post?.scheduledAt && !late ? new Date(post.scheduledAt) : null

  /** Opens the list of problems that block an action, each with its fix. */
  const showProblems = () => {
    flushSync(() => setTried(true))
    problems.show()
  }

  const take = (way: SendWay) => {
    if (way === 'submit' && request.waits) return
    if (stops(way)) showProblems()
    else if (way === 'schedule') ask('time')
    else if (way === 'submit') ask('approval')
    else acts.mutate({ kind: way })
  }

  return {
    acts,
    ways,
    /** The findings to show; undefined until the checks have run, or while the form is untouched. */
    checks: begun ? found : undefined,
    /** Whether the checks have run. */
    checked: found !== undefined,
    problems,
    /** Why no action is possible now. */
    reason,
    /** Whether a request already waits for the approval that this person needs. */
    asked: unapproved && request.waits,
    /** The finding that the time of the post has passed. */
    late,
    /** The chosen time, if any. */
    when: planned ?? (at ? momentOf(at, workspace.timezone) : null),
    /** The time that a question starts with. */
    initial: planned ?? at ?? null,
    /** How many problems block scheduling. A scheduled post only moves. */
    obstacles: post?.status === 'SCHEDULED' ? 0 : obstaclesTo('schedule', found).length,
    take,
    /** Asks for a time, also before the problems are fixed. They block only scheduling itself. */
    askTime: () => (stops(main) ? ask('time') : take(main)),
    retry: () => {
      if (stops('retry')) showProblems()
      else if (fixes) acts.mutate({ kind: 'retry', networks: fixes }, { onSuccess: (done) => done && onRetried?.() })
    },
    /** Takes the main way, unless something keeps this person from it. */
    send: () => {
      if (!asking && !fixes && !reason && found && (unapproved || !request.waitsForClient)) take(main)
    },
    /** Saves the draft, unless there is nothing to save. */
    save: () => {
      if (!reason && !acts.isPending && (!stored || dirty)) acts.mutate({ kind: 'draft' })
    },
  }
}

export type Sending = ReturnType<typeof useSending>
