import { clsx } from 'clsx'
import type { Platform } from '../../src/networks/api.ts'
import { NETWORKS } from '../labels.ts'

/** The mark of a network. Beside visible text it says nothing; alone it has its name. */
export function NetworkMark({ platform, label, small }: { platform: Platform; label?: boolean; small?: boolean }) {
  const network = NETWORKS[platform]
  return (
    <span
      role={label ? 'img' : undefined}
      aria-label={label ? network.name : undefined}
      aria-hidden={label ? undefined : true}
      style={{ background: network.color }}
      className={clsx(
        'inline-grid shrink-0 place-items-center rounded-full font-bold text-white ring-1 ring-white/20',
        small ? 'size-4 text-[0.5625rem]' : 'size-5 text-2xs',
      )}
    >
      <span aria-hidden>{network.mark}</span>
    </span>
  )
}
