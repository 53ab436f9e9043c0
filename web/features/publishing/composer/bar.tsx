import { useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'
import { keepClear } from '../../../ui/keep-clear.ts'
import { useTitle } from '../../../ui/page.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import './bar.css'

interface Props {
  title: string
  status: ReactNode
  saved: ReactNode
  problems: ReactNode
  /** The actions on the post, the primary one last. */
  acts: ReactNode
  /** Buttons for the side panels, where there is no room for them. */
  panels: ReactNode
  menu: ReactNode
  /** Replaces the back link to the previous screen. */
  onBack?: (() => void) | undefined
}

/**
 * The state of the post and its actions, always visible in a bar at the top. On a phone the actions are at the bottom,
 * within reach of the thumb.
 */
export function ComposerBar({ title, status, saved, problems, acts, panels, menu, onBack }: Props) {
  const t = useTranslations('composer')
  const { ws } = usePlace()
  const { history } = useRouter()
  const navigate = useNavigate()
  const canGoBack = useCanGoBack()
  useTitle(title)
  const back = () => {
    if (onBack) onBack()
    else if (canGoBack) history.back()
    else void navigate({ to: '/w/$ws/posts', params: { ws } })
  }
  return (
    <header className="composer-bar sticky top-0 z-20 flex min-h-12 items-center gap-x-2 gap-y-1 border-b bg-surface px-2 py-1 md:flex-wrap lg:px-4">
      <Button variant="ghost" size="icon" aria-label={t('back')} title={t('back')} onClick={back}>
        <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
      </Button>
      <div className="min-w-0 max-md:grow md:flex md:items-center md:gap-2.5">
        <h1 className="clip text-[0.9375rem] font-semibold tracking-tight">{title}</h1>
        <div className="flex flex-wrap items-center gap-x-2">
          {status}
          <Suspense>{saved}</Suspense>
        </div>
      </div>
      {panels}
      <div
        ref={keepClear}
        className={clsx(
          'flex items-center gap-2 md:grow',
          'max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:border-t max-md:bg-surface max-md:px-3 max-md:pt-2 max-md:pb-[max(0.5rem,env(safe-area-inset-bottom))] max-md:shadow-pop',
        )}
      >
        {/* These load after the text. */}
        <Suspense fallback={<span className="h-9 max-md:h-12" aria-hidden />}>
          {problems}
          <span className="grow max-md:hidden" />
          {acts}
        </Suspense>
      </div>
      {menu}
    </header>
  )
}
