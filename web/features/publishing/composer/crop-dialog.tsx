import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { type Area, cropOf, ratiosFor, renditionUseOf } from '../../../../src/networks/rules.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { fileUrl } from '../../../files.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { drawn, moved, type Ratio, resized, widest } from './crop.ts'
import type { Draft } from './draft.ts'

interface Props {
  draft: Draft
  item: PostMedia
  /** The networks to crop for. */
  networks: Platform[]
  edit: (change: (draft: Draft) => Draft) => void
  onClose: () => void
}

/** Within this distance of a corner, in CSS pixels, a drag moves the corner. */
const NEAR = 24

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Chooses which part of a picture networks get, by pointer, arrow keys or sliders. */
export function CropDialog({ draft, item, networks, edit, onClose }: Props) {
  const t = useTranslations('crop')
  const common = useTranslations('common')
  const list = new Intl.ListFormat(useLocale())
  const { file } = item
  const picture = { width: file.width ?? 1, height: file.height ?? 1 }
  const [area, setArea] = useState<Area>(
    networks.map((one) => item.crops[one]).find(Boolean) ?? { x: 0, y: 0, ...picture },
  )
  const uses = networks.map((one) => renditionUseOf(one, kindOf(draft, one)))
  const ratios = ratiosFor(uses)
  const [ratio, setRatio] = useState<Ratio>(
    () => ratios.find(([a, b]) => Math.abs(area.width - (area.height * a) / b) < 1) ?? null,
  )
  const stage = useRef<HTMLDivElement>(null)
  const drag = useRef<((x: number, y: number) => Area) | null>(null)
  const scale = () => picture.width / (stage.current?.clientWidth || 1)

  const take = (event: PointerEvent<HTMLButtonElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const box = event.currentTarget.getBoundingClientRect()
    const [x, y] = [event.clientX - box.x, event.clientY - box.y]
    const near = (at: number, length: number): 0 | 1 | null => (at < NEAR ? 0 : at > length - NEAR ? 1 : null)
    const [across, down] = [near(x, box.width), near(y, box.height)]
    const { clientX, clientY } = event
    const k = scale()
    drag.current = (nowX, nowY) => {
      const by = { x: (nowX - clientX) * k, y: (nowY - clientY) * k }
      if (across === null || down === null) return moved(area, by, picture)
      const corner = { x: area.x + across * area.width + by.x, y: area.y + down * area.height + by.y }
      return drawn(area, { x: across, y: down }, corner, picture, ratio)
    }
  }
  const keys = (event: KeyboardEvent) => {
    const [x, y] = ARROWS[event.key] ?? [0, 0]
    if (!x && !y) return
    event.preventDefault()
    const step = Math.max(1, Math.round(Math.max(picture.width, picture.height) / 100)) * (event.shiftKey ? 10 : 1)
    setArea(moved(area, { x: x * step, y: y * step }, picture))
  }
  const choose = (next: Ratio) => {
    setRatio(next)
    if (next) setArea(resized(area, { width: widest(picture, next) }, picture, next))
  }
  const keep = (chosen: Area | null) => {
    edit((current) => ({
      ...current,
      media: current.media.map((one) => {
        if (one.mediaFileId !== item.mediaFileId) return one
        const crops = { ...one.crops }
        for (const network of networks) {
          if (chosen) crops[network] = chosen
          else delete crops[network]
        }
        return { ...one, crops }
      }),
    }))
    onClose()
  }
  const percent = (value: number, of: number) => `${(value / of) * 100}%`
  const sliders = ratio ? (['width'] as const) : (['width', 'height'] as const)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('title', { name: file.fileName })}
      description={t('hint', { networks: list.format(networks.map((one) => NETWORKS[one].name)) })}
      footer={
        <>
          <Button onClick={() => keep(null)}>{t('whole')}</Button>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" onClick={() => keep(area)}>
            {common('save')}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
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
            aria-describedby="crop-now"
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
            onPointerMove={(event) => drag.current && setArea(drag.current(event.clientX, event.clientY))}
            onPointerUp={() => (drag.current = null)}
            onPointerCancel={() => (drag.current = null)}
            onKeyDown={keys}
          >
            {CORNERS.map((style) => (
              <span key={JSON.stringify(style)} aria-hidden style={{ ...CORNER, ...style }} />
            ))}
          </button>
        </div>
        <p id="crop-now" role="status" className="text-xs text-muted tabular-nums">
          {t('now', { ...area })}
        </p>
        <div role="group" aria-label={t('ratio')} className="flex flex-wrap gap-2">
          {[null, ...ratios].map((one) => (
            <Button
              key={String(one)}
              size="sm"
              aria-pressed={String(one) === String(ratio)}
              className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
              style={{ minWidth: 44 }}
              onClick={() => choose(one)}
            >
              {one ? <bdi dir="ltr">{one.join(':')}</bdi> : t('free')}
            </Button>
          ))}
        </div>
        {sliders.map((side) => (
          <label key={side} className="flex min-h-8 items-center gap-3 text-13 max-sm:min-h-11">
            <span>{t(ratio ? 'size' : side)}</span>
            <input
              type="range"
              className="grow accent-accent"
              min={Math.min(16, picture[side])}
              max={ratio ? widest(picture, ratio) : picture[side]}
              value={area[side]}
              aria-valuetext={t('pixels', { pixels: area[side] })}
              onChange={(event) => setArea(resized(area, { [side]: Number(event.target.value) }, picture, ratio))}
            />
          </label>
        ))}
        <ul className="grid gap-1 text-xs text-muted">
          {networks.map((network, index) => (
            <Result key={network} network={network} area={area} use={uses[index] ?? network} />
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

/** The network's own crop. */
function Result({ network, area, use }: { network: Platform; area: Area; use: ReturnType<typeof renditionUseOf> }) {
  const t = useTranslations('crop')
  const made = cropOf(area, use)
  if (!made) return null
  const { width, height, inner } = made
  const border = inner.width < width || inner.height < height
  return (
    <li>
      {t(border ? 'border' : 'result', { network: NETWORKS[network].name, width, height })}{' '}
      {inner.width > area.width && t('small')}
    </li>
  )
}

const CORNER = { position: 'absolute', width: 14, height: 14, borderRadius: 3, background: 'white' } as const
const CORNERS = [
  { insetBlockStart: -2, insetInlineStart: -2 },
  { insetBlockStart: -2, insetInlineEnd: -2 },
  { insetBlockEnd: -2, insetInlineStart: -2 },
  { insetBlockEnd: -2, insetInlineEnd: -2 },
]
