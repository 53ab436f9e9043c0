import type { RawBuilder } from 'kysely'
import { AppError } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { exactly, type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { labelMark, labelOrder } from '../../team/labels/labels.ts'
import type { DraftReply } from '../decisions/api.ts'
import { draftShape } from '../decisions/shapes.ts'
import { personShape } from '../../team/identity/person-shape.ts'
import { nameWords, searchRows } from './look-through.ts'
import { type ListQuery, type Message, type OpenThread, type Thread, THREAD_VIEWS, type ThreadView } from './api.ts'

/** A value that clients do not get. */
const unlessClient = (role: Role | null, value: RawBuilder<unknown>, instead = sql`null`) =>
  role === 'CLIENT' ? instead : value

/** The shape of a message `m` in the API. */
const messageShape = (role: Role | null) => sql`json_build_object('id', m.id, 'kind', m.kind, 'direction', m.direction,
  'source', m.source, 'author', ${unlessClient(role, personShape(sql`m.author`))}, 'text', m.text, 'parentId', m.parent_id,
  'externalId', m.external_id, 'at', iso(m.at), 'edited', m.edited_at is not null, 'removedAt', iso(m.removed_at),
  'hiddenAt', iso(m.hidden_at), 'reaction', m.reaction,
  'attachments', coalesce((select json_agg(json_build_object('id', f.id, 'type', f.type,
    'url', ${unlessClient(
      role,
      sql`case when f.storage_key is null then f.url
        else '/api/v1/conversations/' || m.thread_id || '/attachments/' || f.id end`,
    )},
    'mediaFileId', f.media_file_id, 'state', f.state, 'contentType', f.content_type, 'size', f.size)
    order by f.position) from message_attachment f where f.workspace_id = m.workspace_id and f.message_id = m.id), '[]'),
  'delivery', ${unlessClient(
    role,
    sql`(select json_build_object('kind', d.kind, 'state', d.state, 'waitReason', d.wait_reason, 'error', d.error)
    from delivery d where d.workspace_id = m.workspace_id and d.message_id = m.id)`,
  )}, 'decisionId', ${unlessClient(role, sql`m.decision_id`)})`

/** The shape of a thread `t` of account `a` in the API, for one person. */
const threadShape = (
  userId: string | null,
  role: Role | null,
) => sql`json_build_object('id', t.id, 'accountId', t.account_id,
  'platform', a.platform, 'kind', t.kind, 'live', t.live, 'status', t.status,
  'customer', (select json_build_object('id', n.id, 'name', n.name, 'username', i.username, 'erased', n.erased_at is not null) from audience_identity i
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where i.workspace_id = t.workspace_id and i.id = t.identity_id),
  'post', case when t.post_ref is not null then json_build_object('externalId', t.post_ref, 'id', t.post_id,
    'excerpt', coalesce((select left(p.caption, 200) from post p where p.workspace_id = t.workspace_id and p.id = t.post_id),
      t.post_text),
    'permalink', coalesce(t.post_url, (select u.permalink from publication u where u.workspace_id = t.workspace_id and u.post_id = t.post_id
      and u.account_id = t.account_id order by u.external_id = t.post_ref desc nulls last limit 1))) end,
  'comments', case when t.comments is not null
    then json_build_object('count', t.comments, 'new', greatest(t.comments - t.comments_before, 0)) end,
  'assignee', ${unlessClient(role, personShape(sql`t.assignee`))}, 'urgency', ${unlessClient(role, sql`t.urgency`)},
  'sentiment', ${unlessClient(role, sql`t.sentiment`)}, 'language', ${unlessClient(role, sql`t.language`)},
  'tags', ${unlessClient(role, sql`t.tags`, sql`'{}'::text[]`)},
  'labels', coalesce((select json_agg(${labelMark} order by ${labelOrder}) from thread_label tl
    join label l on l.workspace_id = tl.workspace_id and l.id = tl.label_id
    where tl.workspace_id = t.workspace_id and tl.thread_id = t.id), '[]'),
  'replyStyle', ${unlessClient(role, sql`t.reply_style`)}, 'botPausedAt', ${unlessClient(role, sql`iso(t.bot_paused_at)`)},
  'botStreak', ${unlessClient(role, sql`t.bot_streak`, sql`0`)},
  'windowUntil', iso(t.window_until), 'humanUntil', iso(t.human_until), 'unansweredAt', iso(t.unanswered_at),
  'snoozedUntil', iso(t.snoozed_until), 'openedAt', iso(t.opened_at), 'lastInAt', iso(t.last_in_at), 'lastOutAt', iso(t.last_out_at),
  'unread', ${unreadBy(userId)},
  'lastMessage', (select json_build_object('id', m.id, 'source', m.source,
    'author', ${unlessClient(role, personShape(sql`m.author`))}, 'text', m.text, 'at', iso(m.at)) from message m
    where m.workspace_id = t.workspace_id and m.thread_id = t.id and m.direction <> 'INTERNAL' and m.is_intended order by m.at desc, m.id desc limit 1),
  'held', ${unlessClient(
    role,
    sql`case when t.held is not null and t.status <> 'CLOSED' then json_build_object('reason', t.held, 'draftId', r.id, 'confidence', r.confidence,
      'threshold', r.threshold) end`,
  )}, 'version', t.version)`

/** Joins the waiting draft `r` of thread `t`. */
const withDraft = sql`left join draft_reply r on r.workspace_id = t.workspace_id and r.thread_id = t.id
  and r.state = 'PENDING_REVIEW'`

const unreadBy = (userId: string | null) => sql`(t.last_in_at is not null and not exists (select from thread_seen s
  where s.workspace_id = t.workspace_id and s.thread_id = t.id and s.user_id = ${userId} and s.seen_at >= t.last_in_at))`

const reader = ({ actor }: Pick<Scope, 'actor'>) => (actor.kind === 'user' ? actor.userId : null)

/** Returns the condition for the threads of a view. */
function viewOf(view: ThreadView, userId: string | null): RawBuilder<unknown> {
  const open = sql`t.status in ('OPEN', 'ESCALATED')`
  return {
    mine: sql`t.assignee = ${userId} and ${open}`,
    unassigned: sql`t.assignee is null and ${open}`,
    review: sql`t.held is not null and t.status <> 'CLOSED'`,
    escalated: sql`t.status = 'ESCALATED'`,
    unanswered: sql`t.unanswered_at is not null and ${open}`,
    snoozed: sql`t.status = 'SNOOZED'`,
    all: sql`true`,
  }[view]
}

function conditions(scope: Scope, asked: Omit<ListQuery, 'limit' | 'cursor' | 'sort' | 'q'>): RawBuilder<unknown> {
  const { workspaceId } = scope
  const parts = [sql`t.workspace_id = ${workspaceId}`, viewOf(asked.view, reader(scope))]
  if (asked.status) parts.push(sql`t.status = ${asked.status}`)
  if (asked.assignee) parts.push(sql`t.assignee = ${asked.assignee}`)
  if (asked.accountId) parts.push(sql`t.account_id = ${asked.accountId}`)
  if (asked.kind) parts.push(sql`t.kind = ${asked.kind}`)
  if (asked.urgency) parts.push(sql`t.urgency = ${asked.urgency}`)
  if (asked.sentiment) parts.push(sql`t.sentiment = ${asked.sentiment}`)
  if (asked.tag) parts.push(sql`${asked.tag} = any (t.tags)`)
  if (asked.label) {
    parts.push(sql`exists (select from thread_label tl where tl.workspace_id = t.workspace_id and tl.thread_id = t.id
      and tl.label_id = ${asked.label})`)
  }
  if (asked.postId) parts.push(sql`t.post_id = ${asked.postId}`)
  if (asked.customerId) {
    parts.push(sql`t.identity_id in (select i.id from audience_identity i where i.workspace_id = ${workspaceId}
      and i.node_id = ${asked.customerId})`)
  }
  if (asked.unread) parts.push(asked.unread === 'true' ? unreadBy(reader(scope)) : sql`not ${unreadBy(reader(scope))}`)
  return sql.join(parts, sql` and `)
}

/**
 * The sort keys of both orders, all descending, so that a cursor needs one row comparison. Threads in which no one
 * waits come last.
 */
const orders = {
  newest: [
    [sql`coalesce(t.last_in_at, t.opened_at)`, 'timestamptz'],
    [sql`t.id`, 'uuid'],
  ],
  priority: [
    [sql`thread_priority(t.urgency, t.unanswered_at)`, 'bigint'],
    [sql`t.id`, 'uuid'],
  ],
} as const

/** Views and filters that would show a client how threads are handled, and how the model classified them. */
const NOT_FOR_CLIENTS = {
  views: ['mine', 'unassigned', 'review'],
  filters: ['assignee', 'urgency', 'sentiment', 'tag'],
} as const satisfies { views: readonly ThreadView[]; filters: readonly (keyof ListQuery)[] }

/** Throws `role_required` if a client may not list threads in this way. */
function refuseClient(role: Role | null, asked: Partial<ListQuery>): void {
  if (role !== 'CLIENT') return
  const { views, filters } = NOT_FOR_CLIENTS
  const view = views.find((each) => each === asked.view)
  const refused = view ? `the view “${view}”` : filters.find((each) => asked[each] !== undefined)
  if (refused === undefined) return
  throw new AppError('role_required', `Clients can’t use ${refused}. Omit it.`, { required: 'VIEWER', actual: role })
}

/** The words of a search: whole words in messages, and in names with the last word as a prefix. */
const searched = (q: string) => ({ text: sql`plainto_tsquery('simple', ${q})`, name: nameWords(q) })

/** Lists a page of threads. Throws `role_required` for views and filters that are not for clients. */
export async function listThreads(
  scope: Scope,
  { limit, cursor, q, ...asked }: ListQuery,
  role: Role | null,
): Promise<Page<Thread>> {
  refuseClient(role, asked)
  // Priority would show a client how urgent a conversation is.
  const sort = role === 'CLIENT' ? 'newest' : asked.sort
  const columns = orders[sort]
  const threads = pageBy<{ order: number | string; id: string }>(columns, { limit, cursor }, (row) => [
    row.order,
    row.id,
  ])
  const read = async (found: RawBuilder<unknown>) => {
    const [rows] = await scope.read(
      whole<{
        json: Thread
        order: number | string
        id: string
      }>(sql`select ${threadShape(reader(scope), role)} as json, t.id,
          ${sort === 'newest' ? exactly(sql`t."order"`) : sql`t."order"`} as "order"
        from (${found}) t
        join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id ${withDraft} order by t."order" desc, t.id desc`),
    )
    return rows
  }
  const some = (more: RawBuilder<unknown>, rows = threads.rows) =>
    sql`select t.*, ${columns[0][0]} as "order" from thread t where ${conditions(scope, asked)} and ${more} and ${rows}`
  const find = () => {
    if (q === undefined) return read(some(sql`true`))
    const { text, name } = searched(q)
    return searchRows(limit, {
      among: (most) =>
        read(sql`select t.* from (${some(sql`true`, pageBy(columns, { limit: most, cursor }, () => []).rows)}) t,
            ${text} text_words, ${name} name_words
          where exists (select from message m where m.workspace_id = t.workspace_id and m.thread_id = t.id
              and m.direction <> 'INTERNAL' and m.is_intended and m.tsv @@ text_words)
            or exists (select from audience_identity i
              join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
              where i.workspace_id = t.workspace_id and i.id = t.identity_id and (n.words @@ name_words or i.words @@ name_words))
          order by t."order" desc, t.id desc limit ${limit + 1}`),
      byIndex: () => read(some(sql`t.id in (select threads_found(${q}, ${name}))`)),
    })
  }
  const found = threads.of(await find())
  return { data: found.data.map(({ json }) => json), nextCursor: found.nextCursor }
}

/** Counts the threads of each view. Closed ones are only in the view of all, where an index alone counts them. */
export async function countThreads(scope: Scope): Promise<Record<ThreadView, number>> {
  const counts = THREAD_VIEWS.map((view) =>
    view === 'all'
      ? sql`(select count(*) from thread every where every.workspace_id = ${scope.workspaceId})::int as "all"`
      : sql`count(*) filter (where ${viewOf(view, reader(scope))})::int as ${sql.ref(view)}`,
  )
  const [[row]] = await scope.read(
    whole<
      Record<ThreadView, number>
    >(sql`select ${sql.join(counts)} from thread t where t.workspace_id = ${scope.workspaceId}
      and t.status <> 'CLOSED'`),
  )
  return row!
}

const threadsWhere = (userId: string | null, role: Role | null, condition: RawBuilder<unknown>) =>
  whole<{ json: Thread }>(sql`select ${threadShape(userId, role)} as json from thread t
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id ${withDraft} where ${condition}`)

const messagesWhere = (role: Role | null, condition: RawBuilder<unknown>) =>
  whole<{
    json: Message
    at: string
    id: string
  }>(sql`select ${messageShape(role)} as json, m.id, ${exactly(sql`m.at`)} as at from message m
    where ${role === 'CLIENT' ? sql`m.kind <> 'NOTE'` : sql`true`} and ${condition}`)

/** Selects the first comment of the tree that a thread belongs to, if it is in the thread of somebody else. */
const parentWhere = (workspaceId: string, threadId: string) =>
  query<NonNullable<OpenThread['parent']>>`
    select coalesce(case when m.direction = 'IN' then n.name else a.name end, '') as author, m.text, iso(m.at) as at
    from thread t join message m on m.workspace_id = t.workspace_id and m.account_id = t.account_id
      and m.external_id = split_part(t.key, ':', 2) and m.thread_id <> t.id and m.text is not null
    join social_account a on a.workspace_id = m.workspace_id and a.id = m.account_id
    join thread p on p.workspace_id = m.workspace_id and p.id = m.thread_id
    left join audience_identity i on i.workspace_id = p.workspace_id and i.id = p.identity_id
    left join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where t.workspace_id = ${workspaceId} and t.id = ${threadId} and t.kind = 'COMMENT'`

/** Returns a thread with its newest messages. Throws `not_found`. */
export async function getThread(scope: Scope, id: string, role: Role | null): Promise<OpenThread> {
  const { workspaceId } = scope
  // Each statement sees what is committed when it runs. Drafts and messages are read first, so that the thread has what
  // followed from them.
  const [drafts, messages, [thread], presence, [decision], [parent]] = await scope.read(
    whole<{ json: DraftReply }>(sql`select ${draftShape} as json from draft_reply r
      where r.workspace_id = ${workspaceId} and r.thread_id = ${id} and r.state = 'PENDING_REVIEW' order by r.id`),
    messagesWhere(
      role,
      sql`m.workspace_id = ${workspaceId} and m.thread_id = ${id} and m.is_intended order by m.at desc, m.id desc limit 50`,
    ),
    threadsWhere(reader(scope), role, sql`t.workspace_id = ${workspaceId} and t.id = ${id}`),
    query<OpenThread['presence'][number]>`select u.id, coalesce(u.name, '') as name, p.typing, iso(p.until) as until
      from thread_presence p join app_user u on u.id = p.user_id where p.workspace_id = ${workspaceId} and p.thread_id = ${id}
        and p.until > ${scope.now()} and p.user_id is distinct from ${reader(scope)}::uuid order by lower(u.name), u.id`,
    query<Pick<OpenThread, 'contextSnapshot' | 'decisionLog'> & { id: string }>`select d.id, d.log as decision_log,
        case when d.erased_at is null then d.facts end as context_snapshot
      from decision d where d.workspace_id = ${workspaceId} and d.thread_id = ${id} and d.kind = 'bot' order by d.id desc limit 1`,
    parentWhere(workspaceId, id),
  )
  if (!thread) throw new AppError('not_found')
  const isClient = role === 'CLIENT'
  return {
    ...thread.json,
    messages: messages.map(({ json }) => json).toReversed(),
    parent: parent ?? null,
    presence: isClient ? [] : presence,
    drafts: isClient ? [] : drafts.map(({ json }) => json),
    decisionId: (!isClient && decision?.id) || null,
    contextSnapshot: isClient ? null : (decision?.contextSnapshot ?? null),
    decisionLog: isClient ? null : (decision?.decisionLog ?? null),
  }
}

/** Lists a page of the messages of a thread, newest first. Throws `not_found`. */
export async function listMessages(
  scope: Scope,
  id: string,
  request: PageRequest,
  role: Role | null,
): Promise<Page<Message>> {
  const columns = [
    [sql`m.at`, 'timestamptz'],
    [sql`m.id`, 'uuid'],
  ] as const
  const messages = pageBy<{ at: string; id: string }>(columns, request, (row) => [row.at, row.id])
  const [[thread], rows] = await scope.read(
    whole<object>(sql`select from thread where workspace_id = ${scope.workspaceId} and id = ${id}`),
    messagesWhere(
      role,
      sql`m.workspace_id = ${scope.workspaceId} and m.thread_id = ${id} and m.is_intended and ${messages.rows}`,
    ),
  )
  if (!thread) throw new AppError('not_found')
  const found = messages.of(rows)
  return { data: found.data.map(({ json }) => json), nextCursor: found.nextCursor }
}

/** Returns a thread within a transaction. Throws `not_found`. */
export const readThread = async (tx: Tx, id: string): Promise<Thread> =>
  (await tx.one(threadsWhere(reader(tx), null, sql`t.workspace_id = ${tx.workspaceId} and t.id = ${id}`), 'not_found'))
    .json

/** Returns the id of the newest message of a thread, apart from notes and replies that the bot only plans. */
export async function newestMessage(tx: Tx, threadId: string): Promise<string | undefined> {
  const [newest] = await tx.run(query<{ id: string }>`select id from message where workspace_id = ${tx.workspaceId}
    and thread_id = ${threadId} and direction <> 'INTERNAL' and is_intended order by at desc, id desc limit 1`)
  return newest?.id
}

/** Returns a message, even a reply of the bot that was withdrawn because it was never sent. */
export const readMessage = async (tx: Tx, id: string): Promise<Message> =>
  (await tx.one(messagesWhere(null, sql`m.workspace_id = ${tx.workspaceId} and m.id = ${id}`), 'not_found')).json
