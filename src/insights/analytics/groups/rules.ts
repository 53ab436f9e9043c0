import { effectsOf, medianOf, ratioOf, scaled } from '../../predictions/rules.ts'
import type { TagGroup } from '../api.ts'
import { LEAST_POSTS } from '../rules.ts'

// How posts do by topic and other tags. Pure.

/** A post with its values of one dimension, such as a topic or all of its hashtags. */
export interface TaggedPost {
  /** Identifies similar posts: those of the same account and kind. */
  like: string
  values: readonly string[]
  engagement: number
  rate: number | null
}

/** Posts without a value form a group too, so that a single label can differ from the rest. */
const NONE = ''
const keyOf = (value: string) => value.normalize('NFC').toLowerCase()

/**
 * Groups posts, given newest first, by value. The effect of account and kind is removed first, so that a topic gets no
 * credit for its account. Values that differ only in case are one, in the spelling of the first post.
 */
export function groupsOf(posts: readonly TaggedPost[]): TagGroup[] {
  const usual = effectsOf(posts.map(({ like, engagement }) => ({ group: like, y: scaled(engagement) })))
  const members = posts.flatMap(({ values, like, engagement, rate }) => {
    const y = scaled(engagement) - (usual.get(like)?.effect ?? 0)
    const named = new Map(values.map((value) => [keyOf(value), value]))
    return (named.size === 0 ? [[NONE, NONE] as const] : [...named]).map(([group, value]) => ({
      group,
      value,
      y,
      rate,
    }))
  })
  const effects = effectsOf(members)
  const byGroup = new Map<string, { value: string; rates: number[] }>()
  for (const { group, value, rate } of members) {
    const found = byGroup.get(group) ?? { value, rates: [] }
    if (rate !== null) found.rates.push(rate)
    byGroup.set(group, found)
  }
  byGroup.delete(NONE)
  return [...byGroup]
    .map(([group, { value, rates }]): TagGroup => {
      const { n, effect } = effects.get(group) ?? { n: 0, effect: 0 }
      return { value, n, median: medianOf(rates), estimate: ratioOf({ effect }), isFew: n < LEAST_POSTS }
    })
    .toSorted((a, b) => Number(a.isFew) - Number(b.isFew) || b.estimate - a.estimate || b.n - a.n)
}
