import type { Label, LabelMark } from '../../../../src/team/labels/api.ts'

export const COLORS = [
  'blue',
  'green',
  'orange',
  'purple',
  'teal',
  'pink',
  'yellow',
  'red',
  'gray',
] as const satisfies LabelMark['color'][]

/** The least used label colour. */
export function nextColor(labels: readonly Label[]): LabelMark['color'] {
  const count = (color: LabelMark['color']) => labels.filter((one) => one.color === color).length
  return COLORS.toSorted((a, b) => count(a) - count(b))[0] ?? 'blue'
}
