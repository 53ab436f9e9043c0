import { type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import type { DialogProps } from './dialog-frame.tsx'
import { lazy } from './part.tsx'

const DialogFrame = lazy(() => import('./dialog-frame.tsx'))

/** A dialog. Its code loads when the first one opens. */
export const Dialog = (props: DialogProps) =>
  props.open && (
    <Suspense>
      <DialogFrame {...props} />
    </Suspense>
  )

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: ReactNode
  action: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  /** Choices below the question. */
  children?: ReactNode
}

export function Confirm({ action, danger, busy, onConfirm, ...rest }: ConfirmProps) {
  const t = useTranslations('common')
  return (
    <Dialog
      {...rest}
      footer={
        <>
          <Button onClick={() => rest.onOpenChange(false)}>{t('cancel')}</Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  )
}
