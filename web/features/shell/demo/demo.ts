import type { QueryClient } from '@tanstack/react-query'
import '../../assistant/ai/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { isOwnersPlatform, networks } from '../../../../src/networks/rules.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { Language } from '../../../../src/team/identity/api.ts'
import { wait } from '../../../wait.ts'
import { allPages, call, type CallOptions, isProblem } from '../../../client.ts'
import { language } from '../../../language.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { offline } from '../../../problem-error.ts'
import { session } from '../../../session.ts'
import { addDays, dateIn, instantOf } from '../../../time.ts'
import { upload } from '../../../upload.ts'
import { type Play, tellHistory } from './history.ts'
import { endTests, prepareInsights, startTest } from './insights.ts'
import { createMaking, type Making, type MakeOnce } from './making.ts'
import { NotConnected } from './not-connected.ts'
import { type DemoCall, asker, type Colleagues, findColleagues, inviteColleagues } from './people.ts'
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

const readWords = async (tongue: Language): Promise<Words> => (await languages[tongue]()).words

/** The final statuses of a post that goes out. */
const ENDED: readonly Post['status'][] = ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED']

/**
 * Creates a visitor and a workspace to explore, with the same operations that people use: registers, connects sandbox
 * accounts, invites colleagues, uploads, writes, schedules and publishes. Returns the workspace's id. After a failure,
 * the same `making` goes on where it stopped.
 */
export async function makeDemo(
  making: Making,
  { visitor, zone, client }: { visitor: string; zone: string; client: QueryClient },
  tell: Tell,
): Promise<string> {
  const { once } = making
  const { email, settings, person } = await once('visitor', async () => ({
    email: `owner-${crypto.randomUUID().slice(0, 13)}${VISITORS}`,
    settings: { timezone: zone, language: language.get() },
    // Each network gets its own person, because networks limit the calls per person and hour.
    person: new Map(PLATFORM_ORDER.map((network) => [network, cafePerson(language.get())])),
  }))
  const words = await readWords(settings.language)
  const membership = await once('registration', async () => {
    const answer = await register({ email, password: DEMO_PASSWORD, name: visitor, ...settings })
    client.clear()
    session.enter(answer)
    const [own] = answer.workspaces
    if (!own) throw new Error('A new person has no workspace')
    return own
  })
  const ws = membership.id
  making.ws = ws
  await call('completeOnboarding', {
    body: { workspaceName: words.business, timezone: zone, niche: words.niche, goals: words.goals },
  })
  client.clear()
  tell('connect')
  const colleagues = inviteColleagues(ws, email, words.colleagues, settings, once)
  colleagues.catch(() => undefined) // `furnish` reports it, unless something fails before
  for (const network of PLATFORM_ORDER)
    await once(`account of ${network}`, () => connect(ws, network, person.get(network) ?? ''))
  await Promise.all([
    furnish({ ws, zone, words, people: colleagues, isNew: true, once }, tell),
    prepareWriting(ws, membership.features, words, once),
  ])
  return ws
}

/** Registers a person. If they exist, because the answer to an earlier try was lost, signs them in. */
const register = (body: NonNullable<CallOptions<'register'>['body']> & { email: string }) =>
  call('register', { body }).catch((error: unknown) => {
    if (!isProblem(error, 'email_taken')) throw error
    return call('login', { body: { email: body.email, password: body.password } })
  })

/**
 * Deletes the content of the workspace and creates that of a new demo. The accounts stay connected, and those that an
 * unfinished demo lacks are connected.
 */
export async function resetDemo(ws: string, zone: string, tell: Tell): Promise<void> {
  // The accounts keep their names, so the new content uses their language.
  const { data: accounts } = await call('listSocialAccounts', { workspace: ws })
  const isNew = accounts.length === 0
  const isArabic = isNew ? language.get() === 'ar' : accounts.some(({ name }) => /\p{Script=Arabic}/u.test(name))
  const tongue = isArabic ? 'ar' : 'en'
  const words = await readWords(tongue)
  for (const network of PLATFORM_ORDER)
    if (!accounts.some(({ platform }) => platform === network)) await connect(ws, network, cafePerson(tongue))
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
    if (data.every(({ status }) => status === 'PUBLISHING')) await wait(500)
  }
  for (;;) {
    const { data } = await call('listMedia', { workspace: ws, query: { limit: 100 } })
    if (data.length === 0) break
    for (const { id } of data) await call('deleteMedia', { workspace: ws, params: { id } })
  }
  await furnish({ ws, zone, words, people: findColleagues(ws), isNew, once: createMaking().once }, tell)
}

