// The worth of a customer's events, as plain values.
//
// | Event                                          | Weight | Counted                                       |
// | ---------------------------------------------- | ------ | --------------------------------------------- |
// | comment                                        | 1      | with its row in `message`, so once            |
// | direct message                                 | 2      | the same                                      |
// | a message that is classified as positive       | +1     | with the mark `is_praise` of the message, once |
//
// The heat of a customer is the sum of the weights, each halved for every 30 days since its event. It is stored for one
// point in time, that of the latest event, so that events may arrive in any order. The score is 100 · (1 − exp(−heat /
// 10)), computed on every read (`engagement` in the database). A removed message keeps its weight.

/** The weight of a message, by the kind of its event. */
export const WEIGHTS = { comment: 1, message: 2 } as const
/** The weight that praise adds to its message. */
export const PRAISE = 1

/** Returns the heat that gives a score, which is at least 0 and below 100. */
export const heatAt = (score: number) => -10 * Math.log(1 - score / 100)

/** For how many milliseconds a merge can be undone. */
export const UNDO_WITHIN = 30 * 24 * 3_600_000

interface Known {
  name: string
  language: string | null
  tags: readonly string[]
}

const holds = (tags: readonly string[], tag: string) => tags.some((one) => one.toLowerCase() === tag.toLowerCase())

/** Combines what is known of two customers. The values of `kept` win. */
export const merged = (kept: Known, other: Known) => ({
  name: kept.name || other.name,
  language: kept.language ?? other.language,
  tags: [...kept.tags, ...other.tags.filter((tag) => !holds(kept.tags, tag))],
})

/**
 * Undoes `merged`: returns the values from before the merge, with corrections that people made since. A name or
 * language learned since may be the other's, so it is dropped.
 */
export function parted(now: Known, before: Known & { corrected: readonly string[] }, other: Known) {
  const then = merged(before, other)
  const tagsSince = now.tags.filter((tag) => !holds(then.tags, tag))
  const { corrected } = before
  return {
    name: corrected.includes('name') ? now.name : before.name,
    language: corrected.includes('language') ? now.language : before.language,
    tags: [...before.tags.filter((tag) => holds(now.tags, tag)), ...tagsSince],
  }
}
