import type { Platform } from '../../../../src/networks/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import type { Tab } from './draft.ts'

/** The collapsible sections of a network's tab. */
export type Fold = 'settings' | 'comment' | 'links'

export interface FieldPlace {
  /** The tab that contains the field; null if every tab does. */
  tab: Tab | null
  fold: Fold | null
  /** The id of the field or its container. */
  id: string
  /** Whether the element is a button that opens the fix. */
  press?: boolean
}

/** The field that fixes a finding. */
export function placeOf({ field, code }: Check): FieldPlace {
  const [, part, network, name] = field.split('/')
  if (code === 'duration_not_accepted' || code === 'owner_limit')
    return { tab: null, fold: null, id: `field-trim-${network}`, press: true }
  if (part === 'platformOptions')
    return {
      tab: network as Platform,
      fold: name === 'firstComment' ? 'comment' : 'settings',
      id: `field-${network}-${name}`,
    }
  if (part === 'media' || part === 'targets' || part === 'hashtags')
    return { tab: null, fold: null, id: `field-${part}` }
  const tab = part === 'captionOverrides' ? (network as Platform) : part === 'caption' ? 'all' : null
  return { tab, fold: null, id: 'field-caption' }
}

/** Milliseconds to wait for an element to appear. */
const PATIENCE_MS = 3000

/** Focuses an element as soon as it appears, because its code may still be loading, and clicks it if `press` is set. */
export function focusField({ id, press }: Pick<FieldPlace, 'id' | 'press'>): void {
  const until = performance.now() + PATIENCE_MS
  const attempt = () => {
    const field = document.getElementById(id)
    if (field) {
      const inner = field.matches('input, select, textarea, button')
        ? field
        : field.querySelector<HTMLElement>('input:not(.hidden), button, a')
      ;(inner ?? field).focus()
      if (press) field.click()
    } else if (performance.now() < until) requestAnimationFrame(attempt)
  }
  requestAnimationFrame(attempt)
}
