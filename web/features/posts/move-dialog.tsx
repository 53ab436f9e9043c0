import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { addDays, dateIn, onDate } from '../../time.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { usePlace } from '../shell/workspace.tsx'

interface Props {
  count: number
  onClose: () => void
  onMove: (timeOf: (from: Date) => Date) => void
}

/** Moves many posts by some days or to one day. Each keeps its time on the clock. */
export function MoveDialog({ count, onClose, onMove }: Props) {
  const t = useTranslations('bulk')
  const common = useTranslations('common')
  const { workspace } = usePlace()
  const zone = workspace.timezone
  const id = useId()
  const today = dateIn(new Date(), zone)
  const [how, setHow] = useState<'by' | 'to'>('by')
  const [days, setDays] = useState('1')
  const [date, setDate] = useState(addDays(today, 1))
  const [tried, setTried] = useState(false)
  const by = Number(days)
  const fault =
    how === 'by'
      ? Number.isInteger(by) && by !== 0 && Math.abs(by) <= 366
        ? null
        : t('daysInvalid')
      : /^\d{4}-\d\d-\d\d$/.test(date) && date >= today
        ? null
        : t('dateInvalid')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!fault) onMove((from) => onDate(from, how === 'by' ? addDays(dateIn(from, zone), by) : date, zone))
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('moveTitle', { count })}
      description={t('moveBody')}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={id}>
            {t('moveNow')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="grid gap-4">
        <SelectField
          label={t('how')}
          value={how}
          onChange={(event) => setHow(event.target.value === 'to' ? 'to' : 'by')}
        >
          <option value="by">{t('byDays')}</option>
          <option value="to">{t('toDay')}</option>
        </SelectField>
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
          <TextField
            label={t('day')}
            type="date"
            min={today}
            value={date}
            onChange={(event) => setDate(event.target.value)}
            error={tried && fault}
          />
        )}
      </form>
    </Dialog>
  )
}
