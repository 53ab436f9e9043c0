import type { Platform } from '../../../../src/networks/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import type { Tab } from './draft.ts'

/** The parts of a network's tab that are folded until they are opened. */
export type Fold = 'settings' | 'comment' | 'links'

export interface Place {
  /** The tab that has the field; null where each tab has it. */
  tab: Tab | null
  fold: Fold | null
  /** The id of the field, or of what holds it. */
  id: string
  /** Its button opens what fixes it. */
  press?: boolean
}

/** The field in which a finding can be fixed. */
export function placeOf({ field, code }: Check): Place {
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

/** Milliseconds that a part of the screen may take to appear. */
const PATIENCE_MS = 3000

/** Focuses a field as soon as it is on the screen, and presses it where that is wanted: its part may have to be fetched. */
export function focusField({ id, press }: Pick<Place, 'id' | 'press'>): void {
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
