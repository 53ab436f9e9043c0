import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../../src/networks/api.ts'
import { type Connection, type Network, NetworkError, type StepMedia } from '../../src/networks/network.ts'
import { startHost } from '../../sandbox/testing.ts'
import { asPicture, asVideo, grant, newStep, openNetworks, prepare } from '../adapters.ts'
import { liveOn, picture, video } from '../world.ts'

// The control: a worker like that of most queues, which repeats a job after every missing answer. On the same networks
// with the same faults it must publish twice, or else the test of the real worker proves nothing.

const TIME_SCALE = 20
/** Few enough for the limits of every network. */
const POSTS_EACH = 2
/** Like most queues, the worker gives up a job after some tries, even if a network refuses more posts for a day. */
const TRIES = 12

/**
 * Publishes posts on each network through the same adapters. Repeats each until it is answered or has used its tries.
 */
export async function runNaive(
  sandboxUrl: string,
  posts: number,
  chance: () => number,
): Promise<Record<Platform, { live: number; duplicates: number }>> {
  const networks = openNetworks(sandboxUrl, TIME_SCALE)
  const host = await startHost({ '/a.jpg': { body: await picture(400, 400) } })
  const clip = asVideo(await video())
  try {
    await Promise.all([
      drain(networks.NET_PAGE, [], posts, chance),
      drain(networks.NET_PHOTO, [asPicture('a', `${host.url}/a.jpg`)], posts, chance),
      drain(networks.NET_VIDEO, [clip], posts, chance),
    ])
  } finally {
    await host.close()
  }
  await sleep(1_000) // NET_VIDEO publishes an accepted post a moment later
  const live = [...(await liveOn(sandboxUrl)).values()].flat().map(({ message }) => message)
  const countOf = (platform: Platform) => {
    const seen = new Map<string, number>()
    for (const text of live) if (text.startsWith(`naive ${platform} `)) seen.set(text, (seen.get(text) ?? 0) + 1)
    return { live: seen.size, duplicates: [...seen.values()].filter((count) => count > 1).length }
  }
  return { NET_PAGE: countOf('NET_PAGE'), NET_PHOTO: countOf('NET_PHOTO'), NET_VIDEO: countOf('NET_VIDEO') }
}

async function drain(network: Network, media: StepMedia[], posts: number, chance: () => number): Promise<void> {
  const accounts: Connection[] = []
  for (let i = 0; i < Math.ceil(posts / POSTS_EACH); i += 1) accounts.push(await grant(network, `u${5000 + i}`))
  const queue = Array.from({ length: posts }, (_, i) => ({ i, left: TRIES }))
  const lane = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const { i, left } = job
      const again = () => left > 1 && queue.push({ i, left: left - 1 })
      const account = accounts[i % accounts.length] as Connection
      const step = newStep(account, `naive ${network.platform} ${i}`, media)
      try {
        await prepare(network, step, TIME_SCALE)
        await network.commit(step)
        // As if killed between the answer and storing it: the job is still in the queue.
        if (chance() < 0.05) again()
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        if (error.kind === 'RATE_LIMIT' || error.kind === 'QUOTA') await sleep(1_000)
        if (error.kind !== 'DUPLICATE') again()
      }
    }
  }
  await Promise.all(Array.from({ length: 3 }, lane))
}
