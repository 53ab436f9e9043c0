import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from '../../core/platform/cursor.ts'
import type { JobName } from '../../core/platform/job-names.ts'
import { modelCalls } from '../../../test/ai.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf } from '../../../test/inbox.ts'
import { addJob } from '../../../test/jobs.ts'
import { long } from '../../../test/tier.ts'
import { confirmEmail, eventually, join, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { AudienceNode, CustomerExport, LikelyPair, OpenAudienceNode } from './api.ts'

const DAY = 86_400_000
const { product, sql, sandbox } = useProduct({ env: FAST, own: true })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  page = await openInbox(ann, sandbox.url, 'u3701')
})

const list = async (query = '', person = ann) =>
  (await person.must<Page<AudienceNode>>('GET', `/audience?limit=100${query}`)).data
const get = (id: string) => ann.must<OpenAudienceNode>('GET', `/audience/${id}`)
const customerOf = async (name: string) => (await threadOf(ann, name)).customer!.id

async function now(): Promise<number> {
  const { rows } = await sql.query<{ now: Date }>('select app_now() as now')
  return rows[0]!.now.getTime()
}

interface Happened {
  kind: 'comment' | 'message'
  id: string
  daysAgo: number
}

/** Stores an event as a webhook or a reading does, and waits until it is applied. */
async function tell(
  person: { id: string; name: string },
  { kind, id, daysAgo }: Happened,
  text = 'Hello',
): Promise<void> {
  const at = new Date((await now()) - daysAgo * DAY).toISOString()
  const own =
    kind === 'comment'
      ? { from: { ...person, username: null, own: false }, postId: page.postId, parentId: null }
      : { withId: person.id, own: false, metadata: null }
  const event = {
    kind,
    id,
    at,
    text,
    attachments: [],
    accountId: page.account.externalId,
    key: `${id}:${randomUUID()}`,
    ...own,
  }
  const { rows } = await sql.query<{ id: string }>(
    `insert into inbound_event (workspace_id, id, account_id, key, at, event, via) values ($1, $2, $3, $4, $5, $6, 'read') returning id`,
    [ann.workspaceId, randomUUID(), page.account.id, event.key, at, JSON.stringify(event)],
  )
  await addJob(
    sql,
    'webhook-process',
    { accountId: page.account.id },
    { workspaceId: ann.workspaceId, key: `webhook:${page.account.id}` },
  )
  await eventually(async () => {
    const done = await sql.query(`select from inbound_event where id = $1 and done_at is not null`, [rows[0]!.id])
    return done.rowCount === 1
  })
}

const scoreOf = (heat: number) => 100 * (1 - Math.exp(-heat / 10))
const personWith = (name: string) => ({ id: String(730_000_000_000 + Math.floor(Math.random() * 1e9)), name })

test('each comment and message counts once, in any order, and its weight halves every 30 days', async () => {
  const events: Happened[] = [
    { kind: 'comment', id: 'a', daysAgo: 60 },
    { kind: 'message', id: 'b', daysAgo: 30 },
    { kind: 'comment', id: 'c', daysAgo: 0 },
  ]
  const heat = 1 / 4 + 2 / 2 + 1
  const orders = [
    ['Rolf', [2, 0, 1]],
    ['Rosa', [0, 1, 2]],
    ['Runa', [1, 2, 0]],
  ] as const
  for (const [name, order] of long ? orders : orders.slice(0, 1)) {
    const person = personWith(name)
    // Any comment creates the customer with its name, whichever event comes first.
    for (const index of order) {
      const event = { ...events[index]!, id: `${name}-${events[index]!.id}` }
      await tell(person, event)
      // The network reports it again, as after a gap.
      await tell(person, event)
    }
    const customer = await eventually(async () => (await list(`&text=${name}`))[0])
    expect(customer.engagement).toBeCloseTo(scoreOf(heat), 0)
    expect(Math.abs(Date.parse(customer.lastSeen!) - (await now()))).toBeLessThan(DAY)
    const { rows } = await sql.query<{ heat: number }>(
      'select heat_left(heat, heat_at, app_now()) as heat from audience_node where id = $1',
      [customer.id],
    )
    expect(rows[0]!.heat).toBeCloseTo(heat, 2)
  }
})

