import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleDashed, Download, File, Film, ImageOff, Music, Share2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Message } from '../../../../src/conversations/threads/api.ts'
import { saveAs } from '../../../download.ts'
import { fileUrl } from '../../../files.ts'
import { mediaQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { useInboxProblem } from './problem.ts'
import { fileQuery } from './queries.ts'

const ICONS = { video: Film, audio: Music, share: Share2, story: CircleDashed } as const
type Attachment = Message['attachments'][number]

/**
 * Shows pictures inline and offers other stored files for download. Files that only the network stores become links.
 */
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

const isPicture = (type: string) => type === 'image' || type === 'sticker'
const link = 'flex min-h-8 items-center gap-1.5 text-accent-text underline max-sm:min-h-11'

function One({ attachment }: { attachment: Attachment }) {
  const { type, url, state, mediaFileId } = attachment
  const t = useTranslations('inbox.attachments')
  const name = type in ICONS || isPicture(type) ? t(type as 'image') : t('file')
  if (mediaFileId !== null) return <OfLibrary id={mediaFileId} name={name} />
  if (state === 'GONE' || state === 'TOO_LARGE')
    return <Missing text={t(state === 'TOO_LARGE' ? 'tooLarge' : 'gone', { name })} />
  const Icon = ICONS[type as keyof typeof ICONS] ?? File
  // Clients do not get files.
  if (url === null)
    return (
      <p className="flex items-center gap-1.5">
        <Icon className="size-4" aria-hidden />
        {name}
      </p>
    )
  if (state === 'KEPT')
    return isPicture(type) ? <KeptPicture url={url} name={name} /> : <KeptFile url={url} name={name} type={type} />
  return (
    <>
      <a href={url} target="_blank" rel="noreferrer" className={link}>
        <Icon className="size-4" aria-hidden />
        {name}
      </a>
      {state === 'SKIPPED' && <p className="text-xs text-muted">{t('skipped')}</p>}
    </>
  )
}

const Missing = ({ text }: { text: string }) => (
  <p className="flex items-center gap-1.5 text-xs text-muted">
    <ImageOff className="size-4" aria-hidden />
    {text}
  </p>
)

const Picture = ({ src, alt }: { src: string | undefined; alt: string }) => (
  <a href={src} target="_blank" rel="noreferrer" className="block">
    <img src={src} alt={alt} className="max-h-64 max-w-full rounded-md" />
  </a>
)

/** A picture sent from the library. */
function OfLibrary({ id, name }: { id: string; name: string }) {
  const t = useTranslations('inbox.attachments')
  const { ws } = usePlace()
  const { data, error } = useQuery(mediaQuery(ws, id))
  if (error || (data && data.storageUrl === null)) return <Missing text={t('gone', { name })} />
  if (!data?.storageUrl) return <div className="skeleton size-32" />
  return <Picture src={fileUrl(data.storageUrl)} alt={data.altText || name} />
}

/** A customer's picture that Parley stores. It requires the session, so its bytes are fetched. */
function KeptPicture({ url, name }: { url: string; name: string }) {
  const { ws } = usePlace()
  const problem = useInboxProblem()
  const { data, error } = useQuery(fileQuery(ws, url))
  const source = useObjectUrl(data)
  if (error) return <Missing text={`${name}: ${problem(error)}`} />
  return source ? <Picture src={source} alt={name} /> : <div className="skeleton size-32" />
}

/** Another file from the customer, for download. */
function KeptFile({ url, name, type }: { url: string; name: string; type: string }) {
  const { ws } = usePlace()
  const client = useQueryClient()
  const problem = useInboxProblem()
  const save = useMutation({
    mutationFn: () => client.ensureQueryData(fileQuery(ws, url)),
    onSuccess: (bytes) => saveAs(bytes, name),
    onError: (error) => toast.error(problem(error)),
  })
  const Icon = ICONS[type as keyof typeof ICONS] ?? File
  return (
    <button type="button" className={link} aria-busy={save.isPending} onClick={() => save.mutate()}>
      <Icon className="size-4" aria-hidden />
      {name}
      <Download className="size-3.5" aria-hidden />
    </button>
  )
}

/** An object URL for bytes, revoked on unmount. */
function useObjectUrl(bytes: Blob | undefined): string | undefined {
  const [source, setSource] = useState<string>()
  useEffect(() => {
    if (!bytes) return undefined
    const made = URL.createObjectURL(bytes)
    setSource(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  return source
}
