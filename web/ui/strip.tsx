import { clsx } from 'clsx'
import { type ComponentProps, useEffect, useRef } from 'react'

/** Links beside each other, one of them the current one. On a phone they scroll in one row, and the current one is in sight. */
export function Strip({ className, ...props }: ComponentProps<'nav'>) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  return <nav ref={row} className={clsx('strip flex', className)} {...props} />
}
