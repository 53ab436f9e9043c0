import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { call, newPerson, type Person, type Problem } from '../../../test/world.ts'
import { createLog } from '../platform/log.ts'
import { registerGate } from './gate.ts'
import { admit, atLeast, type GateFacts } from './rules.ts'
import { createServer } from './server.ts'

const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const
const RANKED = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'] as const

describe('roles', () => {
  const passes: Record<(typeof RANKED)[number], readonly string[]> = {
    OWNER: ['OWNER'],
    ADMIN: ['OWNER', 'ADMIN'],
    EDITOR: ['OWNER', 'ADMIN', 'EDITOR'],
    VIEWER: ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'],
  }
  for (const required of RANKED) {
    test.each(ROLES)(`${required} is required of %s`, (role) => {
      expect(atLeast(role, required)).toBe(passes[required].includes(role))
    })
  }
})

test('a caller who fails several gates sees the first refusal: membership, role, feature, quota', () => {
  const role = fc.option(fc.constantFrom(...ROLES))
  const QUOTAS = ['posts', 'ai_credits', 'ai_generations'] as const
  const room = (quota: (typeof QUOTAS)[number]) =>
    fc.record({
      quota: fc.constant(quota),
      limit: fc.option(fc.nat(5)),
      used: fc.nat(5),
      resetsAt: fc.constant(null),
    })
  const facts: fc.Arbitrary<GateFacts> = fc.record({
    role,
    plan: fc.constant('pro'),
    features: fc.subarray(['publishing', 'approvals']),
    quotas: fc.tuple(...QUOTAS.map(room)),
  })
  const gate = fc
    .record({
      role: fc.constantFrom(...RANKED),
      client: fc.boolean(),
      feature: fc.option(fc.constantFrom('publishing' as const, 'approvals' as const)),
      quota: fc.option(fc.oneof(fc.constant('posts' as const), fc.shuffledSubarray([...QUOTAS]))),
    })
    .map((each) => ({
      role: each.role,
      ...(each.client && { client: true as const }),
      ...(each.feature && { feature: each.feature }),
      ...(each.quota && { quota: each.quota }),
    }))
  fc.assert(
    fc.property(gate, facts, (asked, known) => {
      const failing: string[] = []
      if (!known.role) failing.push('not_found')
      const ranked = known.role !== null && RANKED.some((each) => each === known.role)
      const high = ranked && RANKED.indexOf(known.role as 'OWNER') <= RANKED.indexOf(asked.role)
      if (!high && !(known.role === 'CLIENT' && asked.client)) failing.push('role_required')
      if (asked.feature && !known.features.includes(asked.feature)) failing.push('feature_not_in_plan')
      const full = [asked.quota ?? []].flat().filter((quota) => {
        const { limit, used } = known.quotas!.find((each) => each.quota === quota)!
        return limit !== null && used >= limit
      })
      if (full.length > 0) failing.push('quota_exceeded')
      const refusal = admit(asked, known)
      expect(refusal?.code ?? null).toBe(failing[0] ?? null)
      // Of several used-up quotas, the refusal names the first.
      if (refusal?.code === 'quota_exceeded') expect(refusal.quota).toBe(full[0])
    }),
    { numRuns: 2000 },
  )
})

describe('a route', () => {
  const log = createLog('silent')
  const parts = {
    scopes: {} as never,
    tokens: {} as never,
    now: () => new Date(),
    isOwnOrigin: () => true,
    requestsPerMinute: 600,
  }
  const serverWith = async (route: object) => {
    const app = await createServer({ log, trustProxy: 0, strictAnswers: true })
    registerGate(app, parts)
    app.route({ method: 'GET', url: '/api/v1/x', handler: async () => ({}), ...route })
    return app
  }

  test('without a gate does not start', async () => {
    const app = await serverWith({ schema: { operationId: 'x' } })
    await expect(app.ready()).rejects.toThrow('GET /api/v1/x has no gate')
  })

  test('without an operationId does not start', async () => {
    const app = await serverWith({ config: { gate: 'public' } })
    await expect(app.ready()).rejects.toThrow('GET /api/v1/x has no operationId')
  })

  test('with both starts', async () => {
    const app = await serverWith({ config: { gate: 'public' }, schema: { operationId: 'x' } })
    await app.ready()
    await app.close()
  })
})

describe('the order of the gates over HTTP', () => {
  const { product, sql } = useProduct()
  let ann: Person

  beforeAll(async () => {
    ann = await newPerson(product.url)
  })

  const broken = '{"broken'
  const json = { 'content-type': 'application/json' }
  const post = () => ann.call<Problem>('POST', '/posts', broken, json)
  const set = (text: string) => sql.query(text, [ann.workspaceId])

  test('each refusal appears only after the gates before it have passed; the body is checked last', async () => {
    await set(`update member set role = 'VIEWER' where workspace_id = $1`)
    await set(`update subscription set plan_id = 'free' where workspace_id = $1`)
    await sql.query(`delete from plan_feature where plan_id = 'free' and feature_id = 'publishing'`)
    await set(`update workspace_usage set used = 1000 where workspace_id = $1 and quota_id = 'posts'`)
    await sql.query(`update plan_quota set amount = 0 where plan_id = 'free' and quota_id = 'posts'`)

    const stranger = await call<Problem>(product.url, 'POST', '/posts', broken, {
      ...json,
      'x-workspace-id': ann.workspaceId,
    })
    expect(stranger.body).toMatchObject({ status: 401, code: 'unauthenticated' })
    const other = await newPerson(product.url, 'Bob')
    const nobody = await other.call<Problem>('POST', '/posts', broken, { ...json, 'x-workspace-id': ann.workspaceId })
    expect(nobody.body).toMatchObject({ status: 404, code: 'not_found' })

    expect((await post()).body).toMatchObject({
      status: 403,
      code: 'role_required',
      required: 'EDITOR',
      actual: 'VIEWER',
    })
    await set(`update member set role = 'EDITOR' where workspace_id = $1`)
    expect((await post()).body).toMatchObject({ status: 402, code: 'feature_not_in_plan', feature: 'publishing' })
    await sql.query(`insert into plan_feature (plan_id, feature_id) values ('free', 'publishing')`)
    expect((await post()).body).toMatchObject({ status: 402, code: 'quota_exceeded', quota: 'posts', limit: 0 })
    await sql.query(`update plan_quota set amount = 30 where plan_id = 'free' and quota_id = 'posts'`)
    await set(`update workspace_usage set used = 0 where workspace_id = $1 and quota_id = 'posts'`)
    expect((await post()).body).toMatchObject({ status: 400, code: 'malformed_json' })
    const empty = await ann.call<Problem>('POST', '/posts', { surprise: 1 })
    expect(empty.body).toMatchObject({ status: 422, code: 'validation_failed' })
  })

  test('a CLIENT passes only the routes that name the role', async () => {
    await set(`update member set role = 'CLIENT' where workspace_id = $1`)
    expect((await ann.call('GET', '/posts')).status).toBe(200)
    for (const [method, path] of [
      ['GET', '/media'],
      ['GET', '/social-accounts'],
      ['POST', '/posts'],
    ] as const) {
      const answer = await ann.call<Problem>(method, path)
      expect(answer.body, path).toMatchObject({ status: 403, code: 'role_required', actual: 'CLIENT' })
    }
  })
})
