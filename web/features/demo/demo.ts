import type { QueryClient } from '@tanstack/react-query'
import type { Platform } from '../../../src/accounts/api.ts'
import type { MediaFile } from '../../../src/media/api.ts'
import { call, type CallOptions } from '../../client.ts'
import { language } from '../../language.ts'
import { PLATFORM_ORDER } from '../../labels.ts'
import { session } from '../../session.ts'
import { addDays, dateIn, instantOf } from '../../time.ts'
import { upload } from '../../upload.ts'
import { VISITORS } from './visitor.ts'

export type DemoText = (
  key:
    | 'workspace'
    | 'visitor'
    | 'autumn'
    | 'autumnShort'
    | 'beans'
    | 'counter'
    | 'pour'
    | 'pourShort'
    | 'roast'
    | 'hours'
    | 'idea',
) => string

const FILES = ['autumn.jpg', 'beans.jpg', 'counter.jpg', 'pour.mp4', 'roast.mp4'] as const
export const STEPS = ['connect', 'media', 'posts'] as const
export type DemoStep = (typeof STEPS)[number]

/**
 * Makes a visitor with a workspace to look around in, by the same operations as any person's: registers, connects accounts of
 * the sandbox by their consent pages, uploads, schedules and publishes. Answers the workspace.
 */
export async function makeDemo(
  { text, zone, client }: { text: DemoText; zone: string; client: QueryClient },
  tell: (step: DemoStep) => void,
): Promise<string> {
  const answer = await call('register', {
    body: {
      email: `visitor-${crypto.randomUUID().slice(0, 13)}${VISITORS}`,
      password: crypto.randomUUID() + crypto.randomUUID(),
      name: text('visitor'),
      timezone: zone,
      language: language.get(),
    },
  })
  client.clear()
  session.enter(answer)
  const [membership] = answer.workspaces
  if (!membership) throw new Error('A new person has no workspace')
  const ws = membership.id
  await call('completeOnboarding', { body: { workspaceName: text('workspace'), timezone: zone } })
  client.clear()
  tell('connect')
  // A person of the sandbox for each visitor; this kind of creator may post short videos only.
  const person = `u${89 * (1 + Math.floor(Math.random() * 11_000_000))}`
  for (const network of PLATFORM_ORDER) await connect(ws, network, person)
  await furnish(ws, zone, text, tell)
  return ws
}

/** Throws away what the workspace has, and puts what a new demo has in its place. The accounts stay connected. */
export async function resetDemo(
  ws: string,
  zone: string,
  text: DemoText,
  tell: (step: DemoStep) => void,
): Promise<void> {
  for (;;) {
    const { data } = await call('listPosts', { workspace: ws, query: { limit: 100 } })
    if (data.length === 0) break
    for (const { id, status } of data) {
      if (status !== 'PUBLISHING') await call('deletePost', { workspace: ws, params: { id } })
    }
    // What is being published can be deleted once it has ended.
    if (data.every(({ status }) => status === 'PUBLISHING')) await pause(500)
  }
  for (;;) {
    const { data } = await call('listMedia', { workspace: ws, query: { limit: 100 } })
    if (data.length === 0) break
    for (const { id } of data) await call('deleteMedia', { workspace: ws, params: { id } })
  }
  await furnish(ws, zone, text, tell)
}

async function connect(ws: string, network: Platform, person: string): Promise<void> {
  const start = await call('startConnection', {
    workspace: ws,
    params: { network },
    query: { redirect: `/app/w/${ws}/accounts`, workspaceId: ws },
  })
  if (!start) throw new Error('The service named no consent page')
  const address = new URL(start.authorizationUrl)
  address.searchParams.set('sandbox_approve', '1')
  address.searchParams.set('sandbox_user', person)
  const back = await fetch(address)
  if (!back.url.includes('connected=')) throw new Error(`${network} was not connected: ${back.url}`)
}

async function furnish(ws: string, zone: string, text: DemoText, tell: (step: DemoStep) => void): Promise<void> {
  const { data: accounts } = await call('listSocialAccounts', { workspace: ws })
  const on = (...networks: Platform[]) =>
    networks.flatMap((network) => accounts.find(({ platform }) => platform === network)?.id ?? [])
  tell('media')
  const files = await Promise.all(FILES.map((name) => put(ws, name)))
  const media = (...names: (typeof FILES)[number][]) => names.map((name) => files[FILES.indexOf(name)]!.id)
  tell('posts')
  const today = dateIn(new Date(), zone)
  const at = (days: number, clock: string) => instantOf(`${addDays(today, days)}T${clock}`, zone).toISOString()
  const forEveryone = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } } as const
  const posts: NonNullable<CallOptions<'createPost'>['body']>[] = [
    {
      caption: text('autumn'),
      hashtags: ['#autumn', '#coffee'],
      captionOverrides: { NET_PHOTO: { caption: text('autumnShort') } },
      targets: on('NET_PAGE', 'NET_PHOTO'),
      media: media('autumn.jpg'),
      action: 'publish',
    },
    {
      caption: text('roast'),
      targets: on('NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'),
      media: media('roast.mp4'),
      platformOptions: forEveryone,
      action: 'publish',
    },
    {
      caption: text('pour'),
      captionOverrides: { NET_PHOTO: { caption: text('pourShort') } },
      targets: on('NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'),
      media: media('pour.mp4'),
      platformOptions: forEveryone,
      scheduledAt: at(1, '09:00'),
      action: 'schedule',
    },
    {
      caption: text('beans'),
      targets: on('NET_PAGE', 'NET_PHOTO'),
      media: media('beans.jpg', 'counter.jpg'),
      scheduledAt: at(2, '18:30'),
      action: 'schedule',
    },
    { caption: text('hours'), targets: on('NET_PAGE'), scheduledAt: at(4, '08:15'), action: 'schedule' },
    {
      caption: text('counter'),
      targets: on('NET_PAGE', 'NET_PHOTO'),
      media: media('counter.jpg'),
      scheduledAt: at(6, '12:00'),
      action: 'schedule',
    },
    { caption: text('idea'), targets: on('NET_PAGE'), action: 'draft' },
  ]
  for (const body of posts) await call('createPost', { workspace: ws, body })
}

/** Uploads one of the files that come with the app, and waits until it can be used. */
async function put(ws: string, name: (typeof FILES)[number]): Promise<MediaFile> {
  const answer = await fetch(`/app/demo/${name}`)
  if (!answer.ok) throw new Error(`${name} is missing: ${answer.status}`)
  const file = new File([await answer.blob()], name, { type: name.endsWith('.mp4') ? 'video/mp4' : 'image/jpeg' })
  const { id } = await upload(ws, file, () => {}).done
  for (;;) {
    const found = await call('getMedia', { workspace: ws, params: { id } })
    if (found.state === 'READY') return found
    if (found.state === 'REJECTED') throw new Error(`${name} was rejected: ${found.rejectedReason}`)
    await pause(200)
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
