import type { SocialAccount } from '../../../../src/channels/api.ts'
import { addDays, dateIn, instantOf } from '../../../time.ts'
import type { Where } from './plan.ts'
import type { Words } from './words/words.ts'

/** The past days that posts are spread over. The network tells of posts of 90 days. */
const DAYS = 88
const TIMES = ['08:15', '12:20', '17:45', '09:05', '19:30']
/** Where the café posted, how many of the texts at most, and how many minutes after the others. */
const PLACES: readonly [where: Where, most: number, later: number][] = [
  ['page', Infinity, 0],
  ['photo', Infinity, 35],
  ['roastery', 12, 90],
  ['video', 18, 150],
]

/** Asks the sandbox to do something to its networks. */
export type Play = (path: string, body: object) => Promise<void>

/** The posts that the people of the café made on the networks themselves. */
export async function tellHistory(
  play: Play,
  places: Readonly<Record<Where, SocialAccount | undefined>>,
  zone: string,
  topics: Words['history'],
): Promise<void> {
  // One of each topic in turn, as a café posts.
  const all = Array.from({ length: Math.max(...topics.map(({ captions }) => captions.length)) }, (_, round) =>
    topics.flatMap(({ tag, captions }) => (captions[round] ? [`${captions[round]} ${tag}`] : [])),
  ).flat()
  const today = dateIn(new Date(), zone)
  await Promise.all(
    PLACES.map(async ([where, most, later]) => {
      const account = places[where]
      if (!account) return
      const texts = all.slice(0, most)
      const posts = texts.map((text, index) => {
        const day = addDays(today, -Math.round(DAYS - (index * (DAYS - 2)) / texts.length))
        const time = instantOf(`${day}T${TIMES[index % TIMES.length]}`, zone)
        return { text, at: new Date(time.getTime() + later * 60_000).toISOString() }
      })
      await play('history', { accountId: account.externalId, posts })
    }),
  )
}
