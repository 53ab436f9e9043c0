import { readStored, writeStored } from './storage.ts'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'parley.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

export function readTheme(): Theme {
  const stored = readStored(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function show(theme: Theme) {
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.classList.toggle('dark', isDark)
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light'
}

export function writeTheme(theme: Theme) {
  writeStored(KEY, theme === 'system' ? null : theme)
  show(theme)
}

dark.addEventListener('change', () => show(readTheme()))
addEventListener('storage', (event) => {
  if (event.key === KEY) show(readTheme())
})
