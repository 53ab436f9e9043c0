import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { useShortTime } from './times.ts'

/** The comment of somebody else that the customer wrote below. */
export function ParentCard({ author, text, at }: NonNullable<OpenThread['parent']>) {
  const t = useTranslations('inbox')
  const short = useShortTime()
  return (
    <blockquote className="grid grid-cols-[minmax(0,1fr)] gap-0.5 border-s-2 border-control ps-2.5 text-xs">
      <p className="text-muted">{t('belowComment', { name: author, date: short(at) })}</p>
      <p dir="auto" className="line-clamp-3 break-words">
        {text}
      </p>
    </blockquote>
  )
}
