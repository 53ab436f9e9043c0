// What a customer's events are worth, as plain values.
//
// | Event                                          | Weight | Counted                                       |
// | ---------------------------------------------- | ------ | --------------------------------------------- |
// | comment                                        | 1      | with its row in `message`, so once            |
// | direct message                                 | 2      | the same                                      |
// | a message that the classification calls positive | +1   | with the mark `is_praise` of the message, once |
//
// The heat of a customer is the sum of the weights, each halved for every 30 days since its event. It is stored as the heat at one
// time, the latest of the events, so that an event may come in any order. The score is 100 · (1 − exp(−heat / 10)), computed when it
// is read (`engagement` in the database). A removed message keeps its weight.

/** The weight of a message by the kind of its event. */
export const WEIGHTS = { comment: 1, message: 2 } as const
/** What praise adds to the weight of its message. */
export const PRAISE = 1

/** The heat at which the score is this, from 0 to below 100. */
export const heatAt = (score: number) => -10 * Math.log(1 - score / 100)

/** Milliseconds for which a merge can be undone. */
export const UNDO_WITHIN = 30 * 24 * 3_600_000

interface Known {
  name: string
  language: string | null
  tags: readonly string[]
}

const holds = (tags: readonly string[], tag: string) => tags.some((one) => one.toLowerCase() === tag.toLowerCase())

/** What is known of a customer after another was merged into them. */
export const merged = (kept: Known, other: Known) => ({
  name: kept.name || other.name,
  language: kept.language ?? other.language,
  tags: [...kept.tags, ...other.tags.filter((tag) => !holds(kept.tags, tag))],
})

/**
 * What is known of a customer after the other has left them: what it was before, and what people corrected since. A name or a
 * language that was learned meanwhile may be the other's.
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
