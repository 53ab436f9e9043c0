import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useInboxProblem } from './problem.ts'

interface Props {
  /** Absent for a new one. */
  reply: SavedReply | null
  /** The text with which a new one begins. */
  text: string
  onClose: () => void
}

/** Writes a saved reply, or changes one. */
export function SavedReplyDialog({ reply, text, onClose }: Props) {
  const t = useTranslations('inbox.saved')
  const common = useTranslations('common')
  const problem = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const id = useId()
  const done = {
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'saved-replies'] }),
  }
  const save = useMutation({
    ...done,
    mutationFn: (body: { name: string; text: string }) =>
      reply
        ? call('updateSavedReply', { workspace: ws, params: { id: reply.id }, body, ifMatch: reply.version })
        : call('createSavedReply', { workspace: ws, body }),
    onSuccess: () => {
      toast.success(t('saved'))
      onClose()
    },
  })
  const back = useMutation({
    ...done,
    mutationFn: (body: { name: string; text: string }) => call('createSavedReply', { workspace: ws, body }),
    onError: (error) => toast.error(problem(error)),
  })
  const remove = useMutation({
    ...done,
    mutationFn: (gone: SavedReply) => call('deleteSavedReply', { workspace: ws, params: { id: gone.id } }),
    onSuccess: (_, { name, text: said }) => {
      toast.success(t('deleted'), { action: { label: t('undo'), onClick: () => back.mutate({ name, text: said }) } })
      onClose()
    },
    onError: (error) => toast.error(problem(error)),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    const form = new FormData(event.currentTarget)
    save.mutate({ name: String(form.get('name')).trim(), text: String(form.get('text')).trim() })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(reply ? 'edit' : 'new')}
      footer={
        <>
          {reply && (
            <Button variant="danger" className="me-auto" busy={remove.isPending} onClick={() => remove.mutate(reply)}>
              {t('delete')}
            </Button>
          )}
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={save.isPending}>
            {common('save')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid gap-4">
        {save.error && <FormError>{problem(save.error)}</FormError>}
        <TextField label={t('name')} name="name" required maxLength={80} dir="auto" defaultValue={reply?.name} />
        <label className="grid gap-1.5">
          <span className="text-13 font-medium">{t('text')}</span>
          <textarea
            name="text"
            required
            rows={5}
            maxLength={8000}
            dir="auto"
            className="input"
            aria-describedby={`${id}-places`}
            defaultValue={reply?.text ?? text}
          />
        </label>
        <div id={`${id}-places`} className="text-xs text-muted">
          <p>{t('places')}</p>
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
            {(['first_name', 'customer', 'account', 'me'] as const).map((place) => (
              <div key={place} className="contents">
                <dt>
                  <code dir="ltr">{`{{${place}}}`}</code>
                </dt>
                <dd>{t(`placeNames.${place}`)}</dd>
              </div>
            ))}
          </dl>
        </div>
      </form>
    </Dialog>
  )
}
