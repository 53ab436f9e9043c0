import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { caption } from '../../../test/ai.ts'
import { useProduct } from '../../../test/fixtures.ts'
import {
  type Answer,
  connect,
  connectPages,
  eventually,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
  untilWaitedFor,
} from '../../../test/world.ts'
import type { Profile } from '../identity/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { Workspace } from './api.ts'

const { product, sql } = useProduct({ env: { TIME_SCALE: '20' }, own: true })
let ann: Person

beforeEach(async () => {
  ann = await newPerson(product.url)
})

const told = (answer: Answer<Problem>) => [answer.status, answer.body.code]
const own = () => `/workspaces/${ann.workspaceId}`
const remove = (name = 'Ann’s workspace', person = ann) =>
  person.call<Problem>('DELETE', `${own()}?confirmName=${encodeURIComponent(name)}`)
const restore = (person = ann) => person.call<Problem>('POST', `${own()}/restore`)
const deleted = async (person = ann) =>
  (await person.must<{ data: Workspace[] }>('GET', '/workspaces?deleted=true')).data.map(({ id }) => id)

async function join(role: string, name: string): Promise<Person> {
  const person = await newPerson(product.url, name)
  await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
    ann.workspaceId,
    person.session.user.id,
    role,
  ])
  return person
}

/** Makes it look as if the workspace had been deleted this many days ago. */
const age = (days: number) =>
  sql.query(`update workspace set deleted_at = deleted_at - make_interval(days => $2) where id = $1`, [
    ann.workspaceId,
    days,
  ])

