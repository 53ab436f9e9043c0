import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { IntlProvider, useTranslations } from 'use-intl'
import type { Language } from '../src/team/identity/api.ts'
import type { Maybe } from './failure-words.ts'
import { language } from './language.ts'
import type { en } from './locales/en.ts'
import { reloadPage } from './parts.ts'
import { buttonClass } from './ui/button.tsx'
import { Logo } from './ui/logo.tsx'

declare module 'use-intl' {
  interface AppConfig {
    Messages: typeof en
    Locale: string
  }
}

type Messages = typeof en

/** Loads a file of texts, keyed by its language. */
type Load = () => Promise<{ [tag in Language]?: Partial<Messages> }>

const often: Record<Language, Load> = {
  en: () => import('./locales/en.ts'),
  ar: () => import('./locales/ar.ts'),
}
const parts = {
  rare: {
    en: () => import('./locales/en.ts?rare'),
    ar: () => import('./locales/ar.ts?rare'),
  },
  refused: {
    en: () => import('./locales/en.ts?refused'),
    ar: () => import('./locales/ar.ts?refused'),
  },
  admin: {
    en: () => import('./locales/en.ts?admin'),
    ar: () => import('./locales/ar.ts?admin'),
  },
  today: {
    en: () => import('./locales/en.ts?today'),
    ar: () => import('./locales/ar.ts?today'),
  },
  reuse: {
    en: () => import('./locales/en.ts?reuse'),
    ar: () => import('./locales/ar.ts?reuse'),
  },
  writing: {
    en: () => import('./locales/en.ts?writing'),
    ar: () => import('./locales/ar.ts?writing'),
  },
  post: {
    en: () => import('./locales/en.ts?post'),
    ar: () => import('./locales/ar.ts?post'),
  },
  failed: {
    en: () => import('./locales/en.ts?failed'),
    ar: () => import('./locales/ar.ts?failed'),
  },
  crop: {
    en: () => import('./locales/en.ts?crop'),
    ar: () => import('./locales/ar.ts?crop'),
  },
  audience: {
    en: () => import('./locales/en.ts?audience'),
    ar: () => import('./locales/ar.ts?audience'),
  },
  inbox: {
    en: () => import('./locales/en.ts?inbox'),
    ar: () => import('./locales/ar.ts?inbox'),
  },
  bot: {
    en: () => import('./locales/en.ts?bot'),
    ar: () => import('./locales/ar.ts?bot'),
  },
  insights: {
    en: () => import('./locales/en.ts?insights'),
    ar: () => import('./locales/ar.ts?insights'),
  },
  reports: {
    en: () => import('./locales/en.ts?reports'),
    ar: () => import('./locales/ar.ts?reports'),
  },
  why: {
    en: () => import('./locales/en.ts?why'),
    ar: () => import('./locales/ar.ts?why'),
  },
  predictions: {
    en: () => import('./locales/en.ts?predictions'),
    ar: () => import('./locales/ar.ts?predictions'),
  },
  figures: {
    en: () => import('./locales/en.ts?figures'),
    ar: () => import('./locales/ar.ts?figures'),
  },
  analytics: {
    en: () => import('./locales/en.ts?analytics'),
    ar: () => import('./locales/ar.ts?analytics'),
  },
  ai: {
    en: () => import('./locales/en.ts?ai'),
    ar: () => import('./locales/ar.ts?ai'),
  },
} satisfies Record<string, Record<Language, Load>>
type Part = keyof typeof parts

interface Shown {
  tag: Language
  messages: Messages
}

let shown: Shown | null = null
const wantedParts = new Set<Part>()
/** Grows with each part that is wanted. */
let revision = 0
const shownParts = new Set<Part>()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Loads the wanted texts and shows those that loaded, or starts over if another language or part is wanted by then.
 * Rejects if one of its `own` parts failed. Rejects and shows nothing if another language lacks a part that is shown.
 */
async function fetchTexts(own: readonly Part[] = []): Promise<void> {
  const tag = language.get()
  const wanted = [...new Set([...wantedParts, ...own])]
  const begun = revision
  const [main, ...files] = await Promise.allSettled(
    [often, ...wanted.map((part) => parts[part])].map((load) => load[tag]()),
  )
  if (tag !== language.get() || begun !== revision) return fetchTexts(own)
  if (main!.status === 'rejected') throw main!.reason
  const failed = new Map<Part, unknown>()
  const loaded = [main!.value[tag]]
  for (const [index, part] of wanted.entries()) {
    const file = files[index]!
    if (file.status === 'rejected') failed.set(part, file.reason)
    else loaded.push(file.value[tag])
  }
  const before = shown?.tag === tag ? shown.messages : {}
  for (const [part, reason] of failed) if (shown && shown.tag !== tag && shownParts.has(part)) throw reason
  shown = { tag, messages: Object.assign({}, before, ...loaded) as Messages }
  for (const part of wanted) {
    if (!failed.has(part)) shownParts.add(part)
    // A part that failed must not fail the next screens too.
    if (shownParts.has(part)) wantedParts.add(part)
    else wantedParts.delete(part)
  }
  // Set before anything renders: components read the direction from the document.
  document.documentElement.lang = tag
  document.documentElement.dir = tag === 'ar' ? 'rtl' : 'ltr'
  for (const listener of listeners) listener()
  for (const part of own) if (failed.has(part) && !shownParts.has(part)) throw failed.get(part)
}

