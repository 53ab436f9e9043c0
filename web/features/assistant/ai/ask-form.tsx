import type { FormEvent, KeyboardEvent, ReactNode } from 'react'

/** Clicks the form's AskButton, so that a disabled button also blocks the keyboard. */
const press = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[data-ask] button')?.click()

/**
 * A form that Enter submits through its AskButton, also with Ctrl or Cmd. The event stops here, because both mean
 * something else in the surrounding page.
 */
export function AskForm({ children }: { children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    press(event.currentTarget)
  }
  const keys = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    event.stopPropagation()
    press(event.currentTarget)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut of the form; its button does the same
    <form className="grid grid-cols-[minmax(0,1fr)] gap-3" onSubmit={submit} onKeyDown={keys}>
      {children}
    </form>
  )
}
