export type Theme = 'light' | 'dark' | 'system'

const KEY = 'parley.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    // Storage may be blocked. Follow the system.
    return 'system'
  }
}

function show(theme: Theme) {
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.classList.toggle('dark', isDark)
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light'
}

export function writeTheme(theme: Theme) {
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Without storage, the choice lasts until the page closes.
  }
  show(theme)
}

dark.addEventListener('change', () => show(readTheme()))
addEventListener('storage', (event) => {
  if (event.key === KEY) show(readTheme())
})
