import { useId, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { type Area, cropOf, ratiosFor, renditionUseOf } from '../../../../src/networks/rules.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { CropFrame } from './crop-frame.tsx'
import { CropShape } from './crop-shape.tsx'
import type { Ratio } from './crop.ts'
import type { Draft } from './draft.ts'

interface Props {
  draft: Draft
  item: PostMedia
  /** The networks to crop for. */
  networks: Platform[]
  edit: (change: (draft: Draft) => Draft) => void
  onClose: () => void
}

/** Chooses which part of a picture networks get, by pointer, arrow keys or sliders. */
export function CropDialog({ draft, item, networks, edit, onClose }: Props) {
  const t = useTranslations('crop')
  const common = useTranslations('common')
  const list = new Intl.ListFormat(useLocale())
  const where = useId()
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
        <CropFrame file={file} picture={picture} area={area} ratio={ratio} onChange={setArea} describedBy={where} />
        <p id={where} role="status" className="text-xs text-muted tabular-nums">
          {t('now', { ...area })}
        </p>
        <CropShape
          picture={picture}
          area={area}
          ratios={ratios}
          ratio={ratio}
          onChange={(next, shape) => {
            setArea(next)
            setRatio(shape)
          }}
        />
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
