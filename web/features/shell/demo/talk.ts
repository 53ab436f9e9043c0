import '../../conversations/bot/endpoints.ts'
import '../../conversations/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { call } from '../../../client.ts'
import type { MakeOnce } from './making.ts'
import { wait } from '../../../wait.ts'
import {
  ASKED,
  entriesOf,
  type LabelName,
  type PastName,
  type PlannedThread,
  THREADS,
  VIDEO_COMMENTS,
  type Where,
} from './plan.ts'
import type { ThreadWords, Words } from './words/words.ts'

interface Stage {
  ws: string
  owner: string
  places: Partial<Record<Where, SocialAccount | undefined>>
  /** The posts of the previous weeks. */
  posts: ReadonlyMap<PastName, string>
  labels: ReadonlyMap<LabelName, string>
  words: Pick<Words, 'threads' | 'bot' | 'asked'>
}

type Told = PlannedThread & ThreadWords

const SECONDS = 60
const MINUTES = 10

/** Aborts the running conversations when the demo resets. */
let going = new AbortController()

/** Saves replies for the café's people, and starts the bot's experiment. */
export async function prepareAnswers(
  ws: string,
  { savedReplies, experiment }: Pick<Words, 'savedReplies' | 'experiment'>,
  once: MakeOnce,
): Promise<void> {
  const workspace = ws
  for (const [n, body] of savedReplies.entries())
    await once(`reply ${n}`, (idempotencyKey) => call('createSavedReply', { workspace, body, idempotencyKey }))
  const { id, version } = await once('experiment', (idempotencyKey) =>
    call('createExperiment', { workspace, body: experiment, idempotencyKey }),
  )
  await once('start of the experiment', () =>
    call('updateExperiment', { workspace, params: { id }, ifMatch: version, body: { state: 'RUNNING' } }),
  )
}

/** Has sandbox customers write, and carries out the café's responses. */
export async function talk({ ws, owner, places, posts, labels, words }: Stage): Promise<void> {
  const { signal } = (going = new AbortController())
  const { sandbox } = await call('getConfig')
  if (!sandbox) return
  const play = (account: SocialAccount) => async (act: object) => {
    const answer = await fetch(new URL(`${sandbox}/inbound`, location.href).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ network: account.platform, accountId: account.externalId, ...act }),
    })
    if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}`)
    return (await answer.json()) as { id: string }
  }
  const converse = async (one: Told) => {
    const account = places[one.on]
    if (!account) return
    const act = play(account)
    const post =
      one.post === undefined
        ? undefined
        : await call('getPost', { workspace: ws, params: { id: posts.get(one.post) ?? '' } })
    const live = post?.publications.find(({ accountId }) => accountId === account.id)?.externalId
    if (post && !live) return
    const { id } = await act({
      kind: post ? 'comment' : 'dm',
      from: { name: one.from },
      text: one.says,
      at: minutesAgo(one.ago),
      ...(live && { postId: live }),
    })
    let thread = await threadOf(ws, one.says)
    if (one.answer && one.answered !== undefined) {
      const from = { id: account.externalId, name: account.name }
      await act({ kind: 'comment', from, text: one.answer, at: minutesAgo(one.answered), parentId: id })
      thread = await threadOf(ws, one.answer)
    }
    await treat(ws, owner, one, thread, labels)
  }
  // A failed conversation does not affect the others or the bot.
  for (const [name, one] of entriesOf(THREADS)) {
    if (signal.aborted) return
    await converse({ ...one, ...words.threads[name] }).catch((error: unknown) =>
      console.warn('The demo misses a conversation:', name, error),
    )
  }
  if (signal.aborted) return
  const { faq, ...bot } = words.bot
  await call('updateBotConfig', {
    workspace: ws,
    body: {
      isEnabled: true,
      abTestingEnabled: true,
      maxConfidenceForAuto: 0.7,
      faqEntries: Object.values(faq),
      ...bot,
    },
  })
  for (const [name, on] of entriesOf(ASKED)) {
    const account = places[on]
    const { from, says } = words.asked[name]
    if (account) await play(account)({ kind: 'dm', from: { name: from }, text: says })
  }
  // Parley counts video comments every quarter of an hour, so those of one video become one conversation.
  if (!places.video) return
  for (const [name, comments] of entriesOf(VIDEO_COMMENTS)) {
    const postId = await idOfVideo(ws, posts.get(name) ?? '', places.video, signal)
    for (let n = 0; postId && n < comments; n += 1) await play(places.video)({ kind: 'comment', postId })
  }
}

/**
 * Closes all conversations before customers write again. Turns the bot off, so that it does not answer in place of the
 * café's people.
 */
export async function endTalk(ws: string): Promise<void> {
  going.abort()
  await call('updateBotConfig', { workspace: ws, body: { isEnabled: false } })
  const { data } = await call('listConversations', { workspace: ws, query: { limit: 100 } })
  const ids = data.filter(({ status }) => status !== 'CLOSED').map(({ id }) => id)
  if (ids.length > 0) await call('bulkConversations', { workspace: ws, body: { ids, close: true } })
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** The network's id of a video, which exists only some time after the video is live. */
async function idOfVideo(ws: string, id: string, account: SocialAccount, signal: AbortSignal) {
  for (const end = Date.now() + MINUTES * 60_000; Date.now() < end && !signal.aborted; await wait(2_000)) {
    const { publications } = await call('getPost', { workspace: ws, params: { id } })
    const video = publications.find(({ accountId }) => accountId === account.id)
    if (video?.externalId) return video.externalId
  }
  return undefined
}

/** Waits for the thread whose last message is `says`. */
async function threadOf(ws: string, says: string): Promise<Thread> {
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end; await wait(250)) {
    // An earlier run of the demo may have left closed threads with the same text.
    const query = { status: 'OPEN', sort: 'newest', limit: 100 } as const
    const { data } = await call('listConversations', { workspace: ws, query })
    const found = data.find(({ lastMessage }) => lastMessage?.text === says)
    if (found) return found
  }
  throw new Error(`Nobody heard “${says}”`)
}

async function treat(
  ws: string,
  owner: string,
  { answer, answered, note, label, urgency, assigned, end }: Told,
  { id }: Thread,
  labels: ReadonlyMap<LabelName, string>,
): Promise<void> {
  const at = { workspace: ws, params: { id } }
  const mark = label && labels.get(label)
  if (urgency || mark)
    await call('updateConversation', { ...at, body: { ...(urgency && { urgency }), ...(mark && { labels: [mark] }) } })
  if (note) await call('createNote', { ...at, body: { text: note } })
  if (assigned) await call('assignConversation', { ...at, body: { userId: owner } })
  if (answer && answered === undefined) await call('createMessage', { ...at, body: { text: answer } })
  if (end === 'closed') await call('closeConversation', at)
  if (end === 'escalated') await call('escalateConversation', { ...at, body: {} })
  if (end === 'snoozed') {
    const until = new Date(Date.now() + 20 * 3_600_000).toISOString()
    await call('snoozeConversation', { ...at, body: { until } })
  }
}
