/**
 * The messages between customers and accounts, and the webhooks that report them. Part of the fold over the journal.
 */

/** The address for the events of an app, which has passed the handshake. */
export type Callback = { url: string; fields: string[]; appId: string }
/** A direct message. `by` is the account or the person. */
export type StoredMessage = {
  id: string
  accountId: string
  personId: string
  by: string
  text: string
  /** The person’s name in their profile. */
  name?: string
  attachments?: { type: string; url: string }[]
  at: number
  metadata?: string
  /** The comment that it answers privately. */
  commentId?: string
  /** The story that it answers. */
  story?: { id: string; url: string }
}
/** A webhook that has not been delivered. */
export type StoredWebhook = {
  id: string
  object: 'page' | 'instagram'
  entry: object
  tries: number
  at: number
  dueAt: number
}
/** The faults of webhooks. */
export type WebhookFaults = {
  duplicate?: boolean
  shuffle?: boolean
  batch?: boolean
  delayMs?: number
  drop?: boolean
  badSignature?: boolean
  /** The network answers the call that sends a message only after delivering its echo. */
  echoFirst?: boolean
  /** The delay until messages appear in lists, in milliseconds. */
  listedAfterMs?: number
}

export type InboxState = {
  /** By object. */
  callbacks: Map<string, Callback>
  /** By account and person. */
  messages: Map<string, StoredMessage[]>
  webhooks: Map<string, StoredWebhook>
  webhookFaults: WebhookFaults
  webhooksSent: number
}

export type InboxEvent =
  | { type: 'callback.set'; object: string; callback: Callback }
  | { type: 'comment.changed'; id: string; text?: string; hidden?: boolean; removed?: true }
  | { type: 'message.made'; message: StoredMessage }
  | { type: 'message.changed'; accountId: string; personId: string; id: string; text?: string; removed?: true }
  | { type: 'webhook.queued'; webhook: StoredWebhook }
  | { type: 'webhook.tried'; id: string; dueAt?: number }
  | { type: 'webhooks.set'; faults: WebhookFaults }

export const emptyInboxState = (): InboxState => ({
  callbacks: new Map(),
  messages: new Map(),
  webhooks: new Map(),
  webhookFaults: {},
  webhooksSent: 0,
})

export const conversationKey = (accountId: string, personId: string) => `${accountId}:${personId}`

type Comments = { comments: Map<string, { id: string; text: string; hidden?: boolean }[]>; nextId: number }

export function applyInbox(state: InboxState & Comments, event: InboxEvent): void {
  switch (event.type) {
    case 'callback.set':
      state.callbacks.set(event.object, event.callback)
      return
    case 'comment.changed': {
      for (const [postId, comments] of state.comments) {
        const comment = comments.find(({ id }) => id === event.id)
        if (!comment) continue
        if (event.removed)
          state.comments.set(
            postId,
            comments.filter(({ id }) => id !== event.id),
          )
        if (event.text !== undefined) comment.text = event.text
        if (event.hidden !== undefined) comment.hidden = event.hidden
        return
      }
      return
    }
    case 'message.made': {
      const { message } = event
      const key = conversationKey(message.accountId, message.personId)
      state.messages.set(key, [...(state.messages.get(key) ?? []), message])
      state.nextId += 1
      return
    }
    case 'message.changed': {
      const key = conversationKey(event.accountId, event.personId)
      const messages = state.messages.get(key) ?? []
      const changed = messages.map((each) => (each.id === event.id ? { ...each, text: event.text ?? each.text } : each))
      state.messages.set(key, event.removed ? messages.filter(({ id }) => id !== event.id) : changed)
      return
    }
    case 'webhook.queued':
      state.webhooks.set(event.webhook.id, event.webhook)
      state.nextId += 1
      return
    case 'webhook.tried': {
      const webhook = state.webhooks.get(event.id)
      if (!webhook) return
      if (event.dueAt === undefined) {
        state.webhooks.delete(event.id)
        state.webhooksSent += 1
      } else Object.assign(webhook, { dueAt: event.dueAt, tries: webhook.tries + 1 })
      return
    }
    case 'webhooks.set':
      state.webhookFaults = event.faults
      return
    default:
      throw new Error(`unknown event ${JSON.stringify(event satisfies never)}`)
  }
}
