import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import type { LibraryFilter } from './filters.ts'
import { Library } from './library.tsx'

interface Props {
  /** The files that the post already uses. */
  taken: readonly string[]
  /** Offers pictures only, and allows just one. */
  onePicture?: boolean
  onClose: () => void
  onPick: (files: MediaFile[]) => void
}

/** Picks files from the library for a post, in the order of selection. */
export function MediaPicker({ taken, onePicture = false, onClose, onPick }: Props) {
  const t = useTranslations('library')
  const common = useTranslations('common')
  const [filter, setFilter] = useState<LibraryFilter>(onePicture ? { kind: 'IMAGE' } : {})
  const [chosen, setChosen] = useState<MediaFile[]>([])
  const choose = (file: MediaFile) => {
    if (taken.includes(file.id)) return
    if (onePicture) return setChosen(file.kind === 'IMAGE' ? [file] : [])
    setChosen((all) => (all.some(({ id }) => id === file.id) ? all.filter(({ id }) => id !== file.id) : [...all, file]))
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('pick')}
      wide
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button
            variant="primary"
            reason={chosen.length === 0 && t('pickFirst')}
            onClick={() => {
              onPick(chosen)
              onClose()
            }}
          >
            {t('add', { count: chosen.length })}
          </Button>
        </>
      }
    >
      <div>
        <Library
          filter={filter}
          onFilter={setFilter}
          onChoose={choose}
          chosen={new Set([...taken, ...chosen.map(({ id }) => id)])}
        />
      </div>
    </Dialog>
  )
}
