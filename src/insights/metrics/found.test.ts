import { describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { DAY, HOUR, useFigures } from '../../../test/figures.ts'
import { addFault, call, connect, eventually, untilClockKnown } from '../../../test/world.ts'
import { connect as consent } from '../../../sandbox/testing.ts'

const { sql, sandbox, person, user, nextUser, pass, sync, metricsOf, truthAt, open, waitOf } = useFigures(5800)

test('a post that a list returns twice is stored once', async () => {
  const { account } = await open('NET_PAGE')
  const { rows: clock } = await sql.query<{ now: Date }>('select app_now() as now')
  const item = {
    id: `${account.externalId}_1`,
    message: 'Told twice',
    created_time: new Date(clock[0]!.now.getTime() - HOUR).toISOString(),
    reactions: { summary: { total_count: 3 } },
  }
  await addFault(sandbox.url, {
    match: { method: 'GET', path: '/published_posts' },
    do: { status: 200, body: { data: [item, item] } },
    times: 1,
  })
  await sync(account)
  const { rows } = await sql.query('select likes::int from measured_post where account_id = $1', [account.id])
  expect(rows).toEqual([{ likes: 3 }])
})

test('posts made elsewhere are found after connecting, and measured like ours', async () => {
  const there = await consent(sandbox.url, nextUser())
  for (const message of ['One', 'Two', 'Three']) await there.post({ message })
  await pass(3 * HOUR)
  // Connecting takes two requests, between which the clock must not leap.
  await untilClockKnown(sql, person())
  const account = (await connect(person(), 'NET_PAGE', user())).find(({ externalId }) => externalId === there.page.id)!
  await sync(account)
  const found = async () => {
    const { rows } = await sql.query<{
      externalId: string
      caption: string
      reach: string
      readAt: Date
      deliveryId: null
    }>(
      `select external_id as "externalId", caption, reach, read_at as "readAt", delivery_id as "deliveryId" from measured_post
        where account_id = $1 order by published_at, length(external_id), external_id`,
      [account.id],
    )
    return rows
  }
  const rows = await found()
  expect(rows.map(({ caption, deliveryId }) => [caption, deliveryId])).toEqual([
    ['One', null],
    ['Two', null],
    ['Three', null],
  ])
  for (const { externalId, reach, readAt } of rows) {
    expect(Number(reach)).toBe((await truthAt(externalId, readAt.toISOString()))['reach'])
  }
  // This is the state after a day on which the network hid the post.
  await sql.query(
    `update measured_post set gone_at = app_now(), missing_at = app_now(), next_read_at = null where account_id = $1 and caption = 'One'`,
    [account.id],
  )
  await sql.query('update account_sync set found_at = null where account_id = $1', [account.id])
  await sync(account)
  const { rows: back } = await sql.query(
    'select from measured_post where account_id = $1 and gone_at is null and next_read_at is not null',
    [account.id],
  )
  expect(back).toHaveLength(3)
  // This is the state after a turn that stopped once it had added the posts.
  await sql.query('delete from post_metric where post_id in (select id from measured_post where account_id = $1)', [
    account.id,
  ])
  await sql.query('update measured_post set read_at = null, reach = null where account_id = $1', [account.id])
  await sql.query('update account_sync set found_at = null where account_id = $1', [account.id])
  await sync(account)
  for (const { reach } of await found()) expect(Number(reach)).toBeGreaterThan(0)
  await there.post({ message: 'Four' })
  await pass(DAY)
  await sync(account)
  expect((await found()).map(({ caption }) => caption)).toEqual(['One', 'Two', 'Three', 'Four'])
})

describe('a target with an unknown outcome', () => {
  /** Makes a post that is live although its outcome is unknown. */
  async function unconfirmed(account: SocialAccount, caption: string): Promise<Post> {
    const { rows } = await sql.query<{ token: string }>(
      'select access_token as token from social_account where id = $1',
      [account.id],
    )
    await addFault(sandbox.url, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    const post = await person().must<Post>('POST', '/posts', { caption, targets: [account.id], action: 'publish' })
    await eventually(async () => {
      const submitting = `select from publication where post_id = $1 and state = 'SUBMITTING'`
      return (await sql.query(submitting, [post.id])).rowCount === 1
    })
    await sql.query(`update social_account set access_token = 'v1.0.0.0.0' where id = $1`, [account.id])
    await eventually(async () => {
      // As if hours had passed in which the network could not be read.
      await sql.query(
        `update publication set intent_at = intent_at - interval '1 hour', late_read_at = late_read_at - interval '3 seconds',
          next_at = app_now() where post_id = $1 and state = 'SUBMITTING' and lease_until is null`,
        [post.id],
      )
      return (await person().must<Post>('GET', `/posts/${post.id}`)).status === 'FAILED'
    })
    await sql.query('update social_account set access_token = $2 where id = $1', [account.id, rows[0]!.token])
    await call(sandbox.url, 'DELETE', '/faults')
    const { publications } = await person().must<Post>('GET', `/posts/${post.id}`)
    expect(publications[0]).toMatchObject({ state: 'UNCONFIRMED', externalId: null })
    return post
  }

  test('is settled by the reading that finds its post', async () => {
    const { account } = await open('NET_PAGE')
    const post = await unconfirmed(account, 'Nobody knows that this is live')
    await sync(account)
    const { status, publications } = await person().must<Post>('GET', `/posts/${post.id}`)
    expect([status, publications[0]!.state]).toEqual(['PUBLISHED', 'PUBLISHED'])
    const { posts } = await metricsOf(post)
    expect(posts[0]!.externalId).toBe(publications[0]!.externalId)
  })

  test('stays with a person if two posts have the same text', async () => {
    const { account } = await open('NET_PAGE')
    const post = await unconfirmed(account, 'Said twice')
    const there = await consent(sandbox.url, user())
    const page = there.pages.find(({ id }) => id === account.externalId)!
    for (const message of ['Another', 'Said twice']) {
      const answer = await fetch(`${sandbox.url}/graph/v25.0/${page.id}/feed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${page.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      })
      expect(answer.status).toBe(200)
    }
    await sync(account)
    const { rows } = await sql.query(`select from measured_post where account_id = $1 and caption = 'Said twice'`, [
      account.id,
    ])
    expect(rows).toHaveLength(2)
    const { publications } = await person().must<Post>('GET', `/posts/${post.id}`)
    expect(publications[0]).toMatchObject({ state: 'UNCONFIRMED', externalId: null })
  })

  test('stays with a person if another target has the same text and a person has said that it is live', async () => {
    const { account } = await open('NET_PAGE')
    const live = await unconfirmed(account, 'Which one is it?')
    const { id } = live.publications[0]!
    await person().must('POST', `/posts/${live.id}/publications/${id}/resolve`, { outcome: 'live' })
    const lost = await unconfirmed(account, 'Which one is it, then?')
    await sql.query(`update delivery set sent = jsonb_set(sent, '{text}', '"Which one is it?"') where post_id = $1`, [
      lost.id,
    ])
    await sync(account)
    const { publications } = await person().must<Post>('GET', `/posts/${lost.id}`)
    expect(publications[0]).toMatchObject({ state: 'UNCONFIRMED', externalId: null })
  })
})

test('a list that fails or has no calls is requested later, while posts are still read', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(DAY)
  await addFault(sandbox.url, { match: { path: '/published_posts.*permalink_url' }, do: { status: 503 } })
  await sync(account)
  const { rows } = await sql.query<{ error: string | null }>('select error from account_sync where account_id = $1', [
    account.id,
  ])
  expect(rows).toEqual([{ error: 'transient' }])
  expect(await waitOf(account)).toBeGreaterThan(9)
  expect((await metricsOf(post)).data).not.toEqual([])
})
