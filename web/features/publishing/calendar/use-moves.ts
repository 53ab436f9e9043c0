import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { useProblemText } from '../../../problem.ts'
import { isTyping } from '../../../shortcuts.ts'
import { toast } from '../../../toast.ts'
import { reschedule } from '../posts/reschedule.ts'
import { nameOf } from '../today/name.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { Entry } from './entry.ts'
import { useMoment } from '../../shell/moment.ts'

type Time = Pick<Entry, 'happensAt' | 'scheduledAt'>

interface Flight {
  /** The post as the service has it. */
  stored: Entry
  wanted: Time
  undoes: boolean
  sending: boolean
  /** The wall time that was wished, where the zone skips it or has it twice: asked about before it is sent. */
  unclear?: string | undefined
}

const UNDO_MS = 10_000
/** Steps by the keyboard are one move until Alt is let go, or until nothing came for so long. */
const REST_MS = 1200

const taken = (entry: Entry, post: Post): Entry => ({
  ...entry,
  status: post.status,
  happensAt: post.happensAt,
  scheduledAt: post.scheduledAt,
  approval: post.approval,
  approved: post.approved,
  problems: post.checks.filter((one) => one.severity === 'error').length,
  version: post.version,
})

const chipOf = (id: string) => document.querySelector<HTMLElement>(`a[data-post="${id}"]`)

/**
 * Posts on their way to another time. They are shown there at once, and the service is told: one call for each post at a time,
 * based on the version that was seen. What it refuses goes back, with the reason; what it takes can be undone.
 */
export function useMoves() {
  const t = useTranslations('calendar')
  const moment = useMoment()
  const why = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [moved, setMoved] = useState<ReadonlyMap<string, Entry>>(new Map())
  const [held, setHeld] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const [question, setQuestion] = useState<{ entry: Entry; wall: string } | null>(null)
  const flights = useRef(new Map<string, Flight>())
  const resting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const undoLast = useRef<(() => void) | null>(null)
  const follow = useRef<string | null>(null)

  const show = (entry: Entry | null, id: string) => {
    // A chip that comes to stand elsewhere takes the focus with it.
    if (document.activeElement?.closest('[data-chip]')?.querySelector(`a[data-post="${id}"]`)) follow.current = id
    setMoved((before) => {
      const after = new Map(before)
      if (entry) after.set(id, entry)
      else after.delete(id)
      return after
    })
  }

  // On every render: the chip may appear only with the period that it moved to.
  useLayoutEffect(() => {
    if (!follow.current) return
    const chip = chipOf(follow.current)
    if (!chip && document.activeElement === document.body) return
    if (!chip?.closest('[data-chip]')?.contains(document.activeElement)) chip?.focus()
    follow.current = null
  })

  const replace = (entry: Entry) =>
    client.setQueriesData<Entry[]>({ queryKey: [ws, 'calendar'] }, (entries) =>
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
    // Not the message whose button was pressed: that one is going, and would take the new text with it.
    const message = `${undoes ? 'back' : 'move'}-${id}`
    try {
      flight.stored = taken(stored, await reschedule(ws, stored, wanted.scheduledAt))
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
      description: stored.status === flight.stored.status ? undefined : t('draftAgain'),
      action: undoes ? undefined : { label: t('undo'), onClick: undo },
    })
    void client.invalidateQueries({ queryKey: [ws, 'posts'] })
    void client.invalidateQueries({ queryKey: [ws, 'post', id] })
    await client.invalidateQueries({ queryKey: [ws, 'calendar'] })
    if (flights.current.get(id) !== flight || flight.sending || flight.wanted !== wanted) return
    flights.current.delete(id)
    show(null, id)
  }

  const wish = (entry: Entry, { happensAt, scheduledAt }: Time, undoes: boolean, unclear?: string): Flight => {
    const flight = flights.current.get(entry.id) ?? { stored: entry, wanted: entry, undoes, sending: false }
    flight.wanted = { happensAt, scheduledAt }
    flight.undoes = undoes
    flight.unclear = unclear
    flights.current.set(entry.id, flight)
    setHeld(entry.id)
    show({ ...flight.stored, happensAt, scheduledAt }, entry.id)
    return flight
  }

  const start = (entry: Entry, time: Time, undoes = false) => {
    const flight = wish(entry, time, undoes)
    if (!flight.sending) void send(flight)
  }

  const settle = () => {
    clearTimeout(resting.current)
    for (const flight of flights.current.values()) {
      if (flight.sending) continue
      if (flight.unclear) setQuestion({ entry: flight.stored, wall: flight.unclear })
      else void send(flight)
    }
  }

  const planned = (at: Date): Time => ({ happensAt: at.toISOString(), scheduledAt: at.toISOString() })

  /** Moves a post at once; where its time is unclear, once it is said which one is meant. */
  const move = (entry: Entry, at: Date, unclear?: string) => {
    if (unclear) {
      wish(entry, planned(at), false, unclear)
      settle()
    } else if (at.toISOString() !== entry.happensAt) start(entry, planned(at))
  }

  /** The answer to which time is meant; null: the post stays where it was. */
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

  /** The time on the clock that a post is to keep: one that the zone skips where it is just now is not lost. */
  const clockOf = (entry: Entry) => flights.current.get(entry.id)?.unclear?.slice(11)

  /** Moves a post by one of several steps: the service hears of the last one. */
  const step = (entry: Entry, at: Date, unclear?: string) => {
    wish(entry, planned(at), false, unclear)
    setSaid(t('nowAt', { caption: entry.caption || t('untitled'), time: moment(at.toISOString()) }))
    clearTimeout(resting.current)
    resting.current = setTimeout(settle, REST_MS)
  }

  const latest = useRef({ settle })
  useEffect(() => {
    latest.current = { settle }
  })
  useEffect(() => {
    const released = (event: KeyboardEvent) => {
      if (event.key === 'Alt') latest.current.settle()
    }
    const pressed = (event: KeyboardEvent) => {
      const wanted = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'z'
      if (!wanted || !undoLast.current || isTyping(event)) return
      event.preventDefault()
      undoLast.current()
      undoLast.current = null
    }
    const leave = () => latest.current.settle()
    addEventListener('keyup', released)
    addEventListener('keydown', pressed)
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('keyup', released)
      removeEventListener('keydown', pressed)
      removeEventListener('pagehide', leave)
      latest.current.settle()
    }
  }, [])

  /** The posts with those on their way where they are going. */
  const withMoved = (entries: Entry[]) => [...entries.filter((one) => !moved.has(one.id)), ...moved.values()]

  return { move, step, withMoved, held, said, question, answer, clockOf }
}