test('praise counts once for a message, however often the bot decides about it', async () => {
  await ann.must('PUT', '/ice/bot-config', { isEnabled: true, autoReplyComments: true })
  try {
    await page.play({
      kind: 'comment',
      postId: page.postId,
      from: { name: 'Petra' },
      text: 'Thank you so much!',
    })
    const id = await customerOf('Petra')
    const praised = async () =>
      (await sql.query(`select from message where workspace_id = $1 and is_praise`, [ann.workspaceId])).rowCount
    await eventually(async () => (await praised()) === 1)
    expect((await get(id)).engagement).toBeCloseTo(scoreOf(2), 0)
    expect((await get(id)).language).toBe('en')
    const thread = await threadOf(ann, 'Petra')
    await ann.call('POST', `/conversations/${thread.id}/suggest`)
    await eventually(async () => {
      const { rows } = await sql.query(
        `select from decision where thread_id = $1 and kind = 'suggest' and state = 'DONE'`,
        [thread.id],
      )
      return rows.length > 0
    })
    expect((await get(id)).engagement).toBeCloseTo(scoreOf(2), 0)
  } finally {
    await ann.must('PUT', '/ice/bot-config', { isEnabled: false })
  }
})

test('the bot gets the score of a customer who writes directly, and never of one who comments in public', async () => {
  const question = 'Do you deliver to Berlin?'
  const faqEntries = [{ question, answer: 'Yes, everywhere in Berlin.' }]
  await ann.must('PUT', '/ice/bot-config', { isEnabled: true, autoReplyComments: true, faqEntries })
  try {
    await page.play({ kind: 'dm', from: { name: 'Dora' }, text: question })
    await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Conny' }, text: question })
    const asked = async (channel: string) => {
      const prompts = (await modelCalls(product.url))
        .map(({ prompt }) => prompt)
        .filter((prompt) => prompt.includes(question))
      const told = prompts.map(
        (prompt) => JSON.parse(prompt) as { channel: string; business?: string; profile?: object },
      )
      return told.find((one) => one.channel === channel && one.business !== undefined)
    }
    const [direct, open] = await eventually(async () => {
      const both = [await asked('DM'), await asked('COMMENT')] as const
      return both[0] && both[1] && [both[0], both[1]]
    })
    expect(direct.profile).toEqual({ name: expect.any(String), engagement: expect.closeTo(scoreOf(2), 0) })
    expect(open).not.toHaveProperty('profile')
  } finally {
    await ann.must('PUT', '/ice/bot-config', { isEnabled: false })
  }
})

describe('the list', () => {
  test('finds by words of a name or username and by tag, and pages without gaps', async () => {
    await Promise.all(
      [0, 1, 2, 3, 4].map((n) =>
        tell(personWith(`Listed Person${n}`), { kind: 'comment', id: `listed-${n}`, daysAgo: n }),
      ),
    )
    const all = await list('&text=listed')
    expect(all.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((n) => `Listed Person${n}`))
    expect((await list('&text=listed%20person3')).map(({ name }) => name)).toEqual(['Listed Person3'])
    expect(await list('&text=nobodyhere')).toEqual([])
    for (const sort of ['engagement', 'lastSeen']) {
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const one: Page<AudienceNode> = await ann.must(
          'GET',
          `/audience?text=listed&limit=2&sort=${sort}${cursor && `&cursor=${cursor}`}`,
        )
        found.push(...one.data.map(({ id }) => id))
        cursor = one.nextCursor
      }
      expect(found).toEqual(all.map(({ id }) => id))
    }
    await ann.must('PATCH', `/audience/${all[2]!.id}`, { tags: ['wholesale'] })
    expect((await list('&tag=Wholesale')).map(({ id }) => id)).toEqual([all[2]!.id])
  })
})

