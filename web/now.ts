import { useMemo, useRef, useSyncExternalStore } from 'react'
import { useFormatter } from 'use-intl'
import { dateIn } from './time.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** How often a time that is less than a minute old runs on. */
const YOUNG = 5 * SECOND

// One timer for all times of the page. It runs while any is shown.
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const one of listeners) one()
  }, SECOND)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const ticks = (step: number) => Math.floor(Date.now() / step)

/** The current time, which renders again every `step` milliseconds. */
export function useNow(step = MINUTE): Date {
  const tick = useSyncExternalStore(subscribe, () => ticks(step))
  // oxlint-disable-next-line react/exhaustive-deps -- each tick has its own time
  return useMemo(() => new Date(), [tick])
}

/** Derives a value from the current time, and renders again only when the value changes. */
export const useFromNow = <T extends string | number>(derive: (now: Date) => T): T =>
  useSyncExternalStore(subscribe, () => derive(new Date()))

/** The current date in a zone, which renders again at midnight. */
export const useToday = (zone: string): string => useFromNow((now) => dateIn(now, zone))

/** Formats how long ago something happened. Seconds and minutes run on while the text is shown. */
export function useAgo() {
  const format = useFormatter()
  /** The latest moment that the last rendering formatted. */
  const latest = useRef(-Infinity)
  useSyncExternalStore(subscribe, () =>
    Date.now() - latest.current < MINUTE ? `young ${ticks(YOUNG)}` : `old ${ticks(MINUTE)}`,
  )
  latest.current = -Infinity
  return (iso: string, style?: 'narrow') => {
    const now = Date.now()
    const at = Math.min(Date.parse(iso), now)
    latest.current = Math.max(latest.current, at)
    return format.relativeTime(at, { now, style })
  }
}
