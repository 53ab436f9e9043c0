import { type ReactNode, Suspense } from 'react'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'

const LabelList = lazy(() => import('./label-list.tsx'))

export interface LabelChoice {
  /** The ids of those that are on. */
  chosen: ReadonlySet<string>
  /** The ids of those that are on some of what is meant. */
  partly?: ReadonlySet<string>
  onToggle: (label: LabelMark, on: boolean) => void
  /** A label that is missing can be made here. */
  creates?: boolean
}

interface Props extends LabelChoice {
  /** The name of the menu. */
  label: string
  /** The button that opens the menu; it must pass the props on. */
  trigger: (
    props: ReturnType<typeof usePopup<HTMLButtonElement>>['triggerProps'] & { 'aria-haspopup': 'dialog' },
  ) => ReactNode
}

/** Labels to put on and take off; what it holds is fetched when it first opens. */
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
