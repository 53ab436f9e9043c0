import { createHash, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Thread } from '../src/conversations/threads/api.ts'
import type { MediaUpload } from '../src/publishing/media/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { untilSubscribed } from './inbox.ts'
import { call, confirmEmail, connectPages, eventually, type Person, untilStatus, uploadPicture } from './world.ts'

type Sql = Pick<Pool, 'query'>

/** The kinds of ids that a workspace has. */
export type Kind =
  | 'workspace'
  | 'user'
  | 'post'
  | 'publication'
  | 'file'
  | 'upload'
  | 'account'
  | 'session'
  | 'identity'
  | 'invitation'
  | 'notification'
  | 'approval'
  | 'comment'
  | 'link'
  | 'label'
  | 'hashtagSet'
  | 'template'
  | 'view'
  | 'voice'
  | 'generation'
  | 'thread'
  | 'message'
  | 'note'
  | 'savedReply'
  | 'competitor'
  | 'abTest'
  | 'report'
  | 'reportSnapshot'
  | 'customer'
  | 'segment'
  | 'rule'
  | 'decision'
  | 'draftReply'
  | 'sentReply'
  | 'run'
  | 'memory'
  | 'experiment'
  | 'attachment'
  | 'measured'
  | 'event'

/** Fills the workspace of a person so that every table of tenants has a row. Returns the ids. */
export async function fillTenant(sql: Sql, person: Person, sandboxUser: string): Promise<Record<Kind, string>> {
  await confirmEmail(person)
  const [page] = (await connectPages(person, sandboxUser)) as [SocialAccount]
  const picture = await uploadPicture(person)
  const unfinished = await person.must<MediaUpload>('POST', '/media/uploads', undefined, { 'upload-length': '9' })
  const sent = await person.must<Post>('POST', '/posts', { caption: 'Live', targets: [page.id], action: 'publish' })
  await untilStatus(person, sent.id, ['PUBLISHED'])
  const label = await person.must<{ id: string }>('POST', '/labels', { name: 'Urgent', color: 'red' })
  const draft = await person.must<Post>(
    'POST',
    '/posts',
    {
      caption: 'Ours',
      labels: [label.id],
      targets: [page.id],
      media: [picture.id],
      scheduledAt: '2099-01-01T00:00:00Z',
    },
    { 'idempotency-key': randomUUID() },
  )
  const submitted = await person.must<Post>('POST', '/posts', { caption: 'Asked for', action: 'submit' })
  const comment = await person.must<{ id: string }>('POST', `/posts/${draft.id}/comments`, { text: 'Good' })
  const link = await person.must<{ id: string }>('POST', `/posts/${draft.id}/review-links`, { name: 'Client', days: 3 })
  await person.must('POST', '/review-links', { postIds: [draft.id, submitted.id] })
  const invited = await person.must<{ id: string }>('POST', `/workspaces/${person.workspaceId}/members`, {
    email: `guest-${randomUUID()}@example.test`,
    role: 'VIEWER',
  })
  const set = await person.must<{ id: string }>('POST', '/hashtag-sets', { name: 'Tea', hashtags: ['#tea'] })
  const template = await person.must<{ id: string }>('POST', '/templates', { name: 'New tea', caption: 'New: {{tea}}' })
  const view = await person.must<{ id: string }>('POST', '/views', { name: 'Mine', screen: 'posts', filters: {} })
  const voice = await person.must<{ id: string }>('POST', '/brand-voices', { name: 'Warm', toneAttributes: ['warm'] })
  const generation = randomUUID()
  await sql.query(
    `insert into ai_generation (workspace_id, id, kind, status, input, asked, options, credits, created_by, ended_at)
      values ($1, $2, 'caption', 'SUCCEEDED', '{"topic": "Tea"}', 1, '[{"text": "Tea", "score": 1, "reasons": []}]', 1, $3, app_now())`,
    [person.workspaceId, generation, person.session.user.id],
  )
  await sql.query(`insert into credit_entry values ($1, $2, $3, '2026-01-01', 1)`, [
    person.workspaceId,
    randomUUID(),
    generation,
  ])
  await sql.query(`insert into ai_suggestion values ($1, $2, 'gap', 'Tea', 'Nothing yet', '{"topic": "Tea"}', 1)`, [
    person.workspaceId,
    randomUUID(),
  ])
  await sql.query(`insert into post_tags values ($1, $2, 'tea', 'text', 'warm', app_now(), null, 'person')`, [
    person.workspaceId,
    sent.id,
  ])
  const measured = await measure(sql, person, sent.id)
  await person.must('PUT', '/scheduler/slots', { slots: [{ day: 'friday', time: '16:00' }] })
  await person.must('POST', '/api/v1/auth/forgot-password', { email: person.session.user.email })
  const userId = person.session.user.id
  const identity = randomUUID()
  await sql.query(
    `insert into user_identity (issuer, subject, id, provider, user_id) values ('x', $1, $2, 'IDP_A', $3)`,
    [randomUUID(), identity, userId],
  )
  const notification = randomUUID()
  await sql.query(
    `insert into notification (user_id, id, workspace_id, kind, data, in_app) values ($1, $2, $3, 'security', '{}', true)`,
    [userId, notification, person.workspaceId],
  )
  // Rows that usually come and go, kept here.
  await person.call('GET', '/api/v1/auth/oauth/NET_PAGE', undefined, { accept: 'application/json' })
  await sql.query(
    `insert into one_time_code (destination, purpose, user_id, code_hash, sent_at, expires_at)
      values ($1, 'login', $2, 'x', app_now(), app_now() + interval '1 day')`,
    [person.session.user.email, userId],
  )
  await sql.query(
    `insert into credential_undo (token_hash, user_id, change, created_at, expires_at)
      values ($1, $2, 'phone', app_now(), app_now() + interval '7 days')`,
    [randomUUID(), userId],
  )
  await sql.query(`insert into notification_preference values ($1, 'security', true, true)`, [userId])
  await sql.query(`insert into usage_hold values ($1, $2, 'posts', '2026-01-01', 1, app_now() + interval '1 day')`, [
    person.workspaceId,
    randomUUID(),
  ])
  await sql.query(
    `insert into delivery (workspace_id, id, kind, post_id, account_id, position, after_id, content)
      select workspace_id, gen_random_uuid(), 'comment', post_id, account_id, 0, id, '{"text": "x"}' from delivery
      where workspace_id = $1 and id = $2`,
    [person.workspaceId, draft.publications[0]!.id],
  )
  await sql.query(`insert into media_rendition values ($1, $2, 'NET_PHOTO', $3, 'image/jpeg', 1, 1, 1)`, [
    person.workspaceId,
    picture.id,
    randomUUID(),
  ])
  await sql.query(
    `insert into media_crop (workspace_id, media_file_id, platform, area) values ($1, $2, 'NET_PHOTO', '{}')`,
    [person.workspaceId, picture.id],
  )
  const first = await written(person, page, sent.id)
  const note = await person.must<{ id: string }>('POST', `/conversations/${first.threadId}/notes`, { text: 'Ours' })
  await person.must('PATCH', `/conversations/${first.threadId}`, { labels: [label.id] })
  await person.must('PUT', `/conversations/${first.threadId}/seen`, { messageId: first.id })
  await sql.query(`update thread_presence set until = app_now() + interval '1 day' where workspace_id = $1`, [
    person.workspaceId,
  ])
  await sql.query(`insert into erased_person (workspace_id, account_id, hash, at) values ($1, $2, 'x', app_now())`, [
    person.workspaceId,
    page.id,
  ])
  const event = await sql.query<{ id: string }>(`select id from inbound_event where workspace_id = $1 limit 1`, [
    person.workspaceId,
  ])
  const rule = await person.must<{ id: string }>('POST', '/ice/escalation-rules', { keywords: ['angry'] })
  const { customer } = await person.must<Thread>('GET', `/conversations/${first.threadId}`)
  await sql.query(
    `with merged as (insert into audience_node (workspace_id, id, name, merged_into) values ($1, $2, 'Ours', $3) returning id)
      insert into audience_merge (workspace_id, id, node_id, merged_id, identities, name, tags, at)
      select $1, $2, $3, id, '{}', 'Ours', '{}', app_now() from merged`,
    [person.workspaceId, randomUUID(), customer!.id],
  )
  const segment = await person.must<{ id: string }>('POST', '/audience/segments', {
    name: 'Wholesale',
    filter: { field: 'tag', op: 'is', value: 'wholesale' },
  })
  const bot = await botOf(sql, person, first, page.id)
  const saved = await person.must<{ id: string }>('POST', '/saved-replies', { name: 'Hours', text: 'Open daily' })
  const abTest = await person.must<{ id: string }>('POST', '/ab-tests', {
    name: 'Links',
    accountId: page.id,
    kind: 'post',
    slot: 'weekday-08',
    trait: 'link',
    a: 'with',
    b: 'without',
    blocks: 8,
  })
  const report = await person.must<{ id: string }>('POST', '/analytics/reports', {
    name: 'Monthly',
    sections: ['overview'],
    range: 'last_month',
    mailTo: [userId],
  })
  const reportSnapshot = await person.must<{ id: string }>('POST', `/analytics/reports/${report.id}/snapshots`, {})
  await sql.query(
    `insert into report_mail (workspace_id, id, report_id, month, user_id, snapshot_id, state_at)
      values ($1, $2, $3, '2026-01-01', $4, $5, app_now())`,
    [person.workspaceId, randomUUID(), report.id, userId, reportSnapshot.id],
  )
  const competitor = await sql.query<{ id: string }>(
    `insert into competitor (workspace_id, id, account_id, external_id, username, name, next_at)
      select workspace_id, $2, id, 'x', 'x', 'Taken', app_now() from social_account where workspace_id = $1 limit 1 returning id`,
    [person.workspaceId, randomUUID()],
  )
  await sql.query(
    `insert into competitor_snapshot (workspace_id, competitor_id, day, read_at, posts)
      values ($1, $2, app_now()::date, app_now(), '[]')`,
    [person.workspaceId, competitor.rows[0]!.id],
  )
  const attachment = randomUUID()
  await sql.query(
    `insert into message_attachment (workspace_id, id, message_id, position, type, state, storage_key, size, content_type)
      select workspace_id, $2, $3, 0, 'image', 'KEPT', storage_key, file_size, mime_type from media_file where workspace_id = $1 and id = $4`,
    [person.workspaceId, attachment, first.id, picture.id],
  )
  const { data: sessions } = await person.must<{ data: { id: string }[] }>('GET', '/api/v1/auth/sessions')
  return {
    workspace: person.workspaceId,
    user: userId,
    post: draft.id,
    publication: draft.publications[0]!.id,
    file: picture.id,
    upload: unfinished.id,
    account: page.id,
    session: sessions[0]!.id,
    identity,
    invitation: invited.id,
    notification,
    approval: submitted.approval!.id,
    comment: comment.id,
    link: link.id,
    label: label.id,
    hashtagSet: set.id,
    template: template.id,
    view: view.id,
    voice: voice.id,
    generation,
    thread: first.threadId,
    message: first.id,
    note: note.id,
    savedReply: saved.id,
    competitor: competitor.rows[0]!.id,
    abTest: abTest.id,
    report: report.id,
    reportSnapshot: reportSnapshot.id,
    customer: customer!.id,
    segment: segment.id,
    rule: rule.id,
    ...bot,
    attachment,
    measured,
    event: event.rows[0]!.id,
  }
}

