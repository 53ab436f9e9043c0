import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import { type ComponentProps, type MouseEvent, useId } from 'react'
import { toast } from '../toast.ts'

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger'
type Size = 'md' | 'sm' | 'icon'

const base =
  'relative inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-40'

const variants: Record<Variant, string> = {
  primary: 'bg-accent font-semibold text-on-accent shadow-card hover:bg-accent-strong',
  secondary: 'border border-line-strong bg-surface text-fg shadow-card hover:bg-hover',
  ghost: 'text-muted hover:bg-hover hover:text-fg data-[state=open]:bg-hover',
  danger: 'bg-bad-soft text-bad hover:bg-bad hover:text-on-bad',
}

const sizes: Record<Size, string> = {
  md: 'min-h-8 px-3 text-13 max-sm:min-h-11 pointer-coarse:min-h-11',
  sm: 'min-h-7 px-2.5 text-13 max-sm:min-h-11 max-sm:px-3 pointer-coarse:min-h-11',
  icon: 'size-8 max-sm:size-11 pointer-coarse:size-11',
}

export const buttonClass = (variant: Variant = 'secondary', size: Size = 'md', more?: string) =>
  clsx(base, variants[variant], sizes[size], more)

interface ButtonProps extends ComponentProps<'button'> {
  variant?: Variant
  size?: Size
  busy?: boolean
  /** Why the button cannot be used now. It stays focusable and shows the reason. */
  reason?: string | null | false
  /** Called when the button is pressed while it has a `reason`. */
  onRefused?: (() => void) | undefined
}

export function Button({ variant, size, busy, reason, onRefused, className, onClick, children, ...rest }: ButtonProps) {
  const id = useId()
  const off = Boolean(reason) || busy
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy || reason) {
      event.preventDefault()
      if (reason && !busy) {
        toast.info(reason)
        onRefused?.()
      }
      return
    }
    onClick?.(event)
  }
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(variant, size, className)}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      aria-describedby={reason ? id : rest['aria-describedby']}
      title={reason || rest.title}
      onClick={click}
    >
      {busy && <LoaderCircle className="absolute size-4 animate-spin" aria-hidden />}
      <span className={clsx('inline-flex items-center gap-1.5', busy && 'opacity-0')}>{children}</span>
      {reason && (
        <span id={id} className="sr-only">
          {reason}
        </span>
      )}
    </button>
  )
}
