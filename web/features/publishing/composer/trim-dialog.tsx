import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { fileUrl } from '../../../files.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { upload } from '../../../upload.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { CannotTrim, cutsOf, trim } from './trim.ts'

interface Props {
  item: PostMedia
  /** The longest video that all chosen networks accept, in seconds. */
  most: number
  onClose: () => void
  /** Called once the service has the trimmed video. */
  onTrimmed: (file: MediaFile) => void
}

const STEP = 0.1

/** Trims a video into a new file. The full video stays in the library. */
export function TrimDialog({ item, most, onClose, onTrimmed }: Props) {
  const t = useTranslations('trim')
  const common = useTranslations('common')
  const problem = useProblemText()
  const format = useFormatter()
  const { ws } = usePlace()
  const { file, mediaFileId } = item
  const player = useRef<HTMLVideoElement>(null)
  const stop = useRef(new AbortController())
  const [progress, setProgress] = useState(0)
  const [part, setPart] = useState<{ from: number; to: number } | null>(null)
  const source = useQuery({
    queryKey: ['trim', mediaFileId],
    queryFn: async ({ signal }) => {
      const response = await fetch(fileUrl(file.storageUrl) ?? '', { signal })
      if (!response.ok) throw new CannotTrim()
      const video = await response.blob()
      return { video, cuts: await cutsOf(video) }
    },
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const cuts = source.data?.cuts
  const { from, to } = part ?? { from: 0, to: cuts ? Math.min(cuts.end, most) : 0 }
  const starts = cuts?.starts ?? []
  const start = starts[from] ?? 0
  const change = (next: { from: number; to: number }, at: number) => {
    setPart(next)
    if (player.current) player.current.currentTime = at
  }
  const work = useMutation({
    mutationFn: async ({ video }: { video: Blob }) => {
      const { signal } = stop.current
      const cut = await trim(video, file.fileName, start, to)
      signal.throwIfAborted()
      const sending = upload(ws, cut, (now) => now.progress !== undefined && setProgress(now.progress))
      signal.addEventListener('abort', sending.cancel)
      const made = await sending.done
      const described = file.altText
        ? await call('updateMedia', { workspace: ws, params: { id: made.id }, body: { altText: file.altText } })
        : made
      signal.throwIfAborted()
      return described
    },
    onSuccess: (made) => {
      onTrimmed(made)
      onClose()
    },
  })
  const close = () => {
    stop.current.abort()
    onClose()
  }
  const fault = source.error ?? work.error
  const whole = cuts !== undefined && from === 0 && to >= cuts.end
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t('title', { name: file.fileName })}
      description={t('hint')}
      footer={
        <>
          <Button onClick={close}>{common('cancel')}</Button>
          <Button
            variant="primary"
            disabled={!source.data || whole}
            busy={work.isPending}
            onClick={() => source.data && work.mutate(source.data)}
          >
            {t('trim')}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <video
          ref={player}
          src={fileUrl(file.storageUrl)}
          poster={file.thumbnailUrl ? fileUrl(file.thumbnailUrl) : undefined}
          muted
          playsInline
          preload="auto"
          aria-hidden
          tabIndex={-1}
          className="max-h-48 justify-self-center rounded-lg"
        />
        {fault && <FormError>{fault instanceof CannotTrim ? t('cannot') : problem(fault)}</FormError>}
        {source.isPending && (
          <p role="status" className="text-13 text-muted">
            {t('reading')}
          </p>
        )}
        {cuts && (
          <>
            {starts.length > 1 ? (
              <Edge
                label={t('start')}
                shown={t('seconds', { seconds: start })}
                min={0}
                max={starts.findLastIndex((one) => one < to)}
                step={1}
                value={from}
                onChange={(next) => change({ from: next, to }, starts[next] ?? 0)}
              />
            ) : (
              <p className="text-xs text-muted">{t('startFixed')}</p>
            )}
            <Edge
              label={t('end')}
              shown={t('seconds', { seconds: to })}
              min={Math.ceil((start + STEP) * 10) / 10}
              max={cuts.end}
              step={STEP}
              value={to}
              onChange={(next) => change({ from, to: next }, next)}
            />
            <p role="status" className="text-13 font-medium tabular-nums">
              {t('length', { seconds: Math.round((to - start) * 10) / 10 })}
              {to - start > most && <span className="text-bad"> {t('tooLong', { most })}</span>}
            </p>
            {work.isPending && (
              <p role="status" className="text-13 text-muted tabular-nums">
                {t('sending', { share: format.number(progress, { style: 'percent' }) })}
              </p>
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}

interface EdgeProps {
  label: string
  shown: string
  min: number
  max: number
  step: number
  value: number
  onChange: (value: number) => void
}

const Edge = ({ label, shown, onChange, ...range }: EdgeProps) => (
  <label className="grid min-h-8 grid-cols-[4rem_1fr_4.5rem] items-center gap-3 text-13 max-sm:min-h-11">
    <span>{label}</span>
    <input
      type="range"
      className="accent-accent"
      aria-valuetext={shown}
      {...range}
      onChange={(event) => onChange(Number(event.target.value))}
    />
    <bdi className="text-end tabular-nums">{shown}</bdi>
  </label>
)