/** Writes figures of a live post and of its account, and prevents further readings. */
async function measure(sql: Sql, { workspaceId }: Person, postId: string): Promise<string> {
  await sql.query(`select graphile_worker.remove_job('sync:' || id) from social_account where workspace_id = $1`, [
    workspaceId,
  ])
  await sql.query(
    `insert into measured_post (workspace_id, id, account_id, delivery_id, external_id, kind, caption, published_at, reach)
      select workspace_id, $3, account_id, id, external_id, 'post', 'Live', published_at, 7 from publication
      where workspace_id = $1 and post_id = $2 on conflict (workspace_id, delivery_id) do update set next_read_at = null`,
    [workspaceId, postId, randomUUID()],
  )
  await sql.query(`select post_metric_month(app_now()::date)`)
  await sql.query(
    `insert into post_metric (workspace_id, post_id, day, read_at, age_hours, reach)
      select workspace_id, id, app_now()::date, app_now(), 1, 7 from measured_post where workspace_id = $1`,
    [workspaceId],
  )
  await sql.query(
    `insert into account_metric (workspace_id, account_id, day, ends_at, reach, source, read_at)
      select workspace_id, account_id, app_now()::date, app_now(), 7, 'network', app_now() from measured_post where workspace_id = $1`,
    [workspaceId],
  )
  await sql.query(
    `insert into engagement_prediction (workspace_id, post_id, account_id, version, low, middle, high, usual, n, percentile, reasons,
        made_at)
      select workspace_id, post_id, account_id, 1, 1, 2, 3, 2, 20, 50, '[]', app_now() from publication
      where workspace_id = $1 and post_id = $2`,
    [workspaceId, postId],
  )
  await sql.query(
    // Hold the leases as if a process read the accounts, so that nothing changes them.
    `insert into account_sync (workspace_id, account_id, lease_until) select workspace_id, id, 'infinity' from social_account
      where workspace_id = $1 on conflict (workspace_id, account_id) do update set lease_until = excluded.lease_until`,
    [workspaceId],
  )
  const { rows } = await sql.query<{ id: string }>('select id from measured_post where workspace_id = $1', [
    workspaceId,
  ])
  return rows[0]!.id
}

