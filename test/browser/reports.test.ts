import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Report } from '../../src/insights/reports/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { holdReadings, inDays, tellDays, tellPost } from '../insights.ts'
import { confirmEmail, connect, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

/** A manager with four months of data on a page, two of its days missing, and a client who is a member. */
describe.skipIf(!hasBrowser)('reports', () => {
  const { product, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let cleo: Person

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    cleo = await join(ann, 'Cleo', 'CLIENT')
    const [page] = (await connect(ann, 'NET_PAGE', 'u6801')) as [SocialAccount]
    await holdReadings(sql, ann.workspaceId)
    const place = { workspaceId: ann.workspaceId, accountId: page.id, from: inDays(-120) }
    await tellDays(
      sql,
      place,
      Array.from({ length: 120 }, (_, index) =>
        index === 100 || index === 101
          ? null
          : { impressions: 900 + index * 10, engagement: 40, followers: 3100 + index },
      ),
    )
    await tellPost(sql, place, {
      caption: 'How we pour: the slow V60, step by step',
      publishedAt: new Date(`${inDays(-12)}T09:00Z`),
      topic: 'brewing',
      readings: {
        25: { impressions: 3000, likes: 50, comments: 5 },
        170: { impressions: 4400, likes: 90, comments: 7 },
      },
    })
  })

  async function at(
    person: Person | null,
    { width, theme, language }: { width: number; theme: Theme; language: 'en' | 'ar' },
  ) {
    await person?.must('PATCH', '/api/v1/auth/me', { language })
    const context = await browser.newContext({ viewport: { width, height: 844 }, locale: language })
    await useTheme(context, theme)
    const opened = await openPage(context)
    if (person) await signIn(opened.page, person)
    return opened
  }
  const address = (path = '') => `${product.url}/app/w/${ann.workspaceId}/analytics${path}`

  test('a manager creates a report, sees the client’s view in two clicks, and shares it; the client reads it on a phone', async () => {
    const { reports: words } = en
    const { page, faults } = await at(ann, WAYS[0])
    await visit(page, address('/reports'))
    await page.getByText(words.none).waitFor()
    if (long) await expectSound(page, 'reports-none')
    await page.getByRole('main').getByRole('button', { name: words.new }).last().click()
    const form = page.getByRole('dialog')
    await form.getByRole('button', { name: words.create }).click()
    await form.getByText(words.nameMissing).waitFor()
    await form.getByLabel(words.name, { exact: true }).fill('For the bakery')
    await form.getByLabel(words.range).click()
    await page.getByRole('option', { name: /^Last month \([A-Z][a-z]+ \d{4}\)$/ }).waitFor()
    await page.getByRole('option', { name: words.ranges.days }).click()
    await form.getByLabel(words.note).fill('Warm greetings from us')
    await form.getByLabel(words.section.tags).check()
    await form.getByLabel(words.section.bestTimes).check()
    await form.getByLabel(words.forClients).check()
    await expectSound(page, 'report-editor')
    await form.getByRole('button', { name: words.create }).click()
    await page.getByRole('heading', { name: words.preview }).waitFor()

    // What does the client see? Two clicks from the overview.
    await visit(page, address())
    await page.getByRole('link', { name: en.analytics.tabs.reports, exact: true }).click()
    await page.getByRole('link', { name: 'For the bakery' }).click()
    await page.getByText('Warm greetings from us').waitFor()
    await page.getByRole('slider').waitFor()
    await expectSound(page, 'report-preview')

    await page.getByRole('button', { name: words.share }).click()
    await form.getByRole('button', { name: words.makeLink }).click()
    const url = await form.getByLabel(words.address, { exact: true }).inputValue()
    if (long) await expectSound(page, 'report-shared')
    await page.keyboard.press('Escape')
    await page.getByText(words.noSnapshots).waitFor({ state: 'detached' })
    if (long) await expectSound(page, 'report-with-link')

    const phone = await at(null, WAYS[1])
    await phone.page.goto(url)
    await phone.page.getByRole('heading', { name: 'For the bakery' }).waitFor()
    await phone.page.getByRole('heading', { name: ar.reports.section.posts }).waitFor()
    await phone.page.getByText('Warm greetings from us').waitFor()
    await phone.page.getByText('brewing').waitFor()
    // Both periods have data, and the network is named in words.
    await phone.page.getByText(ar.analytics.comparedWith.split('{')[0]!).waitFor()
    expect(await phone.page.textContent('body')).toContain('Facebook · ')
    await phone.page.getByRole('slider').waitFor()
    expect(await phone.page.getByRole('navigation').count()).toBe(0)
    expect(await phone.page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    await expectSound(phone.page, 'shared-report')
    // Missing days are gaps: neither the chart nor the table shows 0.
    await phone.page.getByRole('button', { name: ar.figures.asTable }).click()
    const gap = (await phone.page.getByRole('row').allTextContents()).find((row) => row.includes(ar.figures.none))
    expect(gap).toBeDefined()
    // On paper, tables replace the chart and the cards.
    await phone.page.emulateMedia({ media: 'print' })
    await phone.page.getByRole('table').first().waitFor()
    expect(await phone.page.getByRole('table').count()).toBeGreaterThanOrEqual(2)
    expect(await phone.page.getByRole('slider').count()).toBe(0)
    expect(await phone.page.getByRole('button', { name: ar.reports.print }).count()).toBe(0)
    await phone.page.emulateMedia({ media: 'screen' })

    // A member who is a client finds the report in their list.
    const client = await at(cleo, WAYS[1])
    await visit(client.page, address('/reports'))
    await client.page.getByRole('link', { name: /For the bakery/ }).click()
    await client.page.getByText('Warm greetings from us').waitFor()
    if (long) await expectSound(client.page, 'report-of-client')

    await page.getByRole('button', { name: /^Revoke link from/ }).click()
    await page.getByRole('dialog').getByText(words.revokeBody).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: words.revoke }).click()
    await page.getByText(words.linkRevoked, { exact: false }).first().waitFor()
    await phone.page.reload()
    await phone.page.getByText(ar.states.linkEnded).waitFor()
    await phone.page.getByText(ar.states.linkEndedBody).waitFor()
    expect(await phone.page.textContent('body')).not.toContain('Ann')
    if (long) await expectSound(phone.page, 'report-over')
    await visit(client.page, address('/reports'))
    await client.page.getByText(ar.reports.noneShared).waitFor()
    if (long) await expectSound(client.page, 'reports-none-shared')
    expect([...faults, ...phone.faults, ...client.faults]).toEqual([])
  })

  test('a change of something else keeps the readers of a report, and any member can be one', async () => {
    const { reports: words, common } = en
    const id = ann.session.user.id
    const { id: reportId } = await ann.must<Report>('POST', '/analytics/reports', {
      name: 'For us',
      sections: ['overview'],
      range: 'last_month',
      mailTo: [id],
    })
    // More than one page of newer members.
    await sql.query(
      `with person as (insert into app_user (id, name) select gen_random_uuid(), 'Member ' || n from generate_series(1, 60) n
          returning id)
        insert into member (workspace_id, user_id, role) select $1, id, 'VIEWER' from person`,
      [ann.workspaceId],
    )
    const get = () => ann.must<Report>('GET', `/analytics/reports/${reportId}`)
    const { page, faults } = await at(ann, WAYS[0])
    const edit = async (change: (form: Locator) => Promise<void>) => {
      await visit(page, address(`/reports/${reportId}`))
      await page.getByRole('button', { name: words.edit }).click()
      const form = page.getByRole('dialog')
      await change(form)
      await form.getByRole('button', { name: common.save }).click()
      await form.waitFor({ state: 'detached' })
    }
    // The members have not arrived yet.
    await page.route('**/members?*', () => {})
    await edit((form) => form.getByLabel(words.note).fill('Hello'))
    expect(await get()).toMatchObject({ note: 'Hello', mailTo: [id] })
    await page.unroute('**/members?*')
    await edit(async (form) => {
      expect(await form.getByLabel('Ann', { exact: true }).isChecked()).toBe(true)
      await form.getByLabel('Member 60', { exact: true }).check()
    })
    expect((await get()).mailTo).toHaveLength(2)
    await edit((form) => form.getByLabel('Ann', { exact: true }).uncheck())
    expect((await get()).mailTo).not.toContain(id)
    expect((await get()).mailTo).toHaveLength(1)
    expect(faults).toEqual([])
  })

  test.runIf(long)('a failed mail shows its reason on the report, and can be sent again', async () => {
    const { reports: words } = en
    const report = await ann.must<Report>('POST', '/analytics/reports', {
      name: 'Each month',
      sections: ['overview'],
      range: 'last_month',
      mailTo: [ann.session.user.id],
    })
    await sql.query('update app_user set email_confirmed_at = null where id = $1', [ann.session.user.id])
    await sql.query(`update report set mail_on = '2026-11-03' where id = $1`, [report.id])
    await sql.query(`select graphile_worker.add_job('report-monthly', $1::json)`, [
      JSON.stringify({ workspaceId: ann.workspaceId, data: { reportId: report.id, mailOn: '2026-11-03' } }),
    ])
    const state = () =>
      sql
        .query<{ state: string }>('select state from report_mail where report_id = $1', [report.id])
        .then(({ rows }) => rows[0]?.state)
    await expect.poll(state, { timeout: 60_000 }).toBe('failed')
    const { page, faults } = await at(ann, WAYS[0])
    await visit(page, address('/reports'))
    await page.getByText('An email for October 2026 wasn’t sent').waitFor()
    await expectSound(page, 'reports-failed-mail')
    await page.getByRole('link', { name: 'Each month' }).click()
    await page.getByText(words.mailErrors.no_address).waitFor()
    await expectSound(page, 'report-failed-mail')
    await sql.query('update app_user set email_confirmed_at = now() where id = $1', [ann.session.user.id])
    await page.getByRole('button', { name: words.sendAgain }).click()
    await page.getByText(words.sending).waitFor()
    await expect.poll(state, { timeout: 60_000 }).toBe('sent')
    await page.getByText(words.mailStates.sent, { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)('a plan without analytics has no reports, and says so', async () => {
    const { states } = en
    const { page } = await at(ann, WAYS[0])
    await sql.query(`delete from plan_feature where plan_id = 'business' and feature_id = 'analytics'`)
    try {
      await page.goto(address('/reports'))
      await page.getByText(states.feature.replace('{feature}', states.features.analytics)).waitFor()
      await expectSound(page, 'reports-refused')
    } finally {
      await sql.query(`insert into plan_feature values ('business', 'analytics')`)
    }
  })
})
