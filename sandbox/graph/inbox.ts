import { createHash, randomBytes } from 'node:crypto'
import { answerList, answerNode, type GraphRequest, idOf, newId, type View } from './call.ts'
import { askedFailure, refuse } from './errors.ts'
import type { NodeType } from './fields.ts'
import { fetchedPicture } from './media.ts'
import { conversationKey, type StoredMessage } from './inbox-state.ts'
import { graphTime } from './nodes.ts'
import { flag, isRecord, limit, list, text } from './params.ts'
import { publisher } from './posts.ts'
import { findComment } from './comments.ts'
import { hasScope, isAppToken, needToRead } from './tokens.ts'
import { accountsOf, ownerOf, tellComment, tellMessage, untilTold } from './webhooks.ts'

const DAY = 86_400_000
const LIMITS = { page: 2_000, photoBytes: 1_000 }

/** `POST {app}/subscriptions`: sets the address for the app's events, which must pass the handshake. */
export async function subscribeCallback(call: GraphRequest): Promise<object> {
  const appId = subscribedApp(call)
  const [object, url, verifyToken] = ['object', 'callback_url', 'verify_token'].map(
    (name) => text(call.params, name) ?? '',
  ) as [string, string, string]
  if (object !== 'page' && object !== 'instagram')
    throw refuse.parameter('Param object must be one of {PAGE, INSTAGRAM}')
  const challenge = String(randomBytes(4).readUInt32BE())
  const asked = new URL(url)
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verifyToken }
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value)
  const answer = await fetch(asked, { redirect: 'manual', signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  if (answer?.status !== 200 || (await answer.text()) !== challenge) {
    throw refuse.parameter('(#2200) Callback verification failed: the challenge was not answered')
  }
  const fields = (list(call.params, 'fields') ?? []).map(String)
  call.store.record({ type: 'callback.set', object, callback: { url, fields, appId } })
  return { success: true }
}

/** `GET {app}/subscriptions`: the addresses for the app's events, and their fields. */
export function listCallbacks(call: GraphRequest): object {
  const appId = subscribedApp(call)
  const ours = [...call.store.state.callbacks].filter(([, callback]) => callback.appId === appId)
  return {
    data: ours.map(([object, { url, fields }]) => ({
      object,
      callback_url: url,
      active: true,
      fields: fields.map((name) => ({ name, version: 'v25.0' })),
    })),
  }
}

/** Returns the app that the token belongs to. */
function subscribedApp(call: GraphRequest): string {
  const appId = idOf(call)
  if (call.token === undefined || !isAppToken(call.token, call.apps) || !call.token.startsWith(`${appId}|`))
    throw refuse.noToken()
  return appId
}

/** `POST {page}/messages`: to a person within the window, or once to the author of a comment. */
export async function sendMessage(call: GraphRequest): Promise<object> {
  const { store, params } = call
  const caller = publisher(call, call.caller().pageId ?? '')
  if (!hasScope(store.state, caller, 'pages_messaging')) throw refuse.permission(['pages_messaging'])
  const [recipient, message] = [params.get('recipient'), params.get('message')]
  if (!isRecord(recipient) || !isRecord(message)) throw refuse.parameter('Params recipient and message are required')
  const words = typeof message['text'] === 'string' ? message['text'] : ''
  const picture = await pictureOf(message['attachment'])
  if (words.trim() === '' && !picture) throw refuse.noContent()
  if (words !== '' && picture) throw refuse.parameter('A message must have a text or an attachment')
  const metadata = typeof message['metadata'] === 'string' ? message['metadata'] : undefined
  const at = store.clock.now()
  const fail = askedFailure(words)
  if (fail && !fail.had) throw fail.refusal
  const make = async (accountId: string, personId: string, commentId?: string): Promise<object> => {
    if (accountId === caller.pageId ? words.length > LIMITS.page : Buffer.byteLength(words) > LIMITS.photoBytes) {
      throw refuse.parameter('The message is too long')
    }
    const id = `m_${createHash('sha256').update(newId(call)).digest('base64url').slice(0, 24)}`
    const made: StoredMessage = {
      id,
      accountId,
      personId,
      by: accountId,
      text: words,
      ...(picture && { attachments: [{ type: 'image', url: picture }] }),
      at,
      ...(metadata !== undefined && { metadata }),
      ...(commentId !== undefined && { commentId }),
    }
    store.record({ type: 'message.made', message: made })
    const told = tellMessage(store, made)
    if (told !== undefined && store.state.webhookFaults.echoFirst) await untilTold(store, told)
    if (fail) throw fail.refusal
    return { recipient_id: personId, message_id: id }
  }
  const commentId = recipient['comment_id']
  if (typeof commentId === 'string') {
    const comment = findComment(store, commentId)
    const owner = comment && ownerOf(store, comment.postId)
    if (!comment || !owner || !accountsOf(caller.pageId).includes(owner))
      throw refuse.unknownObject(call.method, commentId)
    const answered = [...store.state.messages.values()].flat().some((each) => each.commentId === commentId)
    if (answered) throw refuse.parameter('(#10900) Activity already replied to')
    if (at - comment.at > 7 * DAY) throw refuse.window(owner === caller.pageId ? 'page' : 'photo')
    return make(owner, comment.by, commentId)
  }
  const personId = String(recipient['id'] ?? '')
  const accountId = accountsOf(caller.pageId).find((each) => store.state.messages.has(conversationKey(each, personId)))
  if (accountId === undefined) throw refuse.noPerson()
  const last = store.state.messages.get(conversationKey(accountId, personId))?.findLast(({ by }) => by === personId)
  const isTagged = text(params, 'messaging_type') === 'MESSAGE_TAG' && text(params, 'tag') === 'HUMAN_AGENT'
  if (!last || at - last.at > (isTagged ? 7 : 1) * DAY) {
    throw refuse.window(accountId === caller.pageId ? 'page' : 'photo')
  }
  return make(accountId, personId)
}

/** Returns the URL of a picture to send. */
async function pictureOf(attachment: unknown): Promise<string | undefined> {
  if (attachment === undefined) return undefined
  const payload = isRecord(attachment) ? attachment['payload'] : undefined
  const url = isRecord(payload) && typeof payload['url'] === 'string' ? payload['url'] : ''
  if (!isRecord(attachment) || attachment['type'] !== 'image' || !URL.canParse(url))
    throw refuse.parameter('Param message[attachment] must be a picture with a url')
  return fetchedPicture(url)
}

/** The number of reads of conversations that a page may make per second of the network's time. */
const READS = 2
const SECOND = 1000
/** The times of the latest reads, by page. */
const reads = new Map<string, number[]>()

function refuseTooManyReads({ timeScale }: GraphRequest, pageId: string): void {
  const now = Date.now()
  const recent = (reads.get(pageId) ?? []).filter((at) => at > now - SECOND / timeScale)
  reads.set(pageId, [...recent, now])
  if (recent.length >= READS) throw refuse.tooOften()
}

/** Returns the messages that the network lists already. It may list messages later than it reports them. */
function listedOf({ store }: GraphRequest, messages: readonly StoredMessage[]): StoredMessage[] {
  const until = store.clock.now() - (store.state.webhookFaults.listedAfterMs ?? 0)
  return messages.filter(({ at }) => at <= until)
}

/**
 * `GET {page}/conversations?user_id=`: direct conversations, or the one with a person, each with its newest messages
 * first.
 */
export function listConversations(call: GraphRequest): object {
  const { state } = call.store
  const caller = call.caller()
  if (caller.pageId === undefined) throw refuse.pageTokenNeeded()
  needToRead(state, caller, 'pages_messaging')
  refuseTooManyReads(call, caller.pageId)
  const [page, photo] = accountsOf(caller.pageId)
  const accountId = text(call.params, 'platform') === 'instagram' ? photo : page
  const userId = text(call.params, 'user_id')
  const conversations = [...state.messages.values()]
    .map((messages) => listedOf(call, messages))
    .filter(([first]) => first?.accountId === accountId && (userId === undefined || first?.personId === userId))
    .toSorted((a, b) => (b.at(-1)?.at ?? 0) - (a.at(-1)?.at ?? 0))
    .map((messages, i) => ({ key: -i, node: { id: conversationId(messages), messages } }))
  return answerList(call, ConversationNode, conversations, limit(call.params))
}

const conversationId = ([first]: StoredMessage[]) => `t_${first?.accountId}${SEPARATOR}${first?.personId}`
const SEPARATOR = '-'

const MessageNode: NodeType<StoredMessage, View> = {
  name: 'Message',
  usual: ['created_time'],
  fields: {
    id: ({ id }) => id,
    message: (message) => message.text,
    from: ({ by }) => ({ id: by }),
    to: ({ by, accountId, personId }) => ({ data: [{ id: by === accountId ? personId : accountId }] }),
    created_time: ({ at }) => graphTime(at),
    attachments: ({ attachments = [] }) =>
      attachments.length === 0
        ? undefined
        : {
            data: attachments.map(({ type, url }) =>
              type === 'image' ? { mime_type: 'image/jpeg', image_data: { url } } : { mime_type: type, file_url: url },
            ),
          },
  },
}

const ConversationNode: NodeType<{ id: string; messages: StoredMessage[] }, View> = {
  name: 'UnifiedThread',
  usual: ['updated_time'],
  fields: {
    id: ({ id }) => id,
    updated_time: ({ messages }) => graphTime(messages.at(-1)?.at ?? 0),
    messages: ({ messages }, { call }) => listOf(call, messages, 20),
  },
}

/** Returns messages newest first, up to the size of one page. */
function listOf(call: GraphRequest, messages: StoredMessage[], most: number): object {
  const inner = { ...call, params: new Map<string, unknown>([['fields', MESSAGE_FIELDS]]) }
  const items = messages.map((node, i) => ({ key: i + 1, node })).toReversed()
  return answerList(inner, MessageNode, items, most)
}
const MESSAGE_FIELDS = 'id,message,from,to,created_time,attachments'

/** `GET {conversation}/messages`: newest first. */
export function listMessages(call: GraphRequest): object {
  const { state } = call.store
  const caller = call.caller()
  if (caller.pageId === undefined) throw refuse.pageTokenNeeded()
  needToRead(state, caller, 'pages_messaging')
  refuseTooManyReads(call, caller.pageId)
  const [accountId = '', personId = ''] = idOf(call).slice('t_'.length).split(SEPARATOR)
  const messages = state.messages.get(conversationKey(accountId, personId))
  if (!messages || !accountsOf(caller.pageId).includes(accountId)) throw refuse.unknownObject(call.method, idOf(call))
  const items = listedOf(call, messages)
    .map((node, i) => ({ key: i + 1, node }))
    .toReversed()
  return answerList(call, MessageNode, items, limit(call.params))
}

/** Returns the name in Latin letters. A name without any becomes `guest.` and a number. */
const usernameOf = (id: string, name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '.')
    .replace(/^\.*$/, `guest.${id.slice(-6)}`)

const ProfileNode: NodeType<{ id: string; name: string; photo: boolean }, View> = {
  name: 'Profile',
  usual: [],
  fields: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    username: ({ id, name, photo }) => (photo ? usernameOf(id, name) : undefined),
    first_name: ({ name }) => name.split(' ')[0],
    last_name: ({ name }) => name.split(' ').slice(1).join(' '),
  },
}

