import { clsx } from 'clsx'
import { type KeyboardEvent, type ReactNode, type RefObject, type SyntheticEvent, useId, useState } from 'react'

/** An unfinished word that begins with a trigger character, such as `#cof`. */
interface Sought {
  sign: string
  text: string
  /** The index of its trigger character. */
  from: number
}

/** The index after the last character of a word. */
const endOf = ({ from, text }: Sought) => from + 1 + text.length

interface Options<T> {
  field: RefObject<HTMLTextAreaElement | null>
  /** The characters that trigger suggestions. */
  signs: string
  label: string
  /** Finds the suggestions for a word. */
  find: (sought: Pick<Sought, 'sign' | 'text'>) => T[]
  /** The text that replaces the word. */
  textOf: (one: T) => string
  show: (one: T) => ReactNode
  /** Replaces a range of the field's text. */
  replace: (text: string, from: number, to: number) => void
  onPick?: (one: T) => void
  /** Opens above the field, for fields at the bottom of the screen. */
  above?: boolean
}

/**
 * Completes words in a text field: the arrow keys move, Enter and Tab accept, Escape closes. Call `look` on each change
 * of the text; `keys` returns whether the list handled a key.
 */
export function useSuggest<T extends { id: string }>({
  field,
  signs,
  label,
  find,
  textOf,
  show,
  replace,
  onPick,
  above = false,
}: Options<T>) {
  const id = useId()
  const [sought, setSought] = useState<Sought | null>(null)
  const [at, setAt] = useState(0)
  const offered = sought ? find(sought) : []
  const active = offered[Math.min(at, offered.length - 1)]

  const look = (value: string, caret: number) => {
    const found = new RegExp(`(?:^|\\s)([${signs}])([^\\s${signs}]*)$`, 'u').exec(value.slice(0, caret))
    const [, sign = '', text = ''] = found ?? []
    setSought(found && { sign, text, from: caret - text.length - 1 })
    setAt(0)
  }
  const pick = (one: T) => {
    if (!sought) return
    const text = `${textOf(one)} `
    const end = sought.from + text.length
    replace(text, sought.from, endOf(sought))
    onPick?.(one)
    setSought(null)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(end, end)
    })
  }
  const keys = (event: KeyboardEvent): boolean => {
    // Enter also ends the input of an input method.
    if (!active || event.metaKey || event.ctrlKey || event.nativeEvent.isComposing) return false
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((offered.indexOf(active) + step + offered.length) % offered.length)
    else if (event.key === 'Enter' || event.key === 'Tab') pick(active)
    else if (event.key === 'Escape') setSought(null)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const fieldProps = {
    'aria-autocomplete': 'list',
    'aria-controls': active ? `${id}-list` : undefined,
    'aria-activedescendant': active ? `${id}-${active.id}` : undefined,
    onBlur: () => setSought(null),
    // The word is only completed while the caret is at its end.
    onSelect: ({ currentTarget: { selectionStart, selectionEnd } }: SyntheticEvent<HTMLTextAreaElement>) =>
      setSought((word) => (word && selectionStart === endOf(word) && selectionEnd === selectionStart ? word : null)),
  } as const
  const list = active && (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      className={clsx(
        'absolute inset-x-0 z-10 overflow-hidden rounded-[10px] border bg-surface p-1 shadow-pop',
        above ? 'bottom-full mb-1' : 'top-full mt-1',
      )}
    >
      {offered.map((one) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the field's
        <div
          key={one.id}
          id={`${id}-${one.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={one === active}
          className={clsx(
            'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-13 max-sm:min-h-11',
            one === active && 'bg-hover',
          )}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(one)}
        >
          {show(one)}
        </div>
      ))}
    </div>
  )
  return { look, keys, fieldProps, list }
}
