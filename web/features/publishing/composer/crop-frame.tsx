import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Area } from '../../../../src/networks/rules.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { fileUrl } from '../../../files.ts'
import { drawn, moved, type Ratio, type Size } from './crop.ts'

/** Within this distance of a corner, in CSS pixels, a drag moves the corner. */
const NEAR = 24

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

interface Props {
  file: PostMedia['file']
  picture: Size
  area: Area
  ratio: Ratio
  onChange: (area: Area) => void
  /** The id of the text that says where the frame is. */
  describedBy: string
}

/** The picture with a frame over it, which is moved by pointer and arrow keys, and resized at its corners. */
export function CropFrame({ file, picture, area, ratio, onChange, describedBy }: Props) {
  const t = useTranslations('crop')
  const stage = useRef<HTMLDivElement>(null)
  const drag = useRef<((x: number, y: number) => Area) | null>(null)
  const take = (event: PointerEvent<HTMLButtonElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const box = event.currentTarget.getBoundingClientRect()
    const [x, y] = [event.clientX - box.x, event.clientY - box.y]
    const near = (at: number, length: number): 0 | 1 | null => (at < NEAR ? 0 : at > length - NEAR ? 1 : null)
    const [across, down] = [near(x, box.width), near(y, box.height)]
    const { clientX, clientY } = event
    const scale = picture.width / (stage.current?.clientWidth || 1)
    drag.current = (nowX, nowY) => {
      const by = { x: (nowX - clientX) * scale, y: (nowY - clientY) * scale }
      if (across === null || down === null) return moved(area, by, picture)
      const corner = { x: area.x + across * area.width + by.x, y: area.y + down * area.height + by.y }
      return drawn(area, { x: across, y: down }, corner, picture, ratio)
    }
  }
  const drop = () => {
    drag.current = null
  }
  const keys = (event: KeyboardEvent) => {
    const [x, y] = ARROWS[event.key] ?? [0, 0]
    if (!x && !y) return
    event.preventDefault()
    const step = Math.max(1, Math.round(Math.max(picture.width, picture.height) / 100)) * (event.shiftKey ? 10 : 1)
    onChange(moved(area, { x: x * step, y: y * step }, picture))
  }
  const percent = (value: number, of: number) => `${(value / of) * 100}%`
  return (
    <div
      ref={stage}
      dir="ltr"
      className="relative mx-auto w-full overflow-hidden rounded-lg"
      style={{ maxWidth: `calc(38dvh * ${picture.width / picture.height})` }}
    >
      <img src={fileUrl(file.storageUrl)} alt={file.altText} draggable={false} className="w-full" />
      <button
        type="button"
        aria-label={t('frame')}
        aria-describedby={describedBy}
        className="absolute"
        style={{
          insetInlineStart: percent(area.x, picture.width),
          insetBlockStart: percent(area.y, picture.height),
          width: percent(area.width, picture.width),
          height: percent(area.height, picture.height),
          minWidth: 0,
          minHeight: 0,
          cursor: 'move',
          touchAction: 'none',
          outlineOffset: -5,
          boxShadow: 'inset 0 0 0 2px white, 0 0 0 1px black, 0 0 0 9999px rgb(0 0 0 / 0.55)',
        }}
        onPointerDown={take}
        onPointerMove={(event) => drag.current && onChange(drag.current(event.clientX, event.clientY))}
        onPointerUp={drop}
        onPointerCancel={drop}
        onKeyDown={keys}
      >
        {CORNERS.map((style) => (
          <span key={JSON.stringify(style)} aria-hidden style={{ ...CORNER, ...style }} />
        ))}
      </button>
    </div>
  )
}

const CORNER = { position: 'absolute', width: 14, height: 14, borderRadius: 3, background: 'white' } as const
const CORNERS = [
  { insetBlockStart: -2, insetInlineStart: -2 },
  { insetBlockStart: -2, insetInlineEnd: -2 },
  { insetBlockEnd: -2, insetInlineStart: -2 },
  { insetBlockEnd: -2, insetInlineEnd: -2 },
]
