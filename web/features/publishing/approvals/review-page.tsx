import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCheck, ChevronLeft, ChevronRight, CircleCheckBig, Info } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Review, ReviewedPost } from '../../../../src/publishing/approvals/api.ts'
import { isolate } from '../../../bidi.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { useTitle } from '../../../ui/page.tsx'
import { LinkHead, LinkPage } from '../../shell/link-page.tsx'
import { useMomentIn } from './people.ts'
import { reviewQuery } from './queries.ts'
import { type AskVisitor, isAsked, isOut, Planned, ReviewPost } from './review-post.tsx'
import { useVisitor, type Visitor } from './use-visitor.tsx'

/** The posts of a review link, for a person without an account. Works on a phone. */
export function ReviewPage({ token }: { token: string }) {
  return (
    <LinkPage query={useQuery(reviewQuery(token))} className="min-h-dvh max-w-xl grid-rows-[auto_minmax(0,1fr)]">
      {(review) => <Shown token={token} review={review} />}
    </LinkPage>
  )
}

function Shown({ token, review }: { token: string; review: Review }) {
  const t = useTranslations('approvals.review')
  const { workspace, link, posts, deletedPosts } = review
  const moment = useMomentIn(workspace.timezone)
  const visitor = useVisitor(review)
  const [at, setAt] = useState(0)
  const [first] = posts
  const shown = Math.min(at, posts.length - 1)
  const several = posts.length > 1
  useTitle(t('title', { name: workspace.name, count: posts.length }))
  const go = (to: number) => {
    setAt(to)
    window.scrollTo({ top: 0 })
  }
  return (
    <>
      <LinkHead workspace={workspace.name}>
        {several ? (
          <Several token={token} review={review} ask={visitor.ask} />
        ) : (
          first && <Only review={review} {...first} />
        )}
        {review.readOnly && (
          <p role="status" className="flex items-start gap-2 text-13 text-muted">
            <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
            {t('readOnly', { name: isolate(workspace.name), count: posts.length })}
          </p>
        )}
        {deletedPosts > 0 && <p className="text-13 text-muted">{t('deleted', { count: deletedPosts })}</p>}
      </LinkHead>
      <main className="grid grid-cols-[minmax(0,1fr)] content-start">
        {several && <Turn at={shown} count={posts.length} onGo={go} />}
        {posts.map((one, index) => (
          <ReviewPost
            key={one.post.id}
            token={token}
            review={review}
            ask={visitor.ask}
            one={one}
            place={several ? { index, count: posts.length } : null}
            hidden={index !== shown}
          />
        ))}
        <p className="px-4 pb-5 text-xs text-muted">{t('until', { time: moment(link.expiresAt) })}</p>
        {visitor.dialog}
      </main>
    </>
  )
}

/** Asks for a decision about the only post of a link, or shows how it went. */
function Only({ review, post, mayDecide }: { review: Review } & ReviewedPost) {
  const t = useTranslations('approvals.review')
  const { status } = post
  return (
    <>
      <h1 className="text-base font-semibold break-words">
        {isOut(status)
          ? t(`headings.${status}`)
          : isAsked({ post, mayDecide })
            ? review.link.name === null
              ? t('headingNameless')
              : t('heading', { name: isolate(review.link.name) })
            : t('headingLook')}
      </h1>
      <Planned post={post} zone={review.workspace.timezone} />
    </>
  )
}

/** How many posts of a link wait for a decision, and one decision for all of them. */
function Several({ token, review, ask }: { token: string; review: Review; ask: AskVisitor }) {
  const t = useTranslations('approvals.review')
  const text = useProblemText()
  const client = useQueryClient()
  const { queryKey } = reviewQuery(token)
  const [asking, setAsking] = useState<Visitor | null>(null)
  const open = review.posts.filter(isAsked)
  const approve = useMutation({
    mutationFn: (visitor: Visitor) =>
      call('approveReview', {
        params: { token },
        body: { ...visitor, posts: open.map(({ post }) => ({ postId: post.id, postVersion: post.version })) },
      }),
    onSuccess: (answer) => client.setQueryData(queryKey, answer),
    onError: () => void client.invalidateQueries({ queryKey }),
    onSettled: () => setAsking(null),
  })
  return (
    <>
      <h1 className="text-base font-semibold break-words">
        {open.length > 0
          ? review.link.name === null
            ? t('headingSeveralNameless', { count: open.length })
            : t('headingSeveral', { name: isolate(review.link.name), count: open.length })
          : review.readOnly
            ? t('title', { name: isolate(review.workspace.name), count: review.posts.length })
            : t('nothingLeft')}
      </h1>
      {open.length === 0 && !review.readOnly && (
        <p role="status" className="flex items-center gap-2 text-13 text-muted">
          <CircleCheckBig className="size-4 shrink-0 text-ok" aria-hidden />
          {t(review.posts.some(({ mayDecide }) => mayDecide) ? 'nothingLeftStill' : 'nothingLeftBody')}
        </p>
      )}
      {approve.error && !isProblem(approve.error, 'feature_not_in_plan') && (
        <FormError>{isProblem(approve.error, 'stale_version') ? t('changedSome') : text(approve.error)}</FormError>
      )}
      {open.length > 1 && (
        <div className="mt-1">
          <Button busy={approve.isPending} onClick={() => void ask().then(setAsking)}>
            <CheckCheck className="size-4" aria-hidden />
            {t('approveAll', { count: open.length })}
          </Button>
        </div>
      )}
      <Confirm
        open={asking !== null}
        onOpenChange={() => setAsking(null)}
        title={t('approveAllTitle', { count: open.length })}
        description={t('approveAllBody')}
        action={t('approveAll', { count: open.length })}
        busy={approve.isPending}
        onConfirm={() => asking && approve.mutate(asking)}
      />
    </>
  )
}

/** Moves between posts on a phone, where one post fills the screen. */
function Turn({ at, count, onGo }: { at: number; count: number; onGo: (to: number) => void }) {
  const t = useTranslations('approvals.review')
  const format = useFormatter()
  return (
    <nav
      aria-label={t('turn')}
      className="sticky top-0 z-10 flex items-center justify-between border-b bg-bg px-2 sm:hidden"
    >
      <Button variant="ghost" size="icon" aria-label={t('previous')} disabled={at === 0} onClick={() => onGo(at - 1)}>
        <ChevronLeft className="size-5 rtl:rotate-180" aria-hidden />
      </Button>
      <span role="status" className="text-13 font-medium tabular-nums">
        {t('place', { at: format.number(at + 1), count: format.number(count) })}
      </span>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('next')}
        disabled={at === count - 1}
        onClick={() => onGo(at + 1)}
      >
        <ChevronRight className="size-5 rtl:rotate-180" aria-hidden />
      </Button>
    </nav>
  )
}
