import { describe, expect, test } from 'vitest'
import { openNetworks } from '../../../test/adapters.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import {
  addFault,
  type Answer,
  call,
  connect,
  eventually,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  skipWait,
  untilStatus,
  graphError,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { PLATFORMS } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import type { AuditEntry } from '../../team/audit/api.ts'
import type { Post, Removal } from '../posts/api.ts'
import type { Trouble } from './api.ts'

// Posts that are deleted here and on their network. Each is removed there once, whatever answers are lost, and a
// removal is never reported as failed once the post is gone.

const { product, sandbox, sql } = useProduct({ env: FAST })
let users = 1600

type Deleted = { liveOnNetworks: number; removals: Removal[]; message: string }

async function publish(platform: 'NET_PAGE' | 'NET_PHOTO' | 'NET_VIDEO' = 'NET_PAGE') {
  const ann = await newPerson(product.url)
  const [account] = (await connect(ann, platform, `u${(users += 1)}`)) as [SocialAccount]
  const { id } = await ann.must<Post>('POST', '/posts', {
    caption: 'Look',
    targets: [account.id],
    action: 'publish',
  })
  return { ann, account, post: await untilStatus(ann, id, ['PUBLISHED']) }
}

/** Makes the network act on calls about its posts. */
const fault = (account: SocialAccount, action: object, times = 1, method = 'DELETE') =>
  addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method, path: `${account.externalId}_` },
    do: action,
    ...(times > 0 && { times }),
  })
const refused = { status: 400, body: graphError({ message: 'You are blocked.', code: 368 }) }

const remove = (ann: Person, { id }: Post, alsoOn = 'NET_PAGE') =>
  ann.must<Deleted>('DELETE', `/posts/${id}?alsoOn=${alsoOn}`)
const read = async (ann: Person) => (await ann.must<{ data: Removal[] }>('GET', '/removals')).data[0]
const over = ['REMOVED', 'FAILED', 'UNCONFIRMED'] as const
const until = (ann: Person, states: readonly Removal['state'][]) =>
  eventually(async () => {
    const removal = await read(ann)
    return removal !== undefined && states.includes(removal.state) && removal
  })
/** As `until`, without the waits between tries and reads. Each read is still made when it is due. */
const untilHastened = (ann: Person, post: Post, states: readonly Removal['state'][]) =>
  eventually(async () => {
    await skipWait(sql, post.id, 'remove')
    const removal = await read(ann)
    return removal !== undefined && states.includes(removal.state) && removal
  })
const liveOf = async (account: SocialAccount) => ((await liveOn(sandbox.url)).get(account.externalId) ?? []).length
const again = (post: Post) => `/posts/${post.id}/publications/${post.publications[0]?.id}/remove`
const told = ({ status, body }: Answer) => [status, (body as Problem).code]
const troubles = async (ann: Person) =>
  (await ann.must<{ data: Trouble[] }>('GET', '/publishing/trouble')).data.filter(
    ({ kind }) => kind === 'removal_failed',
  )
const notices = async (ann: Person) => {
  const { data } = await ann.must<{ data: { kind: string; data: object }[] }>('GET', '/api/v1/notifications')
  return data.filter(({ data: more }) => 'status' in more && more.status === 'REMOVAL_FAILED')
}

test('deleting removes the record now and the live post soon after; response and list show the progress', async () => {
  const { ann, account, post } = await publish()
  const deleted = await remove(ann, post)
  expect(deleted).toMatchObject({
    liveOnNetworks: 0,
    removals: [
      {
        postId: post.id,
        publicationId: post.publications[0]!.id,
        caption: 'Look',
        platform: 'NET_PAGE',
        accountName: account.name,
        permalink: post.publications[0]!.permalink,
        state: 'PENDING',
        error: null,
        removedAt: null,
      },
    ],
  })
  expect((await ann.call('GET', `/posts/${post.id}`)).status).toBe(404)
  const removal = await until(ann, over)
  expect(removal).toMatchObject({ id: deleted.removals[0]!.id, state: 'REMOVED', error: null })
  expect(removal.removedAt).not.toBeNull()
  expect(await liveOf(account)).toBe(0)
  expect((await fetch(post.publications[0]!.permalink!)).status).toBe(404)
  const { data } = await ann.must<{ data: AuditEntry[] }>('GET', '/audit?limit=2')
  expect(data.map(({ action }) => action)).toEqual(['removal.done', 'post.deleted'])
  expect([await troubles(ann), await notices(ann)]).toEqual([[], []])
})

