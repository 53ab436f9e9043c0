import { ChevronDown, CircleAlert, CircleCheck, LoaderCircle, TriangleAlert, X } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import type { usePopup } from '../../../ui/popup.tsx'
import { focusField, type FieldPlace, placeOf } from './place-of.ts'

// Loads after the text.
const Findings = lazy(async () => ({ default: (await import('./checks.tsx')).Findings }))

interface Props {
  /** Also opened from outside, when a problem blocks an action. */
  popup: ReturnType<typeof usePopup<HTMLButtonElement>>
  checks: Check[]
  accounts: SocialAccount[]
  /** Whether uploads are running, which could change the findings. */
  uploading: boolean
  /** Opens the place of a finding. Returns whether to focus its field. */
  onGo: (check: Check, place: FieldPlace) => boolean
}

/** The number of problems. Opens their list, each with a button that leads to the fix. */
export function Problems({ popup, checks, accounts, uploading, onGo }: Props) {
  const t = useTranslations('composer')
  const errors = checks.filter(({ severity }) => severity === 'error').length
  const { open, hide, triggerProps, popupProps } = popup
  if (checks.length === 0)
    return (
      <p
        role="status"
        className="flex min-h-7 items-center gap-1.5 px-1 text-xs font-medium whitespace-nowrap text-muted max-md:min-h-12"
      >
        {uploading ? (
          <>
            <LoaderCircle className="size-3.5 motion-safe:animate-spin" aria-hidden />
            <span className="max-[24rem]:sr-only">{t('uploadsShort')}</span>
          </>
        ) : (
          <>
            <CircleCheck className="size-3.5 text-ok" aria-hidden />
            <span className="max-[24rem]:sr-only">{t('ready')}</span>
          </>
        )}
      </p>
    )
  const Icon = errors > 0 ? CircleAlert : TriangleAlert
  return (
    <>
      <button
        type="button"
        className={`flex min-h-8 shrink-0 items-center gap-1.5 rounded-[7px] px-2.5 text-13 font-medium whitespace-nowrap hover:brightness-95 max-md:min-h-12 max-md:px-3.5 ${errors > 0 ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'}`}
        {...triggerProps}
      >
        <Icon className="size-4" aria-hidden />
        <span className="max-[24rem]:sr-only">
          {errors > 0 ? t('problems', { count: errors }) : t('suggestions', { count: checks.length })}
        </span>
        <span className="min-[24rem]:hidden" aria-hidden>
          {errors || checks.length}
        </span>
        <ChevronDown className="size-3.5 max-md:hidden" aria-hidden />
      </button>
      <div
        {...popupProps}
        role="group"
        aria-label={t('checks')}
        className="pop-in fixed m-0 w-[25.5rem] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-[10px] border bg-surface text-fg shadow-pop"
      >
        {open && (
          <>
            <header className="flex min-h-11 items-center gap-2 border-b ps-4 pe-1.5">
              <h2 className="grow text-13 font-semibold">
                {errors > 0 ? t('fixFirst', { count: errors }) : t('suggestions', { count: checks.length })}
              </h2>
              <Button variant="ghost" size="icon" aria-label={t('closeProblems')} onClick={() => hide()}>
                <X className="size-4" aria-hidden />
              </Button>
            </header>
            {uploading && (
              <p className="flex items-center gap-2 border-b px-4 py-2.5 text-xs text-muted">
                <LoaderCircle className="size-4 shrink-0 motion-safe:animate-spin" aria-hidden />
                {t('uploadsRunning')}
              </p>
            )}
            <Suspense fallback={<div className="h-24" />}>
              <Findings
                focused
                checks={checks}
                accounts={accounts}
                onGo={(check) => {
                  hide(false)
                  const place = placeOf(check)
                  if (onGo(check, place)) focusField(place)
                }}
              />
            </Suspense>
          </>
        )}
      </div>
    </>
  )
}
