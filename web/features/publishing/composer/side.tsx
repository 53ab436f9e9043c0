import { clsx } from 'clsx'
import { Eye, History, type LucideIcon, MessageSquare } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { Tagging } from '../../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { CommentCount } from '../approvals/comment-count.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import type { Draft } from './draft.ts'
import { NetworkSwitch } from './preview/network-switch.tsx'
import type { Panel, ComposerView } from './use-view.ts'

// These load after the text.
const Preview = lazy(async () => ({ default: (await import('./preview/preview.tsx')).Preview }))
const ProfileGrid = lazy(() => import('./preview/profile-grid.tsx'))
const Comments = lazy(async () => ({ default: (await import('../approvals/comments.tsx')).Comments }))
const Versions = lazy(async () => ({ default: (await import('../approvals/versions.tsx')).Versions }))

interface Props {
  view: ComposerView
  post: Post | null
  draft: Draft
  platforms: [Platform, ...Platform[]]
  chosen: SocialAccount[]
  tagging: Tagging
  /** The assistant, once it has been opened. */
  assistant: ReactNode
}

/** The panel next to the text: preview, assistant, comments or versions. On a narrow screen it replaces the text. */
export function Side({ view, post, draft, platforms, chosen, tagging, assistant }: Props) {
  const t = useTranslations('composer')
  const { panel, tab, previewed } = view
  const [profile, setProfile] = useState(false)
  const platform = platforms.find((one) => one === (tab === 'all' ? previewed : tab)) ?? platforms[0]
  const account = chosen.find((one) => one.platform === platform)
  const hasProfile = NETWORKS[platform].preview.look === 'gallery'
  return (
    <aside aria-label={t('beside')} className={clsx('min-w-0 bg-bg lg:border-s', view.edits && 'max-lg:hidden')}>
      <div className="lg:sticky lg:top-12 lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto">
        {assistant && <div className={clsx('lg:p-3', panel !== 'assistant' && 'hidden')}>{assistant}</div>}
        <Suspense fallback={<div className="skeleton m-4 h-96" aria-hidden />}>
          {panel === 'preview' && (
            <>
              <header className="flex min-h-12 flex-wrap items-center gap-2 px-4 py-1.5">
                <h2 className="grow text-13 font-semibold">{t('previewTitle')}</h2>
                <NetworkSwitch platforms={platforms} shown={platform} onShow={view.preview} />
              </header>
              <div className="mx-auto max-w-[25rem] px-4 pt-1 pb-6">
                {hasProfile && (
                  <div className="mb-2 flex justify-center gap-1">
                    <Look label={t('asPost')} on={!profile} onClick={() => setProfile(false)} />
                    <Look label={t('inProfile')} on={profile} onClick={() => setProfile(true)} />
                  </div>
                )}
                {hasProfile && profile ? (
                  <ProfileGrid draft={draft} platform={platform} account={account} postId={post?.id} />
                ) : (
                  <Preview key={platform} draft={draft} platform={platform} tagging={tagging} account={account} />
                )}
              </div>
            </>
          )}
          {post && panel === 'comments' && (
            <div className="p-4">
              <Comments postId={post.id} />
            </div>
          )}
          {post && panel === 'versions' && (
            <div className="p-4">
              <Versions post={post} onRestored={view.write} />
            </div>
          )}
        </Suspense>
      </div>
    </aside>
  )
}

const Look = ({ label, on, onClick }: { label: string; on: boolean; onClick: () => void }) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className="min-h-7 rounded-full px-3 text-xs font-medium text-muted hover:bg-hover aria-pressed:bg-hover aria-pressed:text-fg max-sm:min-h-11"
  >
    {label}
  </button>
)

const PANELS = [
  ['preview', Eye],
  ['comments', MessageSquare],
  ['versions', History],
] as const satisfies readonly (readonly [Panel, LucideIcon])[]

/** Selects the panel next to the text of a saved post. */
export function PanelButtons({ view, postId, narrow }: { view: ComposerView; postId: string; narrow?: boolean }) {
  const t = useTranslations('composer')
  const { membership } = usePlace()
  return PANELS.filter(
    ([panel]) => !(narrow && panel === 'preview') && !(panel === 'versions' && refusal(membership, 'listVersions')),
  ).map(([panel, Icon]) => {
    const shown = view.panel === panel && (!narrow || !view.edits)
    return (
      <Button
        key={panel}
        variant="ghost"
        size="icon"
        aria-pressed={shown}
        title={t(`panels.${panel}`)}
        className="aria-pressed:bg-hover aria-pressed:text-fg"
        onClick={() => (shown && narrow ? view.write() : view.show(panel))}
      >
        <Icon className="size-4" aria-hidden />
        <span className="sr-only">{t(`panels.${panel}`)}</span>
        {panel === 'comments' && (
          <span className="absolute -end-0.5 -top-1">
            <CommentCount postId={postId} />
          </span>
        )}
      </Button>
    )
  })
}

/** Panel buttons at the edge of a wide screen. */
export function Rail({ view, postId }: { view: ComposerView; postId: string }) {
  const t = useTranslations('composer')
  return (
    <div role="group" aria-label={t('panels.label')} className="hidden w-12 border-s lg:block">
      <div className="sticky top-12 grid justify-items-center gap-1 py-2">
        <PanelButtons view={view} postId={postId} />
      </div>
    </div>
  )
}
