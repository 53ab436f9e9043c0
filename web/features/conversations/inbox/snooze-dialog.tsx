import { useState } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { DAY_TIME, dateIn, wallTime, zoneLabel } from '../../../time.ts'
import { DateField } from '../../../ui/date-field.tsx'
import { TimeField } from '../../../ui/time-field.tsx'
import { useMeantTime } from '../../publishing/time/meant-time.ts'
import { WhichTime } from '../../publishing/time/which.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { snoozeTimes } from './snooze-times.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'

interface Props {
  onClose: () => void
  onSnooze: (until: Date, when: string) => void
}

/** Asks for the end of a snooze: a date and time in the workspace's zone. */
export default function SnoozeDialog({ onClose, onSnooze }: Props) {
  const t = useTranslations('inbox')
  const schedule = useTranslations('schedule')
  const format = useFormatter()
  const locale = useLocale()
  const { workspace } = usePlace()
  const zone = workspace.timezone
  const [first] = useState(() => wallTime(snoozeTimes(zone, locale).tomorrow, zone))
  const [date, setDate] = useState(first.slice(0, 10))
  const [time, setTime] = useState(first.slice(11))
  const [tried, setTried] = useState(false)
  const wall = `${date}T${time}`
  const { isValid, isUnclear, chosen, at, choose } = useMeantTime(wall, zone)
  const past = at !== null && at.getTime() <= Date.now()
  const fault = !isValid ? t('snoozeInvalid') : past ? schedule('past') : !at ? schedule('whichFirst') : null
  const submit = () => {
    setTried(true)
    if (!at || fault) return
    onSnooze(at, format.dateTime(at, { ...DAY_TIME, timeZone: zone }))
    onClose()
  }
  return (
    <FormDialog
      title={t('snoozeUntil')}
      description={schedule('zone', { zone: zoneLabel(zone, at ?? new Date(), locale) })}
      action={t('snooze')}
      onClose={onClose}
      onSubmit={submit}
    >
      <div className="grid grid-cols-2 items-start gap-3">
        <DateField
          label={t('snoozeDate')}
          value={date}
          onChange={setDate}
          min={dateIn(new Date(), zone)}
          place={workspace}
        />
        <TimeField label={schedule('time')} value={time} onChange={setTime} />
      </div>
      {isUnclear && <WhichTime wall={wall} chosen={chosen} onChoose={choose} />}
      {fault && (tried || past) && (
        <p role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </FormDialog>
  )
}
