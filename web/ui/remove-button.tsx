import { useRef, useState } from 'react'
import { besideOf } from './beside.ts'
import { Button } from './button.tsx'
import { Confirm, type ConfirmProps } from './dialog.tsx'

interface RemoveProps extends Omit<ConfirmProps, 'open' | 'onOpenChange' | 'onConfirm' | 'onCloseAutoFocus'> {
  children: string
  /** The accessible name of the button. */
  label: string
  variant?: 'ghost'
  /** What takes the focus after the last row is removed, as a selector. */
  field: string
  /** Settles when the row is removed or the removal was refused. */
  onRemove: () => Promise<unknown>
}

/** A button that removes its row after a question, and then gives the focus to the row beside it. */
export function RemoveButton({ children, label, variant, busy, field, onRemove, ...question }: RemoveProps) {
  const [asking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const next = useRef<HTMLElement>(null)
  const remove = async () => {
    next.current = button.current && besideOf(button.current, field)
    await onRemove().catch(() => {
      next.current = null
    })
    setAsking(false)
  }
  return (
    <>
      <Button
        ref={button}
        size="sm"
        {...(variant && { variant })}
        data-remove
        aria-label={label}
        onClick={() => setAsking(true)}
      >
        {children}
      </Button>
      <Confirm
        {...question}
        danger
        busy={busy}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() => void remove()}
        onCloseAutoFocus={(event) => {
          if (!next.current?.isConnected) return
          event.preventDefault()
          next.current.focus()
        }}
      />
    </>
  )
}
