import { clsx } from 'clsx'
import type { Platform } from '../../src/networks/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../labels.ts'

interface MarkProps {
  platform: Platform
  /** Alone it has its name; beside visible text it says nothing. */
  label?: boolean
  small?: boolean
}

/** The sign of a network, as its users know it. */
export function NetworkMark({ platform, label, small }: MarkProps) {
  const { name, glyph } = NETWORKS[platform]
  return (
    <span
      role={label ? 'img' : undefined}
      aria-label={label ? name : undefined}
      aria-hidden={label ? undefined : true}
      style={{ background: glyph.disc }}
      className={clsx('inline-grid shrink-0 place-items-center rounded-full', small ? 'size-4' : 'size-5')}
    >
      <span
        className="aspect-square"
        style={{
          width: `${glyph.scale * 100}%`,
          background: glyph.fill,
          mask: `url(${glyph.url}) center / contain no-repeat`,
        }}
      />
    </span>
  )
}

/** The signs of several networks, in their usual order, each once. */
export function NetworkMarks({ platforms }: { platforms: readonly Platform[] }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-0.5">
      {PLATFORM_ORDER.filter((one) => platforms.includes(one)).map((platform) => (
        <NetworkMark key={platform} platform={platform} label small />
      ))}
    </span>
  )
}
