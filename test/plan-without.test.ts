import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import type { ABTest } from '../src/insights/ab-tests/api.ts'
import type { Competitor } from '../src/insights/competitors/api.ts'
import type { Report } from '../src/insights/reports/api.ts'
import type { JobName } from '../src/core/platform/job-names.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { useProduct } from './fixtures.ts'
import { openInbox, threadOf } from './inbox.ts'
import { addJob } from './jobs.ts'
import { onPlanWithoutFeatures } from './plans.ts'
import { call, confirmEmail, connect, eventually, join, newPerson, type Person } from './world.ts'

// What the product does by itself stops in a workspace that is deleted or whose plan no longer includes it. What is
// stored stays, and it goes on by itself afterwards.

const { product, sandbox, sql } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' }, own: true })
let ann: Person
let page: SocialAccount
let photo: SocialAccount
let report: Report
let competitor: Competitor
let abTest: ABTest
let submitted: Post

beforeAll(async () => {
  ann = await newPerson(product.url, 'Ann')
  await confirmEmail(ann)
  const eve = await join(ann, 'Eve', 'EDITOR')
  const inbox = await openInbox(ann, sandbox.url, 'u6001')
  page = inbox.account
  await inbox.play({ kind: 'dm', from: { name: 'Vera' }, text: 'Hello?' })
  await threadOf(ann, 'Vera')
  photo = (await connect(ann, 'NET_PHOTO', 'u6002')).find(({ platform }) => platform === 'NET_PHOTO')!
  const bob = await newPerson(product.url, 'Bob')
  const theirs = (await connect(bob, 'NET_PHOTO', 'u6003')).find(({ platform }) => platform === 'NET_PHOTO')!
  competitor = await ann.must('POST', '/competitors', { accountId: photo.id, username: theirs.username })
  report = await ann.must('POST', '/analytics/reports', {
    name: 'Monthly',
    sections: ['overview'],
    range: 'last_month',
    mailTo: [ann.session.user.id],
  })
  const wish = { kind: 'post', slot: 'weekday-08', trait: 'question', a: 'A question', b: 'None', blocks: 8 }
  const { id } = await ann.must<ABTest>('POST', '/ab-tests', { name: 'Asking', accountId: page.id, ...wish })
  abTest = await ann.must('POST', `/ab-tests/${id}/start`)
  const scheduledAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
  // The mails of the report fail, so that one is left to send.
  await sql.query('update app_user set email_confirmed_at = null where id = $1', [ann.session.user.id])
  submitted = await eve.must('POST', '/posts', { caption: 'Soon', targets: [page.id], action: 'submit', scheduledAt })
})

const ask = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await sql.query<Row>(text, values)).rows

/** Waits until none of these jobs is due. */
const idle = (names: JobName[]) =>
  eventually(async () => {
    const jobs = await ask(
      `select from graphile_worker.jobs where task_identifier = any ($1) and (run_at <= now() or locked_at is not null)
        and attempts < max_attempts`,
      [names],
    )
    return jobs.length === 0
  })

/** Makes an account due for a reading of its inbox, once its first reading has ended. */
const letSixHoursPass = ({ id }: SocialAccount) =>
  eventually(async () => {
    const { rowCount } = await sql.query(
      `update inbox_reading set read_at = app_now() - interval '7 hours', underway_until = null where account_id = $1`,
      [id],
    )
    return rowCount === 1
  })

const mailDay = async () => (await ask<{ mailOn: string }>('select mail_on::text as "mailOn" from report'))[0]

interface Work {
  /** Makes it due. */
  arrange: () => Promise<unknown>
  jobs: { name: JobName; data: () => object | Promise<object>; own?: boolean }[]
  /** What it leaves. */
  trace: () => Promise<unknown>
}

