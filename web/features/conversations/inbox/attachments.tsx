import { File, Film, ImageOff, Music, Share2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Message } from '../../../../src/conversations/api.ts'

const ICONS = { video: Film, audio: Music, share: Share2 } as const
type Attachment = Message['attachments'][number]

/** Pictures are shown; everything else is a link to the network's copy. */
export function Attachments({ message }: { message: Message }) {
  if (message.attachments.length === 0 || message.removedAt) return null
  return (
    <ul className="mt-1 grid grid-cols-[minmax(0,auto)] gap-1.5 first:mt-0">
      {message.attachments.map((one) => (
        <li key={one.id}>
          <One attachment={one} />
        </li>
      ))}
    </ul>
  )
}

function One({ attachment: { type, url, state } }: { attachment: Attachment }) {
  const t = useTranslations('inbox.attachments')
  const [broken, setBroken] = useState(false)
  const name = type in ICONS || type === 'image' || type === 'sticker' ? t(type as 'image') : t('file')
  if (url === null || state === 'GONE' || broken)
    return (
      <p className="flex items-center gap-1.5 text-xs text-muted">
        <ImageOff className="size-4" aria-hidden />
        {t('gone', { name })}
      </p>
    )
  if (type === 'image' || type === 'sticker')
    return (
      <a href={url} target="_blank" rel="noreferrer" className="block">
        <img
          src={url}
          alt={name}
          loading="lazy"
          className="max-h-64 max-w-full rounded-md"
          onError={() => setBroken(true)}
        />
      </a>
    )
  const Icon = ICONS[type as keyof typeof ICONS] ?? File
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="flex min-h-8 items-center gap-1.5 text-accent-text underline max-sm:min-h-11"
    >
      <Icon className="size-4" aria-hidden />
      {name}
    </a>
  )
}
