import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock, Check, CircleCheckBig, ExternalLink, Info, LinkIcon, MessageSquareWarning } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Review } from '../../../../src/publishing/approvals/api.ts'
import type { Status } from '../../../../src/publishing/posts/api.ts'
import { isTimePassed } from '../../../../src/publishing/posts/checks/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { useTitle } from '../../../ui/page.tsx'
import { Empty, ErrorView } from '../../../ui/states.tsx'
import { OtherLanguages } from '../../team/auth/other-languages.tsx'
import { Previews } from '../composer/preview/previews.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentList } from './comment-list.tsx'
import { apart, useMoment } from './people.ts'
import { RejectDialog } from './reject-dialog.tsx'
import { reviewQuery } from './queries.ts'

/** One post for who was given a link: no menus, no sign-in, a phone is enough. */
export function ReviewPage({ token }: { token: string }) {
  const t = useTranslations('approvals.review')
  const query = useQuery(reviewQuery(token))
  if (isProblem(query.error, 'link_expired', 'not_found'))
    return (
      <main>
        <Empty whole icon={LinkIcon} title={t('over')} role="alert">
          {t('overBody')}
        </Empty>
      </main>
    )
  if (query.error && !query.data)
    return (
      <main>
        <ErrorView whole error={query.error} retry={() => void query.refetch()} />
      </main>
    )
  if (!query.data)
    return (
      <div className="mx-auto grid w-full max-w-xl gap-4 px-4 py-6" aria-hidden>
        <div className="skeleton h-8" />
        <div className="skeleton h-96" />
      </div>
    )
  return <Shown token={token} review={query.data} />
}

function Shown({ token, review }: { token: string; review: Review }) {
  const t = useTranslations('approvals.review')
  const words = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const { workspace, link, post, comments, mayDecide } = review
  const moment = useMoment(workspace.timezone)
  const [rejecting, setRejecting] = useState(false)
  useTitle(t('title', { name: workspace.name }))
  const { queryKey } = reviewQuery(token)
  const take = (answer: Review) => client.setQueryData(queryKey, answer)
  const seen = { postVersion: post.version }
  const decide = useMutation({
    mutationFn: (reason: string | null) =>
      reason === null
        ? call('approveReview', { params: { token }, body: seen })
        : call('rejectReview', { params: { token }, body: { ...seen, reason } }),
    onSuccess: (answer) => {
      take(answer)
      setRejecting(false)
      window.scrollTo({ top: 0 })
    },
    onError: (error) => {
      if (isProblem(error, 'stale_version', 'invalid_state', 'link_expired')) {
        setRejecting(false)
        void client.invalidateQueries({ queryKey })
      }
    },
  })
  const say = useMutation({
    mutationFn: (said: string) => call('commentReview', { params: { token }, body: { text: said } }),
    onSuccess: take,
  })
  /** What is approved and on the schedule can still be sent back, but nobody is asked. */
  const asked = mayDecide && !(post.status === 'SCHEDULED' && post.approved)
  const { status } = post
  return (
    <div className="mx-auto grid min-h-dvh w-full max-w-xl grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]">
      <header className="grid gap-1 border-b px-4 py-3">
        <div className="flex items-center gap-2">
          <p className="flex min-w-0 grow items-center gap-2 text-13 font-semibold">
            <Avatar name={workspace.name} square className="size-6" />
            <bdi dir="auto" className="clip">
              {workspace.name}
            </bdi>
          </p>
          <OtherLanguages />
        </div>
        <h1 className="text-base font-semibold break-words">
          {isOut(status)
            ? t(`headings.${status}`)
            : asked
              ? t('heading', { name: apart(link.name) })
              : t('headingLook')}
        </h1>
        {post.scheduledAt && !isOut(status) && (
          <p className="flex items-start gap-2 text-13 text-muted">
            <CalendarClock className="mt-0.5 size-4 shrink-0" aria-hidden />
            {t('planned', { time: moment(post.scheduledAt) })}
          </p>
        )}
      </header>
      <main className="grid content-start gap-6 px-4 py-5">
        {decide.error && (
          <FormError>{isProblem(decide.error, 'stale_version') ? t('changed') : text(decide.error)}</FormError>
        )}
        {isOut(status) ? <Outcome review={review} status={status} /> : !asked && <Standing review={review} />}
        {review.changesAsked && <ChangesAsked asked={review.changesAsked} zone={workspace.timezone} />}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <Previews all post={post} accounts={[]} workspace={workspace} />
        </div>
        <section className="grid gap-3" aria-labelledby="review-comments">
          <h2 id="review-comments" className="text-13 font-medium">
            {words('comments')}
          </h2>
          <CommentList comments={comments} />
          <CommentForm
            people={[]}
            busy={say.isPending}
            error={say.error ? text(say.error) : null}
            onSay={(said) =>
              say.mutateAsync(said).then(
                () => true,
                () => false,
              )
            }
          />
        </section>
        <p className="text-xs text-muted">{t('until', { time: moment(link.expiresAt) })}</p>
      </main>
      {mayDecide && (
        <footer className="sticky bottom-0 grid grid-cols-2 gap-2 border-t bg-bg px-4 py-3 max-sm:pb-[max(0.75rem,env(safe-area-inset-bottom))]">
          {asked && (
            <Button variant="primary" busy={decide.isPending && !rejecting} onClick={() => decide.mutate(null)}>
              <Check className="size-4" aria-hidden />
              {words('approve')}
            </Button>
          )}
          <Button className={asked ? undefined : 'col-span-2'} onClick={() => setRejecting(true)}>
            <MessageSquareWarning className="size-4" aria-hidden />
            {words('reject')}
          </Button>
        </footer>
      )}
      {rejecting && (
        <RejectDialog
          author={workspace.name}
          busy={decide.isPending}
          error={decide.error ? text(decide.error) : null}
          onClose={() => setRejecting(false)}
          onReject={(reason) => decide.mutate(reason)}
        />
      )}
    </div>
  )
}

/** Whether a post has left its schedule: it is live, about to be, or failed. */
const isOut = (status: Status): status is Exclude<Status, 'DRAFT' | 'SCHEDULED'> =>
  status !== 'DRAFT' && status !== 'SCHEDULED'

/** How a post went, or is going, with the ways to where it is live. */
function Outcome({
  review: { post, workspace },
  status,
}: {
  review: Review
  status: Exclude<Status, 'DRAFT' | 'SCHEDULED'>
}) {
  const t = useTranslations('approvals.review')
  const words = useTranslations('post')
  const moment = useMoment(workspace.timezone)
  const live = post.publications.filter(({ state, dropped }) => state === 'PUBLISHED' && !dropped)
  const since = post.publishedAt ?? live[0]?.publishedAt ?? post.happensAt
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
function Standing({ review: { post, mayDecide, changesAsked } }: { review: Review }) {
  const t = useTranslations('approvals.review')
  const { approval } = post
  const said =
    approval?.state === 'PENDING'
      ? t('onlyShows')
      : post.checks.some(isTimePassed)
        ? t('isApprovedLate')
        : post.approved
          ? t(mayDecide ? 'isApprovedStill' : 'isApproved')
          : approval?.state === 'REJECTED'
            ? t('isRejected')
            : t('notAsked')
  return (
    <div role="status" className="flex items-start gap-2 rounded-lg bg-sunken px-3 py-2.5 text-13">
      <CircleCheckBig className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
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

/** What they asked for the last time, and whether the post has changed since. */
function ChangesAsked({ asked, zone }: { asked: NonNullable<Review['changesAsked']>; zone: string }) {
  const t = useTranslations('approvals.review')
  const moment = useMoment(zone)
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
