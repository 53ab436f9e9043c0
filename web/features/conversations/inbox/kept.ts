/** The unsent text to a customer, kept in this tab until it is sent or the person signs out. */
const keyOf = (threadId: string, form: string) => `parley.${form}.${threadId}`

export function keptText(threadId: string, form: 'reply' | 'note'): string {
  try {
    return sessionStorage.getItem(keyOf(threadId, form)) ?? ''
  } catch {
    // Storage may be forbidden: then nothing is kept.
    return ''
  }
}

export function keepText(threadId: string, form: 'reply' | 'note', text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(threadId, form))
    else sessionStorage.setItem(keyOf(threadId, form), text)
  } catch {
    // It then cannot be kept.
  }
}
