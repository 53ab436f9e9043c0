import { MessageSquare } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../../src/channels/api.ts'
import type { Platform } from '../../../../../src/networks/api.ts'
import { isOwnersPlatform, networks, optionsOf } from '../../../../../src/networks/rules.ts'
import type { Check } from '../../../../../src/publishing/posts/api.ts'
import { kindOf } from '../../../../../src/publishing/posts/compose/rules.ts'
import { writingTexts } from '../../../../i18n.tsx'
import { NETWORKS } from '../../../../labels.ts'
import { NetworkMark } from '../../../../ui/network.tsx'
import { lazy } from '../../../../ui/part.tsx'
import type { Draft, Tab } from '../draft.ts'
import type { Fold as Name } from '../place-of.ts'
import { Fold } from './fold.tsx'
import { KindSettings } from './kind-settings.tsx'
import { OwnerSettings } from './owner-settings.tsx'
import { useSettingsSummary } from './use-summary.ts'

const LinksFold = lazy(async () => {
  await writingTexts()
  return import('../../links/fold.tsx')
})

interface Props {
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
  tab: Tab
  platforms: Platform[]
  /** The accounts that the post targets. */
  accounts: SocialAccount[]
  checks: Check[]
  open: ReadonlySet<Name>
  onOpen: (fold: Name, open: boolean) => void
}

/** The settings that a network allows or requires, in that network's tab. */
export default function Folds({ tab, platforms, open, onOpen, ...rest }: Props) {
  const linked = (tab === 'all' ? platforms : [tab]).filter((platform) => networks[platform].linkName !== null)
  const foldProps = (fold: Name) => ({ open: open.has(fold), onOpen: (on: boolean) => onOpen(fold, on) })
  return (
    <>
      {tab !== 'all' && (
        <>
          <Settings key={tab} platform={tab} {...rest} {...foldProps('settings')} />
          <FirstComment key={`${tab} comment`} platform={tab} {...rest} {...foldProps('comment')} />
        </>
      )}
      {linked.length > 0 && (
        <Suspense>
          <LinksFold platforms={linked} draft={rest.draft} edit={rest.edit} {...foldProps('links')} />
        </Suspense>
      )}
    </>
  )
}

export interface SettingsProps extends Pick<Props, 'draft' | 'edit' | 'accounts' | 'checks'> {
  platform: Platform
  open: boolean
  onOpen: (open: boolean) => void
}

function Settings({ platform, open, onOpen, ...rest }: SettingsProps) {
  const t = useTranslations('options')
  const { draft, checks } = rest
  const { missing, summary } = useSettingsSummary(platform, draft, checks)
  return (
    <Fold
      icon={<NetworkMark platform={platform} />}
      title={t('title', { network: NETWORKS[platform].short })}
      missing={missing}
      summary={summary}
      open={open}
      onOpen={onOpen}
    >
      {isOwnersPlatform(platform) ? (
        <OwnerSettings platform={platform} {...rest} />
      ) : (
        <KindSettings platform={platform} {...rest} />
      )}
    </Fold>
  )
}

/** The account's own comment on its post. Renders nothing if the network or kind of post takes none. */
function FirstComment({ platform, draft, edit, checks, open, onOpen }: SettingsProps) {
  const t = useTranslations('options')
  const { commentLimit } = networks[platform]
  const { firstComment = '' } = optionsOf(draft.platformOptions, platform)
  if (commentLimit === null || (kindOf(draft, platform) === 'story' && !firstComment)) return null
  const id = `field-${platform}-firstComment`
  const broken = checks.some(
    ({ field, severity }) => severity === 'error' && field.endsWith(`${platform}/firstComment`),
  )
  return (
    <Fold
      icon={<MessageSquare className="size-5 p-0.5 text-muted" aria-hidden />}
      title={t('firstComment')}
      missing={broken ? t('commentBroken') : null}
      summary={firstComment ? <bdi>{firstComment}</bdi> : t('none')}
      open={open}
      onOpen={onOpen}
    >
      <div className="grid gap-1">
        <textarea
          id={id}
          className="input min-h-20"
          dir="auto"
          maxLength={commentLimit}
          value={firstComment}
          aria-label={t('firstComment')}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            const { value } = event.target
            edit((current) => ({
              ...current,
              platformOptions: {
                ...current.platformOptions,
                [platform]: { ...current.platformOptions[platform], firstComment: value },
              },
            }))
          }}
        />
        <p id={`${id}-hint`} className="text-xs text-muted">
          {t('firstCommentHint')}
        </p>
      </div>
    </Fold>
  )
}
