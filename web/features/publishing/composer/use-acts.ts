import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { toast } from '../../../toast.ts'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { likelyFails } from '../../../../src/publishing/posts/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { timeFormat, zoneName } from '../../../time.ts'
import { endOfRequest } from '../approvals/states.ts'
import type { SubmitChoices } from '../approvals/submit-dialog.tsx'
import { reportUsedOptions } from '../../assistant/used-options.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { bodyOf } from './draft.ts'
import type { DraftHandle } from './use-draft.ts'

type Act =
  | { kind: 'draft' }
  /** `confirmed`: the person has confirmed after seeing what may fail. */
  | { kind: 'publish'; confirmed?: boolean }
  | { kind: 'schedule'; at: Date }
  /** Saves the time with the draft without scheduling it. */
  | { kind: 'time'; at: Date }
  | { kind: 'queue' }
  | { kind: 'submit'; submission: SubmitChoices }
  | { kind: 'retry'; networks: Platform[] }

const asked = ({ onApproval, client, at }: SubmitChoices) => ({
  onApproval,
  client,
  ...(at ? { scheduledAt: at.toISOString() } : {}),
})

/**
 * Saves, submits, schedules and publishes a new or saved post. `onPublish` receives the risks and asks for confirmation
 * before publishing. `isAsking` says whether a dialog is open that shows the error of a failed act.
 */
