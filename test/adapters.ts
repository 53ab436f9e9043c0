import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import type { Platform } from '../src/networks/api.ts'
import {
  type Connection,
  type Network,
  NetworkError,
  type Reservation,
  type Step,
  type StepMedia,
} from '../src/networks/network.ts'
import { createPage } from '../src/networks/page/page.ts'
import { createPhoto } from '../src/networks/photo/photo.ts'
import { createVideo } from '../src/networks/video/video.ts'

// The adapters of the networks without the product, which would check first and send once.

const free: Reservation = { take() {}, report() {} }

/** `timeScale` is the one of the sandbox. By default, calls have their real time limits. */
export function openNetworks(sandboxUrl: string, timeScale = 1): Record<Platform, Network> {
  const graph = {
    graphUrl: () => `${sandboxUrl}/graph`,
    dialogUrl: () => `${sandboxUrl}/dialog`,
    videoUrl: () => `${sandboxUrl}/graph`,
    version: 'v25.0',
    appId: 'sandbox-page-app',
    appSecret: 'sandbox-page-secret',
    timeScale,
  }
  const NET_VIDEO = createVideo({
    clientKey: 'sandbox-video-key',
    clientSecret: 'sandbox-video-secret',
    authUrl: () => `${sandboxUrl}/video-auth`,
    apiUrl: () => `${sandboxUrl}/video`,
    timeScale,
  })
  return { NET_PAGE: createPage(graph), NET_PHOTO: createPhoto(graph), NET_VIDEO }
}

/** Connects a sandbox person and returns their account `accountId`, or their first one. */
export async function grant(network: Network, user: string, accountId?: string): Promise<Connection> {
  const redirectUri = 'http://127.0.0.1:1/callback'
  const verifier = 'a'.repeat(64)
  const dialog = `${network.authorizeUrl({ state: 'x', redirectUri, verifier })}&sandbox_approve=1&sandbox_user=${user}`
  const consent = await fetch(dialog, { redirect: 'manual' })
  const code = new URL(consent.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const accounts = await network.connect({ code, redirectUri, verifier })
  return (accounts.find(({ externalId }) => externalId === accountId) ?? accounts[0]) as Connection
}

export const asPicture = (id: string, url: string, mimeType = 'image/jpeg'): StepMedia => ({
  id,
  kind: 'IMAGE',
  url,
  mimeType,
  altText: '',
  aiGenerated: false,
  size: 0,
  duration: null,
  read: () => Readable.from([]),
})

export const asVideo = (bytes: Buffer, change: Partial<StepMedia> = {}): StepMedia => ({
  id: 'video',
  kind: 'VIDEO',
  url: '',
  mimeType: 'video/mp4',
  altText: '',
  aiGenerated: false,
  size: bytes.length,
  duration: 4,
  read: (start, end) => Readable.from([bytes.subarray(start, end)]),
  ...change,
})

export const newStep = (account: Connection, text: string, media: StepMedia[]): Step => ({
  account,
  text,
  media,
  options: { privacyLevel: 'MUTUAL_FOLLOW_FRIENDS' },
  handles: {},
  reservation: free,
  now: new Date(),
})

/** Runs all steps before the commit, with waits that are `timeScale` times shorter. */
export async function prepare(network: Network, step: Step, timeScale: number): Promise<void> {
  for (;;) {
    const notYet = await network.prepare(step, async (made) => {
      step.handles = made
    })
    if (!notYet) return
    await sleep(notYet.after / timeScale)
    step.now = new Date()
  }
}

/** Publishes without any check, and waits until the post is live. Throws the refusal of the network. */
export async function publishUnchecked(network: Network, step: Step, timeScale: number): Promise<void> {
  await prepare(network, step, timeScale)
  let outcome: unknown = await network.commit(step)
  while (outcome === 'accepted') {
    await sleep(3_000 / timeScale)
    outcome = await network.confirm?.(step)
  }
  if (outcome instanceof NetworkError) throw outcome
}