const works: Record<string, Work> = {
  'figures are not read': {
    arrange: () =>
      sql.query(
        `update account_sync set next_at = app_now() - interval '1 hour', days_at = null, found_at = null, lease_until = null
          where account_id = $1`,
        [page.id],
      ),
    jobs: [
      { name: 'analytics-sync', data: () => ({}) },
      { name: 'analytics-sync', data: () => ({ accountId: page.id }), own: true },
    ],
    trace: () => ask('select ok_at from account_sync where account_id = $1', [page.id]),
  },
  'competitors are not read': {
    arrange: () => sql.query(`update competitor set next_at = app_now() - interval '2 hours'`),
    jobs: [
      { name: 'competitor-reading', data: () => ({}) },
      { name: 'competitor-reading', data: () => ({ competitorId: competitor.id }), own: true },
    ],
    trace: () => ask('select next_at, error from competitor'),
  },
  'tests of posts are not judged': {
    arrange: () => sql.query(`update ab_test set started_at = app_now() - interval '2 days', checked_at = null`),
    jobs: [
      { name: 'ab-test-check', data: () => ({}) },
      { name: 'ab-test-check', data: () => ({ testId: abTest.id }), own: true },
    ],
    trace: () => ask('select checked_at from ab_test'),
  },
  'nobody is told of customers who wait': {
    arrange: () => sql.query(`update thread set unanswered_at = unanswered_at - interval '2 days', told_wait = null`),
    jobs: [
      { name: 'inbox-watch', data: () => ({}) },
      { name: 'inbox-watch', data: () => ({ own: true }), own: true },
    ],
    trace: () => ask('select told_wait from thread'),
  },
  'the inbox is not read': {
    arrange: () => letSixHoursPass(page),
    jobs: [
      { name: 'inbox-watch', data: () => ({}) },
      { name: 'inbox-reading', data: () => ({ accountId: page.id }), own: true },
    ],
    trace: () => ask('select read_at from inbox_reading where account_id = $1', [page.id]),
  },
  'reports are not mailed': {
    // Three or four mails are due.
    arrange: () =>
      sql.query(
        `update report set mail_on = (date_trunc('month', app_now() at time zone 'UTC') - interval '3 months')::date + 2`,
      ),
    jobs: [
      { name: 'report-monthly', data: () => ({}) },
      { name: 'report-monthly', data: async () => ({ reportId: report.id, ...(await mailDay()) }), own: true },
    ],
    trace: () => ask('select mail_on::text, (select count(*) from report_snapshot) as snapshots from report'),
  },
  'ideas are not prepared': {
    arrange: () => sql.query('delete from ai_suggestion'),
    jobs: [{ name: 'suggestions-daily', data: () => ({ own: true }), own: true }],
    trace: () => ask('select from ai_suggestion'),
  },
  'nobody is reminded of requests for approval': {
    arrange: () =>
      sql.query(`update approval_request set reminded_at = null, created_at = app_now() - interval '25 hours'`),
    jobs: [{ name: 'approval-reminder', data: () => ({ approvalId: submitted.approval!.id }), own: true }],
    trace: () => ask('select reminded_at from approval_request'),
  },
}

async function run({ jobs }: Work): Promise<void> {
  for (const { name, data, own } of jobs) {
    await addJob(sql, name, await data(), { key: randomUUID(), ...(own && { workspaceId: ann.workspaceId }) })
  }
  await idle([...jobs.map(({ name }) => name), 'inbox-reading'])
}

async function whileDeleted(work: () => Promise<void>): Promise<void> {
  await sql.query('update workspace set deleted_at = app_now() where id = $1', [ann.workspaceId])
  try {
    await work()
  } finally {
    await sql.query('update workspace set deleted_at = null where id = $1', [ann.workspaceId])
  }
}

test.each(Object.entries(works))(
  '%s on a plan without it or in a deleted workspace, but afterwards',
  async (_, work) => {
    let before: unknown
    const isUnchanged = async () => {
      await work.arrange()
      before = await work.trace()
      await run(work)
      expect(await work.trace()).toEqual(before)
    }
    await onPlanWithoutFeatures(sql, ann.workspaceId, isUnchanged)
    await whileDeleted(isUnchanged)
    await run(work)
    await eventually(async () => JSON.stringify(await work.trace()) !== JSON.stringify(before))
  },
)

