import { type FormEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { mentionedIn } from '../../../mentions.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { useSuggest } from '../../../ui/suggest.tsx'
import { keepText, keptText } from '../../../unsent-text.ts'

export interface Mentionable {
  id: string
  name: string
}

interface Props {
  /** The post, whose unsent comment is kept. */
  postId: string
  /** The people who can be mentioned; empty if only names are known. */
  people: Mentionable[]
  /** A label for the field where the writer is not a colleague. */
  label?: string
  busy: boolean
  error: string | null
  /** Resolves with whether the comment was saved, in which case the field is cleared. */
  onSay: (text: string, mentions: string[]) => Promise<boolean>
}

const MOST = 6

/** Writes a comment. Typing @ suggests the names of the team. */
export function CommentForm({ postId, people, label, busy, error, onSay }: Props) {
  const t = useTranslations('approvals')
  const name = label ?? t('comment')
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => keptText(postId, 'comment'))
  const latest = useRef(text)
  latest.current = text
  /** The ids of the picked people. A name that was only typed mentions nobody: it may be one at a network. */
  const [picked, setPicked] = useState<readonly string[]>(() => keptText(postId, 'mentions').split(' '))
  const write = (next: string) => {
    setText(next)
    keepText(postId, 'comment', next)
  }
  const mention = (ids: readonly string[]) => {
    setPicked(ids)
    keepText(postId, 'mentions', ids.join(' '))
  }
  const { look, keys, fieldProps, list } = useSuggest<Mentionable>({
    field,
    signs: '@',
    label: t('people'),
    find: ({ text: sought }) =>
      people
        .filter(({ name }) => name !== '' && name.toLocaleLowerCase().includes(sought.toLocaleLowerCase()))
        .slice(0, MOST),
    textOf: ({ name }) => `@${name}`,
    show: ({ name }) => (
      <>
        <Avatar name={name} className="size-6" />
        <bdi className="clip">{name}</bdi>
      </>
    ),
    replace: (piece, from, to) => write(text.slice(0, from) + piece + text.slice(to)),
    onPick: ({ id }) => mention([...picked, id]),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (text.trim() === '' || busy) return
    const mentionable = people.filter(({ id }) => picked.includes(id))
    if (!(await onSay(text.trim(), mentionedIn(text, mentionable)))) return
    // Text typed while the comment was being saved stays.
    if (latest.current !== text) return
    write('')
    mention([])
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-2">
      {error && <FormError>{error}</FormError>}
      <div className="relative">
        <textarea
          ref={field}
          className="input min-h-24"
          dir="auto"
          aria-label={name}
          placeholder={people.length > 0 ? t('commentHint') : name}
          maxLength={5000}
          value={text}
          {...fieldProps}
          onChange={(event) => {
            write(event.target.value)
            look(event.target.value, event.target.selectionStart)
          }}
          onKeyDown={(event) => {
            if (keys(event) || event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }}
        />
        {list}
      </div>
      <div>
        <Button type="submit" busy={busy} reason={text.trim() === '' ? t('writeFirst') : null}>
          {t('say')}
        </Button>
      </div>
    </form>
  )
}
