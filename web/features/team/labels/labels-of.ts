import type { LabelMark } from '../../../../src/team/labels/api.ts'

/** The ids of the labels that all items have, and of those that only some have. */
export function labelsOf(items: readonly { labels: readonly LabelMark[] }[]) {
  const count = (id: string) => items.filter(({ labels }) => labels.some((one) => one.id === id)).length
  const ids = [...new Set(items.flatMap(({ labels }) => labels.map(({ id }) => id)))]
  return {
    chosen: new Set(ids.filter((id) => count(id) === items.length)),
    partly: new Set(ids.filter((id) => count(id) < items.length)),
  }
}
