import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { behave } from '../../../test/ai.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { eventually, newPerson, type Person } from '../../../test/world.ts'
import type { Generation } from './api.ts'

// Delivered options are charged, however the call ends. Options that nobody received are not.

const { product, sql } = useProduct()
let ann: Person

beforeEach(async () => {
  ann = await newPerson(product.url)
})
afterEach(async () => {
  await behave(product.url, {})
  await sql.query('drop trigger if exists broken on ai_generation')
})

const used = async () =>
  (
    await sql.query<{ credits: number; ledger: number; holds: number }>(
      `select (select coalesce(sum(used), 0)::int from workspace_usage where workspace_id = $1 and quota_id = 'ai_credits') as credits,
        (select coalesce(sum(credits), 0)::int from credit_entry where workspace_id = $1) as ledger,
        (select count(*)::int from usage_hold where workspace_id = $1) as holds`,
      [ann.workspaceId],
    )
  ).rows[0]

/** Requests a stream of captions and returns its text. Passes the text so far to `seen` with each piece. */
async function stream(seen: (text: string) => Promise<unknown> = () => Promise.resolve()): Promise<string> {
  const response = await fetch(`${product.url}/ai/caption/generate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ann.session.accessToken}`,
      'x-workspace-id': ann.workspaceId,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ topic: 'Rye bread', count: 3 }),
  })
  let text = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    await seen(text)
  }
  return text
}

const optionsIn = (text: string) => text.split('event: option\n').length - 1
const latest = async () =>
  (
    await sql.query<Pick<Generation, 'id' | 'status' | 'options' | 'dropped' | 'error'>>(
      'select id, status, options, dropped, error from ai_generation where workspace_id = $1',
      [ann.workspaceId],
    )
  ).rows[0]

/** Makes the final update of a call fail, like an internal error. */
const breakEnd = () =>
  sql.query(`create or replace function broken_end() returns trigger language plpgsql as
    $$ begin raise exception 'broken'; end $$;
    create trigger broken before update on ai_generation for each row
      when (new.model is not null) execute function broken_end()`)

test('options that were streamed before a failure are the answer, and are charged', async () => {
  await behave(product.url, { chunkDelayMs: 100 })
  await breakEnd()
  const text = await stream()
  expect(optionsIn(text)).toBeGreaterThan(0)
  expect(text).toContain('event: done')
  const found = await latest()
  expect(found).toMatchObject({ status: 'SUCCEEDED', error: null })
  const missing = 3 - found!.options.length
  expect(found?.dropped).toEqual(missing > 0 ? [{ code: 'missing', count: missing }] : [])
  const scores = found!.options.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(await used()).toEqual({ credits: 1, ledger: 1, holds: 0 })
})

test('a failure before the first option costs nothing', async () => {
  await behave(product.url, { answer: 'broken_json' })
  const text = await stream()
  expect([optionsIn(text), text.includes('event: error')]).toEqual([0, true])
  expect(await used()).toEqual({ credits: 0, ledger: 0, holds: 0 })
})

describe('a person who is removed while the model writes', () => {
  const remove = () =>
    sql.query('delete from member where user_id = $1 and workspace_id = $2', [ann.session.user.id, ann.workspaceId])
  const ended = () =>
    eventually(async () => {
      const found = await latest()
      return found && !['QUEUED', 'RUNNING'].includes(found.status) ? found : undefined
    })

  test('receives nothing, and pays nothing if nothing was delivered', async () => {
    await behave(product.url, { delayMs: 20_000 })
    const reading = stream()
    await eventually(async () => (await latest())?.status === 'RUNNING')
    await remove()
    const text = await reading
    expect([optionsIn(text), text.includes('"code":"not_found"')]).toEqual([0, true])
    expect(await ended()).toMatchObject({ status: 'CANCELLED', options: [] })
    expect(await used()).toEqual({ credits: 0, ledger: 0, holds: 0 })
  })

  test('receives no more options, and pays for the delivered ones', async () => {
    await behave(product.url, { chunkDelayMs: 300 })
    let removed = false
    const text = await stream(async (so) => {
      if (removed || optionsIn(so) === 0) return
      removed = true
      await remove()
    })
    expect(text).toContain('"code":"not_found"')
    expect(text).not.toContain('event: done')
    expect((await ended()).status).toBe('CANCELLED')
    expect(await used()).toEqual({ credits: 1, ledger: 1, holds: 0 })
  })
})
