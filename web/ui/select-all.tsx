import { clsx } from 'clsx'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

interface Props {
  shown: readonly { id: string }[]
  /** How many of them are selected. */
  count: number
  onSelect: (ids: string[]) => void
  className?: string
  ref?: RefObject<HTMLInputElement | null>
  children: ReactNode
}

/** Selects all shown items or none. It is neither ticked nor empty if only some are selected. */
export function SelectAll({ shown, count, onSelect, className, ref, children }: Props) {
  const own = useRef<HTMLInputElement>(null)
  const box = ref ?? own
  const isSome = count > 0 && count < shown.length
  useEffect(() => {
    if (box.current) box.current.indeterminate = isSome
  }, [box, isSome])
  return (
    <label className={clsx('flex min-h-8 items-center gap-2.5 max-sm:min-h-11', className)}>
      <input
        ref={box}
        type="checkbox"
        className="size-4 accent-(--accent)"
        checked={count > 0 && count === shown.length}
        onChange={(event) => onSelect(event.target.checked ? shown.map(({ id }) => id) : [])}
      />
      {children}
    </label>
  )
}
