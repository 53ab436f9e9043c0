import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { call } from '../../client.ts'
import { isAway } from '../../problem-error.ts'
import { Logo } from '../../ui/logo.tsx'
import { ErrorView } from '../../ui/states.tsx'

/** Milliseconds between checks whether the service is back. */
const EVERY = 3_000

/** Why the app could not start, in its frame. If the service is only unavailable, the app continues once it is back. */
export function StartError({ error }: { error: unknown }) {
  const router = useRouter()
  const retry = () => void router.invalidate()
  const look = useEffectEvent(async () => {
    const isBack = await call('getReady').then(
      () => true,
      () => false,
    )
    if (isBack) retry()
  })
  const waits = isAway(error)
  useEffect(() => {
    if (!waits) return undefined
    const timer = setInterval(() => void look(), EVERY)
    const soon = () => void look()
    addEventListener('online', soon)
    return () => {
      clearInterval(timer)
      removeEventListener('online', soon)
    }
  }, [waits])
  return (
    <div className="grid min-h-dvh grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[14.5rem_minmax(0,1fr)] md:grid-rows-1">
      <header className="flex h-13 items-center border-b bg-bg px-4 md:h-auto md:items-start md:border-e md:border-b-0 md:py-3.5">
        <Logo />
      </header>
      <main className="grid content-center bg-surface pb-16">
        <ErrorView whole error={error} retry={retry} />
      </main>
    </div>
  )
}
