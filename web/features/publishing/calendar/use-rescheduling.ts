import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { addDays, dateIn, instantOf, isUnclear, wallOn, wallTime } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { isMovable } from '../posts/reschedule.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { type CalendarEntry, isUnscheduled } from './entry.ts'
import type { Moving } from './moving.ts'
import type { ShownPeriod } from './period.ts'
import { proposedTime } from './proposed-time.ts'
import { useMoves } from './use-moves.ts'

const HOUR = 3_600_000

/**
 * What the chips and cells of the calendar can do with posts (`moving`), with the moves under way and the questions
 * that they open. `onShow` opens another period.
 */
export function useRescheduling({ view, first, last }: ShownPeriod, onShow: (date: string) => void) {
  const t = useTranslations('calendar')
  const { ws, workspace } = usePlace()
  const zone = workspace.timezone
  const navigate = useNavigate()
  const may = useMay('schedulePost')
  const moves = useMoves()
  const [chosen, setChosen] = useState<CalendarEntry | null>(null)
  const [publishing, setPublishing] = useState<CalendarEntry | null>(null)

  const refuse = (why: 'skippedRefused' | 'pastRefused' | 'cannotMove') =>
    toast.info(t(why), { id: 'calendar-refused' })
  const movable = (entry: CalendarEntry) => !may.hidden && !may.reason && isMovable(entry)
  /** Follows a post that moved out of the period. */
  const show = (at: Date) => {
    const day = dateIn(at, zone)
    if (day < first || day > last) onShow(day)
  }
  const wallFor = (entry: CalendarEntry, date: string) => {
    const clock = moves.clockOf(entry)
    if (clock !== undefined) return `${date}T${clock}`
    return isUnscheduled(entry) ? proposedTime(date, zone) : wallOn(new Date(entry.happensAt), date, zone)
  }
  const write = (idea: string, at: string) =>
    void navigate({ to: '/w/$ws/compose', params: { ws }, search: { idea, at } })

  const moving: Moving = {
    held: moves.held,
    movable,
    timeOn: (entry, date) => {
      const at = instantOf(wallFor(entry, date), zone)
      return at.getTime() < Date.now() ? null : at
    },
    place: (entry, at) => (entry.idea ? write(entry.idea, wallTime(at, zone)) : moves.move(entry, at)),
    placeOn: (entry, date) => {
      const wall = wallFor(entry, date)
      if (entry.idea) return write(entry.idea, wall)
      moves.move(entry, instantOf(wall, zone), isUnclear(wall, zone) ? wall : undefined)
    },
    refused: (cell) => refuse(cell?.dataset['skipped'] ? 'skippedRefused' : 'pastRefused'),
    choose: setChosen,
    publish: setPublishing,
    step: (entry, across, down, more) => {
      if (!movable(entry)) return refuse('cannotMove')
      const stood = new Date(entry.happensAt)
      const days = view === 'week' ? across : across + (view === 'agenda' ? 1 : 7) * down
      const wall = days === 0 ? null : wallFor(entry, addDays(dateIn(stood, zone), days))
      const at = wall === null ? new Date(stood.getTime() + down * HOUR) : instantOf(wall, zone)
      const unclear = wall !== null && isUnclear(wall, zone) ? wall : undefined
      if (at.getTime() < Date.now()) return refuse('pastRefused')
      if (more) moves.step(entry, at, unclear)
      else moves.move(entry, at, unclear)
      show(at)
    },
  }
  return {
    moving,
    moves,
    /** The post that is asked for a time. */
    chosen,
    /** Takes the answer; null leaves the post where it was. */
    choose: (at: Date | null) => {
      setChosen(null)
      if (!chosen || !at) return
      moves.move(chosen, at)
      show(at)
    },
    /** The post that is asked to be published now. */
    publishing,
    closePublishing: () => setPublishing(null),
  }
}

export type Rescheduling = ReturnType<typeof useRescheduling>
