import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Bot, CircleOff, PencilLine } from 'lucide-react'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { networks } from '../../../../../src/networks/rules.ts'
import { NETWORKS } from '../../../../labels.ts'
import { accountsQuery } from '../../../../queries.ts'
import { addDays, dateIn, startOf } from '../../../../time.ts'
import { DateField } from '../../../../ui/date-field.tsx'
import { NetworkMark } from '../../../../ui/network.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { Card } from './card.tsx'
import { FOREVER, isForever, modeOf } from './fields.ts'
import type { CardProps } from './use-settings.ts'

const MODES = [
  ['off', CircleOff],
  ['drafts', PencilLine],
  ['on', Bot],
] as const

const CHANNELS = ['autoReplyDMs', 'autoReplyComments', 'commentToDmEnabled'] as const

/** The length of a dry run, in days. */
const DRY_DAYS = 7

/** What the bot should do, and where. */
export function ModeCard({ now, set, fixed, fault }: CardProps) {
  const t = useTranslations('bot.mode')
  const { ws, workspace } = usePlace()
  const name = useId()
  const mode = modeOf(now)
  const zone = workspace.timezone
  const today = dateIn(new Date(), zone)
  const until = now.draftsOnlyUntil
  const start = (date: string) => startOf(date, zone).toISOString()
  const choose = {
    off: () => set({ isEnabled: false }),
    drafts: () => set({ isEnabled: true, draftsOnlyUntil: start(addDays(today, DRY_DAYS)) }),
    on: () => set({ isEnabled: true, draftsOnlyUntil: null }),
  }
  const accounts = useQuery(accountsQuery(ws)).data ?? []
  const silent = new Set(accounts.map(({ platform }) => platform).filter((one) => !networks[one].answers))
  const elsewhere = accounts.filter(({ id }) => now.answeredElsewhere.includes(id))
  return (
    <Card id="mode" number={1} title={t('title')}>
      <div role="radiogroup" aria-label={t('title')} className="grid gap-2 sm:grid-cols-3">
        {MODES.map(([one, Icon]) => (
          <label
            key={one}
            className={clsx(
              'relative grid grid-cols-[1rem_minmax(0,1fr)] content-start gap-x-2 gap-y-0.5 rounded-lg border px-3 py-2.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
              mode === one
                ? 'border-accent bg-accent-soft shadow-[inset_0_0_0_1px_var(--accent)]'
                : 'border-line-strong hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name={name}
              className="absolute inset-0 size-full opacity-0"
              checked={mode === one}
              disabled={fixed}
              onChange={() => mode !== one && choose[one]()}
            />
            <Icon className={clsx('mt-px size-4', mode === one ? 'text-accent-text' : 'text-muted')} aria-hidden />
            <span className={clsx('text-13 font-semibold', mode === one && 'text-accent-strong')}>{t(one)}</span>
            <span className="col-span-2 text-xs text-muted">{t(`${one}Body`)}</span>
          </label>
        ))}
      </div>
      {mode === 'drafts' && until !== null && !fixed && (
        <div className="max-w-64">
          <DateField
            label={t('until')}
            hint={t(isForever(until) ? 'foreverHint' : 'untilHint')}
            value={isForever(until) ? '' : dateIn(new Date(until), zone)}
            min={addDays(today, 1)}
            place={workspace}
            none={t('forever')}
            error={fault('/draftsOnlyUntil')}
            onChange={(date) => set({ draftsOnlyUntil: date ? start(date) : FOREVER })}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-x-5">
        {CHANNELS.map((field) => (
          <label key={field} className="flex min-h-8 items-center gap-2 text-13 max-sm:min-h-11">
            <input
              type="checkbox"
              className="max-sm:size-6"
              checked={now[field]}
              disabled={fixed}
              onChange={(event) => set({ [field]: event.target.checked })}
            />
            {t(field)}
          </label>
        ))}
      </div>
      {(silent.size > 0 || elsewhere.length > 0) && (
        <ul className="grid gap-1.5 text-xs text-muted">
          {[...silent].map((one) => (
            <li key={one} className="flex items-center gap-1.5">
              <NetworkMark platform={one} small />
              <span className="min-w-0">{t('silent', { network: NETWORKS[one].short })}</span>
            </li>
          ))}
          {elsewhere.map(({ id, name: account, platform }) => (
            <li key={id} className="flex items-center gap-1.5">
              <NetworkMark platform={platform} small />
              <span className="min-w-0">{t('elsewhere', { account })}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
