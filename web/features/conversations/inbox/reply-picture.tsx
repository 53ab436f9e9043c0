import { ImagePlus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { failedTexts } from '../../../i18n.tsx'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import type { ReplyPicture } from './unsent-reply.ts'

const MediaPicker = lazy(async () => {
  const [{ MediaPicker: picker }] = await Promise.all([import('../../publishing/media/picker.tsx'), failedTexts()])
  return { default: picker }
})

/** What an unsent reply keeps of a picture. */
const shownOf = ({ id, fileName, altText, storageUrl, thumbnailUrl }: ReplyPicture): ReplyPicture => ({
  id,
  fileName,
  altText,
  storageUrl,
  thumbnailUrl,
})

interface Props {
  picture: ReplyPicture | null
  refused: string | null
  onChange: (picture: ReplyPicture | null) => void
}

/** Chooses a picture from the library to send instead of text. */
export function PictureButton({ picture, refused, onChange }: Props) {
  const t = useTranslations('inbox.picture')
  const [choosing, setChoosing] = useState(false)
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        reason={refused}
        aria-label={t('add')}
        title={t('add')}
        onClick={() => setChoosing(true)}
      >
        <ImagePlus className="size-4" aria-hidden />
      </Button>
      <Suspense>
        {choosing && (
          <MediaPicker
            taken={picture ? [picture.id] : []}
            onePicture
            onClose={() => setChoosing(false)}
            onPick={([file]) => onChange(file ? shownOf(file) : picture)}
          />
        )}
      </Suspense>
    </>
  )
}
