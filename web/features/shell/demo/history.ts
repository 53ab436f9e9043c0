import type { SocialAccount } from '../../../../src/channels/api.ts'
import { addDays, dateIn, instantOf } from '../../../time.ts'
import type { MakeOnce } from './making.ts'
import type { Where } from './plan.ts'
import type { Words } from './words/words.ts'

/** How many past days the posts cover. The network reports posts of the last 90 days. */
const DAYS = 88
const TIMES = ['08:15', '12:20', '17:45', '09:05', '19:30']
/** Where the café posted, the maximum number of texts there, and the delay in minutes. */
const PLACES: readonly [where: Where, most: number, later: number][] = [
  ['page', Infinity, 0],
  ['photo', Infinity, 35],
  ['roastery', 12, 90],
  ['video', 18, 150],
]

/** Sends a command to the sandbox networks. */
export type Play = (path: string, body: object) => Promise<void>

/** Creates the posts that the café made directly on the networks. */
export async function tellHistory(
  play: Play,
  places: Readonly<Record<Where, SocialAccount | undefined>>,
  zone: string,
  topics: Words['history'],
  once: MakeOnce,
): Promise<void> {
  // Take one text of each topic in turn, as a café would.
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
      await once(`history of ${where}`, () => play('history', { accountId: account.externalId, posts }))
    }),
  )
}
