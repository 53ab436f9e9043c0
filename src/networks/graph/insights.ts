import * as z from 'zod'
import type { ContentKind } from '../facts.ts'
import { type MetricsPlace, nameOfKind } from '../metrics.ts'
import { NetworkError } from '../answers.ts'
import type { Reservation } from '../reservation.ts'
import type { Graph } from './graph.ts'

// Insights are requested by name. If the network does not know one of the names, it refuses the whole call, which is
// then repeated without that name.

export const Insights = z.looseObject({
  data: z.array(
    z.looseObject({
      name: z.string(),
      values: z.array(z.looseObject({ value: z.unknown(), end_time: z.string().optional() })).default([]),
      total_value: z.looseObject({ value: z.unknown() }).optional(),
    }),
  ),
})
export type Insights = z.infer<typeof Insights>

type Kind = ContentKind | 'account'

/** A reading, and the names that it found to be unsupported. */
export interface NamesAsked {
  place: MetricsPlace
  gone: Set<string>
  found: { gone: string[] }
}

export const read = <T extends z.ZodType>(
  { call }: Pick<Graph, 'call'>,
  { place }: Pick<NamesAsked, 'place'>,
  path: string,
  params: Record<string, string>,
  answer: T,
) =>
  call({
    method: 'GET',
    path,
    token: place.account.accessToken,
    params,
    answer,
    reservation: place.reservation,
  }) as Promise<z.output<T>>

/** Returns the names that the network supports for all these kinds, as far as is known. */
export const aliveOf = (names: readonly string[], kinds: readonly Kind[], { gone }: Pick<NamesAsked, 'gone'>) =>
  names.filter((name) => !kinds.some((kind) => gone.has(nameOfKind(kind, name))))

/** Requests these names, and repeats the request without those that the network does not support for these kinds. */
export async function withoutDead<T>(
  asking: NamesAsked,
  kinds: readonly Kind[],
  names: readonly string[],
  ask: (names: readonly string[]) => Promise<T>,
): Promise<T> {
  const alive = aliveOf(names, kinds, asking)
  try {
    return await ask(alive)
  } catch (error) {
    if (!isDead(error) || alive.length === 0) throw error
    const told = alive.filter((name) => error.message.includes(name))
    const dead = told.length > 0 ? told : await findDead(alive, ask)
    // The refusal did not happen again.
    if (dead.length === 0) return ask(alive)
    for (const name of dead.flatMap((each) => kinds.map((kind) => nameOfKind(kind, each)))) {
      asking.gone.add(name)
      asking.found.gone.push(name)
    }
    return withoutDead(asking, kinds, names, ask)
  }
}

/** Returns the first name that the network refuses, found by bisection. Empty if it refuses none. */
async function findDead(
  suspects: readonly string[],
  ask: (names: readonly string[]) => Promise<unknown>,
): Promise<readonly string[]> {
  const half = suspects.slice(0, Math.ceil(suspects.length / 2))
  try {
    await ask(half)
  } catch (error) {
    if (!isDead(error)) throw error
    return half.length > 1 ? findDead(half, ask) : half
  }
  const rest = suspects.slice(half.length)
  return rest.length > 0 ? findDead(rest, ask) : []
}

/** Whether the network refused a call because it does not know a requested name. */
export const isDead = (error: unknown): error is NetworkError =>
  error instanceof NetworkError && error.networkCode === '100' && /valid insights metric/i.test(error.message)

/** Whether an error concerns all further calls too, not just the object of this one. */
export const endsAll = ({ kind }: NetworkError) =>
  ['AUTH', 'RATE_LIMIT', 'TRANSIENT', 'AMBIGUOUS', 'CONFIG'].includes(kind)

/**
 * Limits a reading to this number of calls. Another call throws `NetworkError`, which ends the reading; the next
 * reading continues.
 */
export function limited(reservation: Reservation, calls: number): Reservation {
  let left = calls
  return {
    take() {
      if (left <= 0) throw new NetworkError('rate_limit', 'This reading has used all of its calls.')
      left -= 1
      reservation.take()
    },
    report: (usage) => reservation.report(usage),
  }
}
