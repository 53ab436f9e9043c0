import { useMutation } from '@tanstack/react-query'
import { type FormEvent, Suspense, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { fileUrl } from '../../../files.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { lazy } from '../../../ui/part.tsx'
import { aiTexts } from '../../../i18n.tsx'
import { usePlace } from '../../shell/workspace.tsx'

const WriteAltText = lazy(async () => {
  await aiTexts()
  return import('../../assistant/ai/write-alt-text.tsx')
})

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
  item: PostMedia
  onFile: (file: PostMedia['file']) => void
}

/** Describes a picture for those who do not see it, and says who made it. */
export function AltTextDialog({ open, onOpenChange, item, onFile }: Props) {
  const t = useTranslations('composer')
  const common = useTranslations('common')
  const text = useProblemText()
  const { ws } = usePlace()
  const id = useId()
  const [value, setValue] = useState(item.file.altText)
  const [aiGenerated, setAiGenerated] = useState(item.file.aiGenerated)
  const save = useMutation({
    mutationFn: () =>
      call('updateMedia', {
        workspace: ws,
        params: { id: item.mediaFileId },
        body: { altText: value.trim(), aiGenerated },
      }),
    onSuccess: (answer) => {
      onFile({ ...item.file, altText: answer.altText, aiGenerated: answer.aiGenerated })
      onOpenChange(false)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    save.mutate()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('altTitle')}
      description={t('altHint')}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={save.isPending}>
            {common('save')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid gap-3">
        {save.error && <FormError>{text(save.error)}</FormError>}
        {item.file.thumbnailUrl && (
          <img src={fileUrl(item.file.thumbnailUrl)} alt="" className="max-h-40 justify-self-center rounded-lg" />
        )}
        <textarea
          className="input min-h-24"
          dir="auto"
          aria-label={t('altTitle')}
          maxLength={1000}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        {item.file.kind === 'IMAGE' && item.file.state === 'READY' && (
          <Suspense fallback={<div className="skeleton h-8" aria-hidden />}>
            <WriteAltText mediaId={item.mediaFileId} again={value.trim() !== ''} onText={setValue} />
          </Suspense>
        )}
        <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 max-sm:min-h-11">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent"
            checked={aiGenerated}
            onChange={(event) => setAiGenerated(event.target.checked)}
          />
          <span className="min-w-0">
            {t('aiMade')}
            <span className="block text-xs text-muted">{t('aiMadeHint')}</span>
          </span>
        </label>
      </form>
    </Dialog>
  )
}
