import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { type Act, allowed, demandsApproval } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { isInReview } from '../../../ui/status.tsx'
import { type Loss, lostBy } from '../approvals/states.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import type { BulkKind, BulkRefusal, BulkRun } from './bulk-run.ts'
import { useKeptRun } from './kept-run.ts'
import { runPatiently } from './run-patiently.ts'
import { useRestoreDeleted } from './restore-deleted.ts'
import { reschedule } from './reschedule.ts'

/** The action that a post's status must allow. */
const NEEDS: Record<BulkKind, Act> = { move: 'schedule', cancel: 'cancel', retry: 'retry', remove: 'delete' }

export const fits = (kind: BulkKind, post: Post) => allowed(post.status).includes(NEEDS[kind])

const isLive = ({ publications }: Post, platform: Platform) =>
  publications.some((one) => one.state === 'PUBLISHED' && one.platform === platform)

/** A completed action on one post, with its undo and what the post lost by it. */
interface Done {
  undo?: () => Promise<unknown>
  lost?: Loss | null
}

type Task = { post: Post; act: () => Promise<Done> }

const UNDO_MS = 10_000

/**
 * Applies one action to many posts, with the progress, the refusals and their reasons, and an undo for the successful
 * ones.
 */
export function useBulk() {
  const t = useTranslations('bulk')
  const status = useTranslations('status')
  const why = useProblemText()
  const client = useQueryClient()
  const { ws, workspace, membership } = usePlace()
  const restoreDeleted = useRestoreDeleted()
  const [run, setRun] = useKeptRun<BulkRun>('bulk-run')

  /** `stay`: the ids to keep selected; by default the refused ones. */
  const work = async (kind: BulkRun['kind'], tasks: Task[], stay?: string[]) => {
    const done: (Done & { post: Post })[] = []
    const refused: BulkRefusal[] = []
    const tell = (running: boolean) =>
      setRun({
        kind,
        done: done.length + refused.length,
        total: tasks.length,
        running,
        refused: [...refused],
        stay: stay ?? refused.map(({ post }) => post.id),
      })
    tell(true)
    await runPatiently(tasks, async ({ post, act }, patient) => {
      try {
        done.push({ post, ...(await patient(act)) })
      } catch (error) {
        refused.push({ post, why: why(error) })
      }
      tell(true)
    })
    tell(false)
    for (const key of ['posts', 'calendar', 'post']) void client.invalidateQueries({ queryKey: [ws, key] })
    if (done.length === 0) return
    const back = done.flatMap(({ post, undo }) => (undo ? [{ post, act: () => undo().then(() => ({})) }] : []))
    const losses = (['request', 'approval'] as const).flatMap((loss) => {
      const count = done.filter(({ lost }) => lost === loss).length
      return count > 0 ? [t(`lost.${loss}`, { count })] : []
    })
    toast.success(t(`done.${kind}`, { count: done.length }), {
      description:
        losses.length > 0 ? [...losses, kind === 'move' && t('undoesTimes')].filter(Boolean).join(' ') : undefined,
      // The toast whose button was pressed is closing, so the response needs another id.
      id: kind === 'undo' ? crypto.randomUUID() : 'bulk',
      duration: UNDO_MS,
      action: back.length > 0 ? { label: t('undo'), onClick: () => void work('undo', back) } : undefined,
    })
  }

  const task = (kind: BulkKind, post: Post, act: Task['act']): Task => ({
    post,
    act: async () => {
      if (!fits(kind, post))
        throw new Error(t('notNow', { status: status(isInReview(post) ? 'approval.PENDING' : post.status) }))
      return act()
    },
  })
  const at = (post: Post) => ({ workspace: ws, params: { id: post.id } })
  const scheduleAgain = (post: Post, version: number) =>
    call('schedulePost', { ...at(post), ifMatch: version, body: { scheduledAt: post.scheduledAt ?? undefined } })

  const move = (posts: Post[], timeOf: (from: Date) => Date) =>
    work(
      'move',
      posts.map((post) =>
        task('move', post, async () => {
          if (!post.scheduledAt) throw new Error(t('noTime'))
          const time = timeOf(new Date(post.scheduledAt))
          if (time.getTime() < Date.now()) throw new Error(t('past'))
          const moved = await reschedule(ws, post, time.toISOString())
          return { lost: lostBy(post, moved), undo: () => reschedule(ws, moved, post.scheduledAt) }
        }),
      ),
    )

  const cancel = (posts: Post[]) =>
    work(
      'cancel',
      posts.map((post) =>
        task('cancel', post, async () => {
          const draft = await call('cancelPost', { ...at(post), ifMatch: post.version })
          const lost = post.approved && !draft.approved ? 'approval' : null
          // Who needs an approval cannot schedule it again.
          const isFinal = lost && demandsApproval(workspace.approvalMode, membership.role)
          return { lost, undo: isFinal ? undefined : () => scheduleAgain(post, draft.version) }
        }),
      ),
    )

  const retry = (posts: Post[]) =>
    work(
      'retry',
      posts.map((post) =>
        task('retry', post, async () => {
          await call('retryPost', { ...at(post), body: {} })
          return {}
        }),
      ),
    )

  /** `also`: networks on which to delete live posts too. This cannot be undone. */
  const remove = (posts: Post[], also: readonly Platform[]) =>
    work(
      'remove',
      posts.map((post) =>
        task('remove', post, async () => {
          const there = also.filter((platform) => isLive(post, platform))
          const alsoOn = there.length > 0 ? there.join(',') : undefined
          const answer = await call('deletePost', { ...at(post), ifMatch: post.version, query: { alsoOn } })
          if (answer && answer.removals.length > 0) return {}
          return {
            undo: async () => {
              const { unscheduled } = await restoreDeleted(post)
              if (unscheduled) throw new Error(unscheduled)
            },
          }
        }),
      ),
    )

  /** Adds one label to a post or removes it, and keeps what others change in its labels. */
  const setLabel = async (post: Post, { id }: LabelMark, on: boolean) => {
    const { labels } = await call('getPost', at(post))
    const others = labels.map((one) => one.id).filter((one) => one !== id)
    return call('updatePost', { ...at(post), body: { labels: on ? [...others, id] : others } })
  }

  /** Adds a label to all posts or removes it, skipping posts that already match. */
  const label = (posts: Post[], mark: LabelMark, on: boolean) =>
    work(
      'label',
      posts
        .filter((post) => post.labels.some(({ id }) => id === mark.id) !== on)
        .map((post) => ({
          post,
          act: async () => {
            await setLabel(post, mark, on)
            return { undo: () => setLabel(post, mark, !on) }
          },
        })),
      posts.map(({ id }) => id),
    )

  return { run, label, dismiss: () => setRun(null), move, cancel, retry, remove }
}
