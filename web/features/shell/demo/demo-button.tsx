import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { browserZone } from '../../../i18n.tsx'
import { useProblemText } from '../../../problem.ts'
import { configQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import type { DemoStep } from './demo.ts'

/** Creates a demo workspace with content, without a form. Only shown if the networks are stand-ins. */
export function DemoButton() {
  const t = useTranslations('demo')
  const text = useProblemText()
  const client = useQueryClient()
  const router = useRouter()
  const { data: config } = useQuery(configQuery)
  const [step, setStep] = useState<DemoStep | null>(null)
  const make = useMutation({
    mutationFn: async () => {
      const { makeDemo } = await import('./demo.ts')
      return makeDemo({ visitor: t('visitor'), zone: browserZone(), client }, setStep)
    },
    onSuccess: (ws) => router.navigate({ to: '/w/$ws/today', params: { ws } }),
  })
  if (!config?.sandbox) return null
  return (
    <div className="grid gap-3 rounded-lg bg-accent-soft p-4">
      {make.error && <FormError>{text(make.error)}</FormError>}
      <Button onClick={() => make.mutate()} busy={make.isPending || make.isSuccess} className="min-h-10 w-full">
        <FlaskConical className="size-4 text-accent-text" aria-hidden />
        {t('look')}
      </Button>
      <p className="text-center text-xs text-muted" role="status">
        {make.isPending && step ? t(`steps.${step}`) : t('lookHint')}
      </p>
    </div>
  )
}
