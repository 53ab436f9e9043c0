import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Plan, Usage } from '../../../../src/team/plans/api.ts'
import { call } from '../../../client.ts'
import { useMaybe } from '../../../i18n.tsx'
import { useProblemText } from '../../../problem.ts'
import { configQuery, meQuery, usageQuery, workspaceQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { ErrorView, Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { Meter, useAmount } from './meter.tsx'
import { plansQuery, subscriptionQuery } from './queries.ts'

/** The features available today, in display order. Future ones are left out. */
const FEATURES = [
  'publishing',
  'approvals',
  'auto_reply',
  'audience',
  'analytics',
  'predictions',
  'ab_testing',
  'competitors',
  'ai_content',
  'ai_suggestions',
] as const

const offeredBy = ({ features }: Plan) => FEATURES.filter((feature) => features.includes(feature))

/** The usage of the workspace, and the plans to choose from. */
export function PlanScreen() {
  const t = useTranslations('plan')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listUsage')
  const usage = useQuery({ ...usageQuery(ws), enabled: !refused })
  const plans = useQuery({ ...plansQuery(ws), enabled: !refused })
  const subscription = useQuery({ ...subscriptionQuery(ws), enabled: !refused })
  if (refused) return <Refused refused={refused} />
  const own = subscription.data?.plan ?? membership.plan
  // Without both, the question before a change could not name what is lost.
  const ready = subscription.data !== undefined && usage.data !== undefined
  return (
    <div className="settings-column gap-6">
      <section className="card grid gap-5 p-5" aria-labelledby="usage-title">
        <h2 id="usage-title" className="text-sm font-semibold">
          {t('usage')}
        </h2>
        <Loaded query={usage} skeleton={<Skeleton />}>
          {(data) => (
            <div className="grid gap-5 sm:grid-cols-2 sm:gap-x-8">
              {data.map((one) => (
                <Meter key={one.quota} usage={one} />
              ))}
            </div>
          )}
        </Loaded>
        <p className="text-13">
          <Link to="/w/$ws/settings/ai" params={{ ws }} className="font-medium text-accent-text underline">
            {t('aiHistory')}
          </Link>
        </p>
      </section>
      <section className="grid gap-3" aria-labelledby="plans-title">
        <h2 id="plans-title" className="text-sm font-semibold">
          {t('plans')}
        </h2>
        <WhoChooses />
        {subscription.error && subscription.data === undefined && (
          <ErrorView error={subscription.error} retry={() => void subscription.refetch()} />
        )}
        <Loaded query={plans} skeleton={<Skeleton />}>
          {(all) => (
            <ul className="grid grid-cols-[minmax(0,1fr)] gap-3 md:grid-cols-3 md:grid-rows-[repeat(5,auto)]">
              {all.map((plan, index) => (
                <PlanCard
                  key={plan.id}
                  plan={plan}
                  below={all[index - 1]}
                  current={all.find(({ id }) => id === own)}
                  ready={ready}
                  usage={usage.data ?? []}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </section>
    </div>
  )
}

function WhoChooses() {
  const t = useTranslations('plan')
  const { data: config } = useQuery(configQuery)
  const may = useMay('changeSubscription')
  if (!config || (config.plansChosenByOwners && !may.hidden)) return null
  return <p className="text-13 text-muted">{config.plansChosenByOwners ? t('ownerChooses') : t('operatorChooses')}</p>
}

interface CardProps {
  plan: Plan
  /** The next smaller plan. Only the additions to it are listed. */
  below: Plan | undefined
  current: Plan | undefined
  /** Whether the subscription and the usage are known. */
  ready: boolean
  usage: Usage[]
}

function PlanCard({ plan, below, current, ready, usage }: CardProps) {
  const t = useTranslations('plan')
  const maybe = useMaybe()
  const amount = useAmount()
  const may = useMay('changeSubscription')
  const { data: config } = useQuery(configQuery)
  const [asking, setAsking] = useState(false)
  const choose = useChoice(plan.id, () => setAsking(false))
  const own = plan.id === current?.id
  const name = maybe(`states.plans.${plan.id}`, plan.id)
  const offered = offeredBy(plan)
  const more = offered.filter((feature) => !below?.features.includes(feature))
  const lost = current ? offeredBy(current).filter((feature) => !offered.includes(feature)) : []
  const exceeded = usage.flatMap(({ quota, used, resetsAt }) => {
    const limit = plan.quotas.find((one) => one.quota === quota)?.limit ?? used
    return used > limit ? [{ quota, excess: used - limit, monthly: resetsAt !== null }] : []
  })
  const ofMonth = exceeded.filter(({ monthly }) => monthly)
  return (
    <li
      className={clsx('card grid content-start gap-3 p-4 md:row-span-5 md:grid-rows-subgrid', own && 'border-accent')}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">{name}</h3>
        {own && (
          <span className="rounded-full bg-accent-soft px-2 py-0.5 text-2xs font-medium text-accent-text">
            {t('current')}
          </span>
        )}
      </div>
      <Price price={plan.price} name={name} />
      <dl className="grid content-start gap-1 text-13">
        {plan.quotas.map(({ quota, limit }) => (
          <div key={quota} className="flex justify-between gap-3">
            <dt className="text-muted">{maybe(`plan.quotas.${quota}`, quota)}</dt>
            <dd className="tabular-nums">{limit === null ? t('unlimited') : amount(quota, limit)}</dd>
          </div>
        ))}
      </dl>
      <ul className="grid content-start gap-1 text-13">
        {below && more.length < offered.length && (
          <li className="text-muted">
            {t(more.length > 0 ? 'allOfAnd' : 'allOf', { plan: maybe(`states.plans.${below.id}`, below.id) })}
          </li>
        )}
        {more.map((feature) => (
          <li key={feature} className="flex items-start gap-2">
            <Check className="mt-0.5 size-3.5 shrink-0 text-ok" aria-hidden />
            {t(`features.${feature}`)}
          </li>
        ))}
      </ul>
      {ready && !own && !may.hidden && config?.plansChosenByOwners && (
        <div className="grid self-end">
          <Button onClick={() => setAsking(true)} busy={choose.isPending}>
            {t('choose', { plan: name })}
          </Button>
        </div>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('chooseTitle', { plan: name })}
        description={[
          lost.length > 0 &&
            t('chooseLess', {
              what: lost.map((feature) => t(`features.${feature}`)).join(' · '),
            }),
          t('chooseBody'),
          ...exceeded.map(
            ({ quota, excess, monthly }) =>
              !monthly && maybe(`plan.reduce.${quota}`, '', { count: excess, amount: amount(quota, excess) }),
          ),
          ofMonth.length > 0 &&
            t('chooseUsedUp', { what: ofMonth.map(({ quota }) => maybe(`plan.quotas.${quota}`, quota)).join(' · ') }),
        ]
          .filter(Boolean)
          .join(' ')}
        action={t('choose', { plan: name })}
        busy={choose.isPending}
        onConfirm={() => choose.mutate()}
      />
    </li>
  )
}

function Price({ price, name }: { price: Plan['price']; name: string }) {
  const t = useTranslations('plan')
  const format = useFormatter()
  const { data: config } = useQuery(configQuery)
  if (!price)
    return config?.contactEmail ? (
      <a
        href={`mailto:${config.contactEmail}?subject=${encodeURIComponent(t('contactAbout', { plan: name }))}`}
        className="inline-flex min-h-7 items-center justify-self-start text-xl font-semibold text-accent-text underline max-sm:min-h-11"
      >
        {t('contact')}
      </a>
    ) : (
      <p className="text-xl font-semibold">{t('onRequest')}</p>
    )
  const { amount, currency } = price
  const style = { style: 'currency', currency } as const
  const digits = new Intl.NumberFormat('en', style).resolvedOptions().maximumFractionDigits ?? 2
  const value = amount / 10 ** digits
  return (
    <p className="flex flex-wrap items-baseline gap-x-1.5">
      <bdi className="text-xl font-semibold tabular-nums">
        {format.number(value, { ...style, ...(Number.isInteger(value) && { maximumFractionDigits: 0 }) })}
      </bdi>
      <span className="text-xs text-muted">{t('perMonth')}</span>
    </p>
  )
}

function useChoice(plan: string, done: () => void) {
  const t = useTranslations('plan')
  const text = useProblemText()
  const maybe = useMaybe()
  const client = useQueryClient()
  const { ws } = usePlace()
  return useMutation({
    mutationFn: () => call('changeSubscription', { workspace: ws, body: { plan } }),
    onSuccess: (answer) => {
      client.setQueryData(subscriptionQuery(ws).queryKey, answer)
      for (const { queryKey } of [meQuery, workspaceQuery(ws), usageQuery(ws)])
        void client.invalidateQueries({ queryKey })
      toast.success(t('chosen', { plan: maybe(`states.plans.${plan}`, plan) }))
    },
    onError: (error) => toast.error(text(error)),
    onSettled: done,
  })
}

const Skeleton = () => (
  <div className="grid gap-3" aria-hidden>
    <div className="skeleton h-24" />
    <div className="skeleton h-24" />
  </div>
)
