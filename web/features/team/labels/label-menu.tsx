import { type ReactNode, Suspense } from 'react'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'
import type { LabelChoice } from './label-list.tsx'

const LabelList = lazy(() => import('./label-list.tsx'))

interface Props extends LabelChoice {
  /** The accessible name of the menu. */
  label: string
  /** The button that opens the menu. It must spread the props. */
  trigger: (
    props: ReturnType<typeof usePopup<HTMLButtonElement>>['triggerProps'] & { 'aria-haspopup': 'dialog' },
  ) => ReactNode
}

/** Adds and removes labels. The content loads when the menu first opens. */
export function LabelMenu({ label, trigger, ...choice }: Props) {
  const { open, triggerProps, popupProps } = usePopup()
  return (
    <>
      {trigger({ ...triggerProps, 'aria-haspopup': 'dialog' })}
      <div
        {...popupProps}
        role="dialog"
        aria-label={label}
        className="pop-in fixed m-0 w-64 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border bg-surface p-1 text-fg shadow-pop"
      >
        {open && (
          <Suspense fallback={<div className="h-24" aria-hidden />}>
            <LabelList {...choice} />
          </Suspense>
        )}
      </div>
    </>
  )
}
