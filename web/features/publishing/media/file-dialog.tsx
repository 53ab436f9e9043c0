import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { useRejectionWords } from '../../../service-words.ts'
import { Button } from '../../../ui/button.tsx'
import { Cancel, Confirm, Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { FileFields } from './file-fields.tsx'
import { FileLook } from './file-look.tsx'
import { FileUses } from './file-uses.tsx'
import { useFileForm } from './use-file-form.ts'

/** One file: its properties, its description, and the posts that use it. */
export function FileDialog({ file: listed, onClose }: { file: MediaFile; onClose: () => void }) {
  const t = useTranslations('library')
  const common = useTranslations('common')
  const text = useProblemText()
  const rejection = useRejectionWords()
  const id = useId()
  const may = useMay('updateMedia')
  const { file, values, change, save, remove } = useFileForm(listed, onClose)
  const [asking, setAsking] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const error = save.error ?? remove.error
  const fault = (problem: unknown) => {
    if (isProblem(problem, 'media_in_use')) return t('inUse')
    return isProblem(problem, 'stale_version') ? common('stale') : text(problem)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      guarded
      title={file.fileName}
      wide
      footer={
        <>
          {!may.hidden && (
            <Button reason={may.reason} onClick={() => setAsking(true)}>
              {t('delete')}
            </Button>
          )}
          <Cancel />
          {!may.hidden && (
            <Button variant="primary" type="submit" form={id} reason={may.reason} busy={save.isPending}>
              {common('save')}
            </Button>
          )}
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {error && <FormError>{fault(error)}</FormError>}
        {file.state === 'REJECTED' && <FormError>{rejection(file)}</FormError>}
        <FileLook file={file} />
        <FileFields values={values} onChange={change} readOnly={may.hidden} />
        <FileUses file={file} />
      </form>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('deleteTitle', { name: file.fileName })}
        description={t('deleteBody')}
        action={t('delete')}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onError: () => setAsking(false) })}
      />
    </Dialog>
  )
}
