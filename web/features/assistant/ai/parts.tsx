import { CircleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Generation, Kind, Option } from '../../../../src/assistant/ai/api.ts'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { PlanLink } from '../../team/plan/plan-link.tsx'

/** An option as it would appear in the post. */
export function OptionText({ option: { text, hashtags = [], cta }, kind }: { option: Option; kind: Kind }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5 text-13 break-words">
      {kind !== 'hashtags' && (
        <p dir="auto" className="whitespace-pre-wrap">
          {kind === 'cta' ? cta || text : text}
        </p>
      )}
      {kind !== 'cta' && cta && <p dir="auto">{cta}</p>}
      {hashtags.length > 0 && (
        <p dir="auto" className="text-accent-text">
          {hashtags.join(' ')}
        </p>
      )}
    </div>
  )
}

/** Copies a whole option to the clipboard. */
export function useCopy() {
  const t = useTranslations('ai')
  return async ({ text, hashtags = [], cta }: Option) => {
    const parts = [text, cta === text ? '' : cta, hashtags.join(' ')].filter(Boolean)
    try {
      await navigator.clipboard.writeText([...new Set(parts)].join('\n\n'))
      toast.success(t('copied'))
    } catch {
      toast.error(t('copyForbidden')) // the person copies it by hand
    }
  }
}

/** Why fewer options came than were requested. */
export function DroppedNote({ asked, came, dropped }: { asked: number; came: number } & Pick<Generation, 'dropped'>) {
  const t = useTranslations('ai')
  if (came >= asked) return null
  return (
    <div role="status" className="rounded-lg bg-warn-soft px-3 py-2.5 text-xs text-warn">
      <p>{t('fewer', { asked, came })}</p>
      {dropped.length > 0 && (
        <ul className="mt-1 grid gap-0.5">
          {dropped.map(({ code, count }) => (
            <li key={code}>{t(`dropped.${code}`, { count })}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Why a request produced nothing, and the next step if there is one. */
export function Trouble({ error }: { error: unknown }) {
  const t = useTranslations('ai')
  const text = useProblemText()
  const plan = isProblem(error, 'quota_exceeded', 'feature_not_in_plan')
  // Some other quota may be exhausted.
  const few = isProblem(error, 'quota_exceeded') && error.problem['quota'] === 'ai_credits' ? error.problem : null
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2.5 text-13 text-bad">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <p className="min-w-0">
        {few
          ? t('usedUp', {
              left: Math.max(0, Number(few['limit']) - Number(few['used'])),
              cost: Number(few['cost'] ?? 1),
            })
          : text(error)}{' '}
        {plan && <PlanLink quota={isProblem(error, 'quota_exceeded') ? String(error.problem['quota']) : undefined} />}
        {!plan && t('nothingLost')}
      </p>
    </div>
  )
}