test('without `alsoOn` the live post stays', async () => {
  const { ann, account, post } = await publish()
  const deleted = await ann.must<Deleted>('DELETE', `/posts/${post.id}`)
  expect([deleted.liveOnNetworks, deleted.removals]).toEqual([1, []])
  expect(await liveOf(account)).toBe(1)
  expect(await read(ann)).toBeUndefined()
})

describe('deleting is refused, and changes nothing,', () => {
  test.each(['NET_PAGE,NET_PHOTO', 'NET_VIDEO', 'NET_PHOTO'].slice(0, sized(1, 3)))(
    'on %s, where apps cannot delete posts',
    async (alsoOn) => {
      const { ann, account, post } = await publish()
      expect(told(await ann.call('DELETE', `/posts/${post.id}?alsoOn=${alsoOn}`))).toEqual([409, 'removal_unsupported'])
      expect((await ann.must<Post>('GET', `/posts/${post.id}`)).status).toBe('PUBLISHED')
      expect(await liveOf(account)).toBe(1)
    },
  )

  test('if the post is not live', async () => {
    const ann = await newPerson(product.url)
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Look' })
    const answer = await ann.call<Problem>('DELETE', `/posts/${id}?alsoOn=NET_PAGE`)
    expect(answer.body.errors).toMatchObject([{ path: '/alsoOn', code: 'not_live' }])
    expect((await ann.call('GET', `/posts/${id}`)).status).toBe(200)
  })

  test('until the network has given the id of the post', async () => {
    const { ann, post } = await publish()
    await sql.query('update delivery set external_id = null where post_id = $1', [post.id])
    const answer = await ann.call<Problem>('DELETE', `/posts/${post.id}?alsoOn=NET_PAGE`)
    expect(answer.body.errors).toMatchObject([{ path: '/alsoOn', code: 'post_unnamed' }])
    expect((await ann.call('GET', `/posts/${post.id}`)).status).toBe(200)
  })
})

test('the networks that allow removal are those whose adapter supports it', () => {
  const adapters = openNetworks('http://127.0.0.1:1')
  for (const platform of PLATFORMS) {
    expect([platform, adapters[platform].removal !== undefined]).toEqual([platform, networks[platform].removesPosts])
  }
})

