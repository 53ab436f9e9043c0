export const AUDIENCE_ORDERS = ['engagement', 'lastSeen'] as const

export interface AudienceSearch {
  text?: string
  tag?: string
  segment?: string
  order?: (typeof AUDIENCE_ORDERS)[number]
}

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : ''

/** Reads the filters from an address and ignores anything else. */
export function readSearch(search: Record<string, unknown>): AudienceSearch {
  const order = AUDIENCE_ORDERS.find((one) => one === search['order'])
  const [words, tag, segment] = [text(search['text']), text(search['tag']), text(search['segment'])]
  return { ...(words && { text: words }), ...(tag && { tag }), ...(segment && { segment }), ...(order && { order }) }
}
