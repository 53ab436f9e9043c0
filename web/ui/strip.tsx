import { clsx } from 'clsx'
import { type ComponentProps, useEffect, useRef } from 'react'

/** A row of links, one of them current. On a phone it scrolls sideways, with the current link in view. */
export function Strip({ className, ...props }: ComponentProps<'nav'>) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  return <nav ref={row} className={clsx('strip flex', className)} {...props} />
}
