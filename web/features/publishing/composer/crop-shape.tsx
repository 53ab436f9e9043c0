import { useTranslations } from 'use-intl'
import type { Area } from '../../../../src/networks/rules.ts'
import { Button } from '../../../ui/button.tsx'
import { type Ratio, resized, type Size, widest } from './crop.ts'

interface Props {
  picture: Size
  area: Area
  /** The aspect ratios to choose from, besides any. */
  ratios: readonly NonNullable<Ratio>[]
  ratio: Ratio
  onChange: (area: Area, ratio: Ratio) => void
}

/** The aspect ratio of the crop, and a slider for each side that is free. */
export function CropShape({ picture, area, ratios, ratio, onChange }: Props) {
  const t = useTranslations('crop')
  const choose = (next: Ratio) =>
    onChange(next ? resized(area, { width: widest(picture, next) }, picture, next) : area, next)
  const sliders = ratio ? (['width'] as const) : (['width', 'height'] as const)
  return (
    <>
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
            onChange={(event) => onChange(resized(area, { [side]: Number(event.target.value) }, picture, ratio), ratio)}
          />
        </label>
      ))}
    </>
  )
}
