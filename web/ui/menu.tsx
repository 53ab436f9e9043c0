import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { type ComponentProps, createContext, type ReactNode, useCallback, useContext, useEffect } from 'react'
import { moveInMenu, type Placing, usePopup } from './popup.tsx'

const item =
  'flex min-h-8 w-full items-center gap-2 rounded-md px-2 py-1 text-start text-13 hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px] max-sm:min-h-11 pointer-coarse:min-h-11'

const Close = createContext<(refocus?: boolean) => void>(() => {})

type TriggerProps = ReturnType<typeof usePopup<HTMLButtonElement>>['triggerProps'] & {
  'aria-haspopup': 'menu'
  onKeyDown: ComponentProps<'button'>['onKeyDown']
}

interface MenuProps extends Placing {
  label: string
  /** The button that opens the menu. It must spread the props. */
  trigger: (props: TriggerProps) => ReactNode
  children: ReactNode
}

export function Menu({ label, trigger, children, ...placing }: MenuProps) {
  const { open, show, hide, triggerProps, popupProps, popup } = usePopup(placing)
  const first = useCallback(() => popup.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus(), [popup])
  const button = triggerProps.ref
  useEffect(() => {
    if (!open || !popup.current) return
    // The first of the items that load later takes the focus, unless the person has moved it.
    const arrivals = new MutationObserver(() => {
      if (document.activeElement === button.current || document.activeElement === document.body) first()
    })
    arrivals.observe(popup.current, { childList: true, subtree: true })
    return () => arrivals.disconnect()
  }, [open, popup, button, first])
  return (
    <>
      {trigger({
        ...triggerProps,
        'aria-haspopup': 'menu',
        onClick: () => {
          triggerProps.onClick()
          if (popup.current?.matches(':popover-open')) first()
        },
        onKeyDown: (event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          if (!open) show()
          first()
        },
      })}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its items take the focus */}
      <div
        {...popupProps}
        role="menu"
        aria-label={label}
        className="pop-in fixed m-0 min-w-48 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border bg-surface p-1 text-fg shadow-pop"
        onKeyDown={(event) => {
          if (event.key === 'Tab') hide()
          else moveInMenu(event)
        }}
      >
        {open && <Close value={hide}>{children}</Close>}
      </div>
    </>
  )
}

interface ItemProps {
  onSelect: () => void
  danger?: boolean
  children: ReactNode
}

export function MenuItem({ onSelect, danger, children }: ItemProps) {
  const close = useContext(Close)
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={clsx(item, danger && 'text-bad')}
      onClick={() => {
        close()
        onSelect()
      }}
    >
      {children}
    </button>
  )
}

/** A link to another screen of the app. */
export function MenuLink(props: ComponentProps<typeof Link>) {
  const close = useContext(Close)
  return <Link {...props} role="menuitem" tabIndex={-1} className={item} onClick={() => close(false)} />
}

/** A link out of the app. */
export function MenuAnchor({ href, children }: { href: string; children: ReactNode }) {
  const close = useContext(Close)
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      role="menuitem"
      tabIndex={-1}
      className={item}
      onClick={() => close()}
    >
      {children}
    </a>
  )
}

interface RadioProps extends ItemProps {
  checked: boolean
  /** Keeps the menu open after a choice, because its effect shows immediately. */
  stay?: boolean
}

export function MenuRadio({ checked, stay, onSelect, children }: RadioProps) {
  const close = useContext(Close)
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={checked}
      tabIndex={-1}
      className={item}
      onClick={() => {
        if (!stay) close()
        onSelect()
      }}
    >
      <span className="grow">{children}</span>
      <Check className={clsx('size-4 text-accent-text', !checked && 'invisible')} aria-hidden />
    </button>
  )
}

export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="group" aria-label={label}>
      <p className="px-2 pt-2 pb-1 text-2xs font-medium text-muted" aria-hidden>
        {label}
      </p>
      {children}
    </div>
  )
}

export const MenuLine = () => <hr className="-mx-1 my-1 border-line" />