describe('a correction', () => {
  test('stays, returns the customer with its threads, and is refused with a stale version', async () => {
    const person = personWith('Wrog Name')
    await tell(person, { kind: 'comment', id: 'corrected-1', daysAgo: 0 })
    const id = await customerOf('Wrog Name')
    const before = await get(id)
    expect(before.identities).toMatchObject([{ accountId: page.account.id, platform: 'NET_PAGE' }])
    expect(before.threads).toMatchObject([{ kind: 'COMMENT', status: 'OPEN', text: 'Hello' }])
    const right = { name: 'Right Name', language: 'de', tags: ['VIP', 'wholesale'] }
    const after = await ann.must<OpenAudienceNode>('PATCH', `/audience/${id}`, right, { 'if-match': '"1"' })
    expect(after).toMatchObject({ ...right, version: 2 })
    // The network sends its own name again.
    await tell(person, { kind: 'comment', id: 'corrected-2', daysAgo: 0 })
    expect(await get(id)).toMatchObject(right)
    expect((await threadOf(ann, 'Right Name')).customer!.id).toBe(id)
    const stale = await ann.call<Problem>('PATCH', `/audience/${id}`, { name: 'Other' }, { 'if-match': '"1"' })
    expect([stale.status, stale.body.code]).toEqual([412, 'stale_version'])
    expect(await ann.must('PATCH', `/audience/${id}`, right)).toMatchObject({ version: 2 })
    for (const wrong of [{ tags: ['a', 'A'] }, { name: ' ' }, { language: 'english' }, { engagement: 99 }])
      expect((await ann.call('PATCH', `/audience/${id}`, wrong)).status, JSON.stringify(wrong)).toBe(422)
    const { rows } = await sql.query<{ detail: object }>(
      `select detail from audit_entry where action = 'customer.changed' and object ->> 'customerId' = $1`,
      [id],
    )
    expect(rows.map(({ detail }) => detail)).toEqual([{ fields: ['name', 'language', 'tags'] }])
    const eve = await join(ann, 'Eve', 'VIEWER')
    expect((await eve.call<Problem>('PATCH', `/audience/${id}`, right)).body.code).toBe('role_required')
    expect((await list('', eve)).length).toBeGreaterThan(0)
    expect((await ann.call('GET', `/audience/${randomUUID()}`)).status).toBe(404)
  })
})

/** Reads the fields of a customer that a merge changes. */
async function stateOf(id: string) {
  const { rows } = await sql.query<{ node: object; identities: object[]; threads: string[] }>(
    `select json_build_object('name', n.name, 'language', n.language, 'tags', n.tags, 'heat', n.heat, 'at', n.heat_at, 'seen', n.last_seen,
        'into', n.merged_into) as node,
      (select json_agg(json_build_object('id', i.id, 'heat', i.heat, 'at', i.heat_at) order by i.id) from audience_identity i
        where i.workspace_id = n.workspace_id and i.node_id = n.id) as identities,
      (select json_agg(t.id order by t.id) from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
        where i.workspace_id = n.workspace_id and i.node_id = n.id) as threads
      from audience_node n where n.id = $1`,
    [id],
  )
  return rows[0]!
}

