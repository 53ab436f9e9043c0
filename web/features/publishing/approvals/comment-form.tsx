import { clsx } from 'clsx'
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'

export interface Person {
  id: string
  name: string
}

interface Props {
  /** Who can be mentioned; nobody where names are all that one knows. */
  people: Person[]
  busy: boolean
  error: string | null
  /** Answers whether it was taken: then the field is empty again. */
  onSay: (text: string, mentions: string[]) => Promise<boolean>
}

const MOST = 6
const OPEN_MENTION = /(?:^|\s)@([^\s@]*)$/u

/** Says something; an @ offers the names of the team. */
export function CommentForm({ people, busy, error, onSay }: Props) {
  const t = useTranslations('approvals')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const [picked, setPicked] = useState<Person[]>([])
  const [sought, setSought] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const offered =
    sought === null
      ? []
      : people
          .filter(({ name }) => name !== '' && name.toLocaleLowerCase().includes(sought.toLocaleLowerCase()))
          .slice(0, MOST)
  const active = offered[Math.min(at, offered.length - 1)]

  const look = (value: string, caret: number) => {
    setSought(OPEN_MENTION.exec(value.slice(0, caret))?.[1] ?? null)
    setAt(0)
  }
  const pick = (person: Person) => {
    const caret = field.current?.selectionStart ?? text.length
    const start = text.slice(0, caret).lastIndexOf('@')
    const before = `${text.slice(0, start)}@${person.name} `
    setText(before + text.slice(caret))
    setPicked((now) => [...now.filter((one) => one.id !== person.id), person])
    setSought(null)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(before.length, before.length)
    })
  }
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      event.currentTarget.form?.requestSubmit()
    }
    if (!active) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((offered.indexOf(active) + step + offered.length) % offered.length)
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault()
      pick(active)
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      setSought(null)
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (text.trim() === '' || busy) return
    const mentions = picked.filter(({ name }) => text.includes(`@${name}`)).map((one) => one.id)
    if (!(await onSay(text.trim(), mentions))) return
    setText('')
    setPicked([])
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-2">
      {error && <FormError>{error}</FormError>}
      <div className="relative">
        <textarea
          ref={field}
          className="input min-h-24"
          dir="auto"
          aria-label={t('comment')}
          placeholder={people.length > 0 ? t('commentHint') : t('comment')}
          maxLength={5000}
          value={text}
          aria-autocomplete="list"
          aria-controls={active ? `${id}-list` : undefined}
          aria-activedescendant={active ? `${id}-${active.id}` : undefined}
          onChange={(event) => {
            setText(event.target.value)
            look(event.target.value, event.target.selectionStart)
          }}
          onKeyDown={keys}
          onBlur={() => setSought(null)}
        />
        {active && (
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={t('people')}
            className="absolute inset-x-0 top-full z-10 mt-1 overflow-hidden rounded-lg border bg-surface p-1 shadow-pop"
          >
            {offered.map((person) => (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the field's
              <div
                key={person.id}
                id={`${id}-${person.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={person === active}
                className={clsx(
                  'flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2 text-13 max-sm:min-h-11',
                  person === active && 'bg-hover',
                )}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(person)}
              >
                <Avatar name={person.name} className="size-6" />
                <bdi className="clip">{person.name}</bdi>
              </div>
            ))}
          </div>
        )}
      </div>
      <div>
        <Button type="submit" busy={busy} reason={text.trim() === '' ? t('writeFirst') : null}>
          {t('say')}
        </Button>
      </div>
    </form>
  )
}
