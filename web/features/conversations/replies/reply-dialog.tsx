import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { fillReply, firstName, placeholders, unknownPlaceholders } from '../../../../src/conversations/replies/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery, meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useRemove } from './use-remove.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'

interface Props {
  /** null for a new reply. */
  reply: SavedReply | null
  /** The initial text of a new reply. */
  text?: string
  onClose: () => void
}

const MOST_CHARACTERS = 8000

/** Creates or edits a saved reply, with a preview for an example customer. */
export function SavedReplyDialog({ reply, text: first = '', onClose }: Props) {
  const t = useTranslations('inbox.saved')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [name, setName] = useState(reply?.name ?? '')
  const [text, setText] = useState(reply?.text ?? first)
  const [tried, setTried] = useState(false)
  const preview = useSample()(text)
  const [unknown] = unknownPlaceholders(text)
  const nameFault = name.trim() === '' ? t('nameMissing') : null
  const textFault =
    text.trim() === '' ? t('textMissing') : unknown === undefined ? null : t('unknown', { place: `{{${unknown}}}` })
  const save = useMutation({
    mutationFn: (body: { name: string; text: string }) =>
      reply
        ? call('updateSavedReply', { workspace: ws, params: { id: reply.id }, body, ifMatch: reply.version })
        : call('createSavedReply', { workspace: ws, body }),
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'saved-replies'] }),
    onSuccess: () => {
      toast.success(t('saved'))
      onClose()
    },
  })
  const remove = useRemove()
  const insert = (place: string) => {
    const { selectionStart: from, selectionEnd: to } = field.current!
    const piece = `{{${place}}}`
    flushSync(() => setText(text.slice(0, from) + piece + text.slice(to)))
    field.current!.focus()
    field.current!.setSelectionRange(from + piece.length, from + piece.length)
  }
  const submit = () => {
    setTried(true)
    if (!nameFault && !textFault) save.mutate({ name: name.trim(), text: text.trim() })
  }
  const shownFault = tried || unknown !== undefined ? textFault : null
  return (
    <FormDialog
      title={t(reply ? 'edit' : 'new')}
      busy={save.isPending}
      error={save.error && problem(save.error)}
      beside={
        reply && (
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate(reply, { onSuccess: onClose })}>
            {t('delete')}
          </Button>
        )
      }
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        maxLength={80}
        dir="auto"
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={tried && nameFault}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <label htmlFor={`${id}-text`} className="text-13 font-medium">
          {t('text')}
        </label>
        <textarea
          id={`${id}-text`}
          ref={field}
          rows={5}
          maxLength={MOST_CHARACTERS}
          dir="auto"
          className="input"
          aria-describedby={`${id}-places`}
          aria-invalid={shownFault ? true : undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {shownFault && (
          <p role="alert" className="text-xs text-bad">
            {shownFault}
          </p>
        )}
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <p id={`${id}-places`} className="text-xs text-muted">
          {t('places')}
        </p>
        <div className="flex flex-wrap gap-1.5">
          {placeholders.map((place) => (
            <Button key={place} size="sm" title={`{{${place}}}`} onClick={() => insert(place)}>
              {t(`placeNames.${place}`)}
            </Button>
          ))}
        </div>
        <p className="text-xs text-muted">{t('instead', { place: '{{first_name|there}}' })}</p>
      </div>
      {text.trim() !== '' && (
        <section aria-label={t('preview')} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
          <h3 className="text-13 font-medium">{t('preview')}</h3>
          <p dir="auto" className="rounded-lg border bg-sunken px-3 py-2 text-13 break-words whitespace-pre-wrap">
            {preview}
          </p>
        </section>
      )}
    </FormDialog>
  )
}

/** Returns a text filled in for an example customer. */
export function useSample() {
  const t = useTranslations('inbox.saved')
  const { ws, workspace } = usePlace()
  const { data: me } = useQuery(meQuery)
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  const customer = t('example')
  const values = {
    customer,
    first_name: firstName(customer),
    account: accounts[0]?.name ?? workspace.name,
    me: me?.name ?? '',
  }
  return (text: string) => fillReply(text, values)
}
