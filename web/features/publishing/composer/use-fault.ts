import { useEffect, useRef } from 'react'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { stopsPublishing } from '../../../../src/publishing/posts/rules.ts'
import { focusField, type Place, placeOf } from './place-of.ts'

/** Leads to the first problem of a post that is opened to be fixed, once its problems are known. */
export function useFault(
  isSought: boolean,
  found: readonly Check[] | undefined,
  go: (check: Check, place: Place) => boolean,
) {
  const sought = useRef(isSought)
  useEffect(() => {
    if (!sought.current || !found) return
    sought.current = false
    const fault = found.find(stopsPublishing)
    if (!fault) return
    const place = placeOf(fault)
    if (go(fault, place)) focusField({ id: place.id })
  }, [found, go])
}
