import { useId } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { DAY, instantsOf, zoneName } from '../../../time.ts'
import { usePlace } from '../../shell/workspace.tsx'

interface Props {
  /** A wall time that the workspace's zone skips or repeats. */
  wall: string
  chosen: Date | null
  onChoose: (at: Date) => void
}

/** Asks which time is meant around a clock change. No post moves to another time without asking. */
export function WhichTime({ wall, chosen, onChoose }: Props) {
  const t = useTranslations('schedule')
  const format = useFormatter()
  const locale = useLocale()
  const { workspace } = usePlace()
  const zone = workspace.timezone
  const name = useId()
  const { at, around } = instantsOf(wall, zone)
  const twice = at.length > 1
  const plain = new Date(`${wall}Z`)
  const time = format.dateTime(plain, { timeStyle: 'short', timeZone: 'UTC' })
  const date = format.dateTime(plain, { ...DAY, timeZone: 'UTC' })
  return (
    <div role="radiogroup" aria-labelledby={name} className="grid gap-1 rounded-md bg-warn-soft px-3 py-2.5">
      <p id={name} className="text-13 font-medium">
        {t(twice ? 'twice' : 'skipped', { time, date })}
      </p>
      {(twice ? at : [around.later, around.earlier]).map((one, index) => (
        <label key={one.getTime()} className="flex min-h-9 items-center gap-2.5 text-13 max-sm:min-h-11">
          <input
            type="radio"
            name={name}
            className="size-4 accent-(--accent)"
            checked={chosen?.getTime() === one.getTime()}
            onChange={() => onChoose(one)}
          />
          <span>
            {t(twice ? (index === 0 ? 'firstTime' : 'secondTime') : 'instead', {
              time: format.dateTime(one, { timeStyle: 'short', timeZone: zone }),
              zone: zoneName(zone, one, locale),
            })}
          </span>
        </label>
      ))}
    </div>
  )
}
