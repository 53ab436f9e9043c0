import type { Check } from '../../../../src/publishing/posts/api.ts'
import { isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import type { FieldPlace } from './place-of.ts'
import type { Editing } from './use-editing.ts'
import { useFault } from './use-fault.ts'

/**
 * Returns a function that opens the place of a finding and says whether to focus its field. If a fault `isSought`, it
 * opens the place of the first one at once.
 */
export function useGo(
  { view, platforms, fixes }: Editing,
  found: Check[] | undefined,
  isSought: boolean,
  askTime: () => void,
) {
  const go = (check: Check, { tab, fold }: FieldPlace) => {
    if (isTimePassed(check)) {
      askTime()
      return false
    }
    view.edit()
    if (tab && (tab === 'all' ? !fixes : platforms.includes(tab))) view.setTab(tab)
    if (fold) view.fold(fold, true)
    return true
  }
  useFault(isSought, found, go)
  return go
}
