import type { RawBuilder } from 'kysely'
import { type Query, query, sql } from './db.ts'
import { isAlive } from './events.ts'

/** A request's claim on its Idempotency-Key. */
export interface Once {
  keyHash: string
  claim: string
  done: boolean
  /** Fields of the answer that are stored as null. */
  shownOnce: readonly string[]
}

/** The stored answer for a key. */
export interface KeptAnswer {
  claim: string
  /** Whether this request holds the claim. */
  mine: boolean
  bodyHash: string | null
  done: boolean
  status: number | null
  headers: Record<string, string> | null
  body: string | null
}

const KEPT_HOURS = 24
/**
 * Seconds after which a request counts as ended, even if its process lives. The claim of a dead process ends at once.
 */
const CLAIM_SECONDS = 60

/**
 * Claims a key unless it is done or a living request holds it, and reads what is stored for it. Also removes two
 * expired keys.
 */
export function claimKey(
  { keyHash, claim }: Once,
  { userId, bodyHash, holder, now }: { userId: string; bodyHash: string; holder: string; now: Date },
): Query<KeptAnswer> {
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  return query<KeptAnswer>`
      with old as (delete from idempotency_key where key_hash in (select key_hash from idempotency_key
        where expires_at < ${now} and key_hash <> ${keyHash} limit 2 for update skip locked)),
      mine as (
        insert into idempotency_key as k (key_hash, user_id, body_hash, claim, holder, claimed_until, expires_at)
        values (${keyHash}, ${userId}, ${bodyHash}, ${claim}, ${holder}, ${later(CLAIM_SECONDS)},
          ${later(KEPT_HOURS * 3600)})
        on conflict (key_hash) do update set body_hash = excluded.body_hash, claim = excluded.claim, holder = excluded.holder,
          claimed_until = excluded.claimed_until, expires_at = excluded.expires_at,
          done_at = null, status = null, headers = null, body = null
          where k.expires_at <= ${now}
            or (k.done_at is null and k.body_hash = excluded.body_hash
              and (k.claimed_until <= ${now} or not ${isAlive(sql`k.holder`)}))
        returning claim)
      select exists (select from mine) as mine, k.claim, k.body_hash, k.done_at is not null as done, k.status, k.headers, k.body
      from (select 1) as always left join idempotency_key k on k.key_hash = ${keyHash}`
}

export interface KeptEffect {
  /** The result as JSON, if it was read by the statement. */
  result: string | null
}

/**
 * Marks a key done in the transaction of its effect, with the result as JSON: a text (`withoutShownOnce`), or an
 * expression that reads it. Without a row, another request has taken the key over, because this one had stalled for too
 * long.
 */
export function keepEffect(
  once: Once,
  now: Date,
  result: string | RawBuilder<string>,
  unanswered: { status: number; headers: Record<string, string> } | undefined,
): Query<KeptEffect> {
  if (typeof result !== 'string' && once.shownOnce.length > 0)
    throw new Error('A statement cannot leave out fields that are shown once')
  // Operators may not read what a key keeps.
  const read = typeof result === 'string' ? sql`null` : sql`body`
  return query<KeptEffect>`update idempotency_key set done_at = ${now}, body = ${result},
      status = ${unanswered?.status ?? null}, headers = ${unanswered ? JSON.stringify(unanswered.headers) : null}::jsonb
    where key_hash = ${once.keyHash} and claim = ${once.claim} and done_at is null returning ${read} as result`
}

/** Stores the answer for a repeat of the request. */
export const keepAnswer = (
  { keyHash, claim }: Once,
  now: Date,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: string | null },
) =>
  query`update idempotency_key set done_at = coalesce(done_at, ${now}), status = ${status},
        headers = ${JSON.stringify(headers)}::jsonb, body = ${body}
        where key_hash = ${keyHash} and claim = ${claim}`

/**
 * Empties the stored answers of a workspace's members that name one of these ids. A repeat of the request still has no
 * effect.
 */
export const forgetAnswers = (workspaceId: string, ids: readonly string[]) =>
  query`update idempotency_key k set body = 'null'
    where k.body is not null and k.user_id in (select user_id from member where workspace_id = ${workspaceId})
      and exists (select from regexp_matches(k.body, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') found
        where found[1] = any (${ids}::text[]))`

/** Frees a key whose request had no effect. */
export const freeClaim = ({ keyHash, claim }: Once) =>
  query`delete from idempotency_key where key_hash = ${keyHash} and claim = ${claim}`

/** Frees a key unless its effect is done: a done key stays done, even after a later failure. */
export const freeUndone = ({ keyHash, claim }: Once) =>
  query`delete from idempotency_key where key_hash = ${keyHash} and claim = ${claim} and done_at is null`

/** JSON in which the fields that are shown only once are null. */
export const withoutShownOnce = (value: unknown, { shownOnce }: Pick<Once, 'shownOnce'>): string =>
  JSON.stringify(value ?? null, (key, field: unknown) => (shownOnce.includes(key) ? null : field))
