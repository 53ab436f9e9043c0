import type { LabelMark } from '../../src/team/labels/api.ts'

interface ChipProps {
  label: Pick<LabelMark, 'name' | 'color'>
}

/** The colour of a label. Hidden from screen readers, because the name is next to it. */
export const LabelDot = ({ color }: Pick<LabelMark, 'color'>) => (
  <span className="size-2 shrink-0 rounded-full" style={{ background: `var(--label-${color})` }} aria-hidden />
)

/** A label as shown on a labelled item. */
export const LabelChip = ({ label: { name, color } }: ChipProps) => (
  <span
    className="inline-flex h-5 max-w-36 min-w-0 items-center gap-1.5 rounded-full px-2 text-2xs font-medium text-fg"
    style={{ background: `color-mix(in srgb, var(--label-${color}) 16%, var(--surface))` }}
  >
    <LabelDot color={color} />
    <bdi className="clip">{name}</bdi>
  </span>
)

interface ChipsProps {
  labels: readonly LabelMark[]
  /** How many labels to show. The rest become a count with a tooltip of their names. */
  max?: number
}

export function LabelChips({ labels, max = 2 }: ChipsProps) {
  if (labels.length === 0) return null
  const rest = labels.slice(max)
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      {labels.slice(0, max).map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {rest.length > 0 && (
        <span className="shrink-0 text-2xs text-muted" title={rest.map(({ name }) => name).join(' · ')}>
          <span aria-hidden>+{rest.length}</span>
          <span className="sr-only">{rest.map(({ name }) => name).join(' · ')}</span>
        </span>
      )}
    </span>
  )
}