/**
 * The first sandbox person who runs the café, by the language of its name. Every 89th person may post only short
 * videos.
 */
const CAFE_PEOPLE: Readonly<Record<Language, number>> = { en: 89 * 10_112_360, ar: 89 * 9_550_563 }
const PEOPLE_OF_A_CAFE = 561_797

/** Picks one of them at random. */
const cafePerson = (tongue: Language) => `u${CAFE_PEOPLE[tongue] + 89 * Math.floor(Math.random() * PEOPLE_OF_A_CAFE)}`

async function featuresOf(ws: string): Promise<readonly string[]> {
  const { workspaces } = await call('getMe')
  return workspaces.find(({ id }) => id === ws)?.features ?? []
}

/** Connects a person's accounts on a network. Throws `NotConnected`. Connecting the same person again changes nothing. */
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
  const back = await fetch(address).catch((error: unknown) => {
    throw offline(error)
  })
  await back.body?.cancel()
  if (!back.url.includes('connected=')) throw new NotConnected(network, back.url)
}

/** Creates the writing tools: templates, hashtags, the brand voice, saved replies, and queue slots. */
async function prepareWriting(
  ws: string,
  features: readonly string[],
  { templates, hashtagSets, voice, ...answers }: Words,
  once: MakeOnce,
): Promise<void> {
  const workspace = ws
  for (const [n, body] of templates.entries())
    await once(`template ${n}`, (idempotencyKey) => call('createTemplate', { workspace, body, idempotencyKey }))
  for (const [n, body] of hashtagSets.entries())
    await once(`hashtags ${n}`, (idempotencyKey) => call('createHashtagSet', { workspace, body, idempotencyKey }))
  if (features.includes('ai_content'))
    await once('voice', (idempotencyKey) => call('createBrandVoice', { workspace, body: voice, idempotencyKey }))
  if (features.includes('auto_reply')) await prepareAnswers(ws, answers, once)
  await call('setSlots', { workspace: ws, body: { slots: SLOTS } })
}

interface Stage {
  ws: string
  zone: string
  words: Words
  people: Promise<Colleagues>
  isNew: boolean
  once: MakeOnce
}

/** The longest wait in milliseconds for the posts of the previous weeks, such as while a network is down. */
const LONGEST_WAIT = 60_000

