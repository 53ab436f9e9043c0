import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { accountsQuery, postQuery } from '../../../queries.ts'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { ApprovalNote } from '../approvals/note-place.tsx'
import { composerAtHand } from '../composer/at-hand.ts'
import { draftOf, type Tab } from '../composer/draft.ts'
import { ComposerSkeleton } from '../composer/skeleton.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { waitsForPause } from './paused.ts'

// Loaded separately: editing a post and showing its progress need different code.
const LazyComposer = lazy(async () => ({ default: (await import('../composer/composer.tsx')).Composer }))
const PostMenu = lazy(async () => ({ default: (await import('./menu.tsx')).PostMenu }))
const KeptText = lazy(() => import('../composer/kept-text.tsx'))
const PausedNote = lazy(() => import('./paused-note.tsx'))
const PostPage = lazy(async () => ({ default: (await import('./page.tsx')).PostPage }))

/** One post: the editor while it can be edited, else its progress. */
export function PostScreen({ id, edit }: { id: string; edit?: Tab | undefined }) {
  const { ws, membership } = usePlace()
  const post = useQuery(postQuery(ws, id))
  const seesAccounts = !refusal(membership, 'listSocialAccounts')
  const accounts = useQuery({ ...accountsQuery(ws), enabled: seesAccounts })
  return (
    <>
      <Suspense>{refusal(membership, 'updatePost') && <KeptText ws={ws} id={id} />}</Suspense>
      <Loaded whole query={post} skeleton={<ComposerSkeleton />}>
        {(data) =>
          seesAccounts ? (
            <Loaded whole query={accounts} skeleton={<ComposerSkeleton />}>
              {(list) => <OnePost post={data} accounts={list} edit={edit} />}
            </Loaded>
          ) : (
            <Suspense fallback={<ComposerSkeleton />}>
              <PostPage post={data} accounts={[]} onEdit={null} />
            </Suspense>
          )
        }
      </Loaded>
    </>
  )
}

function OnePost({ post, accounts, edit }: { post: Post; accounts: SocialAccount[]; edit: Tab | undefined }) {
  const t = useTranslations('post')
  const { ws, workspace, membership } = usePlace()
  const [Composer] = useState(() => composerAtHand() ?? LazyComposer)
  /** The tab with the problem, while it is being fixed. */
  const [fixing, setFixing] = useState<Tab | null>(edit ?? null)
  const writes = !refusal(membership, 'updatePost')
  const unknown = post.publications.some((one) => one.state === 'UNCONFIRMED' && !one.dropped)
  const fixes = failedNetworks(post)
  const broken = post.status === 'FAILED' || (post.status === 'PARTIALLY_PUBLISHED' && fixes.length > 0)
  const open = post.status === 'DRAFT' || post.status === 'SCHEDULED' || (broken && fixing !== null)
  if (!writes || unknown || !open)
    return (
      <Suspense fallback={<ComposerSkeleton />}>
        {writes && !broken && <KeptText key={post.id} ws={ws} id={post.id} published={draftOf(post)} />}
        <PostPage
          post={post}
          accounts={accounts}
          onEdit={writes && !unknown && broken ? (platform) => setFixing(platform ?? 'all') : null}
        />
      </Suspense>
    )
  return (
    <Suspense fallback={<ComposerSkeleton />}>
      <Composer
        post={post}
        accounts={accounts}
        title={t('editTitle')}
        status={<StatusBadge post={post} />}
        menu={
          <Suspense fallback={<span className="size-8" />}>
            <PostMenu post={post} />
          </Suspense>
        }
        banner={
          <>
            <Suspense>
              {waitsForPause(post, workspace) && (
                <div className="border-b px-4 py-2 lg:px-6">
                  <PausedNote />
                </div>
              )}
            </Suspense>
            <ApprovalNote post={post} />
          </>
        }
        fault={fixing ?? undefined}
        fixes={post.status === 'PARTIALLY_PUBLISHED' ? fixes : undefined}
        onClose={broken ? () => setFixing(null) : undefined}
      />
    </Suspense>
  )
}

/**
 * The networks on which the post has failed and is neither live nor in progress, so that its content there can still
 * change.
 */
function failedNetworks(post: Post): Platform[] {
  const counted = post.publications.filter(({ dropped }) => !dropped)
  return PLATFORM_ORDER.filter((platform) => {
    const there = counted.filter((one) => one.platform === platform)
    return there.length > 0 && there.every(({ state }) => state === 'FAILED')
  })
}
