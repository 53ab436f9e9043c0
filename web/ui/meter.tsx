import { clsx } from 'clsx'

interface Props {
  label: string
  value: number
  max: number
  /** The value as text. */
  text: string
  tone?: keyof typeof TONES
}

const TONES = { accent: 'bg-accent', ok: 'bg-ok', bad: 'bg-bad' }

/** The share of a quota at which its meter turns red. */
const NEAR = 0.9

export const toneOf = (used: number, limit: number) => (used >= limit * NEAR ? 'bad' : 'accent')

/** A share of a whole, as a thin bar. */
export function Meter({ label, value, max, text, tone = 'accent' }: Props) {
  const part = max === 0 ? 1 : Math.min(1, value / max)
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={text}
      className="h-1 min-w-0 grow overflow-hidden rounded-full bg-fg/9"
    >
      <div
        className={clsx('h-full rounded-full transition-[inline-size]', TONES[tone])}
        style={{ inlineSize: `${part * 100}%` }}
      />
    </div>
  )
}
