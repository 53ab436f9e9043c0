import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { isDialogOpen, useShortcuts } from '../../shortcuts.ts'
import { entriesFor, type NavigationEntry, type Membership } from './entries.ts'
import { refusal } from './workspace.tsx'

/** The shortcuts of every screen. */
export function useShellKeys(current: Membership | undefined, onKeys: () => void, onSearch: () => void) {
  const navigate = useNavigate()
  const go = (to: NavigationEntry['to'] | '/w/$ws/compose') => () =>
    current && void navigate({ to, params: { ws: current.id } })
  const screens = current ? entriesFor(current).filter(({ letter }) => letter) : []
  useShortcuts({
    '?': onKeys,
    ...(current && !refusal(current, 'createPost') && { n: go('/w/$ws/compose') }),
    ...Object.fromEntries(screens.map(({ letter, to }) => [`g ${letter}`, go(to)])),
  })
  const search = useEffectEvent((event: KeyboardEvent) => {
    if (event.code !== 'KeyK' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (!isDialogOpen()) onSearch()
  })
  useEffect(() => {
    addEventListener('keydown', search)
    return () => removeEventListener('keydown', search)
  }, [])
}
