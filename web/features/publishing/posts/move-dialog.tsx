import { useId, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { addDays, dateIn, instantsOf, isUnclear, wallOn, zoneLabel } from '../../../time.ts'
import { DateField } from '../../../ui/date-field.tsx'
import { TextField } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { useLoss } from '../approvals/use-loss.ts'

interface Props {
  posts: readonly Post[]
  onClose: () => void
  onMove: (timeOf: (from: Date) => Date) => void
}

/** Moves many posts by some days or to one day. Each keeps its time of day. */
export function MoveDialog({ posts, onClose, onMove }: Props) {
  const t = useTranslations('bulk')
  const { workspace } = usePlace()
  const lossOf = useLoss()
  const times = posts.flatMap(({ scheduledAt }) => (scheduledAt ? [new Date(scheduledAt)] : []))
  const losses = (['request', 'approval'] as const).flatMap((loss) => {
    const count = posts.filter((post) => post.scheduledAt && lossOf(post) === loss).length
    return count > 0 ? [t(`loses.${loss}`, { count })] : []
  })
  const zone = workspace.timezone
  const id = useId()
  const today = dateIn(new Date(), zone)
  const [how, setHow] = useState<'by' | 'to'>('by')
  const [days, setDays] = useState('1')
  const [date, setDate] = useState(addDays(today, 1))
  const [tried, setTried] = useState(false)
  const [which, setWhich] = useState<'earlier' | 'later' | null>(null)
  const locale = useLocale()
  const by = Number(days)
  const fault =
    how === 'by'
      ? Number.isInteger(by) && by !== 0 && Math.abs(by) <= 366
        ? null
        : t('daysInvalid')
      : /^\d{4}-\d\d-\d\d$/.test(date) && date >= today
        ? null
        : t('dateInvalid')
  const wallFor = (from: Date) => wallOn(from, how === 'by' ? addDays(dateIn(from, zone), by) : date, zone)
  const unclear = fault ? 0 : times.filter((from) => isUnclear(wallFor(from), zone)).length
  const timeOf = (from: Date) => {
    const { at, around } = instantsOf(wallFor(from), zone)
    return (which === 'later' ? at.at(-1) : at[0]) ?? around[which ?? 'later']
  }
  const submit = () => {
    setTried(true)
    if (!fault && (unclear === 0 || which)) onMove(timeOf)
  }
  return (
    <FormDialog
      title={t('moveTitle', { count: posts.length })}
      description={t('moveBody', { zone: zoneLabel(zone, new Date(), locale) })}
      action={t('moveNow')}
      onClose={onClose}
      onSubmit={submit}
    >
      <SelectField
        label={t('how')}
        value={how}
        options={[
          ['by', t('byDays')],
          ['to', t('toDay')],
        ]}
        onChange={setHow}
      />
      {how === 'by' ? (
        <TextField
          label={t('days')}
          hint={t('daysHint')}
          type="number"
          step={1}
          min={-366}
          max={366}
          value={days}
          onChange={(event) => setDays(event.target.value)}
          error={tried && fault}
        />
      ) : (
        <DateField
          label={t('day')}
          place={workspace}
          min={today}
          value={date}
          onChange={setDate}
          error={tried && fault}
        />
      )}
      {losses.length > 0 && <p className="rounded-md bg-warn-soft px-3 py-2.5 text-13">{losses.join(' ')}</p>}
      {unclear > 0 && (
        <div
          role="radiogroup"
          aria-labelledby={`${id}-unclear`}
          className="grid gap-1 rounded-md bg-warn-soft px-3 py-2.5"
        >
          <p id={`${id}-unclear`} className="text-13 font-medium">
            {t('unclear', { count: unclear })}
          </p>
          {(['earlier', 'later'] as const).map((one) => (
            <label key={one} className="flex min-h-9 items-center gap-2.5 text-13 max-sm:min-h-11">
              <input
                type="radio"
                name={`${id}-which`}
                className="size-4 shrink-0 accent-(--accent)"
                checked={which === one}
                onChange={() => setWhich(one)}
              />
              {t(one)}
            </label>
          ))}
          {tried && !which && (
            <p role="alert" className="text-xs text-bad">
              {t('unclearFirst')}
            </p>
          )}
        </div>
      )}
    </FormDialog>
  )
}
