import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, KeyRound, RotateCcw } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { workspaceQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { lazy } from '../../../ui/part.tsx'
import { SandboxMark } from '../sandbox-mark.tsx'
import type { Membership } from '../entries.ts'
import type { DemoStep } from './demo.ts'
import { useStopWords } from './stop-words.ts'

const DemoPeople = lazy(() => import('./demo-people.tsx'))

/** Says that everything here is made up, explains how to sign in again, and resets the demo. */
export default function DemoBar({ membership }: { membership: Membership }) {
  const t = useTranslations('demo')
  const stopWords = useStopWords()
  const client = useQueryClient()
  const ws = membership.id
  const [asking, setAsking] = useState(false)
  const [showsPeople, setShowsPeople] = useState(false)
  const [step, setStep] = useState<DemoStep | null>(null)
  const latest = useRef<DemoStep | null>(null)
  const tell = (now: DemoStep | null) => {
    latest.current = now
    setStep(now)
  }
  const reset = useMutation({
    mutationFn: async () => {
      const { resetDemo } = await import('./demo.ts')
      const { timezone } = await client.ensureQueryData(workspaceQuery(ws))
      await resetDemo(ws, timezone, tell)
    },
    onSuccess: () => toast.success(t('resetDone')),
    onError: (error) => toast.error(t('resetFailed'), { description: stopWords(error, latest.current) }),
    onSettled: () => {
      tell(null)
      setAsking(false)
      return client.invalidateQueries({ queryKey: [ws] })
    },
  })
  return (
    <div className="flex items-center gap-x-4 border-b max-sm:gap-x-3 max-sm:py-0 bg-warn-soft px-4 py-1.5 text-13 lg:px-6">
      <FlaskConical className="size-4 shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 grow" role="status">
        {reset.isPending ? t(step ? `steps.${step}` : 'resetting') : t('bar')}
      </p>
      <span className="max-sm:hidden">
        <SandboxMark />
      </span>
      <Button size="sm" variant="ghost" title={t('people')} onClick={() => setShowsPeople(true)}>
        <KeyRound className="size-3.5" aria-hidden />
        <span className="max-sm:sr-only">{t('people')}</span>
      </Button>
      {membership.role === 'OWNER' && (
        <Button size="sm" variant="ghost" busy={reset.isPending} title={t('reset')} onClick={() => setAsking(true)}>
          <RotateCcw className="size-3.5" aria-hidden />
          <span className="max-sm:sr-only">{t('reset')}</span>
        </Button>
      )}
      {showsPeople && (
        <Suspense>
          <DemoPeople membership={membership} onClose={() => setShowsPeople(false)} />
        </Suspense>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('resetTitle')}
        description={t('resetBody')}
        action={t('reset')}
        onConfirm={() => {
          setAsking(false)
          reset.mutate()
        }}
      />
    </div>
  )
}
