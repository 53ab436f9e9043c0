import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../../src/networks/api.ts'
import { type ContentKind, networks, optionsOf, type SharedOptions } from '../../../../../src/networks/rules.ts'
import { kindOf } from '../../../../../src/publishing/posts/compose/rules.ts'
import { SelectField } from '../../../../ui/select.tsx'
import { type Draft, isReel } from '../draft.ts'
import { Choice } from './choice.tsx'
import { CoverRow } from './cover-row.tsx'

interface Props {
  platform: Platform
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
}

/** Chooses the kind of post on networks that offer several. */
export function KindSettings({ platform, draft, edit }: Props) {
  const t = useTranslations('options')
  const chosen: SharedOptions = optionsOf(draft.platformOptions, platform)
  const change = (more: SharedOptions) =>
    edit((current) => ({
      ...current,
      platformOptions: {
        ...current.platformOptions,
        [platform]: { ...current.platformOptions[platform], ...more },
      },
    }))
  const kind = kindOf(draft, platform)
  const { kinds, covers, reelsInFeed } = networks[platform]
  return (
    <>
      <SelectField
        id={`field-${platform}-kind`}
        label={t('kind')}
        hint={t.has(hintOf(platform, kind)) ? t(hintOf(platform, kind)) : undefined}
        value={kind}
        options={(['post', ...Object.keys(kinds)] as 'post'[]).map((each) => [each as ContentKind, t(`kinds.${each}`)])}
        onChange={(to) => change({ kind: to })}
      />
      {covers && <CoverRow platform={platform} draft={draft} onChange={(coverMs) => change({ coverMs })} />}
      {reelsInFeed && isReel(draft, platform) && (
        <Choice
          label={t('shareToFeed')}
          checked={chosen.shareToFeed !== false}
          onChange={(shareToFeed) => change({ shareToFeed })}
        />
      )}
    </>
  )
}

// Each network names its own kinds.
const hintOf = (platform: Platform, kind: ContentKind) => `kindHints.${platform}.${kind}` as 'firstCommentHint'
