import { type ReactNode, Suspense, useState } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { MenuItem } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { snoozeTimes } from './snooze-times.ts'
import { useShortTime } from './times.ts'

const SnoozeDialog = lazy(() => import('./snooze-dialog.tsx'))

/** Menu items with snooze times, and a dialog for any other time, which must be rendered outside the menu. */
export function useSnooze(onSnooze: (until: Date, when: string) => void): { times: ReactNode; dialog: ReactNode } {
  const t = useTranslations('inbox')
  const format = useFormatter()
  const locale = useLocale()
  const short = useShortTime()
  const [asking, setAsking] = useState(false)
  const zone = usePlace().workspace.timezone
  const times = snoozeTimes(zone, locale)
  const weekday = format.dateTime(times.week, { weekday: 'long', timeZone: zone })
  return {
    times: (
      <>
        {Object.entries(times).map(([key, at]) => {
          const when = short(at.toISOString())
          return (
            <MenuItem key={key} onSelect={() => onSnooze(at, when)}>
              <span className="grow">{t(`snoozes.${key as keyof typeof times}`, { weekday })}</span>
              <bdi className="text-xs text-muted tabular-nums">{when}</bdi>
            </MenuItem>
          )
        })}
        <MenuItem onSelect={() => setAsking(true)}>{t('snoozeOther')}</MenuItem>
      </>
    ),
    dialog: asking && (
      <Suspense>
        <SnoozeDialog onClose={() => setAsking(false)} onSnooze={onSnooze} />
      </Suspense>
    ),
  }
}
