import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import { addDays } from '../../publishing/scheduler/rules.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { holdReadings, inDays, tellDays, tellPost } from '../../../test/insights.ts'
import { addJob } from '../../../test/jobs.ts'
import {
  call,
  confirmEmail,
  connect,
  eventually,
  join,
  mailTo,
  newPerson,
  type Person,
  type Problem,
} from '../../../test/world.ts'
import { reportLetter } from './letters.ts'
import type { Report, ReportPreview, ReportSnapshot, SharedReport, WholeSnapshot } from './api.ts'

const { product, sql } = useProduct({ env: FAST })
let ann: Person
let cleo: Person
let bob: Person
let page: SocialAccount

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  cleo = await join(ann, 'Cleo', 'CLIENT')
  bob = await newPerson(product.url, 'Bob')
  ;[page] = (await connect(ann, 'NET_PAGE', 'u6701')) as [SocialAccount]
  const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts?limit=100')
  for (const { id } of data) if (id !== page.id) await ann.must('DELETE', `/social-accounts/${id}`)
  await holdReadings(sql, ann.workspaceId)
  await tell(100)
  await tellPost(
    sql,
    { workspaceId: ann.workspaceId, accountId: page.id },
    {
      caption: 'Fresh bread',
      publishedAt: new Date(`${inDays(-10)}T09:00Z`),
      topic: 'bread',
      readings: { 25: { impressions: 50, likes: 5 }, 170: { impressions: 70, likes: 7 } },
    },
  )
})
beforeEach(async () => {
  await sql.query('delete from report where workspace_id = $1', [ann.workspaceId])
})

/** Stores ninety days of the page with the given views. Its engagement was never reported. */
const tell = (impressions: number) =>
  tellDays(
    sql,
    { workspaceId: ann.workspaceId, accountId: page.id, from: inDays(-90) },
    Array.from({ length: 90 }, () => ({ impressions, followers: 900 })),
  )

const days = { from: inDays(-28), to: inDays(0) }
const make = (more: object = {}) =>
  ann.must<Report>('POST', '/analytics/reports', {
    name: 'Monthly',
    sections: ['overview', 'posts', 'tags'],
    range: days,
    ...more,
  })
const share = ({ id }: Pick<Report, 'id'>, body: object = {}) =>
  ann.must<WholeSnapshot>('POST', `/analytics/reports/${id}/snapshots`, body)
const get = ({ id }: Pick<Report, 'id'>) => ann.must<Report>('GET', `/analytics/reports/${id}`)
const tokenOf = ({ url }: Pick<ReportSnapshot, 'url'>) => url!.split('/').at(-1)!
const open = (token: string) => call<SharedReport & Problem>(product.url, 'GET', `/api/v1/reports/${token}`)
const idOf = (person: Person) => person.session.user.id
/** Waits until a statement waits for a row that is locked. */
const untilWaiting = (statement: string) =>
  eventually(async () => {
    const { rowCount } = await sql.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [statement],
    )
    return rowCount === 1
  })

