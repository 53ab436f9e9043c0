import { type ReactNode, Suspense } from 'react'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'

const LabelList = lazy(() => import('./label-list.tsx'))

export interface LabelChoice {
  /** The ids of labels that all selected items have. */
  chosen: ReadonlySet<string>
  /** The ids of labels that only some of the selected items have. */
  partly?: ReadonlySet<string>
  onToggle: (label: LabelMark, on: boolean) => void
  /** Whether missing labels can be created here. */
  creates?: boolean
}

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
