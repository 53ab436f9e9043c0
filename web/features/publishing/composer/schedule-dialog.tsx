import { type FormEvent, type ReactNode, Suspense, useId, useState } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { useQuery } from '@tanstack/react-query'
import { isolate } from '../../../bidi.ts'
import { predictionTexts } from '../../../i18n.tsx'
import { meQuery } from '../../../queries.ts'
import { addDays, DAY_TIME, wallTime, zoneLabel, zoneName } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { Cancel, Dialog } from '../../../ui/dialog.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { lazy } from '../../../ui/part.tsx'
import { FreeSlots } from '../queue/free-slots.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useMeantTime } from '../time/meant-time.ts'
import { WhichTime } from '../time/which.tsx'

// Loads after the field for typing a time.
const TimePicker = lazy(() => import('../time/time-picker.tsx'))
const BestTimes = lazy(async () => {
  await predictionTexts()
  return import('../../insights/predictions/best-times.tsx')
})

interface Props {
  onClose: () => void
  /** The label of the submit button; "Schedule" by default. */
  action?: string
  /** The initial time: a previously chosen instant, or a wall time. */
  initial: Date | string | null
  busy: boolean
  error: string | null
  onSchedule: (at: Date) => void
  title?: string | undefined
  /** Shown before the time. */
  children?: ReactNode
  /** If given, the dialog asks for no time and submits this instead. */
  onTimeless?: (() => void) | undefined
  /** Takes the next free queue slot. */
  onQueue?: (() => void) | undefined
  /** The post as the queue needs it, to find its slots. */
  queued?: { accountIds: readonly string[]; postId: string | undefined } | undefined
}

const tomorrowAt = (zone: string, time: string) => `${addDays(wallTime(new Date(), zone).slice(0, 10), 1)}T${time}`

/** Chooses a time in the workspace's zone, whatever the browser's zone. */
export function ScheduleDialog({
  onClose,
  action,
  initial,
  busy,
  error,
  onSchedule,
  title,
  children,
  onTimeless,
  onQueue,
  queued,
}: Props) {
  const t = useTranslations('schedule')
  const format = useFormatter()
  const locale = useLocale()
  const { workspace } = usePlace()
  const zone = workspace.timezone
  const id = useId()
  const [wall, setWall] = useState(() =>
    initial instanceof Date ? wallTime(initial, zone) : (initial ?? tomorrowAt(zone, '09:00')),
  )
  const [tried, setTried] = useState(false)
  const { isValid, isUnclear, chosen, at, choose } = useMeantTime(wall, zone, initial instanceof Date ? initial : null)
  const past = at !== null && at.getTime() < Date.now()
  const { data: me } = useQuery(meQuery)
  const local = me?.timezone ?? zone
  const fault = !isValid ? t('invalid') : past ? t('past') : !at ? t('whichFirst') : null
  const quick: [label: 'inOneHour' | 'tomorrowMorning' | 'tomorrowEvening', wall: string][] = [
    ['inOneHour', wallTime(new Date(Date.now() + 3_600_000), zone)],
    ['tomorrowMorning', tomorrowAt(zone, '09:00')],
    ['tomorrowEvening', tomorrowAt(zone, '18:00')],
  ]
  const clock = (value: string) => format.dateTime(new Date(`${value}Z`), { timeStyle: 'short', timeZone: 'UTC' })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (busy) return
    if (onTimeless) onTimeless()
    else if (at && !fault) onSchedule(at)
  }
  return (
    <Dialog
      open
      guarded
      onOpenChange={(open) => !open && onClose()}
      title={title ?? t('title')}
      description={onTimeless ? undefined : t('zone', { zone: zoneLabel(zone, at ?? new Date(), locale) })}
      footer={
        <>
          <Cancel />
          <Button variant="primary" type="submit" form={id} busy={busy}>
            {action ?? t('schedule')}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit()
        }}
        className="grid gap-4"
      >
        {children}
        {onTimeless && error && <FormError>{error}</FormError>}
        {!onTimeless && (
          <>
            <div className="flex flex-wrap gap-2">
              {quick.map(([label, value]) => (
                <Button
                  key={label}
                  size="sm"
                  onClick={() => setWall(value)}
                  aria-pressed={wall === value}
                  className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
                >
                  {t(label, { time: clock(value) })}
                </Button>
              ))}
            </div>
            {queued && (
              <Suspense fallback={<div className="skeleton h-12" aria-hidden />}>
                <BestTimes accountIds={queued.accountIds} onChoose={setWall} />
              </Suspense>
            )}
            <Suspense fallback={<div className="skeleton h-80" aria-hidden />}>
              <TimePicker wall={wall} onWall={setWall} queued={queued} />
            </Suspense>
            <TextField
              label={t('when')}
              dir="ltr"
              required
              autoComplete="off"
              placeholder="2026-12-31 09:00"
              value={wall.replace('T', ' ')}
              onChange={(event) => setWall(event.target.value.trimStart().replace(' ', 'T'))}
              error={error ?? (fault && (tried || past) ? fault : undefined)}
              hint={
                at && (
                  <>
                    {format.dateTime(at, { dateStyle: 'full', timeStyle: 'short', timeZone: zone })}{' '}
                    <bdi>{zoneName(zone, at, locale)}</bdi>
                    {local !== zone && (
                      <span className="block">
                        {t('local', {
                          time: format.dateTime(at, { ...DAY_TIME, timeZone: local }),
                          zone: isolate(zoneLabel(local, at, locale)),
                        })}
                      </span>
                    )}
                  </>
                )
              }
            />
            {isUnclear && <WhichTime wall={wall} chosen={chosen} onChoose={choose} />}
            <FreeSlots queued={queued} wall={wall} onChoose={setWall} onQueue={onQueue} busy={busy} />
          </>
        )}
      </form>
    </Dialog>
  )
}
