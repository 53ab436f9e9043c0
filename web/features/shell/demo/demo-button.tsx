import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { browserZone } from '../../../i18n.tsx'
import { configQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import type { DemoStep } from './demo.ts'
import { createMaking } from './making.ts'
import { useStopWords } from './stop-words.ts'

/** Creates a demo workspace with content, without a form. Only shown if the networks are stand-ins. */
export function DemoButton() {
  const t = useTranslations('demo')
  const stopWords = useStopWords()
  const client = useQueryClient()
  const router = useRouter()
  const { data: config } = useQuery(configQuery)
  const [making] = useState(createMaking)
  const [step, setStep] = useState<DemoStep | null>(null)
  const [stopped, setStopped] = useState<{ at: DemoStep | null; error: unknown } | null>(null)
  const latest = useRef<DemoStep | null>(null)
  const enter = (ws: string) => router.navigate({ to: '/w/$ws/today', params: { ws } })
  const make = useMutation({
    mutationFn: async () => {
      const { makeDemo } = await import('./demo.ts')
      return makeDemo(making, { visitor: t('visitor'), zone: browserZone(), client }, (now) => {
        latest.current = now
        setStep(now)
      })
    },
    onMutate: () => setStopped(null),
    onSuccess: enter,
    onError: (error) => setStopped({ at: latest.current, error }),
  })
  if (!config?.sandbox) return null
  const { ws } = making
  return (
    <div className="grid gap-3 rounded-lg bg-accent-soft p-4">
      {stopped && <FormError>{stopWords(stopped.error, stopped.at)}</FormError>}
      <Button onClick={() => make.mutate()} busy={make.isPending || make.isSuccess} className="min-h-10 w-full">
        <FlaskConical className="size-4 text-accent-text" aria-hidden />
        {t(stopped ? 'goOn' : 'look')}
      </Button>
      {stopped && ws !== null && (
        <Button variant="ghost" className="w-full" onClick={() => void enter(ws)}>
          {t('openAsIs')}
        </Button>
      )}
      <p className="text-center text-xs text-muted" role="status">
        {make.isPending && step ? t(`steps.${step}`) : t(stopped ? 'goOnHint' : 'lookHint')}
      </p>
    </div>
  )
}
