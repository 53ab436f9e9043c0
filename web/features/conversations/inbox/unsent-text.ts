/** The storage key of an unsent reply or note, which this tab keeps until it is sent or the person signs out. */
const keyOf = (threadId: string, form: string) => `parley.${form}.${threadId}`

export function keptText(threadId: string, form: 'reply' | 'note'): string {
  try {
    return sessionStorage.getItem(keyOf(threadId, form)) ?? ''
  } catch {
    // Storage may be blocked. Start empty.
    return ''
  }
}

export function keepText(threadId: string, form: 'reply' | 'note', text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(threadId, form))
    else sessionStorage.setItem(keyOf(threadId, form), text)
  } catch {
    // Storage is blocked, so the text cannot be kept.
  }
}
