import { createHash } from 'node:crypto'
import type { Network, StepMedia } from '../../networks/network.ts'
import { networks } from '../../networks/rules.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { DeliveryError } from '../../delivery/api.ts'
import type { Call, Claimed, Driver, Schedule, Sent, Settled } from '../../delivery/driver.ts'
import { errorFor, GRACE, graceEnds, holdUntil, LATE, later, tooLate, type Verdict } from '../../delivery/rules.ts'
import type { Ports } from '../../services.ts'
import type { Check, PostMedia, Status } from '../posts/api.ts'
import { check } from '../posts/checks/rules.ts'
import {
  awaitsMedia,
  compose,
  type Composed,
  type PostDraft,
  ofAccount,
  type Tagging,
  type TargetAccount,
} from '../posts/compose/rules.ts'
import { taggingShape } from '../posts/posts-content.ts'
import { liveTimes } from '../posts/posts-save.ts'
import { postMediaShape, unapproved } from '../posts/posts-shape.ts'
import { isOpen, outcome, stopsPublishing } from '../posts/rules.ts'
import { enqueueFirstComment, failFirstComment } from './comment.ts'
import { scheduleIdLookup } from './remote-id.ts'
import { tellOfOutcome, tellTeam } from './notices.ts'
import { endMissed, watchPosts } from './watch.ts'

/** A post on one account, read together with its claim. */
interface Subject {
  account: TargetAccount
  post: PostDraft
  /** The link parameters by the current setting. */
  tagging: Tagging
  /** The storage key of each file, in the rendition for this network. */
  storageKeys: Record<string, string> | null
  /** Whether the post lacks an approval that its workspace requires. */
  unapproved: boolean
}

type Row = Claimed<Subject>

/** Rows of older versions have no first comment and no link parameters here. */
interface SentPost extends Sent {
  comment?: string
  tagging?: Tagging
}

/** The content of a post that a network gets. */
interface Content {
  text: string
  media: StepMedia[]
  options: Readonly<Record<string, unknown>>
}

interface Head {
  id: string
  status: Status
  /** Whether a first comment was written for one of its networks. */
  commented: boolean
}

/** Sends a post on one account, as a driver of the delivery machine. */
export const postDriver: Driver<Subject, Content, Head> = {
  kind: 'post',
  calls: sql`'begin'`,
  words: 'post',

  subject: (filesUrl) => sql`(select json_build_object(
      'account', json_build_object('id', a.id, 'platform', a.platform, 'name', a.name, 'status', a.status,
        'paused', a.paused_at is not null, 'missingScopes', '[]'::json),
      'post', json_build_object('caption', p.caption, 'hashtags', p.hashtags, 'cta', p.cta, 'mediaType', p.media_type,
        'captionOverrides', p.caption_overrides, 'hashtagOverrides', p.hashtag_overrides,
        'platformOptions', p.platform_options, 'linkTags', p.link_tags, 'scheduledAt', iso(p.scheduled_at), 'targets', json_build_array(a.id),
        'media', (select coalesce(json_agg(${postMediaShape(filesUrl)} order by m.sort_order, f.id), '[]')
          from post_media m join media_file f on f.workspace_id = m.workspace_id and f.id = m.media_file_id
          where m.workspace_id = p.workspace_id and m.post_id = p.id)),
      'tagging', ${taggingShape(sql`p.id`, sql`c.due_at`)},
      'storageKeys', (select json_object_agg(f.id, coalesce(r.storage_key, f.storage_key))
        from post_media m join media_file f on f.workspace_id = m.workspace_id and f.id = m.media_file_id
        left join media_rendition r on r.workspace_id = f.workspace_id and r.media_file_id = f.id and r.platform = a.platform
        where m.workspace_id = p.workspace_id and m.post_id = p.id),
      'unapproved', ${unapproved})
    from post p where p.workspace_id = c.workspace_id and p.id = c.post_id)`,

  stop(row, settings, now) {
    const { post, account, unapproved: isUnapproved } = row.subject
    const stop = check(post, [account], {
      publicMedia: settings.publicMedia(),
      unapproved: isUnapproved,
      tagging: taggingOf(row),
    }).find((found) => stopsPublishing(found) && found.code !== 'media_processing')
    if (stop) return verdictOn(stop, row, now)
    const late = tooLate(row.dueAt, row.waited, now)
    if (late) return { state: 'FAILED', error: errorFor(late) }
    if (!awaitsMedia(composedOf(row))) return null
    return { state: 'PENDING', nextAt: later(now, MEDIA_LOOK / settings.timeScale), waitReason: 'media' }
  },

  compose(row, storage) {
    const composed = composedOf(row)
    const { text, comment, media } = composed
    const sent: SentPost = { text, comment, media: media.map((item) => item.mediaFileId), tagging: taggingOf(row) }
    return { hash: hashOf(composed, row), sent, content: contentOf(row, storage, composed) }
  },

  recall(row, storage) {
    const { text, media } = composedOf(row)
    const { sent } = row
    return contentOf(row, storage, {
      text: sent?.text ?? text,
      media: media.filter((item) => !sent || sent.media.includes(item.mediaFileId)),
    })
  },

  cost: ({ network, content, handles }) => network.cost({ ...content, handles }),
  readCost: (network) => network.readCost,
  prepare: (call, save) => call.network.prepare(stepOf(call), save),
  commit: (call) => call.network.commit(stepOf(call)),
  find: (call, since) => call.network.find(stepOf(call), since),
  confirm: async (call) => call.network.confirm?.(stepOf(call)),
  permalink: async (call, externalId) => (await call.network.permalink?.(stepOf(call), externalId)) ?? null,

  lock: (workspaceId, postId) =>
    query<Head>`select id, status, jsonb_path_exists(platform_options, '$.*.firstComment') as commented
      from post where workspace_id = ${workspaceId} and id = ${postId} for update`,

  effects(tx, { subjectId: postId, head, after }) {
    const { closing, status } = outcomeOf(head, after)
    const statements = sql`whole as (
      update post set status = ${status}, updated_at = ${tx.now},
        ${liveTimes(tx, postId, status, sql`(select published_at from mine)`)}
      where ${status !== head.status || status === 'PARTIALLY_PUBLISHED'} and workspace_id = ${tx.workspaceId} and id = ${postId} and status = ${head.status}
        and exists (select from mine)
    )`
    return { closing, statements }
  },

  onSettled: announceSettlement,

  onTwice(tx, { subjectId: postId, id, externalId }) {
    tx.record({ type: 'publication.duplicate', subject: { postId, publicationId: id }, data: { externalId } })
  },
}

