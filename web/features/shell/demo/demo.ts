import type { QueryClient } from '@tanstack/react-query'
import '../../assistant/ai/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { isOwnersPlatform, networks } from '../../../../src/networks/rules.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { Language } from '../../../../src/team/identity/api.ts'
import { allPages, call, type CallOptions } from '../../../client.ts'
import { language } from '../../../language.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { session } from '../../../session.ts'
import { addDays, dateIn, instantOf } from '../../../time.ts'
import { upload } from '../../../upload.ts'
import { type Play, tellHistory } from './history.ts'
import { endTests, prepareInsights, startTest } from './insights.ts'
import { type DemoCall, asker, type Colleagues, findColleagues, inviteColleagues, pause } from './people.ts'
import {
  DRAFTS,
  entriesOf,
  type FileName,
  FILES,
  IN_REVIEW,
  LABELS,
  type LabelName,
  NOW,
  PAST,
  type PastName,
  type Planned,
  type PostName,
  SCHEDULED,
  SENT_BACK,
  SLOTS,
  type Timed,
  type Where,
} from './plan.ts'
import { endTalk, prepareAnswers, talk } from './talk.ts'
import { DEMO_PASSWORD, VISITORS } from './visitor.ts'
import type { PostWords, Words } from './words/words.ts'

export const STEPS = ['connect', 'media', 'posts', 'past'] as const
export type DemoStep = (typeof STEPS)[number]
type Tell = (step: DemoStep) => void

const languages: Record<Language, () => Promise<{ words: Words }>> = {
  en: () => import('./words/en.ts'),
  ar: () => import('./words/ar.ts'),
}

/** Loads the texts of the demo in a language. */
const readWords = async (tongue: Language): Promise<Words> => (await languages[tongue]()).words

/** The final statuses of a published post. */
const ENDED: readonly Post['status'][] = ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED']

/**
 * Creates a visitor and a workspace to explore, with the same operations that people use: registers, connects sandbox
 * accounts, invites colleagues, uploads, writes, schedules and publishes. Returns the workspace's id.
 */
export async function makeDemo(
  { visitor, zone, client }: { visitor: string; zone: string; client: QueryClient },
  tell: Tell,
): Promise<string> {
  const email = `owner-${crypto.randomUUID().slice(0, 13)}${VISITORS}`
  const settings = { timezone: zone, language: language.get() }
  const words = await readWords(settings.language)
  const answer = await call('register', { body: { email, password: DEMO_PASSWORD, name: visitor, ...settings } })
  client.clear()
  session.enter(answer)
  const [membership] = answer.workspaces
  if (!membership) throw new Error('A new person has no workspace')
  const ws = membership.id
  await call('completeOnboarding', {
    body: { workspaceName: words.business, timezone: zone, niche: words.niche, goals: words.goals },
  })
  client.clear()
  tell('connect')
  const colleagues = inviteColleagues(ws, email, words.colleagues, settings)
  for (const network of PLATFORM_ORDER) await connect(ws, network, cafePerson(settings.language))
  await Promise.all([
    furnish({ ws, zone, words, people: colleagues, isNew: true }, tell),
    prepareWriting(ws, membership.features, words),
  ])
  return ws
}

/** Deletes the content of the workspace and creates that of a new demo. The accounts stay connected. */
export async function resetDemo(ws: string, zone: string, tell: Tell): Promise<void> {
  // The accounts keep their names, so the new content uses their language.
  const { data: accounts } = await call('listSocialAccounts', { workspace: ws })
  const words = await readWords(accounts.some(({ name }) => /\p{Script=Arabic}/u.test(name)) ? 'ar' : 'en')
  const features = await featuresOf(ws)
  if (features.includes('auto_reply')) await endTalk(ws)
  if (features.includes('ab_testing')) await endTests(ws)
  for (;;) {
    const { data } = await call('listPosts', { workspace: ws, query: { limit: 100 } })
    if (data.length === 0) break
    for (const { id, status } of data) {
      if (status !== 'PUBLISHING') await call('deletePost', { workspace: ws, params: { id } })
    }
    // Posts that are publishing can be deleted only afterwards.
    if (data.every(({ status }) => status === 'PUBLISHING')) await pause(500)
  }
  for (;;) {
    const { data } = await call('listMedia', { workspace: ws, query: { limit: 100 } })
    if (data.length === 0) break
    for (const { id } of data) await call('deleteMedia', { workspace: ws, params: { id } })
  }
  await furnish({ ws, zone, words, people: findColleagues(ws), isNew: false }, tell)
}

/**
 * The first sandbox person who runs the café, by the language of its name. Every 89th person may post only short
 * videos.
 */
