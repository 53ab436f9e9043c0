import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { CalendarClock, Check, CircleCheckBig, ExternalLink, Info, MessageSquareWarning } from 'lucide-react'
import { useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Review, ReviewedPost } from '../../../../src/publishing/approvals/api.ts'
import type { Post, Status } from '../../../../src/publishing/posts/api.ts'
import { isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import { isolate } from '../../../bidi.ts'
import { call, isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { keepClear } from '../../../ui/keep-clear.ts'
import { FormError } from '../../../ui/field.tsx'
import { Previews } from '../composer/preview/previews.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentList } from './comment-list.tsx'
import { useMomentIn } from './people.ts'
import { RejectDialog } from './reject-dialog.tsx'
import { reviewQuery } from './queries.ts'
import type { Visitor } from './use-visitor.tsx'

/** Whether a post still needs a decision. An approved, scheduled post can be sent back but needs none. */
export const isAsked = ({ post, mayDecide }: Pick<ReviewedPost, 'post' | 'mayDecide'>) =>
  mayDecide && !(post.status === 'SCHEDULED' && post.approved)

/** Asks for the visitor's name if the link has none; resolves with null if they gave none. */
export type AskVisitor = () => Promise<Visitor | null>

interface Props {
  token: string
  review: Review
  ask: AskVisitor
  one: ReviewedPost
  /** The position among the posts of the link; null for a single post. */
  place: { index: number; count: number } | null
  /** On a phone, hidden while another post fills the screen. */
  hidden: boolean
}

/** One post as on its networks, with its comments and the decision. */
export function ReviewPost({ token, review, ask, one, place, hidden }: Props) {
  const t = useTranslations('approvals.review')
  const words = useTranslations('approvals')
  const text = useProblemText()
  const format = useFormatter()
  const client = useQueryClient()
  const id = useId()
  const { workspace, readOnly } = review
  const { post, comments, mayDecide } = one
  const [rejecting, setRejecting] = useState<Visitor | null>(null)
  /** A request for changes that was refused. It is offered again, so that nobody writes it twice. */
  const [unsent, setUnsent] = useState('')
  const { queryKey } = reviewQuery(token)
  const take = (answer: Review) => client.setQueryData(queryKey, answer)
  const seen = { postId: post.id, postVersion: post.version }
  const decide = useMutation({
    mutationFn: ({ reason, ...visitor }: Visitor & { reason: string | null }) =>
      reason === null
        ? call('approveReview', { params: { token }, body: { ...seen, ...visitor } })
        : call('rejectReview', { params: { token }, body: { ...seen, ...visitor, reason } }),
    onSuccess: (answer) => {
      take(answer)
      setRejecting(null)
      setUnsent('')
      if (!place) window.scrollTo({ top: 0 })
    },
    onError: async (error, { reason, ...visitor }) => {
      if (!isProblem(error, 'stale_version', 'invalid_state', 'link_expired', 'feature_not_in_plan')) return
      setRejecting(null)
      if (reason !== null) setUnsent(reason)
      await client.invalidateQueries({ queryKey })
      const now = client.getQueryData(queryKey)?.posts.find((other) => other.post.id === post.id)
      if (reason !== null && isProblem(error, 'stale_version') && now?.mayDecide) setRejecting(visitor)
    },
  })
  const say = useMutation({
    mutationFn: (said: Visitor & { text: string }) =>
      call('commentReview', { params: { token }, body: { postId: post.id, ...said } }),
    onSuccess: take,
    onError: (error) => {
      if (isProblem(error, 'feature_not_in_plan')) void client.invalidateQueries({ queryKey })
    },
  })
  const whyNot = (error: Error) =>
    isProblem(error, 'stale_version') ? t(unsent && one.mayDecide ? 'changedUnsent' : 'changed') : text(error)
  const refused = (error: Error) =>
    isProblem(error, 'feature_not_in_plan')
      ? t('readOnly', { name: isolate(workspace.name), count: review.posts.length })
      : text(error)
  const asked = isAsked(one)
  const { status } = post
  const Frame = place ? 'article' : 'div'
  const Heading = place ? 'h3' : 'h2'
  return (
    <Frame
      {...(place && { 'aria-labelledby': `${id}-title` })}
      className={clsx('grid grid-cols-[minmax(0,1fr)] content-start sm:not-first:border-t', hidden && 'max-sm:hidden')}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 px-4 py-5">
        {place && (
          <div className="grid gap-1">
            <h2 id={`${id}-title`} className="text-15 font-semibold">
              {t('post', { at: format.number(place.index + 1), count: format.number(place.count) })}
            </h2>
            <Planned post={post} zone={workspace.timezone} />
          </div>
        )}
        {decide.error && !isProblem(decide.error, 'feature_not_in_plan') && (
          <FormError>{whyNot(decide.error)}</FormError>
        )}
        {isOut(status) ? (
          <Outcome post={post} status={status} zone={workspace.timezone} />
        ) : (
          !asked && !readOnly && <Standing {...one} />
        )}
        {one.changesAsked && <ChangesAsked asked={one.changesAsked} zone={workspace.timezone} />}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <Previews all={!place} post={post} accounts={[]} workspace={workspace} />
        </div>
        <div className="grid gap-3">
          <Heading className="text-13 font-medium">{t('comments')}</Heading>
          <p className="-mt-2 text-xs text-muted">{t('commentsSeen', { name: isolate(workspace.name) })}</p>
          <CommentList comments={comments} />
          {/* A refused comment keeps its text. */}
          {(!readOnly || say.error) && (
            <CommentForm
              postId={post.id}
              people={[]}
              label={t('comment')}
              busy={say.isPending}
              error={say.error && refused(say.error)}
              onSay={async (said) => {
                const visitor = await ask()
                if (!visitor) return false
                return say.mutateAsync({ ...visitor, text: said }).then(
                  () => true,
                  () => false,
                )
              }}
            />
          )}
        </div>
      </div>
      {mayDecide && (
        <div
          ref={keepClear}
          className={clsx(
            'sticky bottom-0 grid grid-cols-2 gap-2 border-t bg-bg px-4 py-3 max-sm:pb-[max(0.75rem,env(safe-area-inset-bottom))]',
            place && 'sm:static sm:border-t-0 sm:bg-transparent sm:pt-0 sm:pb-6',
          )}
        >
          {asked && (
            <Button
              variant="primary"
              busy={decide.isPending && !rejecting}
              onClick={() => void ask().then((who) => who && decide.mutate({ ...who, reason: null }))}
            >
              <Check className="size-4" aria-hidden />
              {words('approve')}
            </Button>
          )}
          <Button className={asked ? undefined : 'col-span-2'} onClick={() => void ask().then(setRejecting)}>
            <MessageSquareWarning className="size-4" aria-hidden />
            {words('reject')}
          </Button>
        </div>
      )}
      {rejecting && (
        <RejectDialog
          author={workspace.name}
          busy={decide.isPending}
          first={unsent}
          error={decide.error ? whyNot(decide.error) : null}
          onClose={() => setRejecting(null)}
          onReject={(reason) => decide.mutate({ ...rejecting, reason })}
        />
      )}
    </Frame>
  )
}

/** When a post will be published; nothing once it has been. */
export function Planned({ post: { scheduledAt, status }, zone }: { post: Post; zone: string }) {
  const t = useTranslations('approvals.review')
  const moment = useMomentIn(zone)
  if (!scheduledAt || isOut(status)) return null
  return (
    <p className="flex items-start gap-2 text-13 text-muted">
      <CalendarClock className="mt-0.5 size-4 shrink-0" aria-hidden />
      {t('planned', { time: moment(scheduledAt) })}
    </p>
  )
}

/** Whether a post has left the schedule: it is live, publishing, or failed. */
export const isOut = (status: Status): status is Exclude<Status, 'DRAFT' | 'SCHEDULED'> =>
  status !== 'DRAFT' && status !== 'SCHEDULED'

/** The progress of a post, with links to it on the networks. */
function Outcome({ post, status, zone }: { post: Post; status: Exclude<Status, 'DRAFT' | 'SCHEDULED'>; zone: string }) {
  const t = useTranslations('approvals.review')
  const words = useTranslations('post')
  const moment = useMomentIn(zone)
  const live = post.publications.filter(({ state, dropped }) => state === 'PUBLISHED' && !dropped)
  const [first] = live.flatMap(({ publishedAt }) => publishedAt ?? []).toSorted()
  const since = post.publishedAt ?? first ?? post.happensAt
  const Icon = status === 'PUBLISHED' ? CircleCheckBig : Info
  return (
    <div role="status" className="flex items-start gap-2 rounded-lg bg-sunken px-3 py-2.5 text-13">
      <Icon className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
      <div className="grid min-w-0 grow gap-2">
        <p>{t(`out.${status}`, { time: moment(since) })}</p>
        {live.length > 0 && (
          <ul aria-label={t('live')} className="grid gap-2">
            {live.map((one) => (
              <li key={one.id} className="flex flex-wrap items-center justify-between gap-2">
                <bdi className="min-w-0 break-words">{one.accountName}</bdi>
                {one.permalink && (
                  <a href={one.permalink} target="_blank" rel="noreferrer" className={buttonClass('secondary', 'sm')}>
                    <ExternalLink className="size-3.5" aria-hidden />
                    {words('viewOn', { network: NETWORKS[one.platform].name })}
                    <span className="sr-only">{words('newTab')}</span>
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

/** Why there is nothing to decide. */
function Standing({ post, mayDecide, changesAsked }: ReviewedPost) {
  const t = useTranslations('approvals.review')
  const { approval } = post
  const Icon = post.approved ? CircleCheckBig : Info
  const said =
    approval?.state === 'PENDING'
      ? t('onlyShows')
      : post.checks.some(isTimePassed)
        ? t('isApprovedLate')
        : post.approved
          ? t(
              `${approval?.state === 'APPROVED' || post.status !== 'SCHEDULED' ? 'isApproved' : 'isScheduled'}${mayDecide ? 'Still' : ''}`,
            )
          : approval?.state === 'REJECTED'
            ? t('isRejected')
            : t('notAsked')
  return (
    <div role="status" className="flex items-start gap-2 rounded-lg bg-sunken px-3 py-2.5 text-13">
      <Icon className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
      <div className="grid gap-1">
        <p>{said}</p>
        {approval?.state === 'REJECTED' && approval.reason && approval.reason !== changesAsked?.reason && (
          <blockquote dir="auto" className="border-s-2 ps-2.5 break-words whitespace-pre-wrap">
            {approval.reason}
          </blockquote>
        )}
      </div>
    </div>
  )
}

/** The visitor's last request for changes, and whether the post has changed since. */
function ChangesAsked({ asked, zone }: { asked: NonNullable<ReviewedPost['changesAsked']>; zone: string }) {
  const t = useTranslations('approvals.review')
  const moment = useMomentIn(zone)
  const title = useId()
  return (
    <section aria-labelledby={title} className="grid gap-1 rounded-lg bg-accent-soft px-3 py-2.5 text-13">
      <h2 id={title} className="font-medium">
        {t('youAsked', { time: moment(asked.at) })}
      </h2>
      <blockquote dir="auto" className="border-s-2 ps-2.5 break-words whitespace-pre-wrap">
        {asked.reason}
      </blockquote>
      <p>{asked.changedAt ? t('changedSince', { time: moment(asked.changedAt) }) : t('unchangedSince')}</p>
    </section>
  )
}