describe('a workspace', () => {
  test('is deleted only by its OWNER, who gives its name', async () => {
    const answers = [await remove('another name'), await remove('')]
    expect(answers.map(told)).toEqual([
      [422, 'validation_failed'],
      [422, 'validation_failed'],
    ])
    const admin = await join('ADMIN', 'Adam')
    expect(told(await remove(undefined, admin))).toEqual([403, 'role_required'])
    expect((await ann.call('GET', own())).status).toBe(200)
    expect((await remove()).status).toBe(204)
  })

  test('that is deleted is found by nobody, is in no list, and accepts no request', async () => {
    const admin = await join('ADMIN', 'Adam')
    await remove()
    for (const person of [ann, admin]) {
      const there = { 'x-workspace-id': ann.workspaceId }
      expect(told(await person.call('GET', own()))).toEqual([404, 'not_found'])
      expect(told(await person.call('GET', '/posts', undefined, there))).toEqual([404, 'not_found'])
      expect(told(await person.call('POST', '/posts', { caption: 'a' }, there))).toEqual([404, 'not_found'])
      const { workspaces } = await person.must<Profile>('GET', '/api/v1/auth/me')
      expect(workspaces.map(({ id }) => id)).not.toContain(ann.workspaceId)
    }
    expect(told(await remove())).toEqual([404, 'not_found'])
    expect([await deleted(), await deleted(admin)]).toEqual([[ann.workspaceId], []])
  })

  test('that is deleted publishes nothing', async () => {
    const [page] = await connectPages(ann)
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const post = await ann.must<Post>('POST', '/posts', {
      caption: `never ${randomUUID()}`,
      targets: [page?.id],
      action: 'schedule',
      scheduledAt,
    })
    await remove()
    await sql.query(
      `with moved as (update post set scheduled_at = app_now() where id = $1 returning scheduled_at)
      update publication set due_at = moved.scheduled_at, next_at = moved.scheduled_at from moved where post_id = $1`,
      [post.id],
    )
    // Whatever this workspace would have sent goes out before the post of another one.
    const bob = await newPerson(product.url, 'Bob')
    const [his] = await connectPages(bob, 'u2')
    const sent = await bob.must<Post>('POST', '/posts', { caption: 'now', targets: [his?.id], action: 'publish' })
    await untilStatus(bob, sent.id, ['PUBLISHED'])
    const { rows } = await sql.query('select status from post where id = $1', [post.id])
    expect(rows).toEqual([{ status: 'SCHEDULED' }])
  })

  test('is restored whole by its OWNER within 30 days, with publishing paused', async () => {
    const post = await ann.must<Post>('POST', '/posts', { caption: 'kept' })
    const before = await ann.must<Workspace>('GET', own())
    await remove()
    await age(29)
    const answer = await ann.call<Workspace>('POST', `${own()}/restore`)
    expect(answer).toMatchObject({
      status: 200,
      body: { id: before.id, name: before.name, publishing: { paused: true, reason: 'workspace_restored' } },
    })
    expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({ caption: 'kept' })
    expect(await deleted()).toEqual([])
    const { rows } = await sql.query(
      `select action from audit_entry where workspace_id = $1 and action like 'workspace.%' order by id`,
      [ann.workspaceId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['workspace.created', 'workspace.deleted', 'workspace.restored'])
  })

  test('is not restored by anyone else, later, or while it exists', async () => {
    const admin = await join('ADMIN', 'Adam')
    const stranger = await newPerson(product.url, 'Sam')
    expect(told(await restore())).toEqual([409, 'invalid_state'])
    expect(told(await restore(admin))).toEqual([403, 'role_required'])
    await remove()
    for (const person of [admin, stranger]) expect(told(await restore(person))).toEqual([404, 'not_found'])
    await age(30)
    expect(told(await restore())).toEqual([404, 'not_found'])
    expect(await deleted()).toEqual([])
  })

  test('is not restored once its rows are being erased, even if the clock of a process is behind', async () => {
    await remove()
    await sql.query('update workspace set erasing_at = app_now() where id = $1', [ann.workspaceId])
    expect(told(await restore())).toEqual([404, 'not_found'])
  })

  test('is restored once when it is deleted and restored many times at once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => remove()))
    const answers = await Promise.all(Array.from({ length: 10 }, () => restore()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('an OWNER who loses the ownership while their request waits', () => {
  /** Passes the ownership on. A request of the former OWNER waits for that before it looks at their role. */
  async function meanwhile(request: () => Promise<Answer<Problem>>): Promise<Answer<Problem>> {
    const heir = await join('ADMIN', 'Adam')
    const lock = await sql.connect()
    await lock.query('begin')
    const role = `update member set role = $3 where workspace_id = $1 and user_id = $2`
    await lock.query(role, [ann.workspaceId, ann.session.user.id, 'ADMIN'])
    await lock.query(role, [ann.workspaceId, heir.session.user.id, 'OWNER'])
    const answer = request()
    await untilWaitedFor(sql, lock)
    await lock.query('commit')
    lock.release()
    return answer
  }

  test('deletes nothing', async () => {
    expect(told(await meanwhile(() => remove()))).toEqual([403, 'role_required'])
    expect((await ann.call('GET', own())).status).toBe(200)
  })

  test('chooses no plan', async () => {
    const answer = await meanwhile(() => ann.call('PUT', '/billing/subscription', { plan: 'free' }))
    expect(told(answer)).toEqual([403, 'role_required'])
    expect((await ann.must<Workspace>('GET', own())).plan).toBe('pro')
  })
})

describe('after 30 days', () => {
  /** The calls that the stand-ins have recorded. */
  const journal = async () =>
    (await readFile(`${product.dataDir}/sandbox/journal.ndjson`, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string; pageId?: string; fields?: string[]; openId?: string })
  const due = () =>
    sql.query(`update graphile_worker._private_jobs set run_at = now() where key = $1`, [`erasure:${ann.workspaceId}`])
  const tables = async () => {
    const { rows } = await sql.query<{ name: string }>(
      `select polrelid::regclass::text as name from pg_policy where polname = 'tenant' order by 1`,
    )
    return rows.map(({ name }) => name)
  }
  const left = async () => {
    const found: string[] = []
    for (const name of await tables()) {
      const column = name === 'workspace' ? 'id' : 'workspace_id'
      const { rows } = await sql.query(`select from ${name} where ${column} = $1`, [ann.workspaceId])
      if (rows.length > 0) found.push(name)
    }
    return found
  }

  test('its rows and files are gone and its accounts released, and those of other workspaces stay', async () => {
    const bea = await newPerson(product.url, 'Bea')
    await bea.must('POST', '/posts', { caption: 'hers' })
    const [page] = await connectPages(ann, 'u31')
    const [video] = await connect(ann, 'NET_VIDEO', 'u32')
    const file = await uploadPicture(ann)
    await ann.must('POST', '/posts', { caption: 'a', mediaIds: [file.id], targets: [page?.id] })
    expect((await left()).length).toBeGreaterThan(8)
    const bytes = () => fetch(file.storageUrl ?? '').then(({ status }) => status)
    expect(await bytes()).toBe(200)
    await remove()
    await age(30)
    await due()
    await eventually(async () => (await left()).length === 0)
    await eventually(async () => (await bytes()) === 404)
    await eventually(async () => {
      const calls = await journal()
      const unsubscribed = calls.some(
        (each) => each.type === 'subscribed' && each.pageId === page?.externalId && !each.fields,
      )
      const ended = calls.some((each) => each.type === 'video.tokens.ended' && each.openId === video?.externalId)
      return unsubscribed && ended
    })
    const { rows } = await sql.query('select default_workspace_id from app_user where id = $1', [ann.session.user.id])
    expect(rows).toEqual([{ default_workspace_id: null }])
    expect((await bea.must<{ data: Post[] }>('GET', '/posts')).data).toHaveLength(1)
    expect((await ann.must<Profile>('GET', '/api/v1/auth/me')).workspaces).toEqual([])
  })

  test('its AI requests, their costs and results are gone too, and other workspaces keep theirs', async () => {
    const bea = await newPerson(product.url, 'Bea')
    for (const person of [ann, bea]) {
      await person.must('POST', '/brand-voices', { name: 'House' })
      await person.must('POST', '/ai/suggestions/refresh')
      const { id, options } = await caption(person)
      const post = await person.must<Post>('POST', '/posts', { caption: options[0]?.text })
      await person.must('POST', `/ai/generations/${id}/accept`, { option: 0, postId: post.id })
    }
    const AI = ['ai_generation', 'ai_suggestion', 'brand_voice', 'credit_entry', 'post_tags']
    const ofAi = async (workspaceId: string) => {
      const found = await Promise.all(
        AI.map((name) => sql.query(`select from ${name} where workspace_id = $1`, [workspaceId])),
      )
      return AI.filter((_name, index) => found[index]?.rowCount)
    }
    for (const { workspaceId } of [ann, bea])
      await eventually(async () => (await ofAi(workspaceId)).length === AI.length)
    await remove()
    await age(30)
    await due()
    await eventually(async () => (await left()).length === 0)
    expect([await ofAi(ann.workspaceId), await ofAi(bea.workspaceId)]).toEqual([[], AI])
  })

  test('a workspace that is restored while its rows are being erased stays whole', async () => {
    const [restoring, erasing] = [await sql.connect(), await sql.connect()]
    const before = await left()
    await remove()
    await age(30)
    await restoring.query('begin')
    await restoring.query('update workspace set deleted_at = null where id = $1', [ann.workspaceId])
    await erasing.query('begin')
    await erasing.query('set local role parley_app')
    await erasing.query(`select set_config('app.workspace_id', $1, true)`, [ann.workspaceId])
    const batch = erasing.query('select erased, more from erase_workspace_batch(1000)')
    await untilWaitedFor(sql, restoring)
    await restoring.query('commit')
    expect((await batch).rows).toEqual([{ erased: 0, more: false }])
    await erasing.query('rollback')
    for (const client of [restoring, erasing]) client.release()
    expect(await left()).toEqual(before)
  })

  test('a workspace that was restored stays, even if its erasure job runs', async () => {
    await ann.must('POST', '/posts', { caption: 'a' })
    const before = await left()
    await remove()
    await restore()
    await due()
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from graphile_worker._private_jobs where key = $1 and run_at <= now()`,
        [`erasure:${ann.workspaceId}`],
      )
      return rowCount === 0
    })
    expect(await left()).toEqual(before)
  })

  test('no scope of the product erases a workspace that lives or can still be restored', async () => {
    await remove()
    await age(29)
    await sql.query('begin')
    await sql.query('set local role parley_app')
    await sql.query(`select set_config('app.workspace_id', $1, true)`, [ann.workspaceId])
    const { rows } = await sql.query('select erased, more from erase_workspace_batch(1000)')
    await sql.query('commit')
    expect(rows).toEqual([{ erased: 0, more: false }])
    expect(await left()).toContain('workspace')
  })
})