export function useActs(handle: DraftHandle, onPublish: (risks: Check[]) => void, isAsking: boolean) {
  const t = useTranslations('composer')
  const approvals = useTranslations('approvals')
  const format = useFormatter()
  const locale = useLocale()
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws, workspace } = usePlace()
  const attempt = useRef({ body: '', key: '', sent: handle.draft })
  /** The saved post before the last act. */
  const actedOn = useRef<Post | null>(null)

  /** Creating the same content again, after a lost response, yields one post. */
  const create = (act: Act) => {
    const body = {
      ...bodyOf(handle.draft),
      ...(handle.labels.length > 0 && { labels: handle.labels.map(({ id }) => id) }),
      action: act.kind === 'retry' || act.kind === 'queue' || act.kind === 'time' ? ('draft' as const) : act.kind,
      ...(act.kind === 'schedule' || act.kind === 'time' ? { scheduledAt: act.at.toISOString() } : {}),
      ...(act.kind === 'submit' ? asked(act.submission) : {}),
    }
    const serial = JSON.stringify(body)
    if (attempt.current.body !== serial)
      attempt.current = { body: serial, key: crypto.randomUUID(), sent: handle.draft }
    else attempt.current.sent = handle.draft
    return call('createPost', { workspace: ws, body, idempotencyKey: attempt.current.key })
  }

  const change = async (id: string, act: Act): Promise<Post | null> => {
    const saved = await handle.save(act.kind === 'draft' ? 'save' : 'act')
    actedOn.current = saved
    if (!saved || act.kind === 'draft') return saved
    const at = { workspace: ws, params: { id }, ifMatch: handle.shownVersion() }
    if (act.kind === 'queue') return call('queuePost', at)
    if (act.kind === 'time') return call('updatePost', { ...at, body: { scheduledAt: act.at.toISOString() } })
    if (act.kind === 'retry') {
      const failed = saved.publications.filter(
        ({ dropped, state, platform }) => !dropped && state === 'FAILED' && act.networks.includes(platform),
      )
      return call('retryPost', { ...at, body: { publicationIds: failed.map((one) => one.id) } })
    }
    if (act.kind === 'submit') {
      const { scheduledAt, ...body } = asked(act.submission)
      if (!scheduledAt) return call('submitPost', { ...at, body })
      const timed = await call('updatePost', { ...at, body: { scheduledAt } })
      // The time is stored even if the request for approval fails.
      handle.adoptAct(timed)
      return call('submitPost', { ...at, ifMatch: timed.version, body })
    }
    return act.kind === 'publish'
      ? call('publishPost', at)
      : call('schedulePost', { ...at, body: { scheduledAt: act.at.toISOString() } })
  }

  /** Findings that will probably make publishing fail now, although the service would try. */
  const risks = async () => {
    const { id, dirty } = handle
    const { checks } =
      id && !dirty
        ? await client.fetchQuery({ ...postQuery(ws, id), staleTime: 0 })
        : await call('validatePost', { workspace: ws, body: bodyOf(handle.draft) })
    // A post counts as its own duplicate once it is scheduled, so ignore findings about itself.
    return checks.filter(
      (one) => likelyFails(one) && one.severity === 'warning' && one.field !== '/scheduledAt' && one.value !== id,
    )
  }

  const undo = async (post: Post) => {
    try {
      client.setQueryData(
        postQuery(ws, post.id).queryKey,
        await call('cancelPost', { workspace: ws, params: { id: post.id } }),
      )
      toast.message(t('unscheduled'))
    } catch (error) {
      toast.error(text(error))
    }
  }

  const run = useMutation({
    mutationFn: async (act: Act) => {
      if (act.kind === 'publish' && !act.confirmed) {
        onPublish(await risks())
        return null
      }
      if (handle.id) return change(handle.id, act)
      const post = await create(act)
      if (act.kind !== 'queue') return post
      // The draft exists by now, even if queueing fails.
      return call('queuePost', { workspace: ws, params: { id: post.id }, ifMatch: post.version }).catch(
        (error: unknown) => {
          toast.error(text(error))
          return post
        },
      )
    },
    onSuccess: async (post, act) => {
      // A failed save has shown its error, and a risky publish has opened its confirmation.
      if (!post) return
      const before = handle.id && actedOn.current
      const end = before && endOfRequest(before, post)
      const ended = end ? approvals(end) : undefined
      if (handle.id) handle.adoptAct(post)
      else {
        reportUsedOptions(ws, post.id, true)
        handle.become(post, attempt.current.sent)
        void client.invalidateQueries({ queryKey: [ws, 'posts'] })
        void client.invalidateQueries({ queryKey: [ws, 'calendar'] })
        await navigate({ to: '/w/$ws/posts/$id', params: { ws, id: post.id }, replace: true })
      }
      // If the new time needs another approval, the post is off the schedule.
      const scheduledFor = act.kind === 'schedule' ? act.at : act.kind === 'queue' && post.scheduledAt
      if (scheduledFor && post.status === 'DRAFT') toast.message(approvals('takenBack'))
      else if (scheduledFor) {
        const at = new Date(scheduledFor)
        const zone = workspace.timezone
        const time = format.dateTime(at, timeFormat(at, zone))
        toast.success(t('scheduledFor', { time, zone: zoneName(zone, at, locale) }), {
          description: ended,
          action: { label: t('undo'), onClick: () => void undo(post) },
        })
      }
      if ((act.kind === 'time' || act.kind === 'publish') && ended) toast.message(ended)
      if (act.kind === 'publish' && workspace.publishing.paused) toast.info(t('waitsForPause'))
      if (act.kind === 'submit') {
        toast.success(approvals('submitted'))
        void client.invalidateQueries({ queryKey: [ws, 'approvals'] })
      }
      // If the change ended the request, its notice already says that the post is saved.
      if (act.kind === 'draft' && post.approval?.state !== 'WITHDRAWN') toast.success(t('draftSaved'))
    },
    onError: async (error) => {
      if (handle.id && isProblem(error, 'stale_version')) {
        // If the stored post cannot be read either, the refusal is shown.
        const stored = await call('getPost', { workspace: ws, params: { id: handle.id } }).catch(() => null)
        if (!stored || !handle.meet(stored)) toast.error(text(error))
        return
      }
      // Keeps the plan page consistent with the refusal.
      if (isProblem(error, 'quota_exceeded')) void client.invalidateQueries({ queryKey: [ws, 'usage'] })
      // An open dialog shows the error itself. An exhausted quota has its own note next to the buttons.
      if (!isAsking && !isProblem(error, 'quota_exceeded')) toast.error(text(error))
    },
  })
  return run
}
