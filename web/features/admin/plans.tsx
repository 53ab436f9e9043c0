import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Plan } from '../../../src/team/plans/api.ts'
import { call } from '../../client.ts'
import { useMaybe } from '../../i18n.tsx'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { type SelectOption, SelectField } from '../../ui/select.tsx'
import { Body, Seen, useAdminProblem } from './parts.tsx'
import { ADMIN, allPlansQuery } from './queries.ts'

const MIB = 2 ** 20

/** The number of decimal places of a currency. */
const digitsOf = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** Prices are entered in whole units of the currency. An empty price means "on request". */
const amountShown = (price: Plan['price']) => (price ? String(price.amount / 10 ** digitsOf(price.currency)) : '')
const priceOf = (amount: string, currency: string): Plan['price'] =>
  amount.trim() === '' ? null : { amount: Math.round(Number(amount) * 10 ** digitsOf(currency)), currency }

/** Bytes are entered in mebibytes, other quotas as plain numbers. An empty field means unlimited. */
const shown = ({ quota, limit }: Plan['quotas'][number]) =>
  limit === null ? '' : String(quota === 'media_bytes' ? Math.round(limit / MIB) : limit)
const limitOf = (quota: string, text: string) =>
  text.trim() === '' ? null : Math.round(Number(text)) * (quota === 'media_bytes' ? MIB : 1)

/** The quotas, features and prices of each plan. */
export function PlansScreen() {
  const t = useTranslations('admin')
  const query = useQuery(allPlansQuery)
  return (
    <Body>
      <p className="text-13 text-muted">{t('plansLead')}</p>
      <Seen query={query}>
        {({ data, features }) => (
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-3">
            {data.map((plan) => (
              <PlanForm key={JSON.stringify(plan)} plan={plan} features={features} />
            ))}
          </ul>
        )}
      </Seen>
    </Body>
  )
}

function PlanForm({ plan, features }: { plan: Plan; features: string[] }) {
  const t = useTranslations('admin')
  const maybe = useMaybe()
  const problem = useAdminProblem()
  const client = useQueryClient()
  const [chosen, setChosen] = useState(plan.features)
  const [limits, setLimits] = useState(() => Object.fromEntries(plan.quotas.map((one) => [one.quota, shown(one)])))
  const [amount, setAmount] = useState(() => amountShown(plan.price))
  const [currency, setCurrency] = useState(plan.price?.currency ?? 'USD')
  const [asking, setAsking] = useState(false)
  const name = maybe(`states.plans.${plan.id}`, plan.id)
  const quotas = plan.quotas.filter((one) => limits[one.quota] !== shown(one))
  const price = priceOf(amount, currency)
  const samePrice = price?.amount === plan.price?.amount && price?.currency === plan.price?.currency
  const isSame =
    features.every((one) => chosen.includes(one) === plan.features.includes(one)) && quotas.length === 0 && samePrice
  const locale = useLocale()
  const currencies = useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: 'currency' })
    return Intl.supportedValuesOf('currency').map((one): SelectOption<string> => [one, `${one} · ${names.of(one)}`])
  }, [locale])
  const save = useMutation({
    mutationFn: () =>
      call('changePlan', {
        params: { plan: plan.id },
        body: {
          ...(samePrice ? {} : { price }),
          features: chosen,
          quotas: Object.fromEntries(quotas.map(({ quota }) => [quota, limitOf(quota, limits[quota] ?? '')])),
        },
      }),
    onSuccess: () => toast.success(t('planChanged', { plan: name })),
    onError: (error) => toast.error(problem(error)),
    onSettled: async () => {
      setAsking(false)
      await client.invalidateQueries({ queryKey: [...ADMIN, 'plans'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSame) setAsking(true)
  }
  return (
    <li className="card">
      <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4 p-5" aria-label={name}>
        <h2 className="text-sm font-semibold">{name}</h2>
        <div className="grid grid-cols-2 items-start gap-3">
          <TextField
            label={t('price')}
            hint={amount === '' ? t('onRequest') : undefined}
            type="number"
            inputMode="decimal"
            min={0}
            step={10 ** -digitsOf(currency)}
            dir="ltr"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
          <SelectField label={t('currency')} search value={currency} options={currencies} onChange={setCurrency} />
        </div>
        <fieldset className="grid gap-1">
          <legend className="mb-1 text-13 font-medium">{t('features')}</legend>
          {features.map((feature) => (
            <label
              key={feature}
              className="flex min-h-6 items-center gap-2 text-13 max-sm:min-h-11 pointer-coarse:min-h-11"
            >
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={chosen.includes(feature)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, feature] : chosen.filter((one) => one !== feature))
                }
              />
              {maybe(`plan.features.${feature}`, maybe(`states.features.${feature}`, feature))}
            </label>
          ))}
        </fieldset>
        {plan.quotas.map(({ quota }) => (
          <TextField
            key={quota}
            label={quota === 'media_bytes' ? t('storageMib') : maybe(`plan.quotas.${quota}`, quota)}
            hint={limits[quota] === '' ? t('unlimited') : undefined}
            type="number"
            inputMode="numeric"
            min={0}
            step={1}
            dir="ltr"
            value={limits[quota] ?? ''}
            onChange={(event) => setLimits({ ...limits, [quota]: event.target.value })}
          />
        ))}
        <Button type="submit" variant="primary" reason={isSame && t('nothingChanged')} busy={save.isPending}>
          {t('savePlan', { plan: name })}
        </Button>
      </form>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('planTitle', { plan: name })}
        description={t('planBody')}
        action={t('change')}
        busy={save.isPending}
        onConfirm={() => save.mutate()}
      />
    </li>
  )
}
