import { CircleCheck, CircleDashed, CircleStop, LoaderCircle } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'
import { Pill } from '../../../ui/pill.tsx'

const LOOKS = {
  draft: [CircleDashed, 'bg-sunken text-muted'],
  running: [LoaderCircle, 'bg-accent-soft text-accent'],
  done: [CircleCheck, 'bg-ok-soft text-ok'],
  stopped: [CircleStop, 'bg-sunken text-muted'],
} as const

/** The state of a test. */
export function TestState({ state }: Pick<ABTest, 'state'>) {
  const t = useTranslations('abTests')
  const [icon, look] = LOOKS[state]
  return (
    <Pill icon={icon} look={look}>
      {t(`states.${state}`)}
    </Pill>
  )
}