describe('a report', () => {
  test('is created, changes by version, and has a unique name', async () => {
    const report = await make({ note: 'For you' })
    expect(report).toMatchObject({
      name: 'Monthly',
      range: days,
      accountIds: [],
      mailTo: [],
      nextMailOn: null,
      version: 1,
    })
    expect((await ann.call<Problem>('POST', '/analytics/reports', { ...report, name: 'monthly' })).status).toBe(422)
    const taken = await ann.call<Problem>('POST', '/analytics/reports', {
      name: 'MONTHLY',
      sections: ['posts'],
      range: days,
    })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
    const path = `/analytics/reports/${report.id}`
    const changed = await ann.must<Report>('PATCH', path, { note: 'New' }, { 'if-match': '"1"' })
    expect(changed).toMatchObject({ note: 'New', version: 2, sections: ['overview', 'posts', 'tags'] })
    const stale = await ann.call<Problem>('PATCH', path, { note: 'Late' }, { 'if-match': '"1"' })
    expect([stale.status, stale.body.code]).toEqual([412, 'stale_version'])
    expect(await ann.must<Report>('PATCH', path, { note: 'New' })).toEqual(changed)
  })

  test('accepts only sections, days, accounts and members that exist in its workspace', async () => {
    const codes = async (more: object) => {
      const asked = { name: 'Odd', sections: ['overview'], range: 'last_month', ...more }
      const { status, body } = await ann.call<Problem>('POST', '/analytics/reports', asked)
      expect(status).toBe(422)
      return body.errors!.map(({ path, code }) => `${path} ${code}`)
    }
    expect(await codes({ sections: [] })).toHaveLength(1)
    expect(await codes({ sections: ['weather'] })).toHaveLength(1)
    expect(await codes({ range: { from: days.to, to: days.from } })).toEqual(['/range/from after_end'])
    expect(await codes({ range: { from: '2020-01-01', to: '2022-01-01' } })).toEqual(['/range/from too_long'])
    expect(await codes({ accountIds: [randomUUID()] })).toEqual(['/accountIds/0 unknown_id'])
    // Someone from another workspace gets no mail.
    expect(await codes({ mailTo: [idOf(bob)] })).toEqual(['/mailTo/0 unknown_id'])
    expect(await codes({ mailTo: [idOf(cleo)] })).toEqual(['/mailTo/0 not_for_clients'])
    expect(await codes({ mailTo: [idOf(ann)], range: days })).toEqual(['/mailTo needs_last_month'])
  })

  test('changes whatever its readers have become, as long as they stay the same', async () => {
    const dan = await join(ann, 'Dan', 'VIEWER')
    const { id } = await make({ range: 'last_month', mailTo: [idOf(dan)] })
    const path = `/analytics/reports/${id}`
    await ann.must('PUT', `/workspaces/${ann.workspaceId}/members/${idOf(dan)}`, { role: 'CLIENT' })
    expect(await ann.must<Report>('PATCH', path, { note: 'New' })).toMatchObject({ note: 'New', mailTo: [idOf(dan)] })
    for (const change of [{ mailTo: [idOf(dan), idOf(ann)] }, { mailTo: [idOf(ann), idOf(dan)] }]) {
      const { status, body } = await ann.call<Problem>('PATCH', path, change)
      expect([status, body.errors!.map(({ code }) => code)]).toEqual([422, ['not_for_clients']])
    }
    expect(await ann.must<Report>('PATCH', path, { forClients: true })).toMatchObject({ forClients: true })
    expect((await ann.call<Problem>('PATCH', path, { forClients: false })).status).toBe(422)
    await ann.must('DELETE', `/workspaces/${ann.workspaceId}/members/${idOf(dan)}`)
    expect(await ann.must<Report>('PATCH', path, { note: 'Newer' })).toMatchObject({ note: 'Newer' })
  })

  test('has a limited number of previews per person and hour', async () => {
    const path = `/analytics/reports/${(await make()).id}/preview`
    await ann.must('GET', path)
    const tries = (count: number) =>
      sql.query('update try_count set tries = $2 where key = $1', [hashSecret(`report previews:${idOf(ann)}`), count])
    await tries(120)
    const { status, body } = await ann.call<Problem>('GET', path)
    expect([status, body.code]).toEqual([429, 'rate_limited'])
    await tries(0)
    await ann.must('GET', path)
  })
})

