import { useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { configQuery } from '../../queries.ts'

/** Says that the networks are stand-ins and links to their console. Shown wherever the sandbox is on. */
export function SandboxMark() {
  const t = useTranslations('shell')
  const { data } = useQuery(configQuery)
  if (!data?.sandbox) return null
  return (
    <a href={data.sandbox} title={t('sandboxHint')} className="inline-flex shrink-0 items-center max-sm:min-h-11">
      <span className="inline-flex min-h-6 whitespace-nowrap items-center gap-1.5 rounded-full border border-warn/40 bg-warn-soft px-2 text-2xs font-semibold text-warn hover:border-warn">
        <FlaskConical className="size-3.5 max-[25rem]:hidden" aria-hidden />
        {t('sandbox')}
      </span>
    </a>
  )
}
