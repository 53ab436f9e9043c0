import { useLocale, useTranslations } from 'use-intl'
import type { EscalationRule } from '../../../../src/conversations/escalation/api.ts'

/** How many keywords a row shows before it abbreviates. */
const MOST_WORDS = 12

/** A rule as text: its conditions and its effects. */
export function RuleWords({ rule }: { rule: EscalationRule }) {
  const t = useTranslations('rules')
  const urgencies = useTranslations('inbox.urgencies')
  const roles = useTranslations('states.roles')
  const locale = useLocale()
  const { keywords, intents, urgency, sentiment, assignToRole, notifyRoles } = rule
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  const words = [...keywords, ...intents]
  const more = words.length - MOST_WORDS
  return (
    <div className="grid min-w-0 grow basis-60 gap-1 text-13">
      {words.length > 0 && (
        <div className="flex flex-wrap items-center gap-1">
          <span className="text-muted">{t('contains')}</span>
          {words.slice(0, MOST_WORDS).map((word) => (
            <bdi key={word} className="max-w-full rounded-md bg-sunken px-1.5 py-0.5 text-xs font-medium break-words">
              {word}
            </bdi>
          ))}
          {more > 0 && <span className="text-xs text-muted">{t('more', { count: more })}</span>}
        </div>
      )}
      {urgency && <p className="text-muted">{t('urgent', { urgency: urgencies(urgency) })}</p>}
      {sentiment && <p className="text-muted">{t(`sentiments.${sentiment}`)}</p>}
      <p>
        {assignToRole ? t('assigns', { role: roles(assignToRole) }) : t('assignsNobody')}
        {notifyRoles.length > 0 && (
          <span className="text-muted">
            {' · '}
            {t('notifies', { roles: list.format(notifyRoles.map((role) => roles(role))) })}
          </span>
        )}
      </p>
    </div>
  )
}