/** Returns the person of a call, with the accounts that have a conversation with them. */
function profile(call: GraphRequest) {
  const id = idOf(call)
  const all = [...call.store.state.messages.values()].filter(([first]) => first?.personId === id)
  const name = all.flat().findLast((each) => each.name !== undefined)?.name
  return { id, accounts: all.map(([first]) => first?.accountId ?? ''), name: name ?? '' }
}

export const isProfileCall = (call: GraphRequest) => profile(call).accounts.length > 0

/** `GET {person}`: the profile of a person who wrote to an account. */
export function readProfile(call: GraphRequest): object {
  const { id, accounts, name } = profile(call)
  const caller = call.caller()
  if (caller.pageId === undefined) throw refuse.pageTokenNeeded()
  needToRead(call.store.state, caller, 'pages_messaging')
  const own = accountsOf(caller.pageId)
  const known = accounts.find((each) => own.includes(each))
  if (known === undefined) throw refuse.unknownObject(call.method, id)
  return answerNode(call, ProfileNode, { id, name, photo: known !== caller.pageId })
}

const HiddenNode: NodeType<{ id: string; hidden?: boolean }, View> = {
  name: 'Comment',
  usual: [],
  fields: {
    id: ({ id }) => id,
    is_hidden: ({ hidden = false }) => hidden,
    hidden: ({ hidden = false }) => hidden,
  },
}

