import { useTranslations } from 'use-intl'
import { TextField } from '../../../ui/field.tsx'
import type { FileForm } from './use-file-form.ts'

interface Props {
  values: FileForm
  onChange: (some: Partial<FileForm>) => void
  readOnly: boolean
}

/** The fields of a file that a person can change. */
export function FileFields({ values, onChange, readOnly }: Props) {
  const t = useTranslations('library')
  const composer = useTranslations('composer')
  return (
    <>
      <TextField
        label={t('name')}
        dir="auto"
        required
        maxLength={255}
        readOnly={readOnly}
        value={values.fileName}
        onChange={(event) => onChange({ fileName: event.target.value })}
      />
      <label className="grid gap-1.5 text-13 font-medium">
        {composer('altTitle')}
        <textarea
          className="input min-h-24"
          dir="auto"
          maxLength={1000}
          readOnly={readOnly}
          value={values.altText}
          onChange={(event) => onChange({ altText: event.target.value })}
        />
      </label>
      <TextField
        label={t('tags')}
        hint={t('tagsHint')}
        dir="auto"
        readOnly={readOnly}
        value={values.tags}
        onChange={(event) => onChange({ tags: event.target.value })}
      />
      <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 max-sm:min-h-11">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          disabled={readOnly}
          checked={values.aiGenerated}
          onChange={(event) => onChange({ aiGenerated: event.target.checked })}
        />
        {composer('aiMade')}
      </label>
    </>
  )
}