describe('a snapshot', () => {
  test('keeps its figures whatever is read later, and shows what is unknown', async () => {
    const report = await make()
    const preview = await ann.must<ReportPreview>('GET', `/analytics/reports/${report.id}/preview`)
    const snapshot = await share(report)
    const { overview, posts, tags, bestTimes } = snapshot.figures
    expect(snapshot.figures).toEqual(preview.figures)
    expect(overview!.totals.impressions.value).toBe(2800)
    expect(overview!.totals.engagement.value).toBeNull()
    expect(posts!.data).toEqual([
      expect.objectContaining({
        caption: 'Fresh bread',
        views: 70,
        reach: null,
        engagement: 7,
        accountName: page.name,
      }),
    ])
    expect(tags!.find(({ by }) => by === 'topic')!.data).toMatchObject([{ value: 'bread', n: 1, isFew: true }])
    expect(bestTimes).toBeNull()
    const before = (await open(tokenOf(snapshot))).body
    try {
      await tell(5)
      await sql.query(`update measured_post set impressions = 9000 where account_id = $1`, [page.id])
      const now = await ann.must<ReportPreview>('GET', `/analytics/reports/${report.id}/preview`)
      expect(now.figures.overview!.totals.impressions.value).toBe(140)
      await ann.must('PATCH', `/analytics/reports/${report.id}`, {
        name: 'Renamed',
        note: 'Other',
        sections: ['bestTimes'],
      })
      expect((await open(tokenOf(snapshot))).body).toEqual(before)
      expect(await ann.must('GET', `/analytics/snapshots/${snapshot.id}`)).toEqual({ ...snapshot, url: null })
    } finally {
      await tell(100)
      await sql.query(`update measured_post set impressions = 70 where account_id = $1`, [page.id])
    }
    // The application's database role can change nothing else.
    const { rows } = await sql.query(`select attname from pg_attribute where attrelid = 'report_snapshot'::regclass
      and attnum > 0 and has_column_privilege('parley_app', attrelid, attnum, 'update')`)
    expect(rows).toEqual([{ attname: 'revoked_at' }])
  })

  test('is not created if someone changes the report while its figures are computed', async () => {
    const report = await make()
    await share(report)
    const other = await sql.connect()
    await other.query('begin')
    try {
      // The report was read, but its figures were not: they are computed after the try is counted.
      await other.query('select from try_count for update')
      const sharing = ann.call<Problem>('POST', `/analytics/reports/${report.id}/snapshots`, {})
      await untilWaiting('%into try_count%')
      await ann.must('PATCH', `/analytics/reports/${report.id}`, { sections: ['posts'] })
      await other.query('commit')
      const { status, body } = await sharing
      expect([status, body.code]).toEqual([412, 'stale_version'])
    } finally {
      other.release(true)
    }
  })

  test('can be limited to chosen accounts', async () => {
    const [other] = (await connect(ann, 'NET_PHOTO', 'u6702')) as [SocialAccount]
    try {
      const { figures } = await share(await make({ accountIds: [page.id], sections: ['overview', 'bestTimes'] }))
      expect(figures.overview!.byAccount.map(({ accountId }) => accountId)).toEqual([page.id])
      expect(figures.bestTimes!.map(({ accountId, verdict }) => [accountId, verdict])).toEqual([
        [page.id, 'too_little_data'],
      ])
    } finally {
      await ann.must('DELETE', `/social-accounts/${other.id}`)
    }
  })

  test('opens by its link without a cookie, and its token is not stored anywhere', async () => {
    const report = await make({ note: 'For you' })
    const key = { 'idempotency-key': randomUUID() }
    const path = `/analytics/reports/${report.id}/snapshots`
    const made = await ann.must<WholeSnapshot>('POST', path, { days: 400 }, key)
    expect(await ann.must('POST', path, { days: 400 }, key)).toEqual({ ...made, url: null })
    expect((await ann.call('POST', path, { days: 401 })).status).toBe(422)
    const { status, headers, body } = await open(tokenOf(made))
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Monthly', note: 'For you', ...days, endsAt: made.endsAt })
    expect(headers.getSetCookie()).toEqual([])
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('cache-control')).toBe('no-store')
    const { rows: tables } = await sql.query<{ name: string }>(`select format('%I.%I', schemaname, tablename) as name
      from pg_tables where schemaname in ('public', 'graphile_worker')`)
    for (const { name } of tables) {
      const found = await sql.query(`select from ${name} t where strpos(t::text, $1) > 0`, [tokenOf(made)])
      expect([name, found.rowCount]).toEqual([name, 0])
    }
  })

  test('gives the same answer for a revoked link, an ended one, one of a deleted report, and an unknown one', async () => {
    const report = await make()
    const [revoked, ended, live] = [await share(report), await share(report, { days: 1 }), await share(report)]
    await ann.must('DELETE', `/analytics/snapshots/${revoked.id}`)
    expect((await ann.call('DELETE', `/analytics/snapshots/${revoked.id}`)).status).toBe(404)
    await sql.query(
      `update report_snapshot set created_at = app_now() - interval '2 days', ends_at = app_now() - interval '1 second'
      where id = $1`,
      [ended.id],
    )
    const gone = await share(await make({ name: 'Gone' }))
    await ann.must('DELETE', `/analytics/reports/${gone.reportId}`)
    expect((await open(tokenOf(live))).status).toBe(200)
    const answers = await Promise.all(
      [tokenOf(revoked), tokenOf(ended), tokenOf(gone), 'none'].map(async (token) => {
        const { status, body } = await open(token)
        return { ...body, status, requestId: null, instance: null }
      }),
    )
    expect(answers[0]).toMatchObject({ status: 410, code: 'link_expired' })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(JSON.stringify(answers)).not.toContain('Ann')
  })

  test('is visible to a client only if the report is for clients and the snapshot is not revoked', async () => {
    const seen = async () =>
      (await cleo.must<{ data: ReportSnapshot[] }>('GET', '/analytics/snapshots')).data.map(({ id }) => id)
    const own = await share(await make())
    const theirs = await share(await make({ name: 'Client', forClients: true }))
    expect(await seen()).toEqual([theirs.id])
    expect((await cleo.call('GET', `/analytics/snapshots/${own.id}`)).status).toBe(404)
    expect(await cleo.must('GET', `/analytics/snapshots/${theirs.id}`)).toEqual({
      ...theirs,
      url: null,
      createdBy: { id: null, name: 'Ann' },
    })
    expect((await cleo.call('GET', '/analytics/reports')).status).toBe(403)
    expect((await cleo.call('DELETE', `/analytics/snapshots/${theirs.id}`)).status).toBe(403)
    await ann.must('DELETE', `/analytics/snapshots/${theirs.id}`)
    expect(await seen()).toEqual([])
    expect((await cleo.call('GET', `/analytics/snapshots/${theirs.id}`)).status).toBe(404)
    // A snapshot made for members only stays theirs if the report is later for clients, and vice versa.
    const isFor = (forClients: boolean) => ann.must('PATCH', `/analytics/reports/${own.reportId}`, { forClients })
    await isFor(true)
    expect(await seen()).toEqual([])
    expect((await cleo.call('GET', `/analytics/snapshots/${own.id}`)).status).toBe(404)
    const later = await share({ id: own.reportId })
    expect(await seen()).toEqual([later.id])
    await isFor(false)
    expect(await seen()).toEqual([])
  })

  test('says nothing about the state of an account, also if it was stored with it', async () => {
    const hidden = { state: 'read', nextAt: null, firstReading: null }
    const states = (figures: WholeSnapshot['figures']) =>
      figures.overview!.byAccount.map(({ state, nextAt, firstReading }) => ({ state, nextAt, firstReading }))
    const isNow = (status: string) =>
      sql.query('update social_account set status = $2 where id = $1', [page.id, status])
    const report = await make({ forClients: true })
    await isNow('RECONNECT_NEEDED')
    try {
      const made = await share(report)
      expect(states(made.figures)).toEqual([hidden])
      await sql.query(
        `update report_snapshot set figures = jsonb_set(figures, '{overview,byAccount,0,state}', '"not_connected"') where id = $1`,
        [made.id],
      )
      const seen = await cleo.must<WholeSnapshot>('GET', `/analytics/snapshots/${made.id}`)
      expect(states(seen.figures)).toEqual([hidden])
      expect(states((await open(tokenOf(made))).body.figures)).toEqual([hidden])
    } finally {
      await isNow('CONNECTED')
    }
  })
})

