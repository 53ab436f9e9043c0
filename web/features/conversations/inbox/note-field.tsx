import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { mentionedIn } from '../../../mentions.ts'
import { meQuery } from '../../../queries.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { useSuggest } from '../../../ui/suggest.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { everyMemberQuery } from '../../team/members/queries.ts'
import type { Assignee } from './use-acts.ts'
import { WritingArea } from './writing-area.tsx'

interface Props {
  /** The initial text. */
  text: string
  act: string
  busy: boolean
  error: string | null
  refused: string | null
  focuses?: boolean
  onWrite?: (text: string) => void
  /** Rejects if the note was not saved, in which case the text stays. */
  onSay: (text: string, mentions: string[]) => Promise<void>
  /** Called instead of clearing the field. */
  onDone?: () => void
  children?: ReactNode
}

const MOST = 6
const LONGEST = 4000

/** The text field of a note. Typing @ suggests colleagues who can see notes. */
export function NoteField({
  text: first,
  act,
  busy,
  error,
  refused,
  focuses,
  onWrite,
  onSay,
  onDone,
  children,
}: Props) {
  const t = useTranslations('inbox')
  const { ws } = usePlace()
  const me = useQuery(meQuery).data?.id
  const { data: members = [] } = useQuery(everyMemberQuery(ws))
  const people = members.flatMap(({ id, name, role }): Assignee[] =>
    id === null || id === me || role === 'CLIENT' || name === '' ? [] : [{ id, name }],
  )
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(first)
  const latest = useRef(text)
  latest.current = text
  /** The ids of the picked people. */
  const [picked, setPicked] = useState<readonly string[]>([])
  useEffect(() => {
    if (focuses) field.current?.focus()
  }, [focuses])
  const write = (next: string) => {
    setText(next)
    onWrite?.(next)
  }
  const suggest = useSuggest<Assignee>({
    field,
    signs: '@',
    above: true,
    label: t('people'),
    find: ({ text: sought }) =>
      people.filter(({ name }) => name.toLocaleLowerCase().includes(sought.toLocaleLowerCase())).slice(0, MOST),
    textOf: ({ name }) => `@${name}`,
    show: ({ name }) => (
      <>
        <Avatar name={name} className="size-6" />
        <bdi className="clip">{name}</bdi>
      </>
    ),
    replace: (piece, from, to) => write(text.slice(0, from) + piece + text.slice(to)),
    onPick: ({ id }) => setPicked((now) => [...now, id]),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (text.trim() === '' || busy || refused) return
    try {
      const meant = people.filter(({ id }) => picked.includes(id))
      await onSay(text.trim(), mentionedIn(text, meant, people))
      // Text typed while the note was being saved stays.
      if (latest.current !== text) return
      if (onDone) return onDone()
      setPicked([])
      write('')
    } catch {
      // `error` shows the reason, and the text stays.
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} aria-label={t('forms.note')}>
      <WritingArea
        ref={field}
        aria-label={t('forms.note')}
        placeholder={t('noteHint')}
        maxLength={LONGEST}
        value={text}
        suggest={suggest}
        onWrite={write}
      />
      {error && (
        <div className="px-2 pb-1">
          <FormError>{error}</FormError>
        </div>
      )}
      <div className="flex min-h-9 items-center justify-end gap-2 px-1.5 pb-1.5">
        <p className="grow ps-1.5 text-xs text-muted">{t('noteFor')}</p>
        {children}
        <Button type="submit" busy={busy} reason={refused ?? (text.trim() === '' ? t('writeFirst') : null)}>
          {act}
        </Button>
      </div>
    </form>
  )
}