describe('two customers who are one person', () => {
  const merge = (id: string, other: string) =>
    ann.call<Problem & OpenAudienceNode>('POST', `/audience/${id}/merge`, { with: other })
  const unmerge = (id: string) => ann.call<Problem & OpenAudienceNode>('POST', `/audience/${id}/unmerge`)
  /** Creates a customer with a comment. Returns its id and the person at the network. */
  async function made(name: string, tags: string[]) {
    const person = personWith(name)
    await tell(person, { kind: 'comment', id: randomUUID(), daysAgo: 3 })
    const id = await customerOf(name)
    await ann.must('PATCH', `/audience/${id}`, { tags })
    return { id, person }
  }

  test('become one with everything they have, and are separated again exactly, each with what they wrote since', async () => {
    const [one, other] = await Promise.all([
      made('Mona Page', ['VIP', 'tea']),
      made('Mona Photo', ['tea', 'wholesale']),
    ])
    const before = [await stateOf(one.id), await stateOf(other.id)]
    const both = (await merge(one.id, other.id)).body
    expect(both).toMatchObject({
      name: 'Mona Page',
      tags: ['VIP', 'tea', 'wholesale'],
      lastMerge: { customerId: other.id, name: 'Mona Photo' },
    })
    expect(both.identities).toHaveLength(2)
    expect(both.threads).toHaveLength(2)
    expect(both.engagement).toBeCloseTo(scoreOf(2 * 2 ** (-3 / 30)), 0)
    expect((await ann.call('GET', `/audience/${other.id}`)).status).toBe(404)
    expect((await list('&text=mona')).map(({ id }) => id)).toEqual([one.id])
    // Later messages of the merged customer reach the one that remains.
    await tell(other.person, { kind: 'message', id: randomUUID(), daysAgo: 0 })
    expect((await get(one.id)).threads).toHaveLength(3)
    expect((await get(one.id)).engagement).toBeCloseTo(scoreOf(2 * 2 ** (-3 / 30) + 2), 0)
    await ann.must('PATCH', `/audience/${one.id}`, { tags: ['VIP', 'tea', 'wholesale', 'since'] })

    expect(await unmerge(one.id)).toMatchObject({
      status: 200,
      body: { id: one.id, tags: ['VIP', 'tea', 'since'], lastMerge: null },
    })
    const after = [await stateOf(one.id), await stateOf(other.id)]
    expect(after[0]).toEqual({ ...before[0], node: { ...before[0]!.node, tags: ['VIP', 'tea', 'since'] } })
    expect(after[1]!.threads).toHaveLength(2)
    const wrote = await get(other.id)
    expect(wrote).toMatchObject({ name: 'Mona Photo', tags: ['tea', 'wholesale'] })
    expect(wrote.engagement).toBeCloseTo(scoreOf(2 ** (-3 / 30) + 2), 0)
    const { rows } = await sql.query<{ action: string }>(
      `select action from audit_entry where workspace_id = $1 and action like 'customer.%merged' order by id`,
      [ann.workspaceId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['customer.merged', 'customer.unmerged'])
  })

  test('keep corrections made since the merge, and neither keeps what was learned from the other', async () => {
    const [one, other] = await Promise.all([made('Ida Page', []), made('Ida Photo', [])])
    await sql.query(`update audience_node set name = '' where id in ($1, $2)`, [one.id, other.id])
    await merge(one.id, other.id)
    await tell(other.person, { kind: 'comment', id: randomUUID(), daysAgo: 0 })
    // The bot does this when it detects the language of the other's comment.
    await sql.query(`update audience_node set language = 'ar' where id = $1`, [one.id])
    expect(await get(one.id)).toMatchObject({ name: 'Ida Photo', language: 'ar' })
    expect((await unmerge(one.id)).body).toMatchObject({ name: '', language: null })
    await merge(one.id, other.id)
    await ann.must('PATCH', `/audience/${one.id}`, { name: 'Ida', language: 'de' })
    expect((await unmerge(one.id)).body).toMatchObject({ name: 'Ida', language: 'de' })
  })

  test('are named by their network again if they are separated without a name', async () => {
    await page.play({ kind: 'dm', from: { id: '730000003702', name: 'Dana Direct' }, text: 'Hello' })
    const { id } = await made('Nadia Page', [])
    const other = await customerOf('Dana Direct')
    // As if they had been merged before the network sent the name, which then no customer got.
    await sql.query(`update audience_node set name = '' where id = $1`, [other])
    await merge(id, other)
    await unmerge(id)
    await eventually(async () => (await get(other)).name === 'Dana Direct')
  })

  test('cannot be merged if they have more than 20 tags together', async () => {
    const tags = (first: number) => Array.from({ length: 15 }, (_, n) => `t${first + n}`)
    const [one, other] = await Promise.all([made('Tara One', tags(0)), made('Tara Two', tags(15))])
    expect((await merge(one.id, other.id)).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: '/with', code: 'too_many_tags', limit: 20 }],
    })
    await ann.must('PATCH', `/audience/${other.id}`, { tags: tags(5) })
    expect((await merge(one.id, other.id)).body.tags).toHaveLength(20)
  })

  test('are merged once by competing requests, and never with themselves or an unknown customer', async () => {
    const [one, other, third, left, right] = await Promise.all([
      made('Nele One', []),
      made('Nele Two', []),
      made('Nele Three', []),
      made('Nele Left', []),
      made('Nele Right', []),
    ])
    const races = [
      () => Promise.all([merge(one.id, other.id), merge(third.id, other.id)]),
      () => Promise.all([merge(left.id, right.id), merge(right.id, left.id)]),
    ]
    for (const race of races) {
      const answers = (await race()).toSorted((a, b) => a.status - b.status)
      expect(answers.map(({ status }) => status)).toEqual([200, 409])
      expect(answers[1]!.body).toMatchObject({ code: 'invalid_state', current: 'MERGED', allowed: [] })
    }
    expect((await merge(one.id, one.id)).status).toBe(422)
    expect((await merge(one.id, randomUUID())).status).toBe(422)
    expect((await merge(randomUUID(), one.id)).status).toBe(404)
    expect((await unmerge(randomUUID())).status).toBe(404)
  })

  test('cannot be separated after 30 days', async () => {
    const [one, other] = await Promise.all([made('Olga One', []), made('Olga Two', [])])
    expect((await unmerge(one.id)).body).toMatchObject({ code: 'invalid_state', current: 'NOT_MERGED', allowed: [] })
    await merge(one.id, other.id)
    await sql.query(`update audience_merge set at = at - interval '30 days 1 minute' where node_id = $1`, [one.id])
    expect((await get(one.id)).lastMerge).toBeNull()
    expect((await unmerge(one.id)).body).toMatchObject({ code: 'invalid_state', current: 'FINAL', allowed: [] })
    expect((await get(one.id)).identities).toHaveLength(2)
  })

  test('are erased together, by a request for the one that remains', async () => {
    const [one, other] = await Promise.all([made('Paula Alpha', ['secretword']), made('Paula Beta', ['hiddenword'])])
    await merge(one.id, other.id)
    expect((await ann.call('DELETE', `/audience/${other.id}`)).status).toBe(404)
    expect((await ann.call('DELETE', `/audience/${one.id}`)).status).toBe(202)
    await eventually(async () => (await ann.call('GET', `/audience/${one.id}`)).status === 404)
    const { rows } = await sql.query(
      `select from audience_node where name like 'Paula%' or tags && '{secretword,hiddenword}'
        union all select from audience_merge where node_id = $1`,
      [one.id],
    )
    expect(rows).toEqual([])
    expect((await unmerge(one.id)).status).toBe(404)
  })

  test.runIf(long)(
    'are offered as a pair by name or username on different accounts, and never merged automatically',
    async () => {
      const photo = await openInbox(ann, sandbox.url, 'u3702', 'NET_PHOTO')
      const twice = [personWith('Quinn Fjord'), personWith('Quinn Fjord')]
      await Promise.all(twice.map((each) => tell(each, { kind: 'comment', id: randomUUID(), daysAgo: 0 })))
      await photo.play({
        kind: 'comment',
        postId: photo.postId,
        from: { name: 'quinn.fjord' },
        text: 'Hi',
      })
      const pairs = await eventually(async () => {
        const { data } = await ann.must<Page<LikelyPair>>('GET', '/audience/pairs')
        return data.length > 0 && data
      })
      // The two on one account are certainly two people.
      expect(pairs).toHaveLength(2)
      for (const { first, second, reasons } of pairs) {
        expect(reasons).toEqual(['name_like_username'])
        expect(new Set([...first.platforms, ...second.platforms])).toEqual(new Set(['NET_PAGE', 'NET_PHOTO']))
      }
      const [own] = await list('&text=quinn%20fjord')
      const { data } = await ann.must<Page<LikelyPair>>('GET', `/audience/pairs?customerId=${own!.id}`)
      expect(data.length).toBeGreaterThan(0)
      expect(data.every(({ first, second }) => [first.id, second.id].includes(own!.id))).toBe(true)
    },
  )
})

