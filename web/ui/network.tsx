import { clsx } from 'clsx'
import type { Platform } from '../../src/networks/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../labels.ts'

interface MarkProps {
  platform: Platform
  /** Names the network for screen readers. Omit it next to visible text. */
  label?: boolean
  small?: boolean
}

/** A network's logo. */
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

/** The logos of several networks, in the usual order and without repeats. */
export function NetworkMarks({ platforms }: { platforms: readonly Platform[] }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-0.5">
      {PLATFORM_ORDER.filter((one) => platforms.includes(one)).map((platform) => (
        <NetworkMark key={platform} platform={platform} label small />
      ))}
    </span>
  )
}
