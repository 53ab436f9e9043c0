import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { readParams } from './graph/params.ts'
import { NETWORKS } from './networks.ts'
import type { StoredFault, FaultAction } from './state.ts'
import type { Store } from './store.ts'

/** The services that support faults: the networks, the SMS provider, the language model and the identity providers. */
export const SERVICES = [...NETWORKS, 'SMS', 'AI', 'IDP_A', 'IDP_B'] as const
export type NetworkName = (typeof SERVICES)[number]

const isPattern = (source: string) => {
  try {
    return Boolean(new RegExp(source))
  } catch {
    return false
  }
}

/**
 * The body of `POST /sandbox/faults`. If several faults match a call, the first one that is due applies, and each
 * counts the call. Without `times`, a fault applies until it is cleared (with `nth`, once).
 */
export const NewFault = z.strictObject({
  match: z
    .strictObject({
      network: z.enum(SERVICES).optional(),
      method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
      /** Part of the path, or a regular expression. Compared with the path alone, then with its query. */
      path: z.string().min(1).max(500).refine(isPattern, 'must be a regular expression').optional(),
      /** Fields of a form, a JSON object or the query, each with its text. */
      fields: z.record(z.string(), z.string()).optional(),
      /** Applies only to the nth matching call, counted from 1. */
      nth: z.int().min(1).optional(),
      /** Applies to a call with this probability. The same `seed` gives the same choices. */
      probability: z.number().min(0).max(1).optional(),
      seed: z.int().optional(),
    })
    .default({}),
  do: z
    .strictObject({
      /** Sent instead of causing the effect; with `after`, instead of the answer. */
      status: z.int().min(200).max(599).optional(),
      body: z.unknown().optional(),
      /**
       * The delay in milliseconds (divided by TIME_SCALE) before the effect; with `after`, between the effect and the
       * answer.
       */
      delayMs: z.int().min(0).max(3_600_000).optional(),
      /** Cuts the connection before the effect, or after it. */
      drop: z.enum(['before', 'after']).optional(),
      after: z.boolean().optional(),
    })
    .refine(({ status, delayMs, drop }) => status !== undefined || delayMs !== undefined || drop !== undefined, {
      message: 'must set status, delayMs or drop',
    })
    .refine(({ status, drop }) => status === undefined || drop === undefined, {
      message: 'status and drop cannot be combined',
    })
    .refine(({ status, body }) => body === undefined || status !== undefined, { message: 'body requires status' })
    .refine(({ drop, after }) => drop !== 'before' || after !== true, {
      message: 'before and after cannot be combined',
    }),
  times: z.int().min(1).optional(),
})
export type NewFault = z.infer<typeof NewFault>

/** Sets a fault and returns it with its id. */
export function setFault(store: Store, { match, do: action, times }: NewFault): StoredFault {
  const { seed = 1, ...rest } = match
  const fault: StoredFault = {
    id: `fault-${store.state.nextId}`,
    match: rest,
    do: action,
    times: times ?? (match.nth === undefined ? undefined : 1),
    chance: seed >>> 0,
    seen: 0,
    used: 0,
  }
  store.record({ type: 'fault.set', fault })
  return fault
}

/** An answer ready to be sent. With `cut`, the effect is done, and the connection ends without an answer. */
export type FaultyAnswer = { status: number; headers?: Record<string, string>; body: unknown; cut?: boolean }

/**
 * Answers a call to a network, applying its faults. `work` causes the effect; what it records is on disk before
 * anything is sent or cut. `standard` returns the network's usual body for a status, for faults without their own.
 */
export async function answerWithFaults(
  store: Store,
  call: { network: NetworkName; request: FastifyRequest; reply: FastifyReply },
  standard: (status: number) => unknown,
  work: () => Promise<FaultyAnswer>,
): Promise<FastifyReply> {
  const { request, reply } = call
  const action = takeFault(store, call.network, request)
  if (action?.delayMs !== undefined && !action.after) await store.clock.wait(action.delayMs)
  if (action?.drop === 'before') return cut(request, reply)
  const replaced = action?.status === undefined ? undefined : replace(action.status, action.body, standard)
  if (replaced && !action?.after) return send(reply, replaced)
  const answer = await work()
  await store.synced()
  if (action?.delayMs !== undefined && action.after) await store.clock.wait(action.delayMs)
  if (action?.drop === 'after' || answer.cut) return cut(request, reply)
  return send(reply, replaced ?? answer)
}

function takeFault(store: Store, network: NetworkName, request: FastifyRequest): FaultAction | undefined {
  let taken: FaultAction | undefined
  for (const fault of store.state.faults) {
    if (!matches(fault, network, request)) continue
    const due = !taken && isDue(fault)
    if (due) taken = fault.do
    store.record({ type: 'fault.seen', id: fault.id, used: due, chance: nextChance(fault.chance) })
  }
  return taken
}

function matches({ match }: StoredFault, network: NetworkName, request: FastifyRequest): boolean {
  if (match.network !== undefined && match.network !== network) return false
  if (match.method !== undefined && match.method !== request.method) return false
  const fields = Object.entries(match.fields ?? {})
  if (fields.length > 0 && !fields.every(([name, value]) => readParams(request).get(name) === value)) return false
  if (match.path === undefined) return true
  const [path = '/'] = request.url.split('?')
  const pattern = new RegExp(match.path)
  return [path, request.url].some((tried) => tried.includes(match.path ?? '') || pattern.test(tried))
}

function isDue({ match, times, seen, used, chance }: StoredFault): boolean {
  if (times !== undefined && used >= times) return false
  if (match.nth !== undefined && seen + 1 !== match.nth) return false
  return match.probability === undefined || drawn(chance) < match.probability
}

/** A small seeded generator (mulberry32): its next state, and the number that it draws. */
const nextChance = (chance: number) => (chance + 0x6d2b79f5) >>> 0

function drawn(chance: number): number {
  let bits = nextChance(chance)
  bits = Math.imul(bits ^ (bits >>> 15), bits | 1)
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
}

function replace(status: number, body: unknown, standard: (status: number) => unknown): FaultyAnswer {
  return { status, body: body === undefined ? standard(status) : body }
}

function send(reply: FastifyReply, { status, headers, body }: FaultyAnswer): FastifyReply {
  reply.code(status)
  if (headers) reply.headers(headers)
  return typeof body === 'string'
    ? reply.type(headers?.['content-type'] ?? 'text/plain; charset=utf-8').send(body)
    : reply.send(body)
}

function cut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.destroy()
  return reply
}
