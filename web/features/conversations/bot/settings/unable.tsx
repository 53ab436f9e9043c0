import { CirclePause } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useNoAsk } from '../../../assistant/ai/cost.tsx'
import { PlanLink } from '../../../team/plan/plan-link.tsx'

/** Warns that the bot cannot reply at all: no model is configured, or no credits are left. */
export function Unable() {
  const t = useTranslations('bot.unable')
  const { unset, full } = useNoAsk('simulateReplies', 1)
  if (!unset && !full) return null
  return (
    <p role="status" className="flex items-start gap-2 rounded-lg bg-hold-soft px-4 py-2.5 text-13">
      <CirclePause className="mt-0.5 size-4 shrink-0 text-hold" aria-hidden />
      <span>
        {unset ? t('unset') : `${full} ${t('full')}`} {!unset && <PlanLink quota="ai_credits" />}
      </span>
    </p>
  )
}