describe('an export', () => {
  test('has everything of one customer and nothing of another, and the history records who took it', async () => {
    const [mine, other] = [personWith('Rhea Export'), personWith('Sara Other')]
    await tell(mine, { kind: 'comment', id: randomUUID(), daysAgo: 0 }, 'Mine alone')
    await Promise.all([
      tell(mine, { kind: 'message', id: randomUUID(), daysAgo: 0 }, 'Mine direct'),
      tell(other, { kind: 'comment', id: randomUUID(), daysAgo: 0 }, 'Theirs alone'),
    ])
    const id = await customerOf('Rhea Export')
    const thread = await threadOf(ann, 'Rhea Export')
    await ann.must('POST', `/conversations/${thread.id}/notes`, { text: 'A note of ours' })
    const { status, headers, body } = await ann.call<CustomerExport>('GET', `/audience/${id}/export`)
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="customer.json"'])
    const text = JSON.stringify(body)
    for (const word of ['Rhea Export', 'Mine alone', 'Mine direct', 'A note of ours']) expect(text).toContain(word)
    for (const word of ['Theirs alone', 'Sara Other', mine.id]) expect(text).not.toContain(word)
    const eve = await join(ann, 'Edna', 'EDITOR')
    expect((await eve.call<Problem>('GET', `/audience/${id}/export`)).body.code).toBe('role_required')
    const { rows } = await sql.query<{ who: string }>(
      `select actor_id as who from audit_entry where action = 'customer.exported' and object ->> 'customerId' = $1`,
      [id],
    )
    expect(rows).toEqual([{ who: ann.session.user.id }])
  })
})

