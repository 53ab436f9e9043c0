import { Suspense, useSyncExternalStore } from 'react'
import { toastsAsked } from '../toast.ts'
import { lazy } from './part.tsx'

const Region = lazy(() => import('./toast-region.tsx'))

export function Toaster() {
  const asked = useSyncExternalStore(toastsAsked.subscribe, toastsAsked.get)
  return asked ? (
    <Suspense>
      <Region />
    </Suspense>
  ) : null
}
