import type { FormEvent, KeyboardEvent, ReactNode } from 'react'

/** Presses the button that asks: what keeps it off keeps the keyboard off. */
const press = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[data-ask] button')?.click()

/** A form whose AskButton is pressed by Enter, and with the control key too; both mean something else in what lies around it. */
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
