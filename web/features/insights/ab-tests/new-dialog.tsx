import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { planQuery } from './queries.ts'
import { COUNTS, KINDS, SLOTS, TRAITS, useSlotName } from './words.ts'

/** Plans a test, and shows in advance which differences it can detect. */
export function NewTestDialog({ accounts, onClose }: { accounts: SocialAccount[]; onClose: () => void }) {
  const t = useTranslations('abTests')
  const problem = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const slotName = useSlotName()
  const { ws } = usePlace()
  const [tried, setTried] = useState(false)
  const [name, setName] = useState('')
  const [accountId, setAccount] = useState(accounts[0]?.id ?? '')
  const [kind, setKind] = useState<ABTest['kind']>('post')
  const [slot, setSlot] = useState<ABTest['slot']>('weekday-08')
  const [trait, setTrait] = useState<ABTest['trait']>('question')
  const [variants, setVariants] = useState<{ a: string; b: string } | null>(null)
  const [blocks, setBlocks] = useState(COUNTS[0]!)
  const { a, b } = variants ?? { a: t(`usual.${trait}.a`), b: t(`usual.${trait}.b`) }
  const make = useMutation({
    mutationFn: () =>
      call('createABTest', {
        workspace: ws,
        body: { name: name.trim(), accountId, kind, slot, trait, a: a.trim(), b: b.trim(), blocks },
      }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: [ws, 'ab-tests'] })
      await navigate({ to: '/w/$ws/ab-tests/$id', params: { ws, id } })
    },
  })
  const missing = [name, a, b].some((text) => text.trim() === '')
  const submit = () => {
    setTried(true)
    if (!missing) make.mutate()
  }
  const fault = (text: string) => (tried && text.trim() === '' ? t('missing') : null)
  return (
    <FormDialog
      title={t('new')}
      description={t('newBody')}
      action={t('create')}
      busy={make.isPending}
      error={make.error && problem(make.error)}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('name')}
        dir="auto"
        autoComplete="off"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={fault(name)}
      />
      <SelectField
        label={t('account')}
        value={accountId}
        options={accounts.map((one) => [one.id, one.name] as const)}
        onChange={setAccount}
      />
      <SelectField
        label={t('trait')}
        value={trait}
        options={TRAITS.map((one) => [one, t(`traits.${one}`)] as const)}
        onChange={(next) => {
          setTrait(next)
          setVariants(null)
        }}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('variant', { variant: 'A' })}
          dir="auto"
          maxLength={80}
          value={a}
          onChange={(event) => setVariants({ a: event.target.value, b })}
          error={fault(a)}
        />
        <TextField
          label={t('variant', { variant: 'B' })}
          dir="auto"
          maxLength={80}
          value={b}
          onChange={(event) => setVariants({ a, b: event.target.value })}
          error={fault(b)}
        />
        <SelectField
          label={t('kind')}
          value={kind}
          options={KINDS.map((one) => [one, t(`kinds.${one}`)] as const)}
          onChange={setKind}
        />
        <SelectField
          label={t('slot')}
          value={slot}
          options={SLOTS.map((one) => [one, slotName(one)] as const)}
          onChange={setSlot}
        />
      </div>
      <SelectField
        label={t('blocks')}
        hint={t('blocksHint')}
        value={String(blocks)}
        options={COUNTS.map((count) => [String(count), String(count)] as const)}
        onChange={(count) => setBlocks(Number(count))}
      />
      <Power plan={{ accountId, kind, blocks }} />
    </FormDialog>
  )
}

/** The differences that the planned test can detect. */
function Power({ plan }: { plan: Parameters<typeof planQuery>[1] }) {
  const t = useTranslations('abTests')
  const format = useFormatter()
  const { ws } = usePlace()
  const query = useQuery({ ...planQuery(ws, plan), placeholderData: (before) => before })
  return (
    <Loaded query={query} skeleton={<div className="skeleton h-24" aria-hidden />}>
      {(data) => (
        <section aria-label={t('power')} className="grid gap-2 rounded-lg bg-sunken px-3 py-2.5 text-13">
          <h3 className="font-medium">{t('power')}</h3>
          <ul className="grid gap-1 tabular-nums">
            {data.effects.map(({ ratio, power }) => (
              <li key={ratio}>
                {t('finds', {
                  ratio: format.number(ratio, { maximumFractionDigits: 2 }),
                  power: format.number(power, { style: 'percent', maximumFractionDigits: 0 }),
                })}
              </li>
            ))}
          </ul>
          <p className="text-xs text-muted">{t(data.n < 20 ? 'sigmaUsual' : 'sigmaOwn', { n: data.n })}</p>
        </section>
      )}
    </Loaded>
  )
}
