import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../../src/networks/api.ts'
import { coverable, coverOf } from '../../../../../src/publishing/posts/checks/rules.ts'
import { NETWORKS } from '../../../../labels.ts'
import { Button } from '../../../../ui/button.tsx'
import { lazy } from '../../../../ui/part.tsx'
import type { Draft } from '../draft.ts'

// Loaded when the person chooses a cover.
const CoverDialog = lazy(async () => ({ default: (await import('../cover-dialog.tsx')).CoverDialog }))

interface Props {
  platform: Platform
  draft: Draft
  onChange: (coverMs: number | null) => void
}

/** The cover frame of a video, where the network allows choosing one. */
export function CoverRow({ platform, draft, onChange }: Props) {
  const t = useTranslations('options')
  const [open, setOpen] = useState(false)
  const video = coverable(draft, platform)
  const at = coverOf(draft, platform)
  const network = NETWORKS[platform].name
  if (!video?.file.storageUrl) return null
  return (
    <div id={`field-${platform}-coverMs`} tabIndex={-1} className="flex flex-wrap items-center gap-3 outline-none">
      <Button size="sm" onClick={() => setOpen(true)}>
        {t('chooseCover')}
      </Button>
      <p className="text-xs text-muted">
        {at === null ? t('coverNone', { network }) : t('coverSet', { seconds: at / 1000 })}
      </p>
      {open && (
        <Suspense>
          <CoverDialog
            file={video.file}
            network={network}
            at={at}
            onClose={() => setOpen(false)}
            onChoose={(next) => {
              onChange(next)
              setOpen(false)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
