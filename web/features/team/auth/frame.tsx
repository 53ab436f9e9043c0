import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { Language } from '../../../../src/team/identity/api.ts'
import { language } from '../../../language.ts'
import { Logo } from '../../../ui/logo.tsx'
import { useTitle } from '../../../ui/page.tsx'
import productAr from './product-ar.webp'
import productArDark from './product-ar-dark.webp'
import product from './product.webp'
import productDark from './product-dark.webp'
import { SandboxMark } from '../../shell/sandbox-mark.tsx'
import { OtherLanguages } from './other-languages.tsx'

/** Pages before sign-in: the form, next to a picture of the product. */
export function AuthFrame({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  const t = useTranslations('auth')
  useTitle(title)
  const [light, dark] = PICTURES[language.get()]
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-2">
      <main className="flex flex-col bg-surface px-5 py-5 sm:px-10">
        <div className="flex min-h-8 items-center justify-between gap-3">
          <Logo />
          <div className="flex items-center gap-3">
            <SandboxMark />
            <OtherLanguages />
          </div>
        </div>
        <div className="mx-auto grid w-full max-w-sm grow grid-cols-[minmax(0,1fr)] content-center gap-6 py-10">
          <div className="grid gap-1.5">
            <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
            <p className="text-muted">{lead}</p>
          </div>
          {children}
        </div>
      </main>
      <aside className="hidden min-w-0 flex-col justify-center gap-8 overflow-hidden border-s bg-bg ps-16 lg:flex">
        <p className="max-w-md text-3xl leading-tight font-semibold tracking-tight text-balance">{t('pitch')}</p>
        <img src={light} alt={t('picture')} {...PICTURE} className={clsx('dark:hidden', picture)} />
        <img src={dark} alt={t('picture')} {...PICTURE} className={clsx('hidden dark:block', picture)} />
        <ul className="grid max-w-md gap-2.5 text-13">
          {(['pitchWrite', 'pitchCheck', 'pitchTruth'] as const).map((key) => (
            <li key={key} className="flex gap-3 text-muted">
              <span className="mt-0.5 grid size-5 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text">
                <Check className="size-3.5" aria-hidden />
              </span>
              {t(key)}
            </li>
          ))}
        </ul>
      </aside>
    </div>
  )
}

/** Screenshots of Today in each language, light and dark. */
const PICTURES: Record<Language, [light: string, dark: string]> = {
  en: [product, productDark],
  ar: [productAr, productArDark],
}
const PICTURE = { width: 1200, height: 750, loading: 'lazy' } as const
const picture =
  'h-104 w-full rounded-s-xl border border-e-0 object-cover object-left-top shadow-pop rtl:object-right-top'
