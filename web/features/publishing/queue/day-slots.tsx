import { Copy, Ellipsis, Plus, Trash2, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Slot } from '../../../../src/publishing/scheduler/api.ts'
import { DAYS, type Day } from '../../../../src/publishing/scheduler/rules.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { TimeField } from '../../../ui/time-field.tsx'
import { useWorkweek } from './use-workweek.ts'

interface Props {
  day: Day
  slots: Slot[]
  accounts: SocialAccount[]
  /** Returns why the slot was not added; null if it was. */
  onAdd: (slot: Slot) => string | null
  onRemove: (slot: Slot) => void
  onClear: () => void
  onCopy: (to: readonly Day[]) => void
}

/** The slots of one weekday. */
export function DaySlots({ day, slots, accounts, onAdd, onRemove, onClear, onCopy }: Props) {
  const t = useTranslations('slots')
  const format = useFormatter()
  const [adding, setAdding] = useState(false)
  const name = t(`days.${day}`)
  const workweek = useWorkweek()
  const clock = (time: string) =>
    format.dateTime(new Date(`2026-01-01T${time}Z`), { timeStyle: 'short', timeZone: 'UTC' })
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-2">
      <span className="w-24 text-13 font-medium">{name}</span>
      <div className="flex min-w-0 grow basis-0 flex-wrap items-center gap-1.5">
        {slots.length === 0 && <span className="text-13 text-muted">{t('none')}</span>}
        {slots.map((slot) => (
          <span
            key={`${slot.time}${String(slot.accounts)}`}
            className="inline-flex min-h-8 max-w-full items-center gap-1 rounded-md border bg-sunken px-2 text-13 tabular-nums"
          >
            <bdi className="whitespace-nowrap">{clock(slot.time)}</bdi>
            {slot.accounts?.map((id) => {
              const account = accounts.find((one) => one.id === id)
              return (
                account && (
                  <span key={id} className="flex min-w-0 items-center gap-1 text-xs text-muted">
                    <NetworkMark platform={account.platform} label small />
                    <bdi className="clip">{account.name}</bdi>
                  </span>
                )
              )
            })}
            <button
              type="button"
              aria-label={t('remove', { time: clock(slot.time), day: name })}
              className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-fg max-sm:size-11 pointer-coarse:size-11"
              onClick={() => onRemove(slot)}
            >
              <X className="size-3.5" aria-hidden />
            </button>
          </span>
        ))}
        {adding && <AddSlot day={day} accounts={accounts} onAdd={onAdd} onClose={() => setAdding(false)} />}
      </div>
      <div className="flex">
        <Button
          variant="ghost"
          size="icon"
          aria-expanded={adding}
          aria-label={t('add', { day: name })}
          title={t('add', { day: name })}
          onClick={() => setAdding(!adding)}
        >
          <Plus className="size-4" aria-hidden />
        </Button>
        <Menu
          label={t('more', { day: name })}
          align="end"
          trigger={(props) => (
            <Button variant="ghost" size="icon" aria-label={t('more', { day: name })} {...props}>
              <Ellipsis className="size-4" aria-hidden />
            </Button>
          )}
        >
          <MenuItem onSelect={() => onCopy(workweek.days)}>
            <Copy className="size-4" aria-hidden />
            {t('copyWeekdays', { day: name, ...workweek.names })}
          </MenuItem>
          <MenuItem onSelect={() => onCopy(DAYS)}>
            <Copy className="size-4" aria-hidden />
            {t('copy', { day: name })}
          </MenuItem>
          <MenuLine />
          <MenuItem danger onSelect={onClear}>
            <Trash2 className="size-4" aria-hidden />
            {t('clear', { day: name })}
          </MenuItem>
        </Menu>
      </div>
    </li>
  )
}

function AddSlot({
  day,
  accounts,
  onAdd,
  onClose,
}: Pick<Props, 'day' | 'accounts' | 'onAdd'> & { onClose: () => void }) {
  const t = useTranslations('slots')
  const common = useTranslations('common')
  const [time, setTime] = useState('09:00')
  const [account, setAccount] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const refused = /^\d\d:\d\d$/.test(time) ? onAdd({ day, time, accounts: account ? [account] : null }) : t('time')
    setFault(refused)
    if (refused === null) onClose()
  }
  return (
    <form noValidate onSubmit={submit} className="flex w-full flex-wrap items-end gap-2 py-1">
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now */}
      <TimeField label={t('time')} autoFocus value={time} onChange={setTime} error={fault} />
      <SelectField
        label={t('forAccounts')}
        value={account}
        options={[
          ['', t('all')],
          ...accounts.filter(({ status }) => status !== 'DISCONNECTED').map(({ id, name }) => [id, name] as const),
        ]}
        onChange={setAccount}
      />
      <Button type="submit">{t('addTime')}</Button>
      <Button variant="ghost" onClick={onClose}>
        {common('cancel')}
      </Button>
    </form>
  )
}
