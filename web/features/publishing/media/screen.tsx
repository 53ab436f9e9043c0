import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ImagePlus } from 'lucide-react'
import { Suspense, useCallback, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { Button } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import PendingItem from '../composer/pending-item.tsx'
import { ACCEPTED, useUploads } from '../composer/use-uploads.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { type LibraryFilter, readLibraryFilter } from './filters.ts'
import { Library } from './library.tsx'

// Loaded when a file is opened.
const FileDialog = lazy(async () => ({ default: (await import('./file-dialog.tsx')).FileDialog }))

/** Every picture and video of the workspace: search, describe and delete. */
export function MediaScreen({ search }: { search: LibraryFilter }) {
  const filter = readLibraryFilter({ ...search })
  const t = useTranslations('library')
  const { ws, membership } = usePlace()
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/w/$ws/media' })
  const picker = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState<MediaFile | null>(null)
  const may = useMay('uploadMedia')
  const uploads = useUploads(ws, () => void client.invalidateQueries({ queryKey: [ws, 'media'] }))
  const change = useCallback((next: LibraryFilter) => void navigate({ search: next, replace: true }), [navigate])
  const refused = refusal(membership, 'listMedia')
  if (refused)
    return (
      <Page title={t('title')}>
        <Refused refused={refused} />
      </Page>
    )
  const add = (files: FileList | null) => may.reason === null && !may.hidden && uploads.add(files ?? [])
  return (
    <Page
      title={t('title')}
      actions={
        !may.hidden && (
          <Button variant="primary" reason={may.reason} onClick={() => picker.current?.click()}>
            <ImagePlus className="size-4" aria-hidden />
            {t('upload')}
          </Button>
        )
      }
    >
      <div
        onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          add(event.dataTransfer.files)
        }}
      >
        <input
          ref={picker}
          type="file"
          className="hidden"
          accept={ACCEPTED.join(',')}
          multiple
          tabIndex={-1}
          aria-label={t('upload')}
          onChange={(event) => {
            add(event.target.files)
            event.target.value = ''
          }}
        />
        <Library
          filter={filter}
          onFilter={change}
          onChoose={setOpen}
          coming={
            uploads.pending.length > 0 &&
            uploads.pending.map((one) => <PendingItem key={one.key} pending={one} uploads={uploads} />)
          }
        />
      </div>
      {open && (
        <Suspense>
          <FileDialog file={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </Page>
  )
}
