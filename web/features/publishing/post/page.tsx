import { Info, PenLine, RotateCcw } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { aiTexts } from '../../../i18n.tsx'
import { Button } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { ApprovalNote } from '../approvals/note-place.tsx'
import { Previews } from '../composer/preview/previews.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { PostMenu } from './menu.tsx'
import { isTimePassed } from '../../../../src/publishing/posts/checks/rules.ts'
import PausedNote from './paused-note.tsx'
import { waitsForPause } from './paused.ts'
import TimePassed from './time-passed.tsx'
import { isStoppable, PublicationCard } from './publication.tsx'
import { usePostActs } from './use-post-acts.ts'

// Few posts have them, and nobody waits for them.
const PostTags = lazy(async () => {
  await aiTexts()
  return import('../../assistant/ai/post-tags.tsx')
})

interface Props {
  post: Post
  accounts: SocialAccount[]
  /** Opens the composer, at the tab of a network if one is named. */
  onEdit: ((platform?: Platform) => void) | null
}

/** How a post went, or is going, on each account. */
export function PostPage({ post, accounts, onEdit }: Props) {
  const t = useTranslations('post')
  const { workspace } = usePlace()
  const acts = usePostActs(post)
  const may = useMay('retryPost')
  const counted = post.publications.filter((one) => !one.dropped).toSorted((a, b) => a.position - b.position)
  const failed = counted.filter((one) => one.state === 'FAILED')
  const waits = waitsForPause(post, workspace)
  const late = post.checks.find(isTimePassed)
  const retries =
    (post.status === 'FAILED' || post.status === 'PARTIALLY_PUBLISHED') && failed.length > 0 && !may.hidden
  return (
    <Page
      title={t('title')}
      heading={
        <span className="flex items-center gap-3" role="status">
          {t('title')}
          <StatusBadge post={post} />
        </span>
      }
      actions={
        !may.hidden && (
          <>
            <PostMenu post={post} />
            {onEdit && (
              <Button onClick={() => onEdit()}>
                <PenLine className="size-4" aria-hidden />
                {t('edit')}
              </Button>
            )}
            {retries && failed.length > 1 && (
              <Button
                variant="primary"
                busy={acts.retry.isPending}
                reason={may.reason}
                onClick={() => acts.retry.mutate(failed.map((one) => one.id))}
              >
                <RotateCcw className="size-4" aria-hidden />
                {t('retryAll', { count: failed.length })}
              </Button>
            )}
          </>
        )
      }
    >
      <ApprovalNote post={post} />
      <div className="mx-auto grid w-full max-w-[76rem] grid-cols-[minmax(0,1fr)] content-start gap-6 px-4 py-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:px-6">
        <div className="grid content-start gap-5">
          {waits && <PausedNote />}
          {late && <TimePassed check={late} />}
          {post.status === 'PUBLISHING' && !waits && (
            <p className="flex items-start gap-2 rounded-lg bg-accent-soft px-3 py-2.5 text-13">
              <Info className="mt-0.5 size-4 shrink-0 text-accent-text" aria-hidden />
              {t(!may.hidden && counted.some(isStoppable) ? 'underWayWaits' : 'underWay')}
            </p>
          )}
          <section aria-label={t('accounts')}>
            <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
              {counted.map((one) => (
                <PublicationCard
                  key={one.id}
                  publication={one}
                  account={accounts.find((account) => account.id === one.accountId)}
                  acts={acts}
                  mayAct={!may.hidden}
                  retries={retries}
                  onEdit={onEdit}
                />
              ))}
            </ul>
            {counted.length === 0 && <p className="text-13 text-muted">{t('noTargets')}</p>}
          </section>
          <Facts post={post} />
          <Suspense>
            <PostTags id={post.id} />
          </Suspense>
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
          <Previews post={post} accounts={accounts} workspace={workspace} />
        </div>
      </div>
    </Page>
  )
}

function Facts({ post }: { post: Post }) {
  const t = useTranslations('post')
  const moment = useMoment()
  const time = (iso: string) => moment(iso, 'any')
  const rows: [string, string | null | undefined][] = [
    [t('author'), post.createdBy?.name],
    [t('createdAt'), time(post.createdAt)],
    [t('scheduledAt'), post.scheduledAt && time(post.scheduledAt)],
    [t('publishedAt'), post.publishedAt && time(post.publishedAt)],
  ]
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 text-13">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
      {post.late && <dd className="col-span-2 text-warn">{t('late')}</dd>}
    </dl>
  )
}