/** Starts posts at their time, and ends posts that missed it. */
export const postSchedule: Schedule = {
  // A post is read again under its lock, so that a concurrent cancel or new time has one winner.
  admission: sql`moving as materialized (
        select f.*, p.status, p.scheduled_at
        from firsts f join post p on p.workspace_id = f.workspace_id and p.id = f.post_id and f.kind = 'post'
        where (p.status = 'PUBLISHING' or (p.status = 'SCHEDULED' and p.scheduled_at <= (select at from clock)))
        for update of p skip locked
      ), judged_posts as materialized (
        select m.*, case
            when m.status = 'PUBLISHING' then 'go'
            when m.scheduled_at <= (select at from clock) - ${`${GRACE} milliseconds`}::interval then 'missed'
            when h.reason is not null then 'held'
            else 'start' end as verdict, h.reason
        from moving m left join lateral (
          select case when bool_and(a.paused_at is not null or a.status <> 'CONNECTED')
            then coalesce(min(case when a.status <> 'CONNECTED' then 'reconnect_needed' end), 'account_paused') end as reason
          from publication t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
          where t.workspace_id = m.workspace_id and t.post_id = m.post_id and t.dropped_at is null and t.state = 'PENDING'
        ) h on m.status = 'SCHEDULED'
      ), started as (
        update post p set status = 'PUBLISHING', updated_at = (select at from clock),
          late = p.scheduled_at < (select at from clock) - ${`${LATE} milliseconds`}::interval
        from judged_posts j where p.workspace_id = j.workspace_id and p.id = j.post_id and j.verdict = 'start' and p.status = 'SCHEDULED'
        returning p.workspace_id, p.id
      )`,

  underWay: sql`exists (select from post p where p.workspace_id = t.workspace_id and p.id = t.post_id and p.status = 'PUBLISHING')`,

  bulk: {
    only: sql`join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
          where p.status = 'PUBLISHING' and not jsonb_path_exists(p.platform_options, '$.*.firstComment')`,
    statements: sql`whole as (
        update post p set status = 'PUBLISHED', updated_at = app_now(), published_at = coalesce(p.published_at, m.published_at)
        from mine m where p.workspace_id = m.workspace_id and p.id = m.post_id
      ), noted as (
        insert into audit_entry (workspace_id, id, actor_kind, action, object, detail)
        select workspace_id, entry, 'system', 'publication.published',
          json_build_object('postId', post_id, 'publicationId', id), json_build_object('externalId', external_id) from mine
      )`,
  },

  endMissed,
  watch: watchPosts,
}

/** Milliseconds until a target checks again for pictures that are still being processed. */
const MEDIA_LOOK = 5_000

/** Returns the verdict on a target that has a finding when it is about to be sent. */
function verdictOn(stop: Check, row: Row, now: Date): Verdict {
  if (stop.code === 'account_paused') return holdUntil('account_paused', graceEnds(row.dueAt), now)
  if (stop.code === 'reconnect_needed') {
    return row.subject.account.status === 'DISCONNECTED'
      ? { state: 'FAILED', error: errorFor('account_disconnected') }
      : holdUntil('reconnect_needed', graceEnds(row.dueAt), now)
  }
  return { state: 'FAILED', error: errorOf(stop, row.subject.account) }
}

