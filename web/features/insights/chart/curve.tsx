import './curve.css'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useFormatter } from 'use-intl'
import uPlot from 'uplot'
import { isolate } from '../../../bidi.ts'

export interface Point {
  /** An instant. */
  at: string
  /** null if not reported, which leaves a gap. */
  value: number | null
  /** The value to compare with, drawn fainter. */
  beside?: number | null
  /** Whether the network may still correct the value. */
  mayChange?: boolean
}

/** A hatched time span. No data is known, or with `partly`, drawn fainter, only some. */
export interface Band {
  from: string
  to: string
  partly?: boolean
}

interface Props {
  points: readonly Point[]
  /** A sentence that describes the chart. */
  label: string
  timeZone: string
  /** Describes one point. */
  say: (point: Point) => string
  bands?: readonly Band[]
  /** Connects the line across points without a value, which then have only a `beside` value. */
  joined?: boolean
  /** Formats a value on the axis; compact numbers by default. */
  tick?: (value: number) => string
}

const NONE: readonly Band[] = []

const HEIGHT = 200

/** Diagonal hatching, which the chart uses for gaps only. */
function hatching(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const size = Math.round(7 * devicePixelRatio)
  const tile = document.createElement('canvas')
  tile.width = size
  tile.height = size
  const drawn = tile.getContext('2d')
  if (!drawn) return colour
  drawn.strokeStyle = colour
  drawn.lineWidth = devicePixelRatio
  drawn.beginPath()
  for (const shift of [-size, 0, size]) {
    drawn.moveTo(shift, size)
    drawn.lineTo(shift + size, 0)
  }
  drawn.stroke()
  return context.createPattern(tile, 'repeat') ?? colour
}

/** A line over time, left to right in every language. The arrow keys move between points. */
export default function Curve({ points, label, timeZone, say, bands = NONE, joined = false, tick }: Props) {
  const format = useFormatter()
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [shown, setShown] = useState(points.length - 1)
  const [look, setLook] = useState(0)
  const index = Math.min(shown, points.length - 1)

  useEffect(() => {
    // Redraw when the theme changes the colours.
    const themes = new MutationObserver(() => setLook((count) => count + 1))
    themes.observe(document.documentElement, { attributeFilter: ['class'] })
    return () => themes.disconnect()
  }, [])

  useEffect(() => {
    const place = box.current
    if (!place) return
    const style = getComputedStyle(place)
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
    const font = `12px ${style.fontFamily}`
    const axis = { stroke: colour('faint'), font, ticks: { show: false } }
    const dayOf = (seconds: number) =>
      format.dateTime(new Date(seconds * 1000), { day: 'numeric', month: 'short', timeZone })
    const firm = points.map(({ value, mayChange }) => (mayChange ? null : value))
    // Starts at the last final point, so that the two lines connect.
    const open = points.map(({ value, mayChange }, index) => (mayChange || points[index + 1]?.mayChange ? value : null))
    const line = { stroke: colour('accent'), width: 2, spanGaps: joined }
    const dots = { show: points.length <= 31, size: 6, fill: colour('surface'), stroke: colour('accent') }
    const hatch = ({ ctx, bbox, valToPos }: uPlot) => {
      for (const { from, to, partly } of bands) {
        ctx.fillStyle = hatching(ctx, colour(partly ? 'line' : 'line-strong'))
        const left = Math.max(bbox.left, valToPos(Date.parse(from) / 1000, 'x', true))
        const right = Math.min(bbox.left + bbox.width, valToPos(Date.parse(to) / 1000, 'x', true))
        if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height)
      }
    }
    const made = new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        padding: [12, 16, 0, 0],
        legend: { show: false },
        cursor: {
          y: false,
          drag: { x: false, y: false },
          points: { size: 10, fill: () => colour('accent'), stroke: () => colour('surface'), width: 2 },
        },
        hooks: {
          drawClear: [hatch],
          setCursor: [(self) => typeof self.cursor.idx === 'number' && setShown(self.cursor.idx)],
        },
        scales: { y: { range: (_self, _min, max) => [0, Math.max(tick ? 0.01 : 1, max * 1.05)] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 30,
            space: 72,
            incrs: [1, 2, 3, 7, 14, 30].map((days) => days * 86_400),
            values: (_self, splits) => splits.map((at) => isolate(dayOf(at))),
          },
          {
            ...axis,
            size: 52,
            grid: { stroke: colour('line'), width: 1 },
            incrs: [...(tick ? [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5] : []), 1, 2, 5, 10, 20, 50, 100, 200, 500]
              .flatMap((step) => [step, step * 1e3, step * 1e6])
              .toSorted((a, b) => a - b),
            values: (_self, splits) =>
              splits.map((value) => isolate(tick ? tick(value) : format.number(value, { notation: 'compact' }))),
          },
        ],
        series: [
          {},
          { stroke: colour('control'), width: 1.5, spanGaps: joined, points: { show: joined, size: 4 } },
          { ...line, fill: `color-mix(in srgb, ${colour('accent')} 10%, transparent)`, points: dots },
          { ...line, dash: [3, 4], points: { show: false } },
        ],
      },
      [points.map(({ at }) => Date.parse(at) / 1000), points.map(({ beside }) => beside ?? null), firm, open],
      place,
    )
    plot.current = made
    const sizes = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: HEIGHT }))
    sizes.observe(place)
    return () => {
      sizes.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [points, bands, joined, tick, timeZone, format, look])

  const go = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -points.length, End: points.length }[event.key]
    const self = plot.current
    if (step === undefined || !self) return
    event.preventDefault()
    const next = Math.min(points.length - 1, Math.max(0, index + step))
    const point = points[next]
    setShown(next)
    if (!point) return
    self.setCursor({
      left: self.valToPos(Date.parse(point.at) / 1000, 'x'),
      top: point.value === null ? 0 : self.valToPos(point.value, 'y'),
    })
  }

  const point = points[index]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div
        ref={box}
        dir="ltr"
        tabIndex={0}
        role="slider"
        aria-orientation="horizontal"
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={index + 1}
        aria-valuetext={point && say(point)}
        onKeyDown={go}
        className="min-w-0 rounded-md"
        style={{ minBlockSize: HEIGHT }}
      />
      <p aria-hidden className="text-xs text-muted tabular-nums">
        {point && say(point)}
      </p>
    </div>
  )
}
