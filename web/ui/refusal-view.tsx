import { Lock, Sparkles } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useMaybe } from '../i18n.tsx'
import { Empty } from './empty.tsx'

interface Props {
  problem: Readonly<Record<string, unknown>>
  /** Whether the plan lacks the feature; otherwise the role is too low. */
  feature: boolean
  whole?: boolean
  /** A link to the plan, for people who may see it. */
  plan?: ReactNode
}

/** Why a person cannot open a screen: their role, or the workspace's plan. */
export default function RefusalView({ problem, feature, whole, plan }: Props) {
  const t = useTranslations('states')
  const maybe = useMaybe()
  const format = useFormatter()
  if (!feature) {
    const required = String(problem['required'] ?? 'ADMIN')
    return (
      <Empty whole={whole} icon={Lock} title={t('role')} role="alert">
        {t('roleBody', { required: maybe(`states.roles.${required}`, required) })}
      </Empty>
    )
  }
  const missing = String(problem['feature'] ?? '')
  const plans = [problem['plans'] ?? []].flat().map((name) => maybe(`states.plans.${String(name)}`, String(name)))
  return (
    <Empty
      whole={whole}
      icon={Sparkles}
      title={t('feature', { feature: maybe(`states.features.${missing}`, missing) })}
      role="alert"
      actions={plan}
    >
      {plans.length > 0 ? t('featureBody', { plans: format.list(plans) }) : t('askOwner')}
    </Empty>
  )
}