/** Starts immediately, in parallel with the rest of the app. */
const first = fetchTexts()
first.catch(() => undefined) // `Intl` reads the same promise and shows the error

/** A loader for routes whose texts are not in the main bundle. Resolves once they are loaded. */
async function texts(...wanted: Part[]) {
  if (wanted.every((part) => shownParts.has(part))) return
  const added = wanted.filter((part) => !wantedParts.has(part))
  for (const part of added) wantedParts.add(part)
  revision += added.length
  await fetchTexts(wanted)
}

export const rareTexts = () => texts('rare')
export const adminTexts = () => texts('rare', 'admin')
/** Why the service can refuse what a person enters or asks for. */
export const refusalTexts = () => texts('refused')
/** Includes the texts of findings. */
export const postTexts = () => texts('refused', 'post')
export const failedTexts = () => texts('refused', 'post', 'failed')
export const insightsTexts = () => texts('analytics', 'insights')
/** Includes the texts of conversations. */
export const audienceTexts = () => texts('audience', 'inbox')
export const talkTexts = () => texts('inbox')
/** Includes the texts of failures, decisions and AI requests. */
export const inboxTexts = () => texts('ai', 'failed', 'inbox', 'why')
/** Includes the texts of decisions and AI requests. */
export const botTexts = () => texts('ai', 'bot', 'inbox', 'why')
/** Includes the texts of findings and failures. */
export const todayTexts = () => texts('refused', 'post', 'failed', 'today')
export const figureTexts = () => texts('figures')
/** Includes the texts of the figures themselves. */
export const analyticsTexts = () => texts('figures', 'analytics')
/** The texts of post tags. */
export const tagTexts = () => texts('ai')
/** Includes the texts of all figures and tags that a report shows. */
export const reportTexts = () => texts('ai', 'figures', 'analytics', 'predictions', 'reports')
export const cropTexts = () => texts('crop')
export const predictionTexts = () => texts('predictions')
export const reuseTexts = () => texts('reuse')
export const writingTexts = () => texts('writing')
/** Includes the texts of the editor. */
export const aiTexts = () => texts('refused', 'post', 'ai')
/** Includes the texts of findings. */
export const transferTexts = () => texts('refused', 'post', 'reuse')

/** Provides the texts, the time and number formats, and the direction of the reader's language. */
export function Intl({ children }: { children: ReactNode }) {
  const onError = useCallback((error: Error) => console.error(error), [])
  const wanted = useSyncExternalStore(language.listen, language.get)
  const now = useSyncExternalStore(subscribe, () => shown)
  const [broken, setBroken] = useState(false)
  useEffect(() => {
    const fetched = wanted === shown?.tag ? Promise.resolve() : fetchTexts()
    fetched.then(() => setBroken(false)).catch(() => setBroken(true))
  }, [wanted])
  if (broken && !now) return <NotLoaded />
  if (!now) return null
  return (
    <IntlProvider locale={regional(now.tag)} messages={now.messages} timeZone={browserZone()} onError={onError}>
      {children}
    </IntlProvider>
  )
}

/**
 * Shown when even the texts failed to load: a new release replaced this one, or the service is unreachable. The page
 * reloads as soon as the server responds.
 */
function NotLoaded() {
  useEffect(() => {
    const timer = setInterval(() => void reloadPage(), 3_000)
    return () => clearInterval(timer)
  }, [])
  const isArabic = language.get() === 'ar'
  return (
    <div className="grid min-h-dvh grid-rows-[auto_minmax(0,1fr)]">
      <header className="flex h-13 items-center border-b bg-bg px-4">
        <Logo />
      </header>
      <main className="grid bg-surface">
        <div role="alert" className="grid content-center justify-items-center gap-3 px-6 pb-16 text-center">
          <h1 className="text-sm font-semibold">{isArabic ? 'تعذّر تحميل Parley' : 'Parley didn’t load'}</h1>
          <button type="button" className={buttonClass('secondary')} onClick={() => location.reload()}>
            {isArabic ? 'إعادة المحاولة' : 'Retry'}
          </button>
        </div>
      </main>
    </div>
  )
}

/**
 * The language with the reader's region for dates and numbers, if the browser names one. Digits are Latin everywhere.
 */
function regional(tag: Language): string {
  const wanted = navigator.languages.find((one) => one === tag || one.startsWith(`${tag}-`)) ?? tag
  return tag === 'ar' ? `${wanted}-u-nu-latn` : wanted
}

/** The texts of the keys that the service sends. */
export function useMaybe(): Maybe {
  const t = useTranslations()
  return (key, fallback, values) => {
    const known = key as 'common.save'
    return t.has(known) ? t(known, values as never) : fallback
  }
}

export const browserZone = () => globalThis.Intl.DateTimeFormat().resolvedOptions().timeZone
