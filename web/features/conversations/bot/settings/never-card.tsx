import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { TagField } from '../../../../ui/tag-field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { Card } from './card.tsx'
import type { CardProps } from './use-settings.ts'

const MOST_WORDS = 200

/** What the bot never answers, and the words that escalate to people immediately. */
export function NeverCard({ now, set, fixed, fault }: CardProps) {
  const t = useTranslations('bot.never')
  const { ws } = usePlace()
  return (
    <Card id="never" number={6} title={t('title')}>
      <TagField
        label={t('blocked')}
        hint={t('blockedHint')}
        values={now.blockedTopics}
        onChange={(blockedTopics) => set({ blockedTopics })}
        most={MOST_WORDS}
        maxLength={100}
        fixed={fixed}
        error={fault('/blockedTopics')}
      />
      <TagField
        label={t('escalate')}
        hint={t('escalateHint')}
        values={now.escalateKeywords}
        onChange={(escalateKeywords) => set({ escalateKeywords })}
        most={MOST_WORDS}
        maxLength={100}
        fixed={fixed}
        error={fault('/escalateKeywords')}
      />
      <p className="text-xs text-muted">
        {t.rich('rules', {
          link: (words) => (
            <Link to="/w/$ws/settings/rules" params={{ ws }} className="font-medium underline">
              {words}
            </Link>
          ),
        })}
      </p>
    </Card>
  )
}
