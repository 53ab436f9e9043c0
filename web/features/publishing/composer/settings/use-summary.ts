import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../../src/networks/api.ts'
import { isOwnersPlatform, networks, optionsOf } from '../../../../../src/networks/rules.ts'
import type { Check } from '../../../../../src/publishing/posts/api.ts'
import { coverOf } from '../../../../../src/publishing/posts/checks/rules.ts'
import { kindOf } from '../../../../../src/publishing/posts/compose/rules.ts'
import { type Draft, isReel } from '../draft.ts'

/** The settings of a network in one line: what is missing, and what is chosen. */
export function useSettingsSummary(platform: Platform, draft: Draft, checks: readonly Check[]) {
  const t = useTranslations('options')
  const place = `/platformOptions/${platform}/`
  const wrong = new Set(
    checks
      .filter(({ severity, field }) => severity === 'error' && field.startsWith(place))
      .map(({ field }) => field.slice(place.length)),
  )
  wrong.delete('firstComment') // has its own section
  const lacks = (option: string) => wrong.has(option)
  const missing =
    lacks('privacyLevel') && lacks('consent')
      ? t('missing.both')
      : lacks('privacyLevel')
        ? t('missing.privacyLevel')
        : lacks('consent')
          ? t('missing.consent')
          : wrong.size > 0
            ? t('missing.other')
            : null
  const cover = coverOf(draft, platform)
  const said = cover === null ? [] : [t('summary.cover', { seconds: cover / 1000 })]
  return { missing, summary: [...ofOwner(), ...ofKind(), ...said].join(' · ') }

  function ofOwner(): string[] {
    if (!isOwnersPlatform(platform)) return []
    const { privacyLevel, allowComment, brandContent, brandOrganic } = draft.platformOptions[platform] ?? {}
    const level = `levels.${privacyLevel as 'SELF_ONLY'}` as const
    return [
      ...(privacyLevel && t.has(level) ? [t(level)] : []),
      t(allowComment ? 'summary.commentsOn' : 'summary.commentsOff'),
      ...(brandContent ? [t('summary.paid')] : []),
      ...(brandOrganic ? [t('summary.own')] : []),
    ]
  }

  function ofKind(): string[] {
    if (isOwnersPlatform(platform)) return []
    const kind = kindOf(draft, platform) as 'post'
    const hidden =
      networks[platform].reelsInFeed &&
      isReel(draft, platform) &&
      optionsOf(draft.platformOptions, platform).shareToFeed === false
    return [t(`kinds.${kind}`), ...(hidden ? [t('summary.notInFeed')] : [])]
  }
}