test('a customer who wrote nothing for 24 months is erased, and no one who wrote later', async () => {
  const [old, young] = [personWith('Tilda Old'), personWith('Uma Young')]
  await Promise.all([
    tell(old, { kind: 'comment', id: randomUUID(), daysAgo: 735 }),
    tell(young, { kind: 'comment', id: randomUUID(), daysAgo: 725 }),
  ])
  const [oldId, youngId] = [await customerOf('Tilda Old'), await customerOf('Uma Young')]
  await addJob(sql, 'customer-erasure', {})
  await eventually(async () => (await ann.call('GET', `/audience/${oldId}`)).status === 404)
  expect(await get(youngId)).toMatchObject({ name: 'Uma Young' })
  // A customer who writes between the search and the job is not erased.
  await addJob(
    sql,
    'customer-erasure',
    { customerId: youngId, silent: true },
    { workspaceId: ann.workspaceId, key: 'again' },
  )
  await eventually(async () => (await sql.query(`select from graphile_worker.jobs where key = 'again'`)).rowCount === 0)
  expect(await get(youngId)).toMatchObject({ name: 'Uma Young' })
})

/** Enqueues a job of the workspace. */
const enqueue = (name: JobName, data: object, key: string = randomUUID()) =>
  addJob(sql, name, data, { workspaceId: ann.workspaceId, key })

const jobsLike = async (key: string) =>
  (await sql.query(`select from graphile_worker.jobs where key like $1`, [key])).rowCount

