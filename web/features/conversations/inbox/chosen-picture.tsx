import { X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { fileUrl } from '../../../files.ts'
import { Button } from '../../../ui/button.tsx'
import type { ReplyPicture } from './unsent-reply.ts'

/** The chosen picture, above the text. It is sent alone; the text stays for the next message. */
export function ChosenPicture({ picture, onDrop }: { picture: ReplyPicture; onDrop: () => void }) {
  const t = useTranslations('inbox.picture')
  return (
    <div className="mx-3 mt-2 flex items-center gap-2 text-xs text-muted">
      <img
        src={fileUrl(picture.thumbnailUrl ?? picture.storageUrl)}
        alt={picture.altText || picture.fileName}
        className="size-14 rounded-md object-cover"
      />
      <p className="grow">{t('alone')}</p>
      <Button variant="ghost" size="icon" aria-label={t('remove')} onClick={onDrop}>
        <X className="size-4" aria-hidden />
      </Button>
    </div>
  )
}