/** Returns the id of a decision whose reply is in the sample of the spot check. */
export function sampledId(): string {
  for (;;) {
    const id = randomUUID()
    const hash = createHash('sha256')
      .update(Buffer.from(id.replaceAll('-', ''), 'hex'))
      .digest()
    if (hash[0]! < 13) return id
  }
}

/** Writes the data of the bot: its settings, a decision with its draft, a memory and an experiment. */
async function botOf(sql: Sql, person: Person, { threadId, id }: { threadId: string; id: string }, accountId: string) {
  await person.must('PUT', '/ice/bot-config', {
    faqEntries: [{ question: 'Open?', answer: 'Daily.' }],
    isEnabled: true,
  })
  const variants = { variantA: { name: 'Brief' }, variantB: { name: 'Warm' } }
  const experiment = await person.must<{ id: string }>('POST', '/ice/experiments', { name: 'Tone', ...variants })
  const [decision, run, draftReply, memory] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const sentReply = sampledId()
  await sql.query(
    `insert into decision (workspace_id, id, kind, thread_id, message_id, state, verdict, hold, facts, ended_at)
      values ($1, $2, 'suggest', $3, $4, 'DONE', 'HELD', 'suggested', '{"config": {"maxConfidenceForAuto": 0.7}}', app_now())`,
    [person.workspaceId, decision, threadId, id],
  )
  await sql.query(
    `insert into decision (workspace_id, id, kind, thread_id, message_id, revision, state, verdict, reply, confidence, facts, ended_at)
      values ($1, $2, 'bot', $3, $4, -1, 'DONE', 'SENT', 'Daily', 0.9, '{"config": {"maxConfidenceForAuto": 0.7}}', app_now())`,
    [person.workspaceId, sentReply, threadId, id],
  )
  await sql.query(
    `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at, decision_id)
      select $1, $2, $3, account_id, 'DM', 'OUT', 'BOT_AUTO', 'Daily', app_now(), $4 from thread where id = $3`,
    [person.workspaceId, randomUUID(), threadId, sentReply],
  )
  await sql.query(
    `insert into decision (workspace_id, id, kind, run_id, state, verdict, facts, ended_at)
      values ($1, $2, 'simulate', $3, 'DONE', 'SENT', '{"config": {"maxConfidenceForAuto": 0.7}}', app_now())`,
    [person.workspaceId, randomUUID(), run],
  )
  await sql.query(
    `insert into draft_reply (workspace_id, id, decision_id, thread_id, message_id, revision, text, reason, confidence, parts, threshold)
      values ($1, $2, $3, $4, $5, 1, 'Daily', 'suggested', 0.5, '{"model": 1, "classification": 1, "evidence": 0.5}', 0.7)`,
    [person.workspaceId, draftReply, decision, threadId, id],
  )
  await sql.query(
    `insert into memory (workspace_id, id, scope, owner, key, value) values ($1, $2, 'thread', $3, 'size', 'M')`,
    [person.workspaceId, memory, threadId],
  )
  await sql.query(
    `insert into exposure (workspace_id, experiment_id, identity_id, variant, drafted_at)
      select workspace_id, $2, identity_id, 'A', app_now() from thread where workspace_id = $1 and id = $3`,
    [person.workspaceId, experiment.id, threadId],
  )
  await sql.query(
    `insert into bot_claim (platform, external_id, workspace_id, account_id)
      select platform, $3, workspace_id, id from social_account where workspace_id = $1 and id = $2 on conflict do nothing`,
    [person.workspaceId, accountId, randomUUID()],
  )
  return { decision, run, draftReply, sentReply, memory, experiment: experiment.id }
}

/** Has a customer comment on a live post. Returns the message once it is in the inbox. */
async function written(person: Person, { id, externalId }: SocialAccount, postId: string) {
  await untilSubscribed(person, id)
  const { publications } = await person.must<Post>('GET', `/posts/${postId}`)
  const act = {
    network: 'NET_PAGE',
    accountId: externalId,
    kind: 'comment',
    postId: publications[0]!.externalId,
    text: 'Hello',
  }
  await call(`${person.url}/sandbox`, 'POST', '/inbound', act)
  return eventually(async () => {
    const { data } = await person.must<{ data: Thread[] }>('GET', '/conversations')
    const [thread] = data
    return thread?.lastMessage ? { threadId: thread.id, id: thread.lastMessage.id } : undefined
  })
}