/** Whether a call is about a comment. */
export const isCommentCall = (call: GraphRequest) => findComment(call.store, idOf(call)) !== undefined

/** `GET {comment}`: whether the comment is hidden. */
export function readComment(call: GraphRequest): object {
  const comment = commentOf(call)
  needToRead(call.store.state, call.caller(), 'pages_read_engagement')
  return answerNode(call, HiddenNode, comment)
}

/** `POST {comment} { is_hidden }` or `{ hide }`: hides or shows the comment. */
export function changeComment(call: GraphRequest): object {
  const comment = commentOf(call)
  const hidden = flag(call.params, 'is_hidden') ?? flag(call.params, 'hide')
  if (hidden === undefined) throw refuse.parameter('The parameter is_hidden is required')
  call.store.record({ type: 'comment.changed', id: comment.id, hidden })
  tellComment(call.store, comment, hidden ? 'hide' : 'unhide')
  return { success: true }
}

/** Returns the comment of the call, which must be below a post of the token's page. */
function commentOf(call: GraphRequest) {
  const comment = findComment(call.store, idOf(call))
  const { pageId } = call.caller()
  if (!comment || pageId === undefined || !accountsOf(pageId).includes(ownerOf(call.store, comment.postId))) {
    throw refuse.unknownObject(call.method, idOf(call))
  }
  return comment
}
