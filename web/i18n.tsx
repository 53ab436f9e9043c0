import { type ReactNode, useCallback } from 'react'
import { IntlProvider, useTranslations } from 'use-intl'
import { en } from './locales/en.ts'

declare module 'use-intl' {
  interface AppConfig {
    Messages: typeof en
    Locale: 'en'
  }
}

export function Intl({ children }: { children: ReactNode }) {
  const onError = useCallback((error: Error) => console.error(error), [])
  return (
    <IntlProvider locale={regional('en')} messages={en} timeZone={browserZone()} onError={onError}>
      {children}
    </IntlProvider>
  )
}

/** The language as the reader's country writes times and numbers, where the browser says so. */
function regional(language: 'en'): 'en' {
  const wanted = navigator.languages.find((one) => one === language || one.startsWith(`${language}-`))
  return (wanted ?? language) as 'en'
}

/** The text of a key that comes from the service, or the fallback where we have no words for it. */
export function useMaybe() {
  const t = useTranslations()
  return (key: string, fallback: string) => {
    const known = key as 'common.save'
    return t.has(known) ? t(known) : fallback
  }
}

export const browserZone = () => globalThis.Intl.DateTimeFormat().resolvedOptions().timeZone
