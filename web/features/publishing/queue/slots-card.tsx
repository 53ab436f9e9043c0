import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Slot, Slots } from '../../../../src/publishing/scheduler/api.ts'
import { DAYS, type Day } from '../../../../src/publishing/scheduler/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { predictionTexts } from '../../../i18n.tsx'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { zoneLabel } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { LeaveQuestion, useLeaveGuard } from '../../../ui/leave-guard.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { DaySlots } from './day-slots.tsx'
import { freeSlotsQuery, slotsQuery } from './queries.ts'
import { lazy } from '../../../ui/part.tsx'
import { useWorkweek } from './use-workweek.ts'
import { clashes, copied, daysFrom, preset, sameSlots, sorted } from './week.ts'

const BestTimes = lazy(async () => {
  await predictionTexts()
  return import('../../insights/predictions/best-times.tsx')
})

/** The weekly slots of queued posts. Edited and saved as a whole. */
export function SlotsCard({ slots: stored }: { slots: Slots }) {
  const t = useTranslations('slots')
  const common = useTranslations('common')
  const text = useProblemText()
  const locale = useLocale()
  const client = useQueryClient()
  const { ws, workspace } = usePlace()
  const { reason } = useMay('setSlots')
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  /** The version that the form started from. Another person's change is adopted as long as nothing is edited here. */
  const [base, setBase] = useState(stored)
  const [slots, setSlots] = useState<Slot[]>(stored.slots)
  const same = sameSlots(slots, base.slots)
  if (stored.version > base.version && (same || sameSlots(slots, stored.slots))) {
    setBase(stored)
    setSlots(stored.slots)
  }
  const save = useMutation({
    mutationFn: (sent: Slot[]) => call('setSlots', { workspace: ws, body: { slots: sent }, ifMatch: base.version }),
    onSuccess: (answer, sent) => {
      setBase(answer)
      setSlots((now) => (now === sent ? answer.slots : now))
      client.setQueryData(slotsQuery(ws).queryKey, answer)
      void client.invalidateQueries({ queryKey: [ws, 'calendar'] })
      toast.success(t('saved'))
    },
    onError: async (error) => {
      // The message names the other person's change, so the next save may replace it.
      if (isProblem(error, 'stale_version')) setBase(await client.fetchQuery({ ...slotsQuery(ws), staleTime: 0 }))
    },
  })
  const add = (slot: Slot) => {
    if (clashes(slots, slot)) return t('twice')
    setSlots(sorted([...slots, slot]))
    return null
  }
  const guard = useLeaveGuard(!same)
  const zone = workspace.timezone
  const workweek = useWorkweek()
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-5" aria-labelledby="slots-title">
      <div className="grid gap-1">
        <h2 id="slots-title" className="text-sm font-semibold">
          {t('title')}
        </h2>
        <p className="text-13 text-muted">
          {t('lead')} {t('zone', { zone: zoneLabel(zone, new Date(), locale) })}
        </p>
      </div>
      {save.error && <FormError>{isProblem(save.error, 'stale_version') ? t('stale') : text(save.error)}</FormError>}
      {slots.length === 0 && (
        <Empty
          icon={CalendarClock}
          title={t('empty')}
          actions={
            <>
              <Button onClick={() => setSlots(preset(workweek.days, ['09:00', '17:00']))}>
                {t('preset', workweek.names)}
              </Button>
              <Button onClick={() => setSlots(preset(DAYS, ['12:00']))}>{t('presetDaily')}</Button>
            </>
          }
        >
          {t('emptyBody')}
        </Empty>
      )}
      <ul className="grid grid-cols-[minmax(0,1fr)] divide-y">
        {daysFrom(workspace.weekStart).map((day) => (
          <DaySlots
            key={day}
            day={day}
            slots={slots.filter((slot) => slot.day === day)}
            accounts={accounts}
            onAdd={add}
            onRemove={(slot) => setSlots(slots.filter((one) => one !== slot))}
            onClear={() => setSlots(slots.filter((one) => one.day !== day))}
            onCopy={(to: readonly Day[]) => setSlots(copied(slots, day, to))}
          />
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          busy={save.isPending}
          reason={reason ?? (same ? t('nothingChanged') : null)}
          onClick={() => save.mutate(slots)}
        >
          {common('save')}
        </Button>
        {!same && (
          <>
            <Button
              onClick={() => {
                setSlots(base.slots)
                save.reset()
              }}
            >
              {t('discard')}
            </Button>
            <span className="text-xs text-muted" role="status">
              {t('unsaved')}
            </span>
          </>
        )}
      </div>
      {same && slots.length > 0 && <NextFree />}
      <Suspense>
        <BestTimes />
      </Suspense>
      <LeaveQuestion guard={guard} />
    </section>
  )
}

function NextFree() {
  const t = useTranslations('slots')
  const moment = useMoment()
  const { ws } = usePlace()
  const { data } = useQuery(freeSlotsQuery(ws, { limit: 5 }))
  if (!data) return null
  return (
    <div className="grid gap-1 text-13">
      <h3 className="font-medium">{t('next')}</h3>
      {data.length === 0 && <p className="text-muted">{t('nextNone')}</p>}
      <ol className="grid gap-0.5 text-muted">
        {data.map(({ at, accounts }) => (
          <li key={`${at}${String(accounts)}`}>{moment(at)}</li>
        ))}
      </ol>
    </div>
  )
}
