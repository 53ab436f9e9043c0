import { accountsWhere } from '../../channels/accounts.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Jobs } from '../../core/platform/job-names.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { networks } from '../../networks/rules.ts'
import type { Ports } from '../../services.ts'
import { notify } from '../../team/notifications/notifications.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import type { Check, Post } from '../posts/api.ts'
import { nextLook, type RiskTold, risksToTell } from '../posts/checks/rules.ts'
import { contentOf, type TargetAccount } from '../posts/compose/rules.ts'
import { excerpt } from '../posts/posts-approval.ts'
import { checksOf, outlookWhere, taggingWhere, twinsWhere } from '../posts/posts-content.ts'
import { saveFindings } from '../posts/posts-save.ts'
import { postShape, unapproved } from '../posts/posts-shape.ts'

// The flight check: checks stored posts again, saves what it finds, and tells people of risks.

type RecheckPorts = Pick<Ports, 'networks' | 'settings'>

/** The number of posts that a check saves at once, and reads at once. */
const SAVE_BATCH = 1000
const READ_BATCH = 200

/**
 * Checks posts again: one scheduled post, the posts of a file or an account, or all scheduled posts. Saves changed
 * findings, and sends one notice for up to `SAVE_BATCH` posts about the risks that people must know now. A check of one
 * post schedules the next.
 */
export async function recheckPosts(scope: Scope, ports: RecheckPorts, by: Jobs['flight-check']): Promise<void> {
  if ('postId' in by) return recheckPage(scope, ports, by, [by.postId])
  let ids: string[] = []
  do {
    ids = await idsAfter(scope, by, ids.at(-1) ?? null)
    if (ids.length > 0) await recheckPage(scope, ports, by, ids)
  } while (ids.length === SAVE_BATCH)
}

/** Returns the ids of the next posts that a job checks. */
async function idsAfter(scope: Scope, by: Jobs['flight-check'], after: string | null): Promise<string[]> {
  const [posts] = await scope.read(query<{ id: string }>`select p.id from post p where ${concerned(scope, by)}
    and (${after}::uuid is null or p.id > ${after}::uuid) order by p.id limit ${SAVE_BATCH}`)
  return posts.map(({ id }) => id)
}

async function recheckPage(
  scope: Scope,
  ports: RecheckPorts,
  by: Jobs['flight-check'],
  ids: readonly string[],
): Promise<void> {
  await scope.transaction(async (tx) => {
    // Checks of a workspace run one after another, so an older one never replaces the findings of a newer one.
    tx.lock(query`select pg_advisory_xact_lock(hashtextextended(${`flight ${tx.workspaceId}`}, 0))`)
    const judged: Judged[] = []
    let known: readonly TargetAccount[] = []
    for (let at = 0; at < ids.length; at += READ_BATCH) {
      const batch = ids.slice(at, at + READ_BATCH)
      const read = await judge(tx, ports, sql`${concerned(tx, by)} and p.id = any (${batch}::uuid[])`)
      judged.push(...read.judged)
      known = read.accounts
    }
    const risks = new Map(judged.map((one) => [one.post.id, risksOf(one, tx.now, 'postId' in by)]))
    const saved = await saveFindings(
      tx,
      judged.map(({ post: { id, version }, checks }) => ({ id, version, checks, told: risks.get(id)?.told ?? null })),
    )
    for (const { id, changed } of saved) if (changed) tx.emit({ kind: 'post', id })
    const isSaved = new Set(saved.map(({ id }) => id))
    const atRisk = judged
      .map(({ post }) => ({ post, checks: risks.get(post.id)?.risks ?? [] }))
      .filter(({ post, checks }) => isSaved.has(post.id) && checks.length > 0)
    await tellOfRisk(tx, atRisk, known)
    if ('postId' in by && judged[0]) await enqueueNext(tx, by, judged[0].post)
  })
}

/**
 * Enqueues the next check of one scheduled post. After an edit, the post has a newer check, which this one would
 * replace.
 */
