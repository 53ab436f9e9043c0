import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { call, isProblem } from '../../../client.ts'
import { mediaQuery } from '../../../queries.ts'
import { rebase } from '../../../rebase.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { usesQuery } from './queries.ts'
import { saveFile } from './save-file.ts'

const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(/[,،]/)
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

const formOf = ({ fileName, altText, tags, aiGenerated }: MediaFile) => ({
  fileName,
  altText,
  tags: tags.join(', '),
  aiGenerated,
})

/** The fields of a file as its form shows them. */
export type FileForm = ReturnType<typeof formOf>

const patchOf = ({ fileName, altText, tags, aiGenerated }: FileForm) => ({
  fileName: fileName.trim(),
  altText: altText.trim(),
  tags: tagsOf(tags),
  aiGenerated,
})

/** The form of a file. It saves or deletes the file, and calls `onDone` after either. */
export function useFileForm(listed: MediaFile, onDone: () => void) {
  const t = useTranslations('library')
  const { ws } = usePlace()
  const client = useQueryClient()
  const { data: file } = useQuery({ ...mediaQuery(ws, listed.id), initialData: listed })
  /** The version that the form started from. Another person's change is adopted as long as nothing is edited here. */
  const [base, setBase] = useState(file)
  const [values, setValues] = useState(() => formOf(file))
  const follow = (latest: MediaFile) => {
    setBase(latest)
    setValues(rebase(values, formOf(base), formOf(latest)))
  }
  if (file.version > base.version && JSON.stringify(values) === JSON.stringify(formOf(base))) follow(file)
  const finish = () => {
    for (const kind of ['media', 'usage']) void client.invalidateQueries({ queryKey: [ws, kind] })
    onDone()
  }
  const save = useMutation({
    mutationFn: () => saveFile(client, base, patchOf(values)),
    onSuccess: finish,
    onError: async (problem) => {
      // The message says that someone else changed the file too, so the next save may replace their change.
      if (isProblem(problem, 'stale_version')) follow(await client.fetchQuery(mediaQuery(ws, file.id)))
    },
  })
  const remove = useMutation({
    mutationFn: () => call('deleteMedia', { workspace: ws, params: { id: file.id } }),
    onSuccess: () => {
      toast.success(t('deleted', { name: file.fileName }))
      finish()
    },
    onError: () => void client.refetchQueries(usesQuery(ws, file.id)),
  })
  return { file, values, change: (some: Partial<FileForm>) => setValues({ ...values, ...some }), save, remove }
}
