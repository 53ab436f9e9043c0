import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { IntlProvider, useTranslations } from 'use-intl'
import type { Language } from '../src/identity/api.ts'
import { language } from './language.ts'
import type { en } from './locales/en.ts'

declare module 'use-intl' {
  interface AppConfig {
    Messages: typeof en
    Locale: string
  }
}

type Messages = typeof en

const load: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import('./locales/en.ts')).en,
  ar: async () => (await import('./locales/ar.ts')).ar,
}

/** Asked for at once, together with the rest of the app. */
let first: Promise<Messages> | null = load[language.get()]()

/** The texts, times and numbers of the reader's language, and its direction. */
export function Intl({ children }: { children: ReactNode }) {
  const onError = useCallback((error: Error) => console.error(error), [])
  const wanted = useSyncExternalStore(language.listen, language.get)
  const [shown, setShown] = useState<{ tag: Language; messages: Messages } | null>(null)
  const [broken, setBroken] = useState<Error | null>(null)
  useEffect(() => {
    let stale = false
    const show = async () => {
      const messages = await (first ?? load[wanted]())
      first = null
      if (!stale) setShown({ tag: wanted, messages })
    }
    show().catch((error: unknown) => {
      first = null
      if (!stale) setBroken(error instanceof Error ? error : new Error(String(error)))
    })
    return () => {
      stale = true
    }
  }, [wanted])
  const tag = shown?.tag
  useEffect(() => {
    if (!tag) return
    document.documentElement.lang = tag
    document.documentElement.dir = tag === 'ar' ? 'rtl' : 'ltr'
  }, [tag])
  // A new version took the place of this one meanwhile, or the way to us is cut: loading the page again is what helps.
  if (broken && !shown) {
    return (
      <p role="alert" style={{ padding: '2rem', textAlign: 'center' }}>
        Parley could not be loaded.{' '}
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    )
  }
  if (!shown) return null
  return (
    <IntlProvider locale={regional(shown.tag)} messages={shown.messages} timeZone={browserZone()} onError={onError}>
      {children}
    </IntlProvider>
  )
}

/** The language as the reader's country writes times and numbers, where the browser says so; digits are the same everywhere. */
function regional(tag: Language): string {
  const wanted = navigator.languages.find((one) => one === tag || one.startsWith(`${tag}-`)) ?? tag
  return tag === 'ar' ? `${wanted}-u-nu-latn` : wanted
}

/** The text of a key that comes from the service, or the fallback where we have no words for it. */
export function useMaybe() {
  const t = useTranslations()
  return (key: string, fallback: string, values?: Record<string, string | number>) => {
    const known = key as 'common.save'
    return t.has(known) ? t(known, values as never) : fallback
  }
}

export const browserZone = () => globalThis.Intl.DateTimeFormat().resolvedOptions().timeZone