async function furnish({ ws, zone, words, people, isNew, once }: Stage, tell: Tell): Promise<void> {
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
    void once('past', () =>
      tellHistory(play, places, zone, words.history, once).then(() => readNow(ws, accounts)),
    ).catch((error: unknown) => console.warn('The demo has no past:', error))
  tell('media')
  const files = new Map(
    await Promise.all(
      FILES.map(async (name) => {
        const { id } = await once(`file ${name}`, () => put(ws, name))
        return [name, (await describe(ws, id, words.files[name])).id] as const
      }),
    ),
  )
  const marks = await makeLabels(ws, words.labels)
  tell('posts')
  const today = await once('today', async () => dateIn(new Date(), zone))
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
  const create = (name: PostName, body: NonNullable<CallOptions<'createPost'>['body']>) =>
    once(`post ${name}`, (idempotencyKey) => call('createPost', { workspace: ws, body, idempotencyKey }))

  const owner = asker(await session.token(), ws)
  const dated: Promise<void>[] = []
  const past = new Map<PastName, string>()
  for (const [name, one] of entriesOf<PastName, Timed>(PAST)) {
    const { id } = await create(name, { ...post(name, one), action: 'publish' })
    past.set(name, id)
    const isReady = once(
      `date of ${name}`,
      () =>
        new Promise<void>((resolve) => {
          void backdate(owner, play, ws, id, at(one), resolve)
            .catch((error: unknown) => console.warn('A post has no day:', error))
            .finally(resolve)
        }),
    )
    // A network takes time to process a video, so its post is backdated while the visitor already looks around.
    if (!one.on.includes('video')) dated.push(isReady)
  }
  for (const [name, one] of entriesOf(NOW)) await create(name, { ...post(name, one), action: 'publish' })
  for (const [name, one] of entriesOf(SCHEDULED))
    await create(name, { ...post(name, one), scheduledAt: at(one), action: 'schedule' })
  for (const [name, one] of entriesOf(DRAFTS)) await create(name, { ...post(name, one), action: 'draft' })
  const features = await featuresOf(ws)
  const { page } = places
  if (page && features.includes('ab_testing'))
    await once('test', () =>
      startTest(ws, zone, page, words.test).catch((error: unknown) => console.warn('The demo has no A/B test:', error)),
    )

  const { EDITOR, ADMIN, CLIENT } = await people
  if (EDITOR && ADMIN && CLIENT) {
    const submit = (name: PostName, body: object) =>
      once(`post ${name}`, (key) =>
        EDITOR<Post>('POST', '/posts', { ...body, action: 'submit', onApproval: 'schedule' }, key),
      )
    for (const [name, { client, ...one }] of entriesOf(IN_REVIEW)) {
      const { id } = await submit(name, { ...post(name, one), scheduledAt: at(one), client })
      if (client)
        await once(`comment on ${name}`, (key) => CLIENT('POST', `/posts/${id}/comments`, { text: words.comment }, key))
    }
    for (const [name, one] of entriesOf(SENT_BACK)) {
      const { id } = await submit(name, { ...post(name, one), scheduledAt: at(one), client: false })
      await once(`answer to ${name}`, (key) => ADMIN('POST', `/posts/${id}/reject`, { reason: words.reason }, key))
    }
  }
  tell('past')
  await Promise.race([Promise.all(dated), wait(LONGEST_WAIT)])
  const { id: me } = await call('getMe')
  // Customers write while the visitor already looks around, as on a normal day.
  if (features.includes('auto_reply'))
    void once('talk', () => talk({ ws, owner: me, places, posts: past, labels: marks, words })).catch(
      (error: unknown) => console.warn('The demo has no more conversations:', error),
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

/**
 * Waits until a post is live, then backdates it here and at its networks. A post that a network has refused stays as it
 * is. `later` is called if a network fails, because its next try may be hours away.
 */
async function backdate(
  owner: DemoCall,
  play: Play,
  ws: string,
  id: string,
  publishedAt: string,
  later: () => void,
): Promise<void> {
  for (;;) {
    const { status, publications } = await call('getPost', { workspace: ws, params: { id } })
    if (ENDED.includes(status)) {
      if (status !== 'PUBLISHED') return
      for (const { accountId, externalId } of publications)
        if (externalId) await play('history', { accountId, posts: [{ id: externalId, at: publishedAt }] })
      break
    }
    const isFailing = publications.some(({ waitReason }) => waitReason === 'backoff')
    if (isFailing) later()
    await wait(isFailing ? 5_000 : 400)
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

/** Uploads a file that ships with the app. */
async function put(ws: string, name: FileName): Promise<MediaFile> {
  const answer = await fetch(`/app/demo/${name}`)
  if (!answer.ok) throw new Error(`${name} is missing: ${answer.status}`)
  const type = name.endsWith('.mp4') ? 'video/mp4' : 'image/jpeg'
  // An upload that broke off is continued if the file is the same, with the same time.
  return upload(ws, new File([await answer.blob()], name, { type, lastModified: 0 }), () => {}).done
}

/** Describes a file, once it is ready. */
async function describe(ws: string, id: string, altText: string): Promise<MediaFile> {
  for (;;) {
    const found = await call('getMedia', { workspace: ws, params: { id } })
    if (found.state === 'REJECTED') throw new Error(`${found.fileName} was rejected: ${found.rejectedReason}`)
    if (found.state === 'READY') break
    await wait(200)
  }
  return call('updateMedia', { workspace: ws, params: { id }, body: { altText } })
}
