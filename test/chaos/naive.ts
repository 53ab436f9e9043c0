import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import type { Platform } from '../../src/accounts/api.ts'
import { createPage } from '../../src/networks/page.ts'
import { createPhoto } from '../../src/networks/photo.ts'
import { createVideo } from '../../src/networks/video.ts'
import { type Connection, type Network, NetworkError, type Permit, type StepMedia } from '../../src/networks/network.ts'
import { startHost } from '../../src/sandbox/testing.ts'
import { liveOn, picture, video } from '../world.ts'

// The control: a worker as most queues have it, which does a job again whatever it got no answer for. On the same networks
// with the same faults it must publish twice, else the test of the real one proves nothing.

const free: Permit = { take() {}, report() {} }
const TIME_SCALE = 20
/** So few that no network refuses more. */
const POSTS_EACH = 2

/** Publishes so many posts on each network through the same adapters, again until there is an answer. */
export async function runNaive(
  sandboxUrl: string,
  posts: number,
  chance: () => number,
): Promise<Record<Platform, { live: number; duplicates: number }>> {
  const graph = {
    graphUrl: () => `${sandboxUrl}/graph`,
    dialogUrl: () => `${sandboxUrl}/dialog`,
    videoUrl: () => `${sandboxUrl}/graph`,
    version: 'v25.0',
    appId: 'sandbox-page-app',
    appSecret: 'sandbox-page-secret',
    timeScale: TIME_SCALE,
  }
  const clips = {
    clientKey: 'sandbox-video-key',
    clientSecret: 'sandbox-video-secret',
    authUrl: () => `${sandboxUrl}/video-auth`,
    apiUrl: () => `${sandboxUrl}/video`,
    timeScale: TIME_SCALE,
  }
  const [bytes, clip] = [await picture(400, 400), await video()]
  const host = await startHost({ '/a.jpg': { body: bytes } })
  const shown: StepMedia = {
    id: 'shown',
    kind: 'IMAGE',
    url: `${host.url}/a.jpg`,
    mimeType: 'image/jpeg',
    altText: '',
    size: bytes.length,
    duration: null,
    read: (start, end) => Readable.from(bytes.subarray(start, end)),
  }
  const played: StepMedia = {
    ...shown,
    kind: 'VIDEO',
    mimeType: 'video/mp4',
    size: clip.length,
    duration: 4,
    read: (start, end) => Readable.from(clip.subarray(start, end)),
  }
  try {
    await Promise.all([
      drain(createPage(graph), [], posts, chance),
      drain(createPhoto(graph), [shown], posts, chance),
      drain(createVideo(clips), [played], posts, chance),
    ])
  } finally {
    await host.close()
  }
  await sleep(1_000) // what NET_VIDEO has taken is live a moment later
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
  for (let i = 0; i < Math.ceil(posts / POSTS_EACH); i += 1) accounts.push(await connect(network, `u${5000 + i}`))
  const queue = Array.from({ length: posts }, (_, i) => i)
  const lane = async () => {
    for (let i = queue.shift(); i !== undefined; i = queue.shift()) {
      const step = {
        account: accounts[i % accounts.length]!,
        text: `naive ${network.platform} ${i}`,
        media,
        options: { privacyLevel: 'MUTUAL_FOLLOW_FRIENDS' },
        handles: {},
        permit: free,
        now: new Date(),
      }
      try {
        await job(network, step)
        // Killed between the answer and saving it: the job is still in the queue.
        if (chance() < 0.05) queue.push(i)
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        if (error.kind === 'RATE_LIMIT' || error.kind === 'QUOTA') await sleep(1_000)
        if (error.kind !== 'DUPLICATE') queue.push(i)
      }
    }
  }
  await Promise.all(Array.from({ length: 3 }, lane))
}

async function job(network: Network, step: Parameters<Network['commit']>[0]): Promise<void> {
  for (;;) {
    const notYet = await network.prepare(step, async (made) => {
      step.handles = made
    })
    if (!notYet) break
    await sleep(notYet.after / TIME_SCALE)
    step.now = new Date()
  }
  await network.commit(step)
}

async function connect(network: Network, user: string): Promise<Connection> {
  const redirectUri = 'http://127.0.0.1:1/callback'
  const verifier = 'a'.repeat(64)
  const dialog = `${network.authorizeUrl({ state: 'x', redirectUri, verifier })}&sandbox_approve=1&sandbox_user=${user}`
  const consent = await fetch(dialog, { redirect: 'manual' })
  const code = new URL(consent.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const [account] = await network.connect({ code, redirectUri, verifier })
  return account as Connection
}
