import { uuidv7 } from 'uuidv7'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { NOTICE_SEED } from '../../core/platform/lock-ids.ts'
import type { Json } from '../../core/platform/json.ts'
import { NO_WORKSPACE, type Scope, type Tx } from '../../core/platform/scope.ts'
import { NOTICES, type Notice, type Notification, type NotificationPreferences, type PreferencesChange } from './api.ts'
import { mailSoon, mayKnow } from './notifications-mail.ts'
import { COUNTED, hasOwnLetter, isAlways, TO_OUTSIDERS } from './rules.ts'

/**
 * Members of the transaction's workspace, by role or by id, without the actor and those who got a notice of the kind after
 * `unlessSince`; or people by id, members or not.
 */
type Audience =
  | { roles: readonly string[]; members?: readonly string[]; except?: string | null; unlessSince?: Date }
  | { users: readonly string[] }

/**
 * Notifies people with the transaction, each in the ways that they chose for this kind. `data` has what the text needs
 * (ids, names, figures), never a secret. Some kinds are counted in a notice that is still unread.
 */
export async function notify(tx: Tx, audience: Audience, kind: Notice, data: Json = {}): Promise<void> {
  const users =
    'users' in audience
      ? audience.users
      : (
          await tx.run(
            query<{ userId: string }>`select user_id from member where workspace_id = ${tx.workspaceId}
              and (role = any(${audience.roles}::text[]) or user_id = any(${audience.members ?? []}::uuid[]))
              and user_id is distinct from ${audience.except ?? null}::uuid
              and (${audience.unlessSince ?? null}::timestamptz is null or not exists (select from notification n
                where n.user_id = member.user_id and n.workspace_id = ${tx.workspaceId} and n.kind = ${kind}
                  and n.created_at > ${audience.unlessSince ?? null}::timestamptz))`,
          )
        ).map(({ userId }) => userId)
  if (users.length === 0) return
  const workspaceId = tx.workspaceId === NO_WORKSPACE ? null : tx.workspaceId
  const ids = users.map(() => uuidv7())
  const list = COUNTED[kind]
  const counted = list !== undefined && list in data ? list : undefined
  // Those of the same moment take turns, so that each finds the notice of the one before.
  if (counted)
    tx.lock(query`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ${kind}`}, ${NOTICE_SEED}))`)
  const told = await tx.run(query<{ userId: string; mailed: boolean }>`
    with told as (
      select told.user_id, told.id, coalesce(wish.in_app, true) or ${isAlways(kind, 'inApp')} as in_app,
        coalesce(wish.mail, true) and not ${hasOwnLetter(kind)} as mailed
      from unnest(${users}::uuid[], ${ids}::uuid[]) as told(user_id, id)
      left join notification_preference wish on wish.user_id = told.user_id and wish.kind = ${kind}
      where ${mayKnow(sql`${kind}`, sql`(select role from member where workspace_id = ${tx.workspaceId} and user_id = told.user_id)`)}
    ), ${counted ? countInOpenNotices(tx, kind, data, counted) : sql`counted as (select user_id from told where false)`},
    made as (insert into notification (user_id, id, workspace_id, kind, data, in_app, mail_at, created_at)
      select user_id, id, ${workspaceId}, ${kind}, ${JSON.stringify(data)}::jsonb, in_app,
        case when mailed then ${tx.now}::timestamptz end, ${tx.now}
      from told where (in_app or mailed) and user_id not in (select user_id from counted))
    select user_id, mailed from told where in_app or mailed`)
  for (const { userId, mailed } of told) if (mailed) mailSoon(tx, userId)
  for (const { userId } of told) tx.emit({ kind: 'notification', id: userId })
}

/**
 * Adds a matter to the notices of its kind that people have not read and that no letter has told yet. `list` names the
 * list of matters in `data`; everything else stays only if all matters share it, and matters of different people (`by`)
 * share no notice. A notice gets a new id, because people who read up to the old one have not seen what was added. A notice
 * that is more than an hour old stays as it is.
 */
const countInOpenNotices = (tx: Tx, kind: Notice, data: Json, list: string) => sql`counted as (
      update notification n set id = told.id, data = case when (n.data -> ${list}) @> (added.data -> ${list}) then n.data else
        coalesce((select jsonb_object_agg(key, value) from jsonb_each(n.data) where added.data -> key = value), '{}')
          || jsonb_build_object(${list}::text, (n.data -> ${list}) || (added.data -> ${list}),
            'count', jsonb_array_length(n.data -> ${list}) + 1) end
      from told, (values (${JSON.stringify(data)}::jsonb)) added(data), lateral (select id from notification o
        where o.user_id = told.user_id and o.workspace_id = ${tx.workspaceId} and o.kind = ${kind} and o.data ? ${list}
          and o.data -> 'by' is not distinct from added.data -> 'by'
          and o.read_at is null and o.mailed_at is null and o.created_at > ${tx.now}::timestamptz - interval '1 hour'
          and o.in_app = told.in_app and (o.mail_at is not null) = told.mailed
        order by o.id desc limit 1) open
      where n.user_id = told.user_id and n.id = open.id and n.read_at is null and n.mailed_at is null
      returning n.user_id)`

/** The end of a matter about which people were notified. */
interface End {
  kind: Notice
  postId: string
  /** An id that is older than all of these notices. */
  since: string
  state: string
  /** The name of the person who ended it. */
  by: ReturnType<typeof sql>
}

/** Ends the notices about a matter of a post. They then say how it ended, count as read and ask for nothing. */
export async function endNotices(tx: Tx, { kind, postId, since, state, by }: End): Promise<void> {
  const ended = await tx.run(query<{
    userId: string
  }>`update notification n set read_at = coalesce(n.read_at, ${tx.now}),
      data = n.data || jsonb_build_object('ended', ${state}::text, 'by', coalesce(${by}, ''))
    where n.user_id in (select user_id from member where workspace_id = ${tx.workspaceId}) and n.workspace_id = ${tx.workspaceId}
      and n.id >= ${since} and n.kind = ${kind} and n.data ->> 'postId' = ${postId} and not n.data ? 'ended'
    returning n.user_id`)
  for (const { userId } of ended) tx.emit({ kind: 'notification', id: userId })
}

// ---- reading notices

/** A person's notices that the app shows: those of their workspaces, those of none, and the kinds for outsiders. */
const shownTo = (userId: string, condition: ReturnType<typeof sql>) =>
  sql`from notification n
    left join json_to_recordset(profile(${userId}) -> 'workspaces') as own(id uuid, name text, role text) on own.id = n.workspace_id
    where n.user_id = ${userId} and n.in_app
      and (n.workspace_id is null or own.id is not null or n.kind = any(${TO_OUTSIDERS}::text[]))
      and ${mayKnow(sql`n.kind`, sql`own.role`)} and ${condition}`

const noticesOf = (userId: string, condition: ReturnType<typeof sql>) =>
  whole<Notification>(sql`select n.id, n.kind, own.id as workspace_id, coalesce(own.name, n.data ->> 'workspaceName') as workspace_name,
    n.data, iso(n.read_at) as read_at, iso(n.created_at) as created_at ${shownTo(userId, condition)}`)

const unreadOf = (userId: string) =>
  whole<{ count: number }>(sql`select count(*)::int as count ${shownTo(userId, sql`n.read_at is null`)}`)

/** A page of a person's notices, newest first. */
export async function listNotifications(
  scope: Scope,
  userId: string,
  { unread, ...request }: PageRequest & { unread?: boolean | undefined },
): Promise<Page<Notification> & { unreadCount: number }> {
  const notices = page(sql`n.id`, request)
  const [rows, [open]] = await scope.read(
    noticesOf(userId, sql`(${unread !== true} or n.read_at is null) and ${notices.rows}`),
    unreadOf(userId),
  )
  return { ...notices.of(rows), unreadCount: open?.count ?? 0 }
}

/** Removes a person's notices of the workspace, which they have left. */
export const deleteNotices = (tx: Tx, userId: string) =>
  tx.run(query`delete from notification where user_id = ${userId} and workspace_id = ${tx.workspaceId}`)

/** Marks one notice as read, once. Throws `not_found` for a notice that is not shown to the person. */
export async function readNotification(scope: Scope, userId: string, id: string): Promise<Notification> {
  return scope.transaction(async (tx) => {
    const found = await tx.one(noticesOf(userId, sql`n.id = ${id}`), 'not_found')
    if (found.readAt !== null) return found
    const [marked] = await tx.run(query<{ readAt: string }>`update notification set read_at = ${tx.now}
      where user_id = ${userId} and id = ${id} and read_at is null returning iso(read_at) as read_at`)
    // Another window was first.
    return marked ? { ...found, ...marked } : tx.one(noticesOf(userId, sql`n.id = ${id}`), 'not_found')
  })
}

/**
 * Marks all notices as read, or all up to one of the person's, since they have not seen later ones. Returns the number
 * left unread.
 */
export async function readNotifications(
  scope: Scope,
  userId: string,
  upTo: string | undefined,
): Promise<{ unreadCount: number }> {
  return scope.transaction(async (tx) => {
    await tx.run(query`update notification set read_at = ${tx.now}
      where user_id = ${userId} and in_app and read_at is null and (${upTo ?? null}::uuid is null
        or id <= (select seen.id from notification seen where seen.user_id = ${userId} and seen.id = ${upTo ?? null}::uuid))`)
    const { count } = await tx.one(unreadOf(userId), 'not_found')
    return { unreadCount: count }
  })
}

// ---- preferences

const wishesOf = (userId: string) =>
  query<{ kind: string; inApp: boolean; mail: boolean }>`select kind, in_app, mail from notification_preference
    where user_id = ${userId}`

const quietOf = (userId: string) =>
  query<{ quietFrom: string | null; quietUntil: string | null }>`select to_char(quiet_from, 'HH24:MI') as quiet_from,
    to_char(quiet_until, 'HH24:MI') as quiet_until from app_user where id = ${userId}`

/** The ways in which a person is notified of each kind; both by default. */
export async function getPreferences(scope: Scope, userId: string): Promise<NotificationPreferences> {
  const [wishes, [quiet]] = await scope.read(wishesOf(userId), quietOf(userId))
  if (!quiet) throw new AppError('not_found')
  return { ...quiet, kinds: waysOf(wishes) }
}

function waysOf(wishes: { kind: string; inApp: boolean; mail: boolean }[]): NotificationPreferences['kinds'] {
  const chosen = new Map(wishes.map(({ kind, inApp, mail }) => [kind, { inApp, mail }]))
  return Object.fromEntries(
    NOTICES.map((kind) => {
      const { inApp = true, mail = true } = chosen.get(kind) ?? {}
      return [kind, { inApp: inApp || isAlways(kind, 'inApp'), mail: mail || isAlways(kind, 'mail') }]
    }),
  ) as NotificationPreferences['kinds']
}

/** Stores a person's quiet hours. The identities own the row, and they notify people, so they are not imported here. */
export type SetQuietHours = (tx: Tx, userId: string, from: string | null, until: string | null) => Promise<unknown>

/**
 * Changes the given preferences. Throws `validation_failed` for a kind that cannot be switched off and for invalid
 * quiet hours.
 */
export async function setPreferences(
  scope: Scope,
  userId: string,
  { kinds = {}, ...hours }: PreferencesChange,
  setQuietHours: SetQuietHours,
): Promise<NotificationPreferences> {
  const faults: Fault[] = []
  for (const kind of NOTICES) {
    for (const way of ['inApp', 'mail'] as const) {
      if (kinds[kind]?.[way] === false && isAlways(kind, way)) {
        faults.push({
          path: `/kinds/${kind}/${way}`,
          code: 'always_on',
          message: 'This notification can’t be turned off.',
        })
      }
    }
  }
  if (faults.length > 0) throw invalid(...faults)
  await scope.transaction(async (tx) => {
    // Concurrent changes take turns here, since both would start from the same state.
    await tx.run(query`select from app_user where id = ${userId} for no key update`)
    const [[before], wishes] = await Promise.all([tx.run(quietOf(userId)), tx.run(wishesOf(userId))])
    if (!before) throw new AppError('not_found')
    const { quietFrom = before.quietFrom, quietUntil = before.quietUntil } = hours
    assertQuietHours(quietFrom, quietUntil)
    if (quietFrom !== before.quietFrom || quietUntil !== before.quietUntil) {
      await setQuietHours(tx, userId, quietFrom, quietUntil)
    }
    const ways = waysOf(wishes)
    const changed = NOTICES.flatMap((kind) => (kinds[kind] ? [{ kind, ...ways[kind], ...kinds[kind] }] : []))
    if (changed.length > 0) {
      await tx.run(query`insert into notification_preference (user_id, kind, in_app, mail)
        select ${userId}, kind, "inApp", mail
        from json_to_recordset(${JSON.stringify(changed)}::json) as t(kind text, "inApp" boolean, mail boolean)
        on conflict (user_id, kind) do update set in_app = excluded.in_app, mail = excluded.mail`)
    }
  })
  return getPreferences(scope, userId)
}

/** Throws unless quiet hours have a beginning and a different end, or neither. */
function assertQuietHours(from: string | null, until: string | null): void {
  if ((from === null) !== (until === null)) {
    const path = from === null ? '/quietFrom' : '/quietUntil'
    throw invalid({ path, code: 'required', message: 'Set both the start and the end of quiet hours.' })
  }
  if (from !== null && from === until) {
    throw invalid({
      path: '/quietUntil',
      code: 'equal_ends',
      message: 'The end time must differ from the start time.',
    })
  }
}
