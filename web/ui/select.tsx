import { clsx } from 'clsx'
import { Check, ChevronDown, Search } from 'lucide-react'
import { type KeyboardEvent, useCallback, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { described, Frame, type FieldFrame } from './field.tsx'
import { usePhone } from './media.ts'
import { usePopup } from './popup.tsx'

/** A value with its name. Options of the same group must be adjacent. */
export type SelectOption<T extends string> = readonly [
  value: T,
  name: string,
  more?: { disabled?: boolean; group?: string; lang?: string },
]

interface Props<T extends string> {
  value: T
  options: readonly SelectOption<T>[]
  onChange: (value: T) => void
  id?: string | undefined
  /** The accessible name, if there is no label. */
  'aria-label'?: string
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
  'aria-busy'?: boolean | undefined
  disabled?: boolean
  className?: string
  /** Shown while no option has the value. */
  placeholder?: string | undefined
  /** Adds a search field, for long lists. */
  search?: boolean
}

/** A single choice from a list. On a phone it uses the system's picker. */
export function Select<T extends string>(props: Props<T>) {
  return usePhone() ? <Native {...props} /> : <Listbox {...props} />
}

export function SelectField<T extends string>({ label, hint, error, ...rest }: FieldFrame & Props<T>) {
  const own = useId()
  const id = rest.id ?? own
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <Select {...rest} id={id} aria-invalid={error ? true : undefined} aria-describedby={described(id, hint, error)} />
    </Frame>
  )
}

/** Groups adjacent options by group name. Options without a group stay ungrouped. */
function grouped<T extends string>(options: readonly SelectOption<T>[]) {
  const groups: { name: string | undefined; options: SelectOption<T>[] }[] = []
  for (const option of options) {
    const name = option[2]?.group
    const last = groups.at(-1)
    if (last && last.name === name) last.options.push(option)
    else groups.push({ name, options: [option] })
  }
  return groups
}

function Native<T extends string>({ value, options, onChange, placeholder, search: _, className, ...rest }: Props<T>) {
  const one = ([of, name, more]: SelectOption<T>) => (
    <option key={of} value={of} lang={more?.lang} disabled={more?.disabled}>
      {name}
    </option>
  )
  return (
    <select
      {...rest}
      className={clsx('input pe-8', className)}
      value={value}
      onChange={(event) => onChange(event.target.value as T)}
    >
      {placeholder !== undefined && (
        <option value="" disabled>
          {placeholder}
        </option>
      )}
      {grouped(options).map(({ name, options: some }) =>
        name ? (
          <optgroup key={name} label={name}>
            {some.map(one)}
          </optgroup>
        ) : (
          some.map(one)
        ),
      )}
    </select>
  )
}

/** How many options Page Up and Page Down move. */
const PAGE = 10
/** Letters typed within this time form one search word. */
const WORD_MS = 600