const CAFE_PEOPLE: Readonly<Record<Language, number>> = { en: 89 * 10_112_360, ar: 89 * 9_550_563 }
const PEOPLE_OF_A_CAFE = 561_797

/**
 * Picks one of them at random. Each network gets its own person, because networks limit the calls per person and hour.
 */
const cafePerson = (tongue: Language) => `u${CAFE_PEOPLE[tongue] + 89 * Math.floor(Math.random() * PEOPLE_OF_A_CAFE)}`

async function featuresOf(ws: string): Promise<readonly string[]> {
  const { workspaces } = await call('getMe')
  return workspaces.find(({ id }) => id === ws)?.features ?? []
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
  await back.body?.cancel()
  if (!back.url.includes('connected=')) throw new Error(`${network} was not connected: ${back.url}`)
}

/** Creates the writing tools: templates, hashtags, the brand voice, saved replies, and queue slots. */
async function prepareWriting(
  ws: string,
  features: readonly string[],
  { templates, hashtagSets, voice, ...answers }: Words,
): Promise<void> {
  for (const body of templates) await call('createTemplate', { workspace: ws, body })
  for (const body of hashtagSets) await call('createHashtagSet', { workspace: ws, body })
  if (features.includes('ai_content')) await call('createBrandVoice', { workspace: ws, body: voice })
  if (features.includes('auto_reply')) await prepareAnswers(ws, answers)
  await call('setSlots', { workspace: ws, body: { slots: SLOTS } })
}

interface Stage {
  ws: string
  zone: string
  words: Words
  people: Promise<Colleagues>
  isNew: boolean
}

async function furnish({ ws, zone, words, people, isNew }: Stage, tell: Tell): Promise<void> {
  const { data: accounts } = await call('listSocialAccounts', { workspace: ws })
  // The sandbox numbers a person's pages; the café's own is first.
  const pages = accounts
    .filter(({ platform }) => networks[platform].post.textOnly)
    .toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))
  const others = accounts.filter((one) => !pages.includes(one))
  const places: Record<Where, SocialAccount | undefined> = {
    page: pages[0],
    roastery: pages[1] ?? pages[0],
    photo: others.find(({ platform }) => networks[platform].post.images !== null),
    video: others.find(({ platform }) => isOwnersPlatform(platform)),
  }
  const play = await player()
  // The stand-ins keep their posts, so only a new demo needs a history. Read it now: posts published later would use up
  // this hour's calls.
  if (isNew)
    void tellHistory(play, places, zone, words.history)
      .then(() => readNow(ws, accounts))
      .catch((error: unknown) => console.warn('The demo has no past:', error))
  tell('media')
  const files = new Map(
    await Promise.all(FILES.map(async (name) => [name, (await put(ws, name, words.files[name])).id] as const)),
  )
  const marks = await makeLabels(ws, words.labels)
  tell('posts')
  const today = dateIn(new Date(), zone)
  const at = ({ day, at: clock }: Timed) => instantOf(`${addDays(today, day)}T${clock}`, zone).toISOString()
  const written = (name: PostName) => {
    const { caption, hashtags = [], captions = {} }: PostWords = words.posts[name]
    const captionOverrides = Object.fromEntries(
      entriesOf(captions).map(([place, text]) => [places[place]?.platform, text]),
    )
    return { caption, hashtags, captionOverrides }
  }
  const post = (name: PostName, { on, media = [], labels = [] }: Planned) => ({
    ...written(name),
    targets: on.flatMap((place) => places[place]?.id ?? []),
    media: media.map((name) => files.get(name) ?? ''),
    labels: labels.map((name) => marks.get(name) ?? ''),
    platformOptions: Object.fromEntries(
      on
        .flatMap((place) => places[place]?.platform ?? [])
        .filter(isOwnersPlatform)
        .map((platform) => [platform, { privacyLevel: 'PUBLIC_TO_EVERYONE' as const, consent: true }]),
    ),
  })
  const create = (body: NonNullable<CallOptions<'createPost'>['body']>) => call('createPost', { workspace: ws, body })

  const owner = asker(await session.token(), ws)
  const dated: Promise<void>[] = []
  const past = new Map<PastName, string>()
  for (const [name, one] of entriesOf<PastName, Timed>(PAST)) {
    const { id } = await create({ ...post(name, one), action: 'publish' })
    past.set(name, id)
    const done = backdate(owner, play, ws, id, at(one))
    // A network takes time to process a video, so its post is backdated while the visitor already looks around.
    if (one.on.includes('video')) done.catch((error: unknown) => console.warn('A video has no day:', error))
    else dated.push(done)
  }
  for (const [name, one] of entriesOf(NOW)) await create({ ...post(name, one), action: 'publish' })
  for (const [name, one] of entriesOf(SCHEDULED))
    await create({ ...post(name, one), scheduledAt: at(one), action: 'schedule' })
  for (const [name, one] of entriesOf(DRAFTS)) await create({ ...post(name, one), action: 'draft' })
  const features = await featuresOf(ws)
  if (places.page && features.includes('ab_testing'))
    await startTest(ws, zone, places.page, words.test).catch((error: unknown) =>
      console.warn('The demo has no A/B test:', error),
    )

  const { EDITOR, ADMIN, CLIENT } = await people
  if (EDITOR && ADMIN && CLIENT) {
    const submit = (body: object) =>
      EDITOR<Post>('POST', '/posts', { ...body, action: 'submit', onApproval: 'schedule' })
    for (const [name, { client, ...one }] of entriesOf(IN_REVIEW)) {
      const { id } = await submit({ ...post(name, one), scheduledAt: at(one), client })
      if (client) await CLIENT('POST', `/posts/${id}/comments`, { text: words.comment })
    }
    for (const [name, one] of entriesOf(SENT_BACK)) {
      const { id } = await submit({ ...post(name, one), scheduledAt: at(one), client: false })
      await ADMIN('POST', `/posts/${id}/reject`, { reason: words.reason })
    }
  }
  tell('past')
  await Promise.all(dated)
  const { id: me } = await call('getMe')
  // Customers write while the visitor already looks around, as on a normal day.
  if (features.includes('auto_reply'))
    void talk({ ws, owner: me, places, posts: past, labels: marks, words }).catch((error: unknown) =>
      console.warn('The demo has no more conversations:', error),
    )
  // Without a model, or without AI in the plan, the demo has no suggestions but is otherwise complete.
  await call('refreshSuggestions', { workspace: ws, body: {} }).catch(() => undefined)
  void prepareInsights(ws, features, places.photo, words).catch((error: unknown) =>
    console.warn('The demo has no report, segment or competitor:', error),
  )
}

