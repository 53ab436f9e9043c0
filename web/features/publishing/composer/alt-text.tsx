import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { isProblem } from '../../../client.ts'
import { fileUrl } from '../../../files.ts'
import { useProblemText } from '../../../problem.ts'
import { mediaQuery } from '../../../queries.ts'
import { rebase } from '../../../rebase.ts'
import { lazy } from '../../../ui/part.tsx'
import { aiTexts } from '../../../i18n.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { saveFile } from '../media/save-file.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'

const WriteAltText = lazy(async () => {
  await aiTexts()
  return import('../../assistant/ai/write-alt-text.tsx')
})

interface Props {
  onOpenChange: (open: boolean) => void
  item: PostMedia
  onFile: (file: PostMedia['file']) => void
}

const formOf = ({ altText, aiGenerated }: Pick<MediaFile, 'altText' | 'aiGenerated'>) => ({ altText, aiGenerated })

/** Edits the description of a picture for people who cannot see it, and whether AI made it. */
export function AltTextDialog({ onOpenChange, item, onFile }: Props) {
  const t = useTranslations('composer')
  const common = useTranslations('common')
  const text = useProblemText()
  const { ws } = usePlace()
  const client = useQueryClient()
  /** The post has only a copy of the file, which may be outdated. */
  const latest = useQuery({ ...mediaQuery(ws, item.mediaFileId), staleTime: 0, refetchOnMount: 'always' })
  const [base, setBase] = useState<MediaFile | null>(null)
  const [value, setValue] = useState(item.file.altText)
  const [aiGenerated, setAiGenerated] = useState(item.file.aiGenerated)
  /** Adopts the latest file, and keeps what the person has edited since the one before. */
  const begin = (file: MediaFile) => {
    const edited = rebase({ altText: value, aiGenerated }, formOf(base ?? item.file), formOf(file))
    setBase(file)
    setValue(edited.altText)
    setAiGenerated(edited.aiGenerated)
  }
  if (!base && latest.data && latest.isFetchedAfterMount) begin(latest.data)
  const save = useMutation({
    mutationFn: (file: MediaFile) => saveFile(client, file, { altText: value.trim(), aiGenerated }),
    onSuccess: (answer) => {
      client.setQueryData(mediaQuery(ws, answer.id).queryKey, answer)
      onFile({ ...item.file, altText: answer.altText, aiGenerated: answer.aiGenerated })
      onOpenChange(false)
    },
    onError: async (problem) => {
      if (isProblem(problem, 'stale_version')) begin(await client.fetchQuery(mediaQuery(ws, item.mediaFileId)))
    },
  })
  const error = save.error ?? (base ? null : latest.error)
  return (
    <FormDialog
      title={t('altTitle')}
      description={t('altHint')}
      busy={save.isPending || (!base && !error)}
      error={error && (isProblem(error, 'stale_version') ? common('stale') : text(error))}
      onClose={() => onOpenChange(false)}
      onSubmit={() => base && save.mutate(base)}
    >
      {item.file.thumbnailUrl && (
        <img src={fileUrl(item.file.thumbnailUrl)} alt="" className="max-h-40 justify-self-center rounded-lg" />
      )}
      <textarea
        className="input min-h-24"
        dir="auto"
        aria-label={t('altTitle')}
        maxLength={1000}
        readOnly={!base}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      {base && item.file.kind === 'IMAGE' && item.file.state === 'READY' && (
        <Suspense fallback={<div className="skeleton h-8" aria-hidden />}>
          <WriteAltText mediaId={item.mediaFileId} again={value.trim() !== ''} onText={setValue} />
        </Suspense>
      )}
      <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 max-sm:min-h-11">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          disabled={!base}
          checked={aiGenerated}
          onChange={(event) => setAiGenerated(event.target.checked)}
        />
        <span className="min-w-0">
          {t('aiMade')}
          <span className="block text-xs text-muted">{t('aiMadeHint')}</span>
        </span>
      </label>
    </FormDialog>
  )
}
