import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { useDegree } from '../degree.ts'
import { isForever, modeOf } from './fields.ts'

/** Formats a clock time in the reader's locale. */
export function useClockTime() {
  const format = useFormatter()
  return (time: string) => format.dateTime(new Date(`2000-01-01T${time}Z`), { timeStyle: 'short', timeZone: 'UTC' })
}

const partLink = (part: string) =>
  function Part(children: ReactNode) {
    return (
      <a
        href={`#${part}`}
        className="font-semibold text-fg underline decoration-line-strong decoration-2 underline-offset-4 hover:decoration-accent"
      >
        {children}
      </a>
    )
  }
const LINKS = { mode: partLink('mode'), sure: partLink('sure'), when: partLink('when') }

/** What the bot does, in one sentence whose parts link to their settings. */
export function useSentence() {
  const t = useTranslations('bot.sentence')
  const format = useFormatter()
  const degree = useDegree()
  const clock = useClockTime()
  const { workspace } = usePlace()
  return (config: BotConfig): ReactNode => {
    const mode = modeOf(config)
    if (mode === 'off') return t.rich('off', LINKS)
    if (config.paused) return t.rich('paused', LINKS)
    const { autoReplyDMs: messages, autoReplyComments: comments, commentToDmEnabled: privately } = config
    if (!messages && !comments) return t.rich('nowhere', LINKS)
    const where = t(
      messages
        ? comments
          ? privately
            ? 'bothPrivately'
            : 'both'
          : 'messages'
        : privately
          ? 'privately'
          : 'comments',
    )
    const { workingHoursOnly, workingHoursStart: start, workingHoursEnd: end, workingTimezone: zone } = config
    const hours =
      workingHoursOnly && start && end
        ? t(zone && zone !== workspace.timezone ? 'hoursIn' : 'hours', {
            start: clock(start),
            end: clock(end),
            zone: (zone ?? '').replaceAll('_', ' '),
          })
        : t('anyTime')
    if (mode === 'drafts') {
      const until = config.draftsOnlyUntil ?? ''
      if (isForever(until)) return t.rich('drafts', { ...LINKS, where, hours })
      const date = format.dateTime(new Date(until), { dateStyle: 'medium', timeZone: workspace.timezone })
      return t.rich('draftsUntil', { ...LINKS, where, hours, date })
    }
    return t.rich('on', { ...LINKS, where, hours, degree: degree(config.maxConfidenceForAuto) })
  }
}
