import { createPage } from '../../src/networks/page.ts'
import { type Connection, NetworkError, type Permit } from '../../src/networks/network.ts'
import { liveOn } from '../world.ts'

// The control: a worker as most queues have it, which sends again whatever it got no answer for. On the same network with the
// same faults it must publish twice, else the test of the real one proves nothing.

const free: Permit = { take() {}, report() {} }

/** Publishes so many posts through the same adapter, trying again until there is an answer; tells how many are live twice. */
export async function runNaive(
  sandboxUrl: string,
  posts: number,
  chance: () => number,
): Promise<{ duplicates: number; live: number }> {
  const network = createPage({
    graphUrl: () => `${sandboxUrl}/graph`,
    dialogUrl: () => `${sandboxUrl}/dialog`,
    videoUrl: () => `${sandboxUrl}/graph`,
    version: 'v25.0',
    appId: 'sandbox-page-app',
    appSecret: 'sandbox-page-secret',
    timeScale: 20,
  })
  const redirectUri = 'http://127.0.0.1:1/callback'
  const verifier = 'a'.repeat(64)
  const pages: Connection[] = []
  for (let i = 0; i < Math.ceil(posts / 60); i += 1) {
    const dialog = `${network.authorizeUrl({ state: 'x', redirectUri, verifier })}&sandbox_approve=1&sandbox_user=u${5000 + i}`
    const consent = await fetch(dialog, { redirect: 'manual' })
    const code = new URL(consent.headers.get('location') ?? '').searchParams.get('code') ?? ''
    pages.push((await network.connect({ code, redirectUri, verifier }))[0]!)
  }
  const queue = Array.from({ length: posts }, (_, i) => i)
  const lane = async () => {
    for (let i = queue.shift(); i !== undefined; i = queue.shift()) {
      try {
        await network.commit({
          account: pages[i % pages.length]!,
          text: `naive ${i}`,
          media: [],
          options: {},
          handles: {},
          permit: free,
          now: new Date(),
        })
        // Killed between the answer and saving it: the job is still in the queue.
        if (chance() < 0.05) queue.push(i)
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        if (error.kind !== 'DUPLICATE') queue.push(i)
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, lane))
  const seen = new Map<string, number>()
  for (const live of [...(await liveOn(sandboxUrl)).values()].flat()) {
    if (live.message.startsWith('naive ')) seen.set(live.message, (seen.get(live.message) ?? 0) + 1)
  }
  return { live: seen.size, duplicates: [...seen.values()].filter((count) => count > 1).length }
}