function Listbox<T extends string>({
  id,
  value,
  options,
  onChange,
  placeholder,
  search = false,
  className,
  ...rest
}: Props<T>) {
  const t = useTranslations('common')
  const list = useId()
  const { open, show, hide, triggerProps, popupProps, popup } = usePopup({ wide: true })
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const word = useRef({ text: '', until: 0 })
  const words = typed.toLowerCase().split(/\s+/)
  const found = typed ? options.filter(([, name]) => words.every((one) => name.toLowerCase().includes(one))) : options
  const chosen = options.find(([one]) => one === value)
  const active = found[at]

  const reveal = useCallback(() => {
    popup.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [popup])
  useLayoutEffect(reveal, [at, typed, reveal])

  const begin = () => {
    setTyped('')
    setAt(
      Math.max(
        0,
        options.findIndex(([one]) => one === value),
      ),
    )
  }
  const opened = () => {
    field.current?.focus()
    reveal()
  }
  const pick = (option: SelectOption<T> | undefined) => {
    if (!option || option[2]?.disabled) return
    hide()
    if (option[0] !== value) onChange(option[0])
  }
  /** Moves to the next enabled option in a direction. */
  const step = (from: number, by: 1 | -1) => {
    for (let to = from; found[to]; to += by) if (!found[to]?.[2]?.disabled) return setAt(to)
  }
  const spell = (letter: string) => {
    const now = Date.now()
    const text = (now < word.current.until ? word.current.text : '') + letter.toLowerCase()
    word.current = { text, until: now + WORD_MS }
    // Repeating one letter cycles through its options.
    const sought = /^(.)\1+$/u.test(text) ? letter.toLowerCase() : text
    const from = sought.length === 1 ? at + 1 : at
    const order = [...found.keys()].map((index) => (index + from) % found.length)
    const to = order.find((index) => found[index]?.[1].toLowerCase().startsWith(sought))
    if (to !== undefined) setAt(to)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const letter = event.key.length === 1 && event.key !== ' '
    if (!open) {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp' && !letter) return
      event.preventDefault()
      begin()
      show()
      opened()
      if (letter && search) setTyped(event.key)
      else if (letter) spell(event.key)
      return
    }
    if (event.key === 'Tab') return hide()
    if (event.key === 'ArrowDown') step(at + 1, 1)
    else if (event.key === 'ArrowUp') step(at - 1, -1)
    else if (event.key === 'PageDown') step(Math.min(at + PAGE, found.length - 1), -1)
    else if (event.key === 'PageUp') step(Math.max(at - PAGE, 0), 1)
    else if (event.key === 'Enter' || (event.key === ' ' && !search)) pick(active)
    else if (event.key === 'Home' && !search) step(0, 1)
    else if (event.key === 'End' && !search) step(found.length - 1, -1)
    else {
      if (letter && !search) spell(event.key)
      return
    }
    event.preventDefault()
  }
  const owned = open ? list : undefined
  const marked = open && active ? `${list}-${active[0]}` : undefined
  const { onClick, ...trigger } = triggerProps
  return (
    <>
      <button
        type="button"
        role="combobox"
        id={id}
        {...rest}
        {...trigger}
        aria-expanded={open}
        aria-controls={search ? trigger['aria-controls'] : owned}
        aria-activedescendant={search ? undefined : marked}
        aria-haspopup={search ? 'dialog' : 'listbox'}
        className={clsx('input flex items-center justify-between gap-2 text-start disabled:opacity-60', className)}
        onKeyDown={keys}
        onClick={() => {
          begin()
          onClick()
          if (popup.current?.matches(':popover-open')) opened()
        }}
      >
        <bdi className={clsx('clip min-w-0', !chosen && 'text-muted')} lang={chosen?.[2]?.lang}>
          {chosen?.[1] ?? placeholder}
        </bdi>
        <ChevronDown className="size-4 shrink-0 text-muted" aria-hidden />
      </button>
      <div
        {...popupProps}
        {...(search && { role: 'dialog', 'aria-label': t('choices') })}
        className="pop-in fixed m-0 max-w-[min(24rem,calc(100vw-1rem))] scroll-py-1 overflow-y-auto overscroll-contain rounded-lg border bg-surface p-1 text-fg shadow-pop"
      >
        {open && search && (
          <div className="sticky -top-1 z-10 -mx-1 -mt-1 mb-1 border-b bg-surface p-1">
            <Search className="pointer-events-none absolute inset-y-0 start-3 my-auto size-4 text-muted" aria-hidden />
            <input
              ref={field}
              role="combobox"
              aria-expanded
              aria-controls={owned}
              aria-activedescendant={marked}
              aria-label={t('search')}
              placeholder={t('search')}
              className="min-h-8 w-full rounded-md bg-transparent ps-8 pe-2 text-13 outline-none max-sm:min-h-11"
              autoComplete="off"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setAt(0)
              }}
              onKeyDown={keys}
            />
          </div>
        )}
        {open && (
          <div id={list} role="listbox" aria-label={t('choices')}>
            {grouped(found).map(({ name, options: some }) => (
              <div key={name ?? some[0]?.[0]} role={name ? 'group' : 'presentation'} aria-label={name}>
                {name && (
                  <p className="px-2 pt-2 pb-1 text-2xs font-medium text-muted" aria-hidden>
                    {name}
                  </p>
                )}
                {some.map((option) => (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the button's
                  <div
                    key={option[0]}
                    id={`${list}-${option[0]}`}
                    role="option"
                    tabIndex={-1}
                    lang={option[2]?.lang}
                    aria-selected={option[0] === value}
                    aria-disabled={option[2]?.disabled}
                    data-active={option === active || undefined}
                    className={clsx(
                      'flex min-h-8 scroll-mt-11 items-center justify-between gap-4 rounded-md px-2 py-1 text-13 max-sm:min-h-11 pointer-coarse:min-h-11',
                      option[2]?.disabled ? 'text-muted opacity-60' : 'cursor-pointer',
                      option === active && 'bg-hover',
                    )}
                    onMouseDown={(event) => event.preventDefault()}
                    onMouseMove={() => option !== active && setAt(found.indexOf(option))}
                    onClick={() => pick(option)}
                  >
                    <bdi className="min-w-0 break-words">{option[1]}</bdi>
                    <Check
                      className={clsx('size-4 shrink-0 text-accent-text', option[0] !== value && 'invisible')}
                      aria-hidden
                    />
                  </div>
                ))}
              </div>
            ))}
          </div>
        )}
        {open && found.length === 0 && <p className="px-2 py-1.5 text-13 text-muted">{t('noMatch')}</p>}
      </div>
    </>
  )
}
