import { useEffect, useRef } from 'react'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { stopsPublishing } from '../../../../src/publishing/posts/rules.ts'
import { focusField, type FieldPlace, placeOf } from './place-of.ts'

/**
 * Leads to the first problem of a post that was opened to be fixed. Some findings arrive later than others, so it keeps
 * looking until it finds one or the person makes a change (`isSought`).
 */
export function useFault(
  isSought: boolean,
  found: readonly Check[] | undefined,
  go: (check: Check, place: FieldPlace) => boolean,
) {
  const sought = useRef(true)
  useEffect(() => {
    if (!isSought) sought.current = false
    const fault = sought.current ? found?.find(stopsPublishing) : undefined
    if (!fault) return
    sought.current = false
    const place = placeOf(fault)
    if (go(fault, place)) focusField({ id: place.id })
  }, [isSought, found, go])
}
