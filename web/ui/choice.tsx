import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { Button } from './button.tsx'
import { Menu, MenuRadio } from './menu.tsx'

interface Props<T extends string> {
  /** The name of the choice, which the button shows while nothing is chosen. */
  label: string
  /** Each value with its name; `undefined` is no choice. */
  options: readonly (readonly [value: T | undefined, name: string])[]
  value: T | undefined
  onChange: (value: T | undefined) => void
}

/** A choice among a few options, behind a button that shows the chosen one. */
export function Choice<T extends string>({ label, options, value, onChange }: Props<T>) {
  const chosen = value === undefined ? undefined : options.find(([one]) => one === value)?.[1]
  return (
    <Menu
      label={label}
      trigger={(props) => (
        <Button
          {...props}
          className={clsx('max-w-48 font-normal', chosen && 'border-accent! bg-accent-soft! text-accent-text!')}
        >
          <span className={clsx(chosen && 'sr-only')}>
            {label}
            {chosen && ': '}
          </span>
          {chosen && <bdi className="max-w-36 clip">{chosen}</bdi>}
          <ChevronDown className="size-3.5 shrink-0 opacity-70" aria-hidden />
        </Button>
      )}
    >
      {options.map(([one, name]) => (
        <MenuRadio key={one ?? ''} checked={one === value} onSelect={() => onChange(one)}>
          <bdi>{name}</bdi>
        </MenuRadio>
      ))}
    </Menu>
  )
}