test.runIf(long)(
  'silent customers are erased 500 at a time, and delay neither other jobs nor requested erasures',
  async () => {
    const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
    await sql.query(
      `insert into audience_node (workspace_id, id, name, created_at)
      select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Long Gone', app_now() - interval '3 years'
      from generate_series(1, 501) n`,
      [ann.workspaceId],
    )
    const holder = await sql.connect()
    try {
      // None of these erasures can finish.
      await holder.query(`begin`)
      await holder.query(`select from audience_node where name = 'Long Gone' and id < $1 for update`, [idOf(500)])
      await enqueue('customer-erasure', { own: true })
      await eventually(async () => (await jobsLike('customer-silent:%')) === 500)
      expect(await jobsLike(`customers-silent:${ann.workspaceId}`)).toBe(1)
      await ann.must('DELETE', `/audience/${idOf(500)}`)
      expect([await jobsLike(`customer-silent:${idOf(500)}`), await jobsLike(`customer-erasure:${idOf(500)}`)]).toEqual(
        [1, 1],
      )
      await enqueue('thread-wake', { threadId: randomUUID() }, 'elsewhere')
      await eventually(async () => (await jobsLike('elsewhere')) === 0)
    } finally {
      await sql.query(`delete from graphile_worker._private_jobs where key like 'customer%'`)
      await holder.query(`delete from audience_node where name = 'Long Gone'`)
      await holder.query('commit')
      holder.release()
    }
  },
)

interface Locking {
  thread: string
  identity: string
  from: ReturnType<typeof personWith>
}

test.each([
  ['praise', (of: Locking) => ann.must('POST', `/conversations/${of.thread}/suggest`)],
  ['the name in a profile', (of: Locking) => enqueue('customer-profile', { identityId: of.identity })],
  ['the name in a comment', (of: Locking) => tell(of.from, { kind: 'comment', id: randomUUID(), daysAgo: 0 })],
] as const)('%s locks an identity before its customer', async (what, act) => {
  const from = personWith(`Lotte of ${what}`)
  await page.play({ kind: 'dm', from, text: 'Thank you so much!' })
  const { id: thread, customer } = await threadOf(ann, from.name)
  const { id } = customer!
  const { rows } = await sql.query<{ id: string }>('select id from audience_identity where node_id = $1', [id])
  await sql.query(`update audience_node set name = '' where id = $1`, [id])
  const holder = await sql.connect()
  let done: Promise<unknown>
  try {
    await holder.query('begin')
    await holder.query('select from audience_identity where node_id = $1 for no key update', [id])
    done = act({ thread, identity: rows[0]!.id, from })
    await eventually(async () => {
      const waiting = await sql.query(`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%audience_identity%'`)
      return waiting.rowCount! > 0
    })
    await holder.query('select from audience_node where id = $1 for no key update nowait', [id])
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  await done
})

// This test comes last because it moves the clock.
test('the score falls without new events, and the stored order by score still matches', async () => {
  const [loud, quiet] = [personWith('Loud'), personWith('Quiet')]
  await Promise.all([
    ...[1, 2, 3].map((n) => tell(loud, { kind: 'comment', id: `loud-${n}`, daysAgo: 50 })),
    tell(quiet, { kind: 'comment', id: 'quiet-1', daysAgo: 0 }),
  ])
  // Three comments from 50 days ago are worth less than one from now.
  const order = async () =>
    (await list()).filter(({ name }) => ['Loud', 'Quiet'].includes(name)).map(({ name }) => name)
  expect(await order()).toEqual(['Quiet', 'Loud'])
  const before = (await list('&text=Quiet'))[0]!.engagement
  expect(before).toBeCloseTo(scoreOf(1), 0)
  await sql.query(`update app_clock set shift = shift + interval '30 days'`)
  expect((await list('&text=Quiet'))[0]!.engagement).toBeCloseTo(scoreOf(1 / 2), 0)
  expect(await order()).toEqual(['Quiet', 'Loud'])
  const scores = (await list()).map(({ engagement }) => engagement)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})
