import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { NewFault, setFault } from './faults.ts'
import { onlyOwnJson } from './guard.ts'
import { HttpError } from './http.ts'
import { describeNetworks, findDay, findMeasured } from './networks.ts'
import { findCreator, findPage, findPersonById } from './people.ts'
import type { Store } from './store.ts'

const NewClock = z.strictObject({
  /** In milliseconds. Forward only, since the time of a network does not go back. */
  advanceMs: z
    .int()
    .min(0)
    .max(10 * 365 * 86_400_000),
  /** Whether the clock of the product moves as well. Never in production. */
  product: z.boolean().default(false),
})

export interface Advance {
  /** Whether the clock of the product can be moved as well. */
  ofProduct: boolean
  /** Moves the clock of the networks forward, and that of the product if it is asked for. Returns the new times. */
  by(asked: z.input<typeof NewClock>): Promise<{ now: string; offsetMs: number; productNow?: string }>
}

export const createAdvance = (store: Store, advanceProduct?: (milliseconds: number) => Promise<Date>): Advance => ({
  ofProduct: advanceProduct !== undefined,
  async by(asked) {
    const { advanceMs, product } = NewClock.parse(asked)
    if (product && !advanceProduct) throw new HttpError(409, 'The clock of the product cannot be moved here.')
    const productNow = product ? await advanceProduct?.(advanceMs) : undefined
    store.record({ type: 'clock.advanced', ms: advanceMs })
    return {
      now: new Date(store.clock.now()).toISOString(),
      offsetMs: store.state.offsetMs,
      ...(productNow && { productNow: productNow.toISOString() }),
    }
  },
})

/** The query for a post, or for a day of an account. */
const Asked = z.strictObject({ id: z.string(), at: z.iso.datetime({ offset: true }), day: z.iso.date().optional() })

const NewMetricFaults = z.strictObject({
  gone: z.array(z.string()).default([]),
  older: z.array(z.string()).default([]),
})

/** An action on an account by the console. `id` identifies a person, a page or a creator. */
export const AccountChange = z.strictObject({
  id: z
    .string()
    .refine(
      (id) => findPage(id) !== undefined || findPersonById(id) !== undefined || findCreator(id) !== undefined,
      'no person, page or creator has this ID',
    ),
  /**
   * `expire` ends tokens, `revoke` changes the password, `restrict` reduces the role on a page to viewing, `dismiss`
   * removes it, and `restore` gives it back.
   */
  do: z.enum(['expire', 'revoke', 'restrict', 'dismiss', 'restore']),
})
export type AccountChange = z.infer<typeof AccountChange>

/**
 * The control routes of the stand-ins, for tests and tools. They accept JSON, from this machine, and not from another
 * site.
 */
export function controlRoutes(
  app: FastifyInstance,
  store: Store,
  base: (request: FastifyRequest) => string,
  advance: Advance,
): void {
  app.get('/state', async (request) => describe(store, base(request)))

  app.post('/faults', async (request, reply) => {
    onlyOwnJson(request)
    return reply.code(201).send(setFault(store, NewFault.parse(request.body)))
  })

  app.delete('/faults', async (request) => {
    onlyOwnJson(request)
    const cleared = store.state.faults.length
    store.record({ type: 'faults.cleared' })
    return { cleared }
  })

  app.post('/clock', async (request) => {
    onlyOwnJson(request)
    return advance.by(request.body as z.input<typeof NewClock>)
  })

  app.post('/accounts', async (request) => {
    onlyOwnJson(request)
    changeAccount(store, AccountChange.parse(request.body))
    return { success: true }
  })

  app.get('/metrics', async (request) => {
    const { id, at, day } = Asked.parse(request.query)
    const time = Date.parse(at)
    const values = day === undefined ? findMeasured(store, id, time) : findDay(store, id, day, time)
    if (!values) throw new HttpError(404, `No network has ${day === undefined ? 'a post' : 'an account'} with this ID.`)
    return { id, at, ...(day !== undefined && { day }), values }
  })

  app.post('/metrics', async (request) => {
    onlyOwnJson(request)
    const faults = NewMetricFaults.parse(request.body)
    store.record({ type: 'metrics.set', faults })
    return faults
  })

  app.post('/reset', async (request) => {
    onlyOwnJson(request)
    await store.reset()
    return { success: true }
  })
}

export function changeAccount(store: Store, { id, do: change }: AccountChange): void {
  if (findCreator(id)) {
    if (change === 'expire') store.record({ type: 'video.tokens.ended', openId: id, kind: 'access' })
    if (change === 'revoke') store.record({ type: 'video.tokens.ended', openId: id })
    return
  }
  if (change === 'expire') return store.record({ type: 'tokens.ended', id, ending: 'expired' })
  if (change === 'revoke') return store.record({ type: 'tokens.ended', id, ending: 'password' })
  const pages = findPage(id) ? [id] : (findPersonById(id)?.pages.map((page) => page.id) ?? [])
  const tasks = { restrict: ['ANALYZE'], dismiss: [], restore: undefined }[change]
  for (const pageId of pages) store.record({ type: 'tasks.changed', pageId, tasks })
}

function describe(store: Store, base: string): object {
  const { state, clock } = store
  return {
    now: new Date(clock.now()).toISOString(),
    offsetMs: state.offsetMs,
    networks: describeNetworks(store, base),
    users: [...state.calls].map(([id, { total, max }]) => ({ id, calls: total, maxInHour: max })),
    faults: state.faults,
    refused: state.refused.map((refusal) => ({ ...refusal, at: new Date(refusal.at).toISOString() })),
  }
}