async function enqueueNext(tx: Tx, by: Jobs['flight-check'], { id, version, status, scheduledAt }: Post) {
  if (status !== 'SCHEDULED' || scheduledAt === null) return
  const [same] = await tx.run(query`select from post where workspace_id = ${tx.workspaceId} and id = ${id}
    and version = ${version} and status = 'SCHEDULED' for share`)
  if (!same) return
  const again = nextLook(new Date(scheduledAt), tx.now)
  if (again) enqueueFlightCheck(tx, by, { runAt: again })
}

/** Returns the risks of a post to tell people about, and what they know afterwards. */
function risksOf({ post, checks, told }: Judged, now: Date, alone: boolean): ReturnType<typeof risksToTell> {
  const { status, scheduledAt } = post
  if (status !== 'SCHEDULED' || scheduledAt === null) return { risks: [], told }
  return risksToTell(checks, { scheduledAt, told, now, alone })
}

/** A post with its current findings, and what people were told of its risks. */
interface Judged {
  post: Post
  checks: Check[]
  told: RiskTold | null
}

/** Reads the posts `p` that match a condition, and what their findings depend on. */
async function judge(tx: Tx, ports: RecheckPorts, which: ReturnType<typeof sql>) {
  const [posts, rows, outlook, twins, links] = await Promise.all([
    tx.run(
      whole<{ json: Post; unapproved: boolean; told: RiskTold | null }>(sql`select ${unapproved} as unapproved,
        p.risk_told as told,
        ${postShape(ports.settings.filesUrl())} where ${which} order by p.id`),
    ),
    tx.run(accountsWhere(ports, sql`a.workspace_id = ${tx.workspaceId}`)),
    tx.run(outlookWhere(which)),
    tx.run(twinsWhere(which)),
    tx.run(taggingWhere(which)),
  ])
  const accounts = rows.map((row) => row.json)
  const judged = posts.map(({ json: post, unapproved: lacking, told }): Judged => {
    const checks = checksOf(contentOf(post), accounts, ports, {
      tagging: links.find(({ of }) => of === post.id)?.tagging ?? null,
      unapproved: lacking,
      outlook: outlook.filter(({ postId }) => postId === post.id),
      twins: twins.filter((twin) => twin.of === post.id),
    })
    return { post, checks, told }
  })
  return { judged, accounts }
}

/** SQL condition: the job checks the post `p`. */
const concerned = (
  { workspaceId }: Pick<Scope, 'workspaceId'>,
  by: Jobs['flight-check'],
) => sql`p.workspace_id = ${workspaceId}
  and p.deleted_at is null and p.status in ('DRAFT', 'SCHEDULED', 'FAILED') and ${those(by)}`

function those(by: Jobs['flight-check']) {
  if ('postId' in by) return sql`p.id = ${by.postId} and p.status = 'SCHEDULED'`
  if ('scheduled' in by) return sql`p.status = 'SCHEDULED'`
  if ('accountId' in by) {
    return sql`exists (select from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id
      and t.account_id = ${by.accountId} and t.dropped_at is null)`
  }
  return sql`exists (select from post_media m where m.workspace_id = p.workspace_id and m.post_id = p.id
    and m.media_file_id = ${by.mediaFileId})`
}

/** Sends one notice to the admins and each author, however many of their posts are at risk. */
async function tellOfRisk(
  tx: Tx,
  found: readonly Pick<Judged, 'post' | 'checks'>[],
  accounts: readonly TargetAccount[],
): Promise<void> {
  const [first] = found
  if (!first) return
  const [reason] = first.checks
  const authors = found.flatMap(({ post }) => post.createdBy?.id ?? [])
  await notify(tx, { roles: ['OWNER', 'ADMIN'], members: [...new Set(authors)] }, 'post_at_risk', {
    count: found.length,
    ...(found.length === 1 && { postId: first.post.id, excerpt: excerpt(first.post) }),
    codes: [...new Set(found.flatMap(({ checks }) => checks.map(({ code }) => code)))],
    message: reason?.message,
    // The parts of the message, for readers of other languages.
    reason: reason && {
      code: reason.code,
      limit: reason.limit,
      value: reason.value,
      account: accounts.find(({ id }) => id === reason.target)?.name ?? null,
      network: reason.platform && networks[reason.platform].called[0],
    },
  })
}
