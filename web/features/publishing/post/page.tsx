import { Link } from '@tanstack/react-router'
import { ArrowLeft, ChevronRight, Info, PenLine, RotateCcw } from 'lucide-react'
import { Suspense } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post, Publication } from '../../../../src/publishing/posts/api.ts'
import { aiTexts, figureTexts } from '../../../i18n.tsx'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Rows } from '../../../ui/row.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { Comments } from '../approvals/comments.tsx'
import { ApprovalNote } from '../approvals/note-place.tsx'
import { Versions } from '../approvals/versions.tsx'
import { Previews } from '../composer/preview/previews.tsx'
import { useMoment } from '../../shell/moment.ts'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { PostMenu } from './menu.tsx'
import { isRetryNext, isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import PausedNote from './paused-note.tsx'
import { waitsForPause } from './paused.ts'
import TimePassed from './time-passed.tsx'
import { Timeline } from './timeline.tsx'
import { isStoppable, PublicationCard } from './publication.tsx'
import { usePostActs } from './use-post-acts.ts'

// Few posts need these, so the page does not wait for them.
const PostTags = lazy(async () => {
  await aiTexts()
  return import('../../assistant/ai/post-tags.tsx')
})

const PostFigures = lazy(async () => {
  await figureTexts()
  return import('../../insights/post/figures.tsx')
})

const PostLabels = lazy(() => import('../../team/labels/post-labels.tsx'))

interface Props {
  post: Post
  accounts: SocialAccount[]
  /** Opens the editor, at a network's tab if one is given. */
  onEdit: ((platform?: Platform) => void) | null
}

/** The progress of a post on each account. */
export function PostPage({ post, accounts, onEdit }: Props) {
  const t = useTranslations('post')
  const { ws, workspace, membership } = usePlace()
  const acts = usePostActs(post)
  const may = useMay('retryPost')
  const counted = post.publications.filter((one) => !one.dropped).toSorted((a, b) => a.position - b.position)
  const failed = counted.filter((one) => one.state === 'FAILED')
  const accountOf = ({ accountId }: Publication) => accounts.find(({ id }) => id === accountId)
  const waits = waitsForPause(post, workspace)
  const late = post.checks.find(isTimePassed)
  const retries =
    (post.status === 'FAILED' || post.status === 'PARTIALLY_PUBLISHED') && failed.length > 0 && !may.hidden
  const name = post.caption.trim().split('\n')[0] || t('title')
  return (
    <Page
      title={name}
      up={
        <>
          <Link
            to="/w/$ws/posts"
            params={{ ws }}
            className="inline-flex min-h-8 items-center text-13 text-muted hover:text-fg max-sm:-ms-3 max-sm:size-11 max-sm:shrink-0 max-sm:justify-center"
          >
            <ArrowLeft className="size-5 sm:hidden rtl:rotate-180" aria-hidden />
            <span className="max-sm:sr-only">{t('all')}</span>
          </Link>
          <ChevronRight className="size-4 shrink-0 text-faint max-sm:hidden rtl:rotate-180" aria-hidden />
        </>
      }
      heading={
        <span className="flex min-w-0 items-center gap-3 max-sm:flex-col max-sm:items-start max-sm:gap-0.5">
          <bdi className="max-w-full min-w-0 clip">{name}</bdi>
          <span role="status" className="inline-flex shrink-0">
            <StatusBadge post={post} />
          </span>
        </span>
      }
      actions={
        !may.hidden && (
          <>
            {onEdit && (
              <Button className="max-sm:min-w-11" onClick={() => onEdit()}>
                <PenLine className="size-4" aria-hidden />
                <span className="max-sm:sr-only">{t('edit')}</span>
              </Button>
            )}
            {retries && failed.length > 1 && (
              <Button
                variant={failed.every((one) => isRetryNext(one, accountOf(one))) ? 'primary' : 'secondary'}
                busy={acts.retry.isPending}
                reason={may.reason}
                onClick={() => acts.retry.mutate(failed.map((one) => one.id))}
              >
                <RotateCcw className="size-4" aria-hidden />
                {t('retryAll', { count: failed.length })}
              </Button>
            )}
            <PostMenu post={post} />
          </>
        )
      }
    >
      <ApprovalNote post={post} />
      <div className="grid grow grid-cols-[minmax(0,1fr)] content-start lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="mx-auto grid w-full max-w-[52rem] min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-5 lg:px-6">
          {waits && <PausedNote />}
          {late && <TimePassed check={late} />}
          <Outcome post={post} />
          {post.status === 'PUBLISHING' && !waits && (
            <p className="flex items-start gap-2 rounded-lg bg-accent-soft px-3 py-2.5 text-13">
              <Info className="mt-0.5 size-4 shrink-0 text-accent-text" aria-hidden />
              {t(!may.hidden && counted.some(isStoppable) ? 'underWayWaits' : 'underWay')}
            </p>
          )}
          <section aria-label={t('accounts')}>
            {counted.length > 0 ? (
              <Rows>
                {counted.map((one) => (
                  <PublicationCard
                    key={one.id}
                    publication={one}
                    account={accountOf(one)}
                    acts={acts}
                    mayAct={!may.hidden}
                    retries={retries}
                    onEdit={onEdit}
                  />
                ))}
              </Rows>
            ) : (
              <p className="text-13 text-muted">{t('noTargets')}</p>
            )}
          </section>
          {counted.some((one) => one.state === 'PUBLISHED') && !refusal(membership, 'listPostMetrics') && (
            <Suspense fallback={<div className="h-32" aria-hidden />}>
              <PostFigures id={post.id} publishedAt={post.publishedAt} />
            </Suspense>
          )}
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
            <section className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4" aria-labelledby="content-title">
              <h2 id="content-title" className="text-13 font-semibold">
                {t('content')}
              </h2>
              <Previews post={post} accounts={accounts} workspace={workspace} />
            </section>
            <Timeline post={post} />
          </div>
          <Suspense fallback={<div className="h-8" aria-hidden />}>
            <PostLabels post={post} />
          </Suspense>
          <Suspense>
            <PostTags id={post.id} live={post.status === 'PUBLISHED' || post.status === 'PARTIALLY_PUBLISHED'} />
          </Suspense>
        </div>
        <aside
          aria-label={t('beside')}
          className="grid grid-cols-[minmax(0,1fr)] content-start gap-6 p-4 max-lg:border-t lg:sticky lg:top-0 lg:max-h-dvh lg:min-h-full lg:overflow-y-auto lg:border-s"
        >
          <Comments postId={post.id} />
          {!refusal(membership, 'listVersions') && <Versions post={post} />}
        </aside>
      </div>
    </Page>
  )
}

/** One sentence on where the post is live and where it is not. */
function Outcome({ post }: { post: Post }) {
  const t = useTranslations('post.outcome')
  const format = useFormatter()
  const moment = useMoment()
  const counted = post.publications.filter(({ dropped }) => !dropped)
  const named = (...states: Publication['state'][]) => {
    const there = counted.filter(({ state }) => states.includes(state)).map(({ platform }) => platform)
    const short = PLATFORM_ORDER.filter((one) => there.includes(one)).map((one) => NETWORKS[one].short)
    return short.length > 0 ? format.list(short) : null
  }
  const live = named('PUBLISHED')
  const failed = named('FAILED')
  const unknown = named('UNCONFIRMED')
  const open = post.status === 'PUBLISHING' ? named('PENDING', 'PREPARING', 'SUBMITTING') : null
  const planned = post.status === 'SCHEDULED' && post.scheduledAt
  if (!live && !failed && !unknown && !open && !planned) return null
  return (
    <p className="text-base text-muted">
      {planned && t('planned', { time: moment(planned) })}
      {live && `${t('live', { networks: live })} `}
      {open && `${t('open', { networks: open })} `}
      {unknown && <strong className="font-semibold text-fg">{t('unknown', { networks: unknown })} </strong>}
      {failed && <strong className="font-semibold text-fg">{t('failed', { networks: failed })}</strong>}
    </p>
  )
}
