import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { type Loss, lostBy } from '../approvals/states.ts'
import { reschedule } from '../posts/reschedule.ts'
import { nameOf } from '../today/name.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { CalendarEntry } from './entry.ts'
import { useMoment } from '../../shell/moment.ts'
import { useShownMoves } from './use-shown-moves.ts'
import { useUndoKeys } from './use-undo-keys.ts'

type Time = Pick<CalendarEntry, 'happensAt' | 'scheduledAt'>

interface Flight {
  /** The post as stored by the service. */
  stored: CalendarEntry
  wanted: Time
  undoes: boolean
  sending: boolean
  /** What the moves since the last message took from the post. */
  lost: Loss | null
  /** The requested wall time, if the zone skips or repeats it. The person is asked before it is sent. */
  unclear?: string | undefined
}

const UNDO_MS = 10_000
/** Keyboard steps form one move, sent when Alt is released or after this many milliseconds without a step. */
const REST_MS = 1200

const withAnswer = (entry: CalendarEntry, post: Post): CalendarEntry => ({
  ...entry,
  status: post.status,
  happensAt: post.happensAt,
  scheduledAt: post.scheduledAt,
  approval: post.approval,
  approved: post.approved,
  problems: post.checks.filter((one) => one.severity === 'error').length,
  version: post.version,
})

/**
 * Moves posts to other times. The calendar shows the new time immediately, while the service receives one call per post
 * at a time, conditional on the version seen. A refused move is reverted with the reason; a successful one can be
 * undone.
 */
export function useMoves() {
  const t = useTranslations('calendar')
  const moment = useMoment()
  const why = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const { show, withMoved } = useShownMoves()
  const [held, setHeld] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const [question, setQuestion] = useState<{ entry: CalendarEntry; wall: string } | null>(null)
  const flights = useRef(new Map<string, Flight>())
  const resting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const undoLast = useUndoKeys()

  const replace = (entry: CalendarEntry) =>
    client.setQueriesData<CalendarEntry[]>({ queryKey: [ws, 'calendar'] }, (entries) =>
      entries?.map((one) => (one.id === entry.id ? entry : one)),
    )

  const send = async (flight: Flight) => {
    const { stored, wanted, undoes } = flight
    const { id } = stored
    if (wanted.scheduledAt === stored.scheduledAt) {
      flights.current.delete(id)
      replace(stored)
      show(null, id)
      return
    }
    flight.sending = true
    // Not the id of the toast whose button was pressed: that one is closing and would take the new text with it.
    const message = `${undoes ? 'back' : 'move'}-${id}`
    try {
      flight.stored = withAnswer(stored, await reschedule(ws, stored, wanted.scheduledAt))
      flight.lost ??= lostBy(stored, flight.stored)
    } catch (error) {
      flights.current.delete(id)
      show(null, id)
      toast.error(t('notMoved', { caption: nameOf(stored.caption) || t('untitled'), why: why(error) }), { id: message })
      void client.invalidateQueries({ queryKey: [ws, 'calendar'] })
      return
    }
    flight.sending = false
    if (flight.wanted !== wanted) return send(flight)
    replace(flight.stored)
    const undo = () => start(flight.stored, stored, true)
    undoLast.current = undoes ? null : undo
    toast.success(t(undoes ? 'movedBack' : 'movedTo', { time: moment(flight.stored.happensAt) }), {
      id: message,
      duration: UNDO_MS,
      description: flight.lost ? t(`lost.${flight.lost}`) : undefined,
      action: undoes ? undefined : { label: t('undo'), onClick: undo },
    })
    flight.lost = null
    void client.invalidateQueries({ queryKey: [ws, 'posts'] })
    void client.invalidateQueries({ queryKey: [ws, 'post', id] })
    await client.invalidateQueries({ queryKey: [ws, 'calendar'] })
    if (flights.current.get(id) !== flight || flight.sending || flight.wanted !== wanted) return
    flights.current.delete(id)
    show(null, id)
  }

  const plan = (entry: CalendarEntry, { happensAt, scheduledAt }: Time, undoes: boolean, unclear?: string): Flight => {
    const flight = flights.current.get(entry.id) ?? { stored: entry, wanted: entry, undoes, sending: false, lost: null }
    flight.wanted = { happensAt, scheduledAt }
    flight.undoes = undoes
    flight.unclear = unclear
    flights.current.set(entry.id, flight)
    setHeld(entry.id)
    show({ ...flight.stored, happensAt, scheduledAt }, entry.id)
    return flight
  }

  const start = (entry: CalendarEntry, time: Time, undoes = false) => {
    const flight = plan(entry, time, undoes)
    if (!flight.sending) void send(flight)
  }

  const sendPending = () => {
    clearTimeout(resting.current)
    for (const flight of flights.current.values()) {
      if (flight.sending) continue
      if (flight.unclear) setQuestion({ entry: flight.stored, wall: flight.unclear })
      else void send(flight)
    }
  }

  const planned = (at: Date): Time => ({ happensAt: at.toISOString(), scheduledAt: at.toISOString() })

  /** Moves a post immediately or, if its time is ambiguous, after asking which time is meant. */
  const move = (entry: CalendarEntry, at: Date, unclear?: string) => {
    if (unclear) {
      plan(entry, planned(at), false, unclear)
      sendPending()
    } else if (at.toISOString() !== entry.happensAt) start(entry, planned(at))
  }

  /** Takes the answer to which time is meant; null leaves the post where it was. */
  const answer = (at: Date | null) => {
    const { id } = question!.entry
    setQuestion(null)
    const flight = flights.current.get(id)
    if (at) start(question!.entry, planned(at))
    else if (flight && !flight.sending) {
      flights.current.delete(id)
      show(null, id)
    }
  }

  /** The time of day to keep for a post. It survives a day on which the zone skips it. */
  const clockOf = (entry: CalendarEntry) => flights.current.get(entry.id)?.unclear?.slice(11)

  /** Moves a post by one of several steps. Only the last one is sent to the service. */
  const step = (entry: CalendarEntry, at: Date, unclear?: string) => {
    plan(entry, planned(at), false, unclear)
    setSaid(t('nowAt', { caption: entry.caption || t('untitled'), time: moment(at.toISOString()) }))
    clearTimeout(resting.current)
    resting.current = setTimeout(sendPending, REST_MS)
  }

  const latest = useRef({ sendPending })
  useEffect(() => {
    latest.current = { sendPending }
  })
  useEffect(() => {
    const released = (event: KeyboardEvent) => {
      if (event.key === 'Alt') latest.current.sendPending()
    }
    const leave = () => latest.current.sendPending()
    addEventListener('keyup', released)
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('keyup', released)
      removeEventListener('pagehide', leave)
      latest.current.sendPending()
    }
  }, [])

  return { move, step, withMoved, held, said, question, answer, clockOf }
}