/** Returns the error of a target that a finding stops. */
export function errorOf({ code, message, fix, limit, value }: Check, account: TargetAccount): DeliveryError {
  const network = networks[account.platform].called[0]
  return {
    code,
    networkCode: null,
    message,
    fix,
    who: code === 'approval_outstanding' ? 'admin' : 'author',
    retryable: false,
    text: { key: `checks.${code}`, values: { limit: limit ?? '', value: value ?? '', account: account.name, network } },
  }
}

/**
 * Returns the link parameters of a target. They keep the setting of the first try until a person retries: a post that
 * was thought absent and appears late is recognized only by the same text.
 */
function taggingOf({ tries, sent, subject: { tagging } }: Row): Tagging {
  return tries > 0 && sent ? ((sent as SentPost).tagging ?? { ...tagging, on: false }) : tagging
}

const composedOf = (row: Row): Composed =>
  compose(row.subject.post, row.platform, ofAccount(taggingOf(row), row.subject.account))

function contentOf(row: Row, storage: Ports['storage'], { text, media }: Pick<Composed, 'text' | 'media'>): Content {
  const options = row.subject.post.platformOptions[row.platform] ?? {}
  return { text, media: media.map((item) => mediaOf(item, row, storage)), options }
}

function mediaOf({ mediaFileId, file }: PostMedia, row: Row, storage: Ports['storage']): StepMedia {
  const key = row.subject.storageKeys?.[mediaFileId]
  return {
    id: mediaFileId,
    kind: file.kind,
    url: file.storageUrl ?? '',
    mimeType: file.mimeType,
    aiGenerated: file.aiGenerated,
    altText: file.altText,
    size: file.fileSize,
    duration: file.duration,
    read(start, end) {
      if (!key) throw new Error('The file has no bytes')
      return storage.read(key, { start, end: end - 1 })
    },
  }
}

const stepOf = ({ account, content, handles, reservation, now }: Call<Content>): Parameters<Network['commit']>[0] => ({
  account,
  ...content,
  handles,
  reservation,
  now,
})

function hashOf(composed: Composed, row: Row): string {
  const { post, storageKeys } = row.subject
  const media = composed.media.map(({ mediaFileId, file, crops }) => [
    mediaFileId,
    storageKeys?.[mediaFileId],
    file.altText,
    ...(file.aiGenerated ? ['ai'] : []),
    ...(crops[row.platform] ? [crops[row.platform]] : []),
  ])
  const { firstComment: _, ...options } = { firstComment: '', ...post.platformOptions[row.platform] }
  const shown = [
    row.accountId,
    row.externalAccountId,
    composed.text,
    media,
    post.platformOptions[row.platform] && options,
  ]
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}

/** Returns the status of a post from the states of its targets. */
function outcomeOf({ status }: Head, targets: Settled<Head>['after']): { closing: boolean; status: Status } {
  const live = targets.some((each) => each.state === 'PUBLISHED' && !each.dropped)
  const edited = status === 'DRAFT' || status === 'SCHEDULED'
  // A draft or scheduled post changes only if it turns out to be live. Then no more of it may go out.
  const closing = edited && live
  const stillOpen = !closing && targets.some(isOpen)
  return { closing, status: (edited && !live) || stillOpen ? status : outcome(targets) }
}

async function announceSettlement(
  tx: Tx,
  { subjectId: postId, head, mine, verdict, after }: Settled<Head>,
): Promise<void> {
  const isEnd = verdict.state !== 'PENDING' && verdict.state !== 'SUBMITTING'
  // A post that was already live is not recorded again when its id is found.
  if (isEnd && mine.state !== 'PUBLISHED') {
    const detail = 'error' in verdict ? { code: verdict.error.code } : { externalId: verdict.externalId }
    const stopped = 'error' in verdict && verdict.error.code === 'stopped'
    const action = stopped ? 'stopped' : verdict.state.toLowerCase()
    tx.record({
      type: `publication.${action}`,
      subject: { postId, publicationId: mine.id },
      data: stopped ? {} : detail,
    })
  }
  // A wait for a limit or an account is no failure and leaves this count alone.
  if (verdict.state === 'PENDING' && verdict.failures) {
    tx.record({
      type: 'publication.attempt_failed',
      subject: { postId, publicationId: mine.id },
      data: { failures: verdict.failures },
    })
  }
  // A post that was about to be sent again turned out to be live, although a person had said that it was not.
  if (verdict.state === 'PUBLISHED' && mine.unproven && mine.state === 'PREPARING') {
    await tellTeam(tx, postId, 'outcome_unknown', { found: true })
  }
  if (verdict.state === 'PUBLISHED' && head.commented) await enqueueFirstComment(tx, mine.id, verdict.externalId)
  if (verdict.state === 'PUBLISHED' && verdict.externalId === null) {
    // A person said that the post is live, so no job looks for its id.
    if (mine.state === 'UNCONFIRMED') await failFirstComment(tx, mine.id)
    else await scheduleIdLookup(tx, mine.id, 0)
  }
  tx.emit({ kind: 'post', id: postId })
  if (head.status === 'PUBLISHING') await tellOfOutcome(tx, postId, outcomeOf(head, after).status, after)
}