/** The ids of the demo's labels by name. Existing labels are reused. */
async function makeLabels(ws: string, names: Words['labels']): Promise<ReadonlyMap<LabelName, string>> {
  const known = await allPages((query) => call('listLabels', { workspace: ws, query }))
  return new Map(
    await Promise.all(
      entriesOf(LABELS).map(async ([label, color]) => {
        const name = names[label]
        const { id } =
          known.find((one) => one.name === name) ??
          (await call('createLabel', { workspace: ws, body: { name, color } }))
        return [label, id] as const
      }),
    ),
  )
}

/** Waits until a post is live, then backdates it here and at its networks. */
async function backdate(owner: DemoCall, play: Play, ws: string, id: string, publishedAt: string): Promise<void> {
  for (;;) {
    const { status, publications } = await call('getPost', { workspace: ws, params: { id } })
    if (ENDED.includes(status)) {
      for (const { accountId, externalId } of publications)
        if (externalId) await play('history', { accountId, posts: [{ id: externalId, at: publishedAt }] })
      break
    }
    await pause(400)
  }
  await owner('POST', `/posts/${id}/backdate`, { publishedAt })
}

/** Returns a function that calls the sandbox. Without a sandbox it does nothing. */
async function player(): Promise<Play> {
  const { sandbox } = await call('getConfig')
  return async (path, body) => {
    if (!sandbox) return
    const answer = await fetch(new URL(`${sandbox}/${path}`, location.href).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}`)
  }
}

/** Reads the figures of all accounts now. Rejects if the plan has no analytics. */
const readNow = (ws: string, accounts: readonly SocialAccount[]) =>
  Promise.all(accounts.map(({ id }) => call('syncAccountNow', { workspace: ws, body: { accountId: id } })))

/** Uploads a file that ships with the app, and waits until it is ready. */
async function put(ws: string, name: FileName, altText: string): Promise<MediaFile> {
  const answer = await fetch(`/app/demo/${name}`)
  if (!answer.ok) throw new Error(`${name} is missing: ${answer.status}`)
  const file = new File([await answer.blob()], name, { type: name.endsWith('.mp4') ? 'video/mp4' : 'image/jpeg' })
  const { id } = await upload(ws, file, () => {}).done
  for (;;) {
    const found = await call('getMedia', { workspace: ws, params: { id } })
    if (found.state === 'REJECTED') throw new Error(`${name} was rejected: ${found.rejectedReason}`)
    if (found.state === 'READY') break
    await pause(200)
  }
  return call('updateMedia', { workspace: ws, params: { id }, body: { altText } })
}