describe('the monthly mail', () => {
  const emailOf = (person: Person) => person.session.user.email as string
  const letters = async (person: Person) =>
    (await mailTo(product.url, emailOf(person))).filter(({ subject }) => subject.includes('Monthly'))
  const run = async (data: object, key?: string) => {
    await addJob(sql, 'report-monthly', data, { workspaceId: ann.workspaceId, key: key ?? randomUUID() })
  }
  /** Makes the mail of a report due, in any time zone. Returns its day. */
  async function letDayCome({ id }: Report): Promise<string> {
    const { rows } = await sql.query<{ day: string }>(
      `update report set mail_on = (app_now() at time zone 'UTC')::date - 1 where id = $1 returning mail_on::text as day`,
      [id],
    )
    return rows[0]!.day
  }
  const untilIdle = () =>
    eventually(async () => {
      const { rowCount } = await sql.query(
        `select from graphile_worker.jobs where task_identifier like 'report-%' and run_at <= now()`,
      )
      return rowCount === 0
    })
  const endedMails = (report: Report, count: number) =>
    eventually(async () => {
      const { mails } = await get(report)
      return mails.length === count && mails.every(({ state }) => state !== 'waiting') && mails
    })
  const monthly = (more: object = {}) => make({ range: 'last_month', mailTo: [idOf(ann)], ...more })

  test('goes to each reader once, in their language, even if the job runs several times at the same time', async () => {
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const report = await monthly({ forClients: true, mailTo: [idOf(ann), idOf(cleo)], note: 'See you' })
    expect(report.nextMailOn).toMatch(/-03$/)
    const before = (await letters(ann)).length
    const mailOn = await letDayCome(report)
    const lastDay = addDays(`${mailOn.slice(0, 8)}01`, -1)
    // The network may still correct the last day of the month.
    await sql.query('update account_metric set ends_at = now() where account_id = $1 and day = $2', [page.id, lastDay])
    // One day was never read.
    await sql.query('delete from account_metric where account_id = $1 and day = $2', [page.id, addDays(lastDay, -9)])
    await Promise.all([1, 2, 3, 4].map(() => run({ reportId: report.id, mailOn })))
    const mails = await endedMails(report, 2)
    expect(mails.map(({ state, error }) => [state, error])).toEqual([
      ['sent', null],
      ['sent', null],
    ])
    await run({ reportId: report.id, mailOn })
    await run({})
    await untilIdle()
    const [arabic, ...more] = (await letters(ann)).slice(0, (await letters(ann)).length - before)
    expect(more).toEqual([])
    const inMonth = Number(lastDay.slice(8))
    expect(arabic!.text).toMatch(new RegExp(`المشاهدات: [\\d,]+ \\(عدد الأيام: ${inMonth - 1} من ${inMonth}\\)`))
    expect(arabic!.text).toContain('التفاعل: غير معروف')
    expect(arabic!.text).toContain('See you')
    const [english, ...others] = await letters(cleo)
    expect(others).toEqual([])
    expect(english!.text).toMatch(new RegExp(`Views: [\\d,]+ \\(${inMonth - 1} of ${inMonth} days\\)`))
    expect(english!.text).toContain('Engagement: unknown')
    expect(english!.text).toContain('Engagement rate (by followers): unknown')
    const last = new Date(lastDay).toLocaleDateString('en', { day: 'numeric', month: 'long', timeZone: 'UTC' })
    expect(english!.text).toMatch(
      /% of the days in this period, across all accounts and metrics\. Last updated on [^.]+ at [^.]+\. Metrics for these days may still change: /,
    )
    expect(english!.text).toContain(`Metrics for these days may still change: ${last}.`)
    // The link shows the snapshot of the previous month.
    const token = /\/app\/reports\/([\w-]+)/.exec(english!.text)![1]!
    const { body } = await open(token)
    expect(body.from).toBe(mails[0]!.month)
    expect(body.to).toBe(`${mailOn.slice(0, 8)}01`)
    // The next mail is due next month.
    expect((await get(report)).nextMailOn! > mailOn).toBe(true)
    // The token is sealed until the mail is sent, and deleted afterwards.
    const { rows } = await sql.query(`select sealed from report_mail where report_id = $1`, [report.id])
    expect(rows.every(({ sealed }) => sealed === null)).toBe(true)
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test('says if an account in a sum lacks days', async () => {
    const { figures, ...report } = await share(await make())
    const overview = figures.overview!
    const told = (language: string, known: number) => {
      const impressions = { value: 2800 + 100 * known, perDay: 200, days: 28 }
      const byAccount = [28, known].map((days) => ({
        ...overview.byAccount[0]!,
        totals: { ...overview.totals, impressions: { value: 100 * days, perDay: 100, days } },
      }))
      const summed = { ...overview, byAccount, totals: { ...overview.totals, impressions } }
      const letter = reportLetter(
        { name: 'Ann', language },
        { workspace: 'Ours', ...report, figures: { ...figures, overview: summed } },
        { url: 'https://parley.test', endsAt: new Date(), timezone: 'UTC' },
      )
      return letter.text
    }
    expect(told('en', 20)).toContain('Views: 4,800 (not every account has data for the whole period)')
    expect(told('ar', 20)).toContain('4,800 (بعض الحسابات لا تتوفر بياناتها عن الفترة كلها)')
    expect(told('en', 28)).toMatch(/Views: 5,600$/m)
  })

  /**
   * Does what another process might do after a job has read a row and before it writes it. The job waits for the row,
   * which is changed in between.
   */
  async function overtake(table: 'report' | 'report_mail', id: string, start: () => Promise<unknown>, change: string) {
    const other = await sql.connect()
    try {
      await other.query('begin')
      await other.query(`select from ${table} where id = $1 for update`, [id])
      await start()
      await untilWaiting(`update ${table} %`)
      await other.query(`update ${table} set ${change} where id = $1`, [id])
      await other.query('commit')
    } finally {
      other.release()
    }
    await eventually(async () => {
      const { rows } = await sql.query<{ jobs: number }>(
        `select count(*)::int as jobs from graphile_worker.jobs where task_identifier like 'report-%' and locked_at is not null`,
      )
      return rows[0]!.jobs === 0
    })
  }

  test('is sent once if two processes create it, or send it, at the same moment', async () => {
    const report = await monthly()
    const mailOn = await letDayCome(report)
    const made = () => run({ reportId: report.id, mailOn })
    await overtake('report', report.id, made, `mail_on = mail_on + 30`)
    expect((await get(report)).mails).toEqual([])
    const before = (await letters(ann)).length
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [idOf(ann)])
    await run({ reportId: report.id, mailOn: await letDayCome(report) })
    await endedMails(report, 1)
    await sql.query('update app_user set email_confirmed_at = now() where id = $1', [idOf(ann)])
    const { rows } = await sql.query<{ id: string }>('select id from report_mail where report_id = $1', [report.id])
    const sent = () => ann.must('POST', `/analytics/reports/${report.id}/mails/resend`, {})
    const again = async () => {
      await addJob(sql, 'report-mail', { mailId: rows[0]!.id }, { workspaceId: ann.workspaceId })
    }
    await overtake('report_mail', rows[0]!.id, again, `state = 'sending'`)
    expect((await letters(ann)).length).toBe(before)
    await sql.query(`update report_mail set state = 'failed', error = 'not_taken' where id = $1`, [rows[0]!.id])
    await sent()
    await endedMails(report, 1)
    expect((await letters(ann)).length).toBe(before + 1)
  })

  /**
   * Sends a mail and lets another process take it over before the first has finished. Returns nothing if it had already
   * finished.
   */
  async function takeOver() {
    const report = await monthly()
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [idOf(ann)])
    await run({ reportId: report.id, mailOn: await letDayCome(report) })
    await endedMails(report, 1)
    await sql.query('update app_user set email_confirmed_at = now() where id = $1', [idOf(ann)])
    const { rows } = await sql.query<{ id: string }>('select id from report_mail where report_id = $1', [report.id])
    const mailId = rows[0]!.id
    const [first, second] = [await sql.connect(), await sql.connect()]
    try {
      // The first process claims the row once it is free, and the second one gets it next, usually before the mail is
      // sent.
      await first.query('begin')
      await first.query('select from report_mail where id = $1 for update', [mailId])
      await addJob(sql, 'report-mail', { mailId }, { workspaceId: ann.workspaceId })
      await untilWaiting('update report_mail %')
      await second.query('begin')
      const holding = second.query<{ state: string }>('select state from report_mail where id = $1 for update', [
        mailId,
      ])
      await untilWaiting('select state from report_mail%')
      await first.query('commit')
      if ((await holding).rows[0]!.state !== 'sending') return undefined
      const taken = await second.query(
        `update report_mail set state_at = state_at + interval '1 second' where id = $1 returning state, state_at`,
        [mailId],
      )
      await second.query('commit')
      return { mailId, taken: taken.rows[0] as { state: string; state_at: Date } }
    } finally {
      first.release(true)
      second.release(true)
    }
  }

  test('is left to another process that took it over because sending took too long', async () => {
    const { mailId, taken } = await eventually(takeOver)
    await untilIdle()
    const after = await sql.query('select state, state_at from report_mail where id = $1', [mailId])
    expect(after.rows).toEqual([taken])
    await eventually(async () => product.output().includes(`"mailId":"${mailId}"`))
  })

  test('has the figures of the current report, even if someone changes it in the meantime', async () => {
    const report = await monthly()
    const mailOn = await letDayCome(report)
    const made = () => run({ reportId: report.id, mailOn })
    await overtake('report', report.id, made, `sections = '{posts}', version = version + 1`)
    await endedMails(report, 1)
    const { rows } = await sql.query('select figures from report_snapshot where report_id = $1', [report.id])
    expect(rows).toMatchObject([{ figures: { overview: null, posts: { data: expect.any(Array) }, tags: null } }])
  })

  test('waits for its time on the 3rd in the time zone of the workspace', async () => {
    const report = await monthly()
    const zone = (timezone: string) => ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { timezone })
    try {
      // It is 8 o'clock there at 19:00 UTC.
      await zone('Pacific/Pago_Pago')
      await sql.query(
        `update report set mail_on = ((app_now() at time zone 'UTC') + interval '5 hours')::date where id = $1`,
        [report.id],
      )
      const { nextMailOn } = await get(report)
      await run({})
      await untilIdle()
      expect(await get(report)).toMatchObject({ nextMailOn, mails: [] })
      await letDayCome(report)
      await run({})
      await endedMails(report, 1)
    } finally {
      await zone('Europe/Berlin')
    }
  })

  test('covers each month once, even if its readers are removed and added again', async () => {
    const report = await monthly()
    await run({ reportId: report.id, mailOn: report.nextMailOn })
    await endedMails(report, 1)
    const { nextMailOn } = await get(report)
    const name = (mailTo: string[]) => ann.must<Report>('PATCH', `/analytics/reports/${report.id}`, { mailTo })
    expect((await name([])).nextMailOn).toBeNull()
    expect((await name([idOf(ann)])).nextMailOn).toBe(nextMailOn)
    expect(nextMailOn! > report.nextMailOn!).toBe(true)
  })

  test('is not sent to a member who may no longer get it', async () => {
    const report = await monthly({ forClients: true, mailTo: [idOf(cleo)] })
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [idOf(cleo)])
    await run({ reportId: report.id, mailOn: await letDayCome(report) })
    expect(await endedMails(report, 1)).toMatchObject([{ error: 'no_address' }])
    await sql.query('update app_user set email_confirmed_at = now() where id = $1', [idOf(cleo)])
    const before = (await letters(cleo)).length
    const sendAgain = async () => {
      await ann.must('POST', `/analytics/reports/${report.id}/mails/resend`, {})
      return (await endedMails(report, 1))[0]
    }
    const refused = { state: 'failed', error: 'not_a_reader' }
    const isFor = (table: 'report' | 'report_snapshot', clients: boolean) =>
      sql.query(`update ${table} set for_clients = $2 where ${table === 'report' ? 'id' : 'report_id'} = $1`, [
        report.id,
        clients,
      ])
    const name = (mailTo: string[]) => ann.must('PATCH', `/analytics/reports/${report.id}`, { mailTo })

    // The report is for members only, then its snapshot is, and then she is no longer a reader.
    await isFor('report', false)
    expect(await sendAgain()).toMatchObject(refused)
    await isFor('report', true)
    await isFor('report_snapshot', false)
    expect(await sendAgain()).toMatchObject(refused)
    await isFor('report_snapshot', true)
    await name([])
    expect(await sendAgain()).toMatchObject(refused)
    expect((await letters(cleo)).length).toBe(before)
    await name([idOf(cleo)])
    expect(await sendAgain()).toMatchObject({ state: 'sent', error: null })
    expect((await letters(cleo)).length).toBe(before + 1)
  })

  test('goes to no former member, and not to a client once the report is for members only', async () => {
    const dan = await join(ann, 'Dan', 'VIEWER')
    const report = await monthly({ forClients: true, mailTo: [idOf(ann), idOf(cleo), idOf(dan)] })
    const alone = await monthly({ name: 'His', mailTo: [idOf(dan)] })
    await ann.must('DELETE', `/workspaces/${ann.workspaceId}/members/${idOf(dan)}`)
    const left = await get(report)
    expect(left.mailTo).not.toContain(idOf(dan))
    await sql.query('update report set for_clients = false where id = $1', [report.id])
    await run({ reportId: report.id, mailOn: await letDayCome(report) })
    const mails = await endedMails(report, 1)
    expect(mails[0]!.userId).toBe(idOf(ann))
    // Without readers there is no mail, and no unrequested link.
    expect(await get(alone)).toMatchObject({ mailTo: [], nextMailOn: null })
    await run({ reportId: alone.id, mailOn: await letDayCome(alone) })
    await untilIdle()
    const { rows } = await sql.query<{ moved: boolean; snapshots: number }>(
      `select mail_on >= (app_now() at time zone 'UTC')::date as moved,
        (select count(*)::int from report_snapshot s where s.report_id = r.id) as snapshots from report r where id = $1`,
      [alone.id],
    )
    expect(rows).toEqual([{ moved: true, snapshots: 0 }])
  })

  test('says why it failed, and can be resent', async () => {
    const report = await monthly()
    const { rows } = await sql.query<{ email: string }>('select email from app_user where id = $1', [idOf(ann)])
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [idOf(ann)])
    const before = (await letters(ann)).length
    try {
      await run({ reportId: report.id, mailOn: await letDayCome(report) })
      expect(await endedMails(report, 1)).toMatchObject([{ state: 'failed', error: 'no_address' }])
      await sql.query(`update app_user set email_confirmed_at = now(), email = 'nobody' where id = $1`, [idOf(ann)])
      const resend = () => ann.must<Report>('POST', `/analytics/reports/${report.id}/mails/resend`, {})
      await resend()
      const refused = await eventually(async () => (await get(report)).mails.find(({ error }) => error === 'not_taken'))
      expect(refused.detail).toMatch(/EENVELOPE|501|RCPT/)
      await sql.query('update app_user set email = $2 where id = $1', [idOf(ann), rows[0]!.email])
      await resend()
      await eventually(async () => (await get(report)).mails.every(({ state }) => state === 'sent'))
      expect((await letters(ann)).length).toBe(before + 1)
      // A mail that was sent is not sent again, and neither is one whose link has ended.
      await resend()
      expect((await get(report)).mails).toMatchObject([{ state: 'sent' }])
      await sql.query(`update report_mail set state = 'failed', error = 'link_ended' where report_id = $1`, [report.id])
      await resend()
      expect((await get(report)).mails).toMatchObject([{ state: 'failed', error: 'link_ended' }])
      const { rowCount } = await sql.query(`select from report_mail where report_id = $1 and state = 'failed'`, [
        report.id,
      ])
      expect(rowCount).toBe(1)
    } finally {
      await sql.query('update app_user set email = $2, email_confirmed_at = now() where id = $1', [
        idOf(ann),
        rows[0]!.email,
      ])
    }
  })
})
