import { useTranslations } from 'use-intl'
import { Select, SelectField } from '../../../../ui/select.tsx'
import { TextField } from '../../../../ui/field.tsx'
import { TimeField } from '../../../../ui/time-field.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { ZoneField } from '../../../team/settings/zone-field.tsx'
import { Card } from './card.tsx'
import { useClockTime } from './sentence.tsx'
import type { CardProps } from './use-settings.ts'

const DELAYS = [0, 60, 300, 900, 3600]
/** The most replies in a row. */
const MOST = 50

/** When the bot replies, after what delay, and how often in a row. */
export function WhenCard({ now, set, fixed, fault }: CardProps) {
  const t = useTranslations('bot.when')
  const words = useTranslations()
  const clock = useClockTime()
  const { workspace } = usePlace()
  const { workingHoursOnly: limited, workingHoursStart: start, workingHoursEnd: end, replyDelaySeconds: delay } = now
  const cap = now.maxAutoRepliesPerThread
  const wrongCap = Number.isNaN(cap)
    ? words('faults.required')
    : cap > MOST
      ? words('common.fault.most', { most: MOST })
      : cap < 0
        ? words('common.fault.least', { least: 0 })
        : undefined
  const zone = now.workingTimezone ?? workspace.timezone
  const limit = (on: boolean) =>
    set(
      on
        ? {
            workingHoursOnly: true,
            workingHoursStart: start ?? '09:00',
            workingHoursEnd: end ?? '18:00',
            workingTimezone: zone,
          }
        : { workingHoursOnly: false },
    )
  const delays = [...new Set([...DELAYS, delay])].toSorted((a, b) => a - b)
  const over = start !== null && end !== null && end < start
  return (
    <Card
      id="when"
      number={3}
      title={t('title')}
      end={
        <Select
          aria-label={t('title')}
          className="w-auto! min-w-36"
          value={limited ? 'hours' : 'any'}
          disabled={fixed}
          options={[
            ['any', t('any')],
            ['hours', t('hours')],
          ]}
          onChange={(chosen) => limit(chosen === 'hours')}
        />
      }
    >
      {limited && (
        <div className="grid gap-3">
          <HoursBar start={start} end={end} />
          {fixed ? (
            <p className="text-13 tabular-nums">
              {start && end && t('range', { start: clock(start), end: clock(end), zone: zone.replaceAll('_', ' ') })}
            </p>
          ) : (
            <div className="grid gap-3 sm:grid-cols-2">
              <TimeField
                label={t('from')}
                value={start ?? ''}
                error={fault('/workingHoursStart')}
                onChange={(value) => set({ workingHoursStart: value || null })}
              />
              <TimeField
                label={t('to')}
                value={end ?? ''}
                error={fault('/workingHoursEnd')}
                hint={over && t('nextDay')}
                onChange={(value) => set({ workingHoursEnd: value || null })}
              />
              <div className="sm:col-span-2">
                <ZoneField
                  label={t('zone')}
                  value={zone}
                  onChange={(value) => set({ workingTimezone: value })}
                  {...(fault('/workingTimezone') && { error: fault('/workingTimezone')! })}
                />
              </div>
            </div>
          )}
          <p className="text-xs text-muted">{t('outside')}</p>
        </div>
      )}
      <div className="grid content-start gap-3 sm:grid-cols-2">
        <SelectField
          label={t('delay')}
          hint={t('delayHint')}
          value={String(delay)}
          disabled={fixed}
          options={delays.map((seconds) => [String(seconds), t('delays', delayOf(seconds))])}
          onChange={(seconds) => set({ replyDelaySeconds: Number(seconds) })}
        />
        <TextField
          label={t('cap')}
          hint={t('capHint')}
          type="number"
          inputMode="numeric"
          min={0}
          max={MOST}
          disabled={fixed}
          error={wrongCap ?? fault('/maxAutoRepliesPerThread')}
          value={Number.isNaN(cap) ? '' : cap}
          // An empty field is not a number. The service refuses it, like any other number that is wrong.
          onChange={({ target }) => set({ maxAutoRepliesPerThread: target.valueAsNumber })}
        />
      </div>
    </Card>
  )
}

/** A delay in its largest whole unit. */
function delayOf(seconds: number) {
  if (seconds === 0) return { unit: 'none', count: 0 }
  if (seconds % 3600 === 0) return { unit: 'hours', count: seconds / 3600 }
  return seconds % 60 === 0 ? { unit: 'minutes', count: seconds / 60 } : { unit: 'seconds', count: seconds }
}

const DAY = 24 * 60
const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** The working hours as parts of a day. Hours across midnight have two parts. */
function HoursBar({ start, end }: { start: string | null; end: string | null }) {
  const valid = [start, end].every((time) => time !== null && /^\d\d:\d\d$/.test(time))
  if (!valid) return null
  const [from, to] = [minuteOf(start!), minuteOf(end!)]
  const parts: [number, number][] =
    from < to
      ? [[from, to]]
      : [
          [0, to],
          [from, DAY],
        ]
  return (
    <div aria-hidden className="relative h-1.5 rounded-full bg-hover">
      {parts.map(([a, b]) => (
        <span
          key={a}
          className="absolute inset-y-0 rounded-full bg-accent"
          style={{ insetInlineStart: `${(a / DAY) * 100}%`, inlineSize: `${((b - a) / DAY) * 100}%` }}
        />
      ))}
    </div>
  )
}