describe('a removal', () => {
  const answers = [
    ['lost after the effect', { drop: 'after' }],
    ['lost before the effect', { drop: 'before' }],
    ['500 after the effect', { status: 500, after: true }],
  ] as const
  test.each(answers.slice(0, sized(2, 3)))('with an answer %s is read, and the post is gone', async (_what, action) => {
    const { ann, account, post } = await publish()
    await fault(account, action)
    await remove(ann, post)
    expect(await untilHastened(ann, post, over)).toMatchObject({ state: 'REMOVED', error: null })
    expect(await liveOf(account)).toBe(0)
    expect(await notices(ann)).toEqual([])
  })

  test('of a post that somebody deleted on the network is done', async () => {
    const { ann, account, post } = await publish()
    await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
    await remove(ann, post)
    expect(await liveOf(account)).toBe(1)
    await fault(account, { drop: 'after' })
    await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: false })
    await until(ann, ['REMOVED'])
    // Removes it again: now the network does not know the post.
    await sql.query(
      `update delivery set state = 'FAILED', error = '{"code": "policy"}' where post_id = $1 and kind = 'remove'`,
      [post.id],
    )
    await ann.must('POST', again(post))
    expect(await until(ann, over)).toMatchObject({ state: 'REMOVED', error: null })
  })

  test('is not done just because a token sees nothing', async () => {
    const { ann, account, post } = await publish()
    const blind = graphError({ message: 'Unknown', code: 100, error_subcode: 33 })
    await addFault(sandbox.url, {
      match: { network: 'NET_PAGE', path: `${account.externalId}(_\\d+)?$` },
      do: { status: 400, body: blind },
      times: 3,
    })
    await remove(ann, post)
    expect(await until(ann, over)).toMatchObject({ state: 'FAILED', error: { code: 'not_found' } })
    expect(await liveOf(account)).toBe(1)
  })

  test('that is refused shows the reason, needs attention, and can be retried', async () => {
    const { ann, account, post } = await publish()
    await fault(account, refused)
    await remove(ann, post)
    expect(await until(ann, over)).toMatchObject({ state: 'FAILED', error: { code: 'policy', networkCode: '368' } })
    expect(await liveOf(account)).toBe(1)
    expect(await notices(ann)).toMatchObject([{ kind: 'post_failed', data: { postId: post.id } }])
    expect(await troubles(ann)).toMatchObject([
      { postId: post.id, caption: 'Look', removal: { state: 'FAILED', error: { code: 'policy' } } },
    ])
    await ann.must<Removal>('POST', again(post))
    await until(ann, ['REMOVED'])
    expect(await liveOf(account)).toBe(0)
    expect(await troubles(ann)).toEqual([])
    const twice = await ann.call<Problem>('POST', again(post))
    expect(twice.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'REMOVED' })
  })

  test('without the permission fails and says so', async () => {
    const { ann, account, post } = await publish()
    const body = graphError({ message: '(#200) Requires pages_manage_posts', code: 200 })
    await fault(account, { status: 403, body })
    await remove(ann, post)
    expect(await until(ann, over)).toMatchObject({ state: 'FAILED', error: { code: 'permission', who: 'admin' } })
    expect(await liveOf(account)).toBe(1)
  })

  test.runIf(long)('survives any number of rate limits', async () => {
    const { ann, account, post } = await publish()
    await fault(account, { status: 429 }, 6)
    await remove(ann, post)
    expect(await untilHastened(ann, post, over)).toMatchObject({ state: 'REMOVED' })
    const { rows } = await sql.query(`select failures, backoffs from delivery where post_id = $1 and kind = 'remove'`, [
      post.id,
    ])
    expect(rows).toEqual([{ failures: 0, backoffs: 6 }])
  })

  test('that cannot be read is UNCONFIRMED, and a retry looks first', async () => {
    const { ann, account, post } = await publish()
    await fault(account, { status: 503 }, 0, 'GET')
    await fault(account, { drop: 'after' })
    await remove(ann, post)
    await until(ann, ['REMOVING'])
    await sql.query(
      `update delivery set intent_at = intent_at - interval '90 seconds' where post_id = $1 and kind = 'remove'`,
      [post.id],
    )
    expect(await untilHastened(ann, post, over)).toMatchObject({
      state: 'UNCONFIRMED',
      error: { code: 'outcome_unknown' },
    })
    expect(await troubles(ann)).toHaveLength(1)
    await fetch(`${sandbox.url}/faults`, { method: 'DELETE', headers: { 'content-type': 'application/json' } })
    await ann.must('POST', again(post))
    expect(await until(ann, ['REMOVED'])).toMatchObject({ error: null })
  })

  test('waits for a paused account and for one that must be reconnected', async () => {
    const { ann, account, post } = await publish()
    await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
    await remove(ann, post)
    await eventually(async () => (await read(ann))?.waitReason === 'account_paused')
    await call(sandbox.url, 'POST', '/accounts', { id: account.externalId, do: 'expire' })
    await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: false })
    await eventually(async () => (await read(ann))?.waitReason === 'reconnect_needed')
    await connect(ann, 'NET_PAGE', `u${users}`)
    await until(ann, ['REMOVED'])
    expect(await liveOf(account)).toBe(0)
  })

  test('that has not begun ends when its account is disconnected', async () => {
    const { ann, account, post } = await publish()
    await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
    await remove(ann, post)
    await ann.must('DELETE', `/social-accounts/${account.id}?confirm=true`)
    expect(await read(ann)).toMatchObject({ state: 'FAILED', error: { code: 'removal_disconnected' } })
    expect(await notices(ann)).toHaveLength(1)
  })
})

test('a post that is being removed cannot be restored; after a failed removal it can, and can be deleted again', async () => {
  const { ann, account, post } = await publish()
  await fault(account, refused)
  await remove(ann, post)
  await until(ann, ['FAILED'])
  expect((await ann.must<Post>('POST', `/posts/${post.id}/restore`)).status).toBe('PUBLISHED')
  expect([await read(ann), await troubles(ann)]).toEqual([undefined, []])
  await remove(ann, post)
  await until(ann, ['REMOVED'])
  const answer = await ann.call<Problem>('POST', `/posts/${post.id}/restore`)
  expect(answer.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'removed' })
  expect((await ann.call('GET', `/posts/${post.id}`)).status).toBe(404)
})

test('deleting the record and ordering the removal happen together or not at all', async () => {
  const { ann, post } = await publish()
  await sql.query(`create function refuse_removal() returns trigger language plpgsql as $$
    begin if new.kind = 'remove' and new.post_id = '${post.id}' then raise exception 'no'; end if; return new; end $$`)
  await sql.query(
    'create trigger refuse_removal before insert on delivery for each row execute function refuse_removal()',
  )
  try {
    expect((await ann.call('DELETE', `/posts/${post.id}?alsoOn=NET_PAGE`)).status).toBe(500)
    expect((await ann.must<Post>('GET', `/posts/${post.id}`)).status).toBe('PUBLISHED')
  } finally {
    await sql.query('drop trigger refuse_removal on delivery')
    await sql.query('drop function refuse_removal()')
  }
})
