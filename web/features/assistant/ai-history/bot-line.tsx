import { Link } from '@tanstack/react-router'
import { ArrowUpRight, Bot } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ChargedDecision } from '../../../../src/conversations/decisions/api.ts'
import { isolate } from '../../../bidi.ts'
import { DAY_TIME } from '../../../time.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** A request of the bot: what a customer wrote, its cost, and the way to the conversation. */
export function BotLine({
  decision: { kind, conversationId, customer, text, credits, createdBy, createdAt },
}: {
  decision: ChargedDecision
}) {
  const t = useTranslations('aiHistory')
  const ai = useTranslations('ai')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-13">
      <div className="grid min-w-0 grow basis-48 gap-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{t(`bots.${kind}`)}</span>
          {customer && <bdi>{customer}</bdi>}
        </p>
        <p dir="auto" className="clip text-muted">
          {text ?? t('erased')}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
          <span className="inline-flex items-center gap-1">
            <Bot className="size-3.5 shrink-0" aria-hidden />
            {createdBy ? t('byBotFor', { name: isolate(createdBy.name) }) : t('byBot')}
          </span>
          <time dateTime={createdAt}>
            {format.dateTime(new Date(createdAt), { ...DAY_TIME, timeZone: workspace.timezone })}
          </time>
          <span className="tabular-nums">{ai('cost', { count: credits })}</span>
        </p>
      </div>
      {conversationId && (
        <Link
          to="/w/$ws/inbox"
          params={{ ws }}
          search={{ filter: 'all', id: conversationId }}
          className={buttonClass('secondary', 'sm')}
        >
          {t('conversation')}
          <ArrowUpRight className="size-3.5 rtl:-scale-x-100" aria-hidden />
        </Link>
      )}
    </li>
  )
}
