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
import { zoneName } from '../../../time.ts'
import type { Submission } from '../approvals/submit-dialog.tsx'
import { settle } from '../../assistant/taken.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { bodyOf } from './draft.ts'
import type { DraftHandle } from './use-draft.ts'

type Act =
  | { kind: 'draft' }
  /** `confirmed`: the person was asked, and told what may fail. */
  | { kind: 'publish'; confirmed?: boolean }
  | { kind: 'schedule'; at: Date }
  /** Keeps the time with the post, which is on no schedule yet. */
  | { kind: 'time'; at: Date }
  | { kind: 'queue' }
  | { kind: 'submit'; submission: Submission }
  | { kind: 'retry'; networks: Platform[] }

const asked = ({ onApproval, client, at }: Submission) => ({
  onApproval,
  client,
  ...(at ? { scheduledAt: at.toISOString() } : {}),
})

/** Save, submit, schedule and publish, of a new post or a stored one. `onPublish` asks before a post is published, with what will most likely fail. */
export function useActs(handle: DraftHandle, onPublish: (risks: Check[]) => void) {
  const t = useTranslations('composer')
  const approvals = useTranslations('approvals')
  const format = useFormatter()
  const locale = useLocale()
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws, workspace } = usePlace()
  const attempt = useRef({ body: '', key: '', sent: handle.draft })

  /** The same content asked for twice, after a lost answer, makes one post. */
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
    const saved = await handle.save()
    if (!saved || act.kind === 'draft') return saved
    const at = { workspace: ws, params: { id } }
    if (act.kind === 'queue') return call('queuePost', at)
    if (act.kind === 'time')
      return call('updatePost', { ...at, ifMatch: saved.version, body: { scheduledAt: act.at.toISOString() } })
    if (act.kind === 'retry') {
      const failed = saved.publications.filter(
        ({ dropped, state, platform }) => !dropped && state === 'FAILED' && act.networks.includes(platform),
      )
      return call('retryPost', { ...at, body: { publicationIds: failed.map((one) => one.id) } })
    }
    if (act.kind === 'submit') {
      const { scheduledAt, ...body } = asked(act.submission)
      const timed = scheduledAt
        ? await call('updatePost', { ...at, ifMatch: saved.version, body: { scheduledAt } })
        : saved
      return call('submitPost', { ...at, ifMatch: timed.version, body })
    }
    return act.kind === 'publish'
      ? call('publishPost', at)
      : call('schedulePost', { ...at, body: { scheduledAt: act.at.toISOString() } })
  }

  /** The findings with which it most likely fails now, though the service would send it. */
  const risks = async () => {
    const { id, dirty } = handle
    const { checks } =
      id && !dirty
        ? await client.fetchQuery({ ...postQuery(ws, id), staleTime: 0 })
        : await call('validatePost', { workspace: ws, body: bodyOf(handle.draft) })
    // Once on the schedule it is the same as itself.
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
      // It is a draft by now, whatever the queue says.
      return call('queuePost', { workspace: ws, params: { id: post.id } }).catch((error: unknown) => {
        toast.error(text(error))
        return post
      })
    },
    onSuccess: async (post, act) => {
      // A save that did not go through has said so itself; what is risky is asked about.
      if (!post) return
      if (handle.id) handle.adoptAct(post)
      else {
        settle(ws, post.id, true)
        handle.become(post, attempt.current.sent)
        void client.invalidateQueries({ queryKey: [ws, 'posts'] })
        void client.invalidateQueries({ queryKey: [ws, 'calendar'] })
        await navigate({ to: '/w/$ws/posts/$id', params: { ws, id: post.id }, replace: true })
      }
      // Moved where that needs a new approval, it is on no schedule.
      const scheduledFor = act.kind === 'schedule' ? act.at : act.kind === 'queue' && post.scheduledAt
      if (scheduledFor && post.status === 'DRAFT') toast.message(approvals('takenBack'))
      else if (scheduledFor) {
        const at = new Date(scheduledFor)
        const zone = workspace.timezone
        const time = format.dateTime(at, {
          weekday: 'short',
          day: 'numeric',
          month: 'short',
          hour: 'numeric',
          minute: '2-digit',
          timeZone: zone,
        })
        toast.success(t('scheduledFor', { time, zone: zoneName(zone, at, locale) }), {
          action: { label: t('undo'), onClick: () => void undo(post) },
        })
      }
      if (act.kind === 'publish' && workspace.publishing.paused) toast.info(t('waitsForPause'))
      if (act.kind === 'submit') {
        toast.success(approvals('submitted'))
        void client.invalidateQueries({ queryKey: [ws, 'approvals'] })
      }
      // The notice that a change ended the request says already that the post is saved.
      if (act.kind === 'draft' && post.approval?.state !== 'WITHDRAWN') toast.success(t('draftSaved'))
    },
    onError: (error, act) => {
      // The plan page then says the same as the refusal.
      if (isProblem(error, 'quota_exceeded')) void client.invalidateQueries({ queryKey: [ws, 'usage'] })
      // A full quota is told beside the buttons, for as long as it is full.
      if (
        act.kind !== 'schedule' &&
        act.kind !== 'time' &&
        act.kind !== 'queue' &&
        act.kind !== 'submit' &&
        !isProblem(error, 'quota_exceeded')
      )
        toast.error(text(error))
    },
  })
  return run
}

export type Acts = ReturnType<typeof useActs>
