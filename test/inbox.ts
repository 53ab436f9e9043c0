import { createHmac } from 'node:crypto'
import type { Pool } from 'pg'
import type { SocialAccount } from '../src/channels/api.ts'
import { call, connect, eventually, type Person, untilStatus, uploadPicture } from './world.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import type { OpenThread, Thread } from '../src/conversations/threads/api.ts'

/** Waits until the network sends the events of an account: a job subscribes after the account is connected. */
export const untilSubscribed = (person: Person, id: string) =>
  eventually(async () => {
    const { checks } = await person.must<{ checks: { code: string; outcome: string }[] }>(
      'GET',
      `/social-accounts/${id}/doctor`,
    )
    return checks.find(({ code }) => code === 'webhooks')?.outcome === 'ok'
  })

/** Opens an account whose events arrive, with a live post that customers can comment on. */
export async function openInbox(
  person: Person,
  sandboxUrl: string,
  key: string,
  network: 'NET_PAGE' | 'NET_PHOTO' = 'NET_PAGE',
) {
  const [account] = (await connect(person, network, key)) as [SocialAccount]
  await untilSubscribed(person, account.id)
  const media = network === 'NET_PHOTO' ? [(await uploadPicture(person)).id] : []
  const body = { caption: `Welcome ${key}`, targets: [account.id], media, action: 'publish' }
  const { id } = await person.must<Post>('POST', '/posts', body)
  const { publications } = await untilStatus(person, id, ['PUBLISHED'], 60_000)
  return { account, postId: publications[0]!.externalId!, play: player(sandboxUrl, network, account.externalId) }
}

export type OpenedInbox = Awaited<ReturnType<typeof openInbox>>

/** Returns a function that makes a customer of the account act. */
const player = (sandboxUrl: string, network: string, accountId: string) => async (act: object) => {
  const answer = await call<{ id: string; threadKey: string }>(sandboxUrl, 'POST', '/inbound', {
    network,
    accountId,
    ...act,
  })
  if (answer.status !== 201) throw new Error(`the sandbox answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Sends an item of `messaging` of a page, signed as the network signs. */
export const tellOfPage = (productUrl: string, pageId: string, item: object): Promise<void> =>
  tellEntry(productUrl, { id: pageId, time: Date.now(), messaging: [item] })

/** Sends a comment on a post of a NET_PHOTO account, signed as the network signs. */
export const tellOfPhotoComment = (productUrl: string, accountId: string, value: object): Promise<void> =>
  tellEntry(
    productUrl,
    { id: accountId, time: Date.now() / 1_000, changes: [{ field: 'comments', value }] },
    'NET_PHOTO',
  )

/** Sends a comment of a page's feed, signed as the network signs. */
export const tellOfComment = (productUrl: string, pageId: string, comment: object): Promise<void> => {
  const value = { item: 'comment', verb: 'add', ...comment }
  return tellEntry(productUrl, { id: pageId, time: Date.now() / 1_000, changes: [{ field: 'feed', value }] })
}

async function tellEntry(
  productUrl: string,
  entry: object,
  network: 'NET_PAGE' | 'NET_PHOTO' = 'NET_PAGE',
): Promise<void> {
  const body = JSON.stringify({ object: network === 'NET_PAGE' ? 'page' : 'instagram', entry: [entry] })
  const signature = createHmac('sha256', 'sandbox-page-secret').update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
  const answer = await call(productUrl, 'POST', `/webhooks/${network}`, body, headers)
  if (answer.status !== 200) throw new Error(`the product answered ${answer.status}`)
}

/** Waits until the network has sent its events and the product has applied those of a workspace. */
export async function untilEventsApplied(
  sandboxUrl: string,
  sql: Pick<Pool, 'query'>,
  { workspaceId }: Pick<Person, 'workspaceId'>,
): Promise<void> {
  await eventually(async () => (await call<{ waiting: number }>(sandboxUrl, 'GET', '/webhooks')).body.waiting === 0)
  const open = 'select from inbound_event where workspace_id = $1 and done_at is null'
  await eventually(async () => (await sql.query(open, [workspaceId])).rowCount === 0)
}

export const threadsOf = async (person: Person, query = '') =>
  (await person.must<{ data: Thread[] }>('GET', `/conversations${query}`)).data

/** Returns the thread of a customer with this name, once it exists. */
export const threadOf = (person: Person, name: string): Promise<OpenThread> =>
  eventually(async () => {
    const thread = (await threadsOf(person, '?limit=100')).find(({ customer }) => customer?.name === name)
    return thread && (await person.must<OpenThread>('GET', `/conversations/${thread.id}`))
  })

interface Shown {
  networks: Record<
    string,
    {
      accounts: {
        id: string
        conversations?: { with: string; messages: { id: string; from: string; text: string }[] }[]
        live: {
          id: string
          comments?: { id: string; text: string; from: { id: string }; hidden?: boolean; picture?: string }[]
        }[]
      }[]
    }
  >
}

/** Returns all comments on a post at the network. */
export async function commentsBelow(sandboxUrl: string, postId: string) {
  const { body } = await call<Shown>(sandboxUrl, 'GET', '/state')
  const accounts = Object.values(body.networks).flatMap((network) => network.accounts)
  return accounts.flatMap(({ live }) => live).find(({ id }) => id === postId)?.comments ?? []
}

/** Returns all direct messages of an account at the network. */
export async function messagesAt(sandboxUrl: string, accountId: string) {
  const { body } = await call<Shown>(sandboxUrl, 'GET', '/state')
  const accounts = Object.values(body.networks).flatMap((network) => network.accounts)
  return (accounts.find(({ id }) => id === accountId)?.conversations ?? []).flatMap(({ messages }) => messages)
}