test('an account that was connected on a plan without conversations is read on a plan with them', async () => {
  const dora = await newPerson(product.url, 'Dora')
  const choose = (plan: string) => dora.must('PUT', '/billing/subscription', { plan })
  const watch = async () => {
    await addJob(sql, 'inbox-watch', {}, { key: randomUUID() })
    await idle(['inbox-watch', 'inbox-reading'])
  }
  await choose('free')
  const { account, play } = await openInbox(dora, sandbox.url, 'u6004')
  await watch()
  const readings = () => ask('select from inbox_reading where account_id = $1', [account.id])
  expect(await readings()).toHaveLength(0)
  await choose('business')
  await watch()
  expect(await readings()).toHaveLength(1)
  await letSixHoursPass(account)
  await call(sandbox.url, 'PUT', '/webhooks', { drop: true })
  await play({ kind: 'dm', from: { name: 'Nina' }, text: 'Can you hear me?' })
  await call(sandbox.url, 'PUT', '/webhooks', {})
  await watch()
  expect((await threadOf(dora, 'Nina')).messages).toMatchObject([{ text: 'Can you hear me?' }])
})

test('a report that missed mails sends only the last one afterwards', async () => {
  await idle(['report-monthly'])
  expect(await ask('select from report_snapshot')).toHaveLength(1)
  expect(await ask(`select from report where mail_on > (app_now() at time zone 'UTC')::date`)).toHaveLength(1)
})

describe('a mail that waits', () => {
  let mailId: string
  let key: string
  const mailed = async () =>
    (await ask<{ state: string; error: string | null }>('select state, error from report_mail'))[0]
  const send = () => addJob(sql, 'report-mail', { mailId }, { workspaceId: ann.workspaceId, key })
  const jobs = () => ask('select from graphile_worker.jobs where key = $1', [key])
  const wait = (since = '0 minutes') =>
    sql.query(`update report_mail set state = 'waiting', error = null, state_at = app_now() - $1::interval`, [since])
  /** The reader has no confirmed address, so a mail that is tried fails. */
  const untilTried = () =>
    eventually(async () => {
      const mail = await mailed()
      return mail?.state === 'failed' && mail.error === 'no_address'
    })

  beforeAll(async () => {
    await untilTried()
    mailId = (await ask<{ id: string }>('select id from report_mail'))[0]!.id
    key = `report-mail:${mailId}`
  })

  test('is tried if the plan includes reports again just before the mail is put off', async () => {
    await wait()
    const [first, second] = [await sql.connect(), await sql.connect()]
    const untilWaiting = (statement: string) =>
      eventually(async () => {
        const { rowCount } = await sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
          [statement],
        )
        return rowCount === 1
      })
    try {
      await onPlanWithoutFeatures(sql, ann.workspaceId, async () => {
        await first.query('begin; lock table subscription in access exclusive mode')
        await send()
        await untilWaiting('update report_mail%')
        // This gets its lock after the claim has ended, and before the mail is put off.
        await second.query('begin')
        const locked = second.query('lock table subscription in access exclusive mode')
        await untilWaiting('lock table%')
        await first.query('commit')
        await locked
        await second.query(`update subscription set plan_id = 'business' where workspace_id = $1`, [ann.workspaceId])
        await second.query('commit')
        await untilTried()
      })
    } finally {
      first.release(true)
      second.release(true)
    }
  })

  test('for long can be resent', async () => {
    const resend = () => ann.must('POST', `/analytics/reports/${report.id}/mails/resend`, {})
    await wait()
    await resend()
    expect(await jobs()).toEqual([])
    await wait('11 minutes')
    await resend()
    await untilTried()
  })

  test('ends with its link, even on a plan without reports', async () => {
    const endsIn = (days: number) =>
      sql.query(
        `update report_snapshot set created_at = app_now() - interval '91 days', ends_at = app_now() + make_interval(days => $1)`,
        [days],
      )
    try {
      await onPlanWithoutFeatures(sql, ann.workspaceId, async () => {
        await wait()
        await endsIn(-1)
        await send()
        await idle(['report-mail'])
        expect(await mailed()).toEqual({ state: 'failed', error: 'link_ended' })
        expect(await jobs()).toEqual([])
      })
    } finally {
      await endsIn(90)
    }
  })

  test('is not sent on a plan without reports, but afterwards', async () => {
    await sql.query('update app_user set email_confirmed_at = now() where id = $1', [ann.session.user.id])
    await wait()
    await onPlanWithoutFeatures(sql, ann.workspaceId, async () => {
      await send()
      await idle(['report-mail'])
      expect((await mailed())?.state).toBe('waiting')
      expect(await ask('select from graphile_worker.jobs where key = $1 and run_at > now()', [key])).toHaveLength(1)
    })
    await send()
    await eventually(async () => (await mailed())?.state === 'sent')
  })
})
