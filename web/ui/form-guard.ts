import { type RefObject, type SyntheticEvent, useRef } from 'react'

/** What a control of a form shows as its value. A submit button has none. */
function valueOf(control: Element): string {
  if (control instanceof HTMLInputElement) return `${control.value} ${control.checked}`
  if (control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement) return control.value
  if (!(control instanceof HTMLButtonElement) || control.type === 'submit') return ''
  // A list of choices shows the chosen one on its button, and a list of words has a button for each.
  const text = control.role === 'combobox' ? control.textContent : control.ariaLabel
  return `${text ?? ''} ${control.ariaPressed ?? ''}`
}

const valuesIn = (content: Element | null) =>
  JSON.stringify([...(content?.querySelectorAll('form') ?? [])].flatMap((form) => [...form.elements].map(valueOf)))

/**
 * Whether a person has changed a field of the forms in `content`. Compares with the values before their first act, since
 * a form may still load until then.
 */
export function useFormGuard(content: RefObject<Element | null>) {
  const before = useRef<string | null>(null)
  const acted = useRef(false)
  const note = () => {
    if (!acted.current) before.current = valuesIn(content.current)
  }
  const act = () => {
    acted.current = true
  }
  return {
    isChanged: () => acted.current && valuesIn(content.current) !== before.current,
    /** Handlers for `content`. */
    watch: {
      onFocusCapture: note,
      onPointerDownCapture: note,
      onKeyDownCapture: ({ key }: SyntheticEvent & { key: string }) => {
        note()
        if (key !== 'Tab' && key !== 'Escape') act()
      },
      onInputCapture: act,
      onClickCapture: act,
    },
  }
}
