import { query, sql } from '../../core/platform/db.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { Json } from '../../core/platform/json.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Notice } from './api.ts'
import { noticeLetter } from './letters.ts'
import { TO_OUTSIDERS, TOLD } from './rules.ts'

const MINUTE = 60_000
/** Notices within this time share one letter. A person who sees them in the app by then gets no letter. */
const GATHERED = 2 * MINUTE
/** The longest wait for the end of quiet hours, since these may be changed in between. */
const LOOK_AGAIN = 60 * MINUTE
/** Days for which notices are kept after they were read, or if they were only mailed. */
const DAYS_KEPT = 90

/** Has a person's notices of the workspace mailed soon, with at most one job per minute. */
export function mailSoon(tx: Tx, userId: string): void {
  const runAt = new Date(tx.now.getTime() + GATHERED)
  enqueueMail(tx, userId, runAt, `${Math.floor(runAt.getTime() / MINUTE)}`)
}

const enqueueMail = (tx: Tx, userId: string, runAt: Date, what: string) =>
  tx.enqueue('notification-mail', { userId }, { key: `notices:${tx.workspaceId}:${userId}:${what}`, runAt })

/** Whether a person with this role in the workspace may see a notice. */
export const mayKnow = (kind: ReturnType<typeof sql>, role: ReturnType<typeof sql>) =>
  sql`coalesce(${JSON.stringify(TOLD)}::jsonb -> ${kind}::text ? ${role}, not ${JSON.stringify(TOLD)}::jsonb ? ${kind}::text)`

interface Reader {
  email: string | null
  name: string
  language: string
  /** Whether letters reach the person, at a proven address. */
  reachable: boolean
  /** The end of the present quiet hours; null outside of them. */
  quietEnd: Date | null
}

interface Due {
  id: string
  kind: Notice
  data: Json
  wanted: boolean
}

/**
 * Mails the notices of the workspace that a person has not read in the app: one letter per kind. During their quiet
 * hours, the mail waits. The mark and the letter share one transaction, so that a job that runs twice mails once.
 */
export async function mailNotices(
  scope: Scope,
  ports: Pick<Ports, 'crypto' | 'settings'>,
  userId: string,
): Promise<void> {
  await scope.transaction(async (tx) => {
    await removeOld(tx)
    const [reader] = await tx.run(readerOf(tx, userId))
    if (!reader) return
    const due = await tx.run(dueFor(tx, userId))
    const open = due.filter(({ wanted }) => wanted && reader.reachable)
    if (open.length > 0 && reader.quietEnd) {
      const again = new Date(tx.now.getTime() + LOOK_AGAIN)
      enqueueMail(tx, userId, reader.quietEnd < again ? reader.quietEnd : again, 'quiet')
      return
    }
    if (due.length === 0) return
    const ids = due.map(({ id }) => id)
    await tx.run(query`update notification
      set mailed_at = case when id = any(${open.map(({ id }) => id)}::uuid[]) then ${tx.now}::timestamptz end,
        mail_at = case when id = any(${open.map(({ id }) => id)}::uuid[]) then mail_at end
      where user_id = ${userId} and id = any(${ids}::uuid[]) and mail_at is not null and mailed_at is null`)
    if (open.length === 0) return
    const [workspace] = await tx.run(query<{ name: string }>`select name from workspace where id = ${tx.workspaceId}`)
    for (const kind of new Set(open.map((notice) => notice.kind))) {
      const letter = noticeLetter(reader, kind, {
        notices: open.filter((notice) => notice.kind === kind).map(({ data }) => data),
        workspaceId: tx.workspaceId,
        workspace: workspace?.name ?? '',
        publicUrl: ports.settings.publicUrl(),
      })
      postMail(tx, ports, { kind: `notice-${kind}`, to: reader.email ?? '', letter })
    }
  })
}

/** Quiet hours follow the clock on the wall: they began yesterday or today, by the days of the person's zone. */
const readerOf = (tx: Tx, userId: string) =>
  query<Reader>`select u.email, u.name, u.language,
      u.email is not null and u.email_confirmed_at is not null and u.disabled_at is null as reachable,
      (select max(hours.ends) from (
        select (day + u.quiet_from) at time zone u.timezone as begins,
          (day + u.quiet_until + case when u.quiet_until < u.quiet_from then interval '1 day' else interval '0' end)
            at time zone u.timezone as ends
        from generate_series(0, 1) as back,
          lateral (select (${tx.now}::timestamptz at time zone u.timezone)::date - back as day) local
      ) hours where hours.begins <= ${tx.now} and ${tx.now} < hours.ends) as quiet_end
    from app_user u where u.id = ${userId}`

/**
 * The notices of the workspace to mail, locked. When the first notice of a kind is due, its later ones are too. Half of
 * the gathering time is enough, so that differences between clocks leave none behind. `wanted`: unread, not switched
 * off since, and of a person who still belongs to the workspace.
 */
const dueFor = (tx: Tx, userId: string) =>
  query<Due>`select n.id, n.kind, n.data,
      n.read_at is null and coalesce(wish.mail, true) and (n.kind = any(${TO_OUTSIDERS}::text[]) or exists (
        select from member m join workspace w on w.id = m.workspace_id
        where m.workspace_id = ${tx.workspaceId} and m.user_id = n.user_id and w.deleted_at is null
          and ${mayKnow(sql`n.kind`, sql`m.role`)})) as wanted
    from notification n
    left join notification_preference wish on wish.user_id = n.user_id and wish.kind = n.kind
    where n.user_id = ${userId} and n.workspace_id = ${tx.workspaceId} and n.mail_at is not null and n.mailed_at is null
      and exists (select from notification first where first.user_id = n.user_id and first.workspace_id = n.workspace_id
        and first.kind = n.kind and first.mail_at <= ${new Date(tx.now.getTime() - GATHERED / 2)} and first.mailed_at is null)
    order by n.id for update of n`

async function removeOld(tx: Tx): Promise<void> {
  await tx.run(query`delete from notification where (user_id, id) in (select user_id, id from notification
    where (read_at is not null or not in_app) and coalesce(read_at, created_at) < ${tx.now}::timestamptz - make_interval(days => ${DAYS_KEPT})
      and (mail_at is null or mailed_at is not null or read_at is not null)
    order by coalesce(read_at, created_at) limit 500 for update skip locked)`)
}
