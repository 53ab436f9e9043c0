import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { call, isProblem } from '../../../client.ts'
import { fileUrl, playTime } from '../../../files.ts'
import { useProblemText } from '../../../problem.ts'
import { mediaQuery } from '../../../queries.ts'
import { rebase } from '../../../rebase.ts'
import { useRejectionWords } from '../../../service-words.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Cancel, Confirm, Dialog } from '../../../ui/dialog.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { isInReview } from '../../../ui/status.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { usesQuery } from './queries.ts'
import { saveFile } from './save-file.ts'
import { DAY } from '../../../time.ts'

const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
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

type Form = ReturnType<typeof formOf>

const patchOf = ({ fileName, altText, tags, aiGenerated }: Form) => ({
  fileName: fileName.trim(),
  altText: altText.trim(),
  tags: tagsOf(tags),
  aiGenerated,
})

/** One file: its properties, its description, and the posts that use it. */
export function FileDialog({ file: listed, onClose }: { file: MediaFile; onClose: () => void }) {
  const t = useTranslations('library')
  const composer = useTranslations('composer')
  const status = useTranslations('status')
  const common = useTranslations('common')
  const format = useFormatter()
  const text = useProblemText()
  const rejection = useRejectionWords()
  const { ws } = usePlace()
  const client = useQueryClient()
  const id = useId()
  const { data: file } = useQuery({ ...mediaQuery(ws, listed.id), initialData: listed })
  const uses = useQuery(usesQuery(ws, file.id))
  const may = useMay('updateMedia')
  /** The version that the form started from. Another person's change is adopted as long as nothing is edited here. */
  const [base, setBase] = useState(file)
  const [values, setValues] = useState(() => formOf(file))
  const follow = (latest: MediaFile) => {
    setBase(latest)
    setValues(rebase(values, formOf(base), formOf(latest)))
  }
  if (file.version > base.version && JSON.stringify(values) === JSON.stringify(formOf(base))) follow(file)
  const [asking, setAsking] = useState(false)
  const renew = () => {
    for (const kind of ['media', 'usage']) void client.invalidateQueries({ queryKey: [ws, kind] })
  }
  const save = useMutation({
    mutationFn: () => saveFile(client, base, patchOf(values)),
    onSuccess: () => {
      renew()
      onClose()
    },
    onError: async (problem) => {
      // The message says that someone else changed the file too, so the next save may replace their change.
      if (isProblem(problem, 'stale_version')) follow(await client.fetchQuery(mediaQuery(ws, file.id)))
    },
  })
  const remove = useMutation({
    mutationFn: () => call('deleteMedia', { workspace: ws, params: { id: file.id } }),
    onSuccess: () => {
      renew()
      toast.success(t('deleted', { name: file.fileName }))
      onClose()
    },
    onError: () => {
      setAsking(false)
      void uses.refetch()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const error = save.error ?? remove.error
  const fault = (problem: unknown) => {
    if (isProblem(problem, 'media_in_use')) return t('inUse')
    return isProblem(problem, 'stale_version') ? common('stale') : text(problem)
  }
  const posts = uses.data?.data ?? []
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
      <form id={id} onSubmit={submit} className="grid gap-3">
        {error && <FormError>{fault(error)}</FormError>}
        {file.state === 'REJECTED' && <FormError>{rejection(file)}</FormError>}
        {file.kind === 'VIDEO' && file.storageUrl ? (
          <video
            src={fileUrl(file.storageUrl)}
            poster={fileUrl(file.thumbnailUrl)}
            controls
            muted
            playsInline
            aria-label={file.fileName}
            className="max-h-40 justify-self-center rounded-lg"
          />
        ) : (
          file.thumbnailUrl && (
            <img
              src={fileUrl(file.thumbnailUrl)}
              alt={file.altText}
              className="max-h-40 justify-self-center rounded-lg"
            />
          )
        )}
        <p className="text-xs text-muted">
          {file.width !== null && file.height !== null && <bdi>{`${file.width} × ${file.height} px · `}</bdi>}
          {file.duration !== null && <bdi>{`${playTime(file.duration)} · `}</bdi>}
          {t('size', { size: format.number(Math.max(file.fileSize / 1e6, 0.01), { maximumFractionDigits: 2 }) })} ·{' '}
          {format.dateTime(new Date(file.createdAt), DAY)}
          {file.state === 'PROCESSING' && ` · ${composer('processing')}`}
        </p>
        <TextField
          label={t('name')}
          dir="auto"
          required
          maxLength={255}
          readOnly={may.hidden}
          value={values.fileName}
          onChange={(event) => setValues({ ...values, fileName: event.target.value })}
        />
        <label className="grid gap-1.5 text-13 font-medium">
          {composer('altTitle')}
          <textarea
            className="input min-h-24"
            dir="auto"
            maxLength={1000}
            readOnly={may.hidden}
            value={values.altText}
            onChange={(event) => setValues({ ...values, altText: event.target.value })}
          />
        </label>
        <TextField
          label={t('tags')}
          hint={t('tagsHint')}
          dir="auto"
          readOnly={may.hidden}
          value={values.tags}
          onChange={(event) => setValues({ ...values, tags: event.target.value })}
        />
        <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 max-sm:min-h-11">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent"
            disabled={may.hidden}
            checked={values.aiGenerated}
            onChange={(event) => setValues({ ...values, aiGenerated: event.target.checked })}
          />
          {composer('aiMade')}
        </label>
        <section className="grid gap-1.5" aria-label={t('usedIn')}>
          <h3 className="text-13 font-medium">{t('uses', { count: file.uses })}</h3>
          {posts.length > 0 && (
            <ul className="divide-y border-b">
              {posts.map((post) => (
                <li key={post.id}>
                  <Link
                    to="/w/$ws/posts/$id"
                    params={{ ws, id: post.id }}
                    className="flex min-h-8 items-center gap-2 text-13 max-sm:min-h-11"
                  >
                    <span className="min-w-0 grow truncate" dir="auto">
                      {post.caption || t('noText')}
                    </span>
                    <span className="shrink-0 text-xs text-muted">
                      {status(isInReview(post) ? 'approval.PENDING' : post.status)}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </section>
      </form>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('deleteTitle', { name: file.fileName })}
        description={t('deleteBody')}
        action={t('delete')}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Dialog>
  )
}
