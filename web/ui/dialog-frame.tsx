import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Primitive } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { CloseDialog } from './close-dialog.ts'
import { useFormGuard } from './form-guard.ts'

export interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  children?: ReactNode
  footer?: ReactNode
  wide?: boolean
  /** Keeps changed fields of its forms: a press outside does not close it, and any other way asks first. */
  guarded?: boolean
  onCloseAutoFocus?: (event: Event) => void
}

export interface DiscardQuestion {
  open: boolean
  onStay: () => void
  onDiscard: () => void
}

interface FrameProps extends DialogProps {
  /** The question before changed fields are lost, which is a dialog itself. */
  askToDiscard: (question: DiscardQuestion) => ReactNode
}

/** A click on a toast does not close the dialog below it. */
function staysFor(event: Event) {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toaster]')) event.preventDefault()
}

export default function DialogFrame({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  wide,
  guarded = false,
  askToDiscard,
  ...rest
}: FrameProps) {
  const t = useTranslations('common')
  const content = useRef<HTMLDivElement>(null)
  const { isChanged, watch } = useFormGuard(content)
  const [asking, setAsking] = useState(false)
  const close = () => (guarded && isChanged() ? setAsking(true) : onOpenChange(false))
  const [opener] = useState(() => document.activeElement)
  /** Returns the focus to the opener, unless the action has already moved it. */
  const goBack = (event: Event) => {
    rest.onCloseAutoFocus?.(event)
    if (event.defaultPrevented) return
    event.preventDefault()
    const lost = document.activeElement === null || document.activeElement === document.body
    if (lost && opener instanceof HTMLElement) opener.focus()
  }
  return (
    <CloseDialog value={close}>
      <Primitive.Root open={open} onOpenChange={(next) => (next ? onOpenChange(true) : close())}>
        <Primitive.Portal>
          <Primitive.Overlay className="fade-in fixed inset-0 z-50 bg-black/45" />
          <Primitive.Content
            ref={content}
            {...watch}
            className={clsx(
              'pop-in fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[92dvh] w-full flex-col rounded-t-2xl border bg-surface shadow-pop outline-none sm:bottom-auto sm:top-[14dvh] sm:max-h-[76dvh] sm:rounded-xl',
              wide ? 'sm:max-w-3xl' : 'sm:max-w-md',
            )}
            {...(description ? {} : { 'aria-describedby': undefined })}
            onCloseAutoFocus={goBack}
            onInteractOutside={(event) => {
              staysFor(event)
              if (guarded && isChanged()) event.preventDefault()
            }}
          >
            <header className="flex items-start gap-3 px-5 pt-4 pb-1">
              <Primitive.Title className="grow pt-1 text-base font-semibold max-sm:pt-2.5 pointer-coarse:pt-2.5">
                {title}
              </Primitive.Title>
              <Primitive.Close asChild>
                <Button variant="ghost" size="icon" aria-label={t('close')} className="-me-2">
                  <X className="size-4" aria-hidden />
                </Button>
              </Primitive.Close>
            </header>
            <div className="min-h-0 grow overflow-y-auto px-5 pb-5">
              {description && (
                <Primitive.Description asChild>
                  <div className="text-13 text-muted">{description}</div>
                </Primitive.Description>
              )}
              {children && <div className="mt-4">{children}</div>}
            </div>
            {footer && (
              <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3 max-sm:pb-[max(0.75rem,env(safe-area-inset-bottom))]">
                {footer}
              </footer>
            )}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
      {askToDiscard({
        open: asking,
        onStay: () => setAsking(false),
        onDiscard: () => {
          setAsking(false)
          onOpenChange(false)
        },
      })}
    </CloseDialog>
  )
}
