import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, eventually, mailTo, newPerson, PASSWORD, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { pick, signIn, visit } from './story.ts'

const words = en.members
/** The folder for screenshots, if they are wanted. */
const pictures = process.env['PICTURES']

describe.skipIf(!hasBrowser)('members', () => {
  const { product, sql } = useProduct({ env: { DEFAULT_PLAN: 'free', CONTACT_EMAIL: 'sales@example.com' } })
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  const other: { context: BrowserContext; page: Page; faults: string[] }[] = []

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await confirmEmail(hana)
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  /** Opens another browser context, in English. */
  async function elsewhere() {
    const made = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' })
    const opened = { context: made, ...(await openPage(made)) }
    other.push(opened)
    return opened.page
  }

  const settings = (on: Page) => visit(on, `${product.url}/app/w/${hana.workspaceId}/settings/members`)
  const rowOf = (on: Page, name: string) => on.getByRole('row', { name: new RegExp(name) })

  /** Returns the newest invitation link mailed to an address. */
  const linkTo = (email: string) =>
    eventually(async () => {
      const [letter] = (await mailTo(product.url, email)).filter(({ text }) => text.includes('/app/invite/'))
      return letter && /\S+\/app\/invite\/\S+/.exec(letter.text)?.[0]
    })

  async function invite(on: Page, email: string, role: keyof typeof en.states.roles) {
    const form = on.locator('form').filter({ hasText: words.invite })
    await form.getByLabel(words.email).fill(email)
    await pick(form.getByLabel(words.role), en.states.roles[role])
    await form.getByText(words.explain[role]).waitFor()
    await form.getByRole('button', { name: words.send }).click()
    await on.getByText(words.sent.replace('{email}', email)).first().waitFor()
  }

  /** Makes a person the OWNER of 19 more workspaces while `work` runs. */
  async function whileFull(userId: string, work: () => Promise<void>) {
    const { rows } = await sql.query<{ id: string }>(
      `with places as (insert into workspace (id, name, timezone)
          select gen_random_uuid(), 'more', 'UTC' from generate_series(1, 19) returning id),
        plans as (insert into subscription (workspace_id, plan_id) select id, 'free' from places)
        insert into member (workspace_id, user_id, role) select id, $1, 'OWNER' from places returning workspace_id as id`,
      [userId],
    )
    await work()
    await sql.query('delete from member where workspace_id = any ($1)', [rows.map(({ id }) => id)])
  }

  async function picture(on: Page, name: string) {
    if (!pictures) return
    mkdirSync(pictures, { recursive: true })
    await on.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }

  test('a client invited by mail joins in another browser, and cannot write', async () => {
    await settings(page)
    await page.getByText('1 of 3 seats').waitFor()
    await invite(page, 'cleo@example.com', 'CLIENT')
    expect(words.explain.CLIENT).toContain('Reviews, approves and comments on posts, but can’t edit them.')
    await page.getByRole('heading', { name: words.pending }).waitFor()
    await page.getByText('2 of 3 seats, including invitations').waitFor()
    await picture(page, 'members-pending')

    const guest = await elsewhere()
    await guest.goto(await linkTo('cleo@example.com'))
    await guest.getByRole('heading', { name: 'Join Hana’s workspace' }).waitFor()
    expect(await guest.getByLabel(en.invite.address).inputValue()).toBe('c•••@example.com')
    await picture(guest, 'invitation-signed-out')
    expect([await violations(guest), await overflows(guest)]).toEqual([[], []])
    await guest.getByLabel(en.auth.name).fill('Cleo')
    await guest.getByLabel(en.auth.password, { exact: true }).fill(PASSWORD)
    await guest.getByRole('button', { name: en.invite.join }).click()
    // A person who joins a team is only asked for their time zone and language, and sees what the team is.
    await guest.getByRole('heading', { name: en.onboarding.guestTitle.replace('{name}', 'Hana’s workspace') }).waitFor()
    expect(await guest.getByLabel(en.onboarding.name).count()).toBe(0)
    expect(await guest.locator('form').getByRole('combobox').count()).toBe(2)
    await pick(guest.getByLabel(en.onboarding.timezone), 'Asia/Dubai')
    await picture(guest, 'onboarding-client')
    expect([await violations(guest), await overflows(guest)]).toEqual([[], []])
    await guest.getByRole('button', { name: en.onboarding.done }).click()
    await guest.waitForURL(new RegExp(`/w/${hana.workspaceId}/today`))
    await guest.getByRole('link', { name: en.shell.settings }).first().waitFor()
    expect(await guest.getByRole('link', { name: en.shell.newPost }).count()).toBe(0)
    expect(await guest.getByRole('link', { name: en.shell.accounts }).count()).toBe(0)
    await guest.getByRole('link', { name: en.shell.settings }).first().click()
    await guest.getByRole('listitem').filter({ hasText: 'Hana' }).waitFor()
    expect(await guest.getByText(hana.session.user.email ?? '').count()).toBe(0)
    expect(await guest.getByRole('heading', { name: words.invite }).count()).toBe(0)
    await picture(guest, 'members-client')
    expect(await overflows(guest)).toEqual([])

    await rowOf(page, 'Cleo').waitFor()
    await page.getByRole('heading', { name: words.pending }).waitFor({ state: 'detached' })
    await picture(page, 'members-joined')
    expect([await overflows(page), await smallTargets(page, 24)]).toEqual([[], []])
  })

  test('a role change updates the screen of the affected person', async () => {
    const guest = other[0]!.page
    await pick(page.getByLabel(words.roleOf.replace('{name}', 'Cleo')), en.states.roles.EDITOR)
    await guest.getByRole('link', { name: en.shell.newPost }).waitFor()
    await guest.getByRole('row', { name: /Hana/ }).waitFor()
    expect(await guest.getByRole('combobox').count()).toBe(0)
    await guest.getByRole('link', { name: en.shell.newPost }).click()
    await guest.getByLabel(en.composer.text, { exact: true }).fill('Beans that are in season')
    await pick(page.getByLabel(words.roleOf.replace('{name}', 'Cleo')), en.states.roles.VIEWER)
    await guest.getByRole('link', { name: en.shell.newPost }).waitFor({ state: 'detached' })
  })

  test('a person who loses the right to write while writing learns that the text is kept, and can copy it', async () => {
    const guest = other[0]!.page
    await guest.getByText(en.composer.kept.title).waitFor()
    // The kept text can appear before the reason of the refusal.
    await guest.getByRole('heading', { level: 1 }).waitFor()
    expect(await guest.getByLabel(en.composer.kept.title).inputValue()).toBe('Beans that are in season')
    await picture(guest, 'demoted')
    expect([await violations(guest), await overflows(guest)]).toEqual([[], []])
    await other[0]!.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await guest.getByRole('button', { name: en.composer.kept.copy }).click()
    await guest.getByText(en.composer.kept.copied, { exact: true }).waitFor()
    expect(await guest.evaluate(() => navigator.clipboard.readText())).toBe('Beans that are in season')
  })

  test.runIf(long)(
    'a 31st post of the month is refused next to the buttons, with the quota, its renewal and a link to the plan',
    async () => {
      const left = Array.from({ length: 30 }, (_, i) => hana.must('POST', '/posts', { caption: `One of thirty ${i}` }))
      await Promise.all(left)
      await visit(page, `/app/w/${hana.workspaceId}/compose`)
      await page.getByLabel(en.composer.text, { exact: true }).fill('One too many')
      await page.getByRole('button', { name: en.composer.saveDraft }).click()
      const note = page.getByRole('alert').filter({ hasText: '30 of 30' })
      await note.waitFor()
      const next = new Date()
      next.setUTCMonth(next.getUTCMonth() + 1, 1)
      const month = next.toLocaleString('en', { month: 'long', timeZone: 'UTC' })
      expect(await note.innerText()).toMatch(new RegExp(`${month} 1|1 ${month}`))
      const larger = en.states.largerPlans.replace('{plans}', 'Pro and Business')
      await note.filter({ hasText: larger }).waitFor()
      await picture(page, 'over-quota')
      expect([await violations(page), await overflows(page), await smallTargets(page, 24)]).toEqual([[], [], []])
      await page.getByLabel(en.composer.text, { exact: true }).fill('One too many, written on')
      // The refusal is part of the page, unlike a toast, which would disappear.
      expect(await note.evaluate((element) => element.closest('main') !== null)).toBe(true)
      await note.getByRole('link', { name: en.states.seePlan }).click()
      const meter = page.getByRole('meter', { name: en.plan.quotas.posts })
      await meter.locator('..').filter({ hasText: larger }).waitFor()
      expect(await page.getByText(larger).count()).toBe(1)
      await picture(page, 'plan-full')
      await page.goBack()
      expect(await page.getByLabel(en.composer.text, { exact: true }).inputValue()).toBe('One too many, written on')
      await settings(page)
    },
  )

  test.runIf(long)(
    'a second invitation to an address renews the first with its new role, and open invitations count against a smaller plan',
    async () => {
      await hana.must('PUT', '/billing/subscription', { plan: 'pro' })
      await settings(page)
      await page.getByText('2 of 25 seats').waitFor()
      await invite(page, 'dora@example.com', 'EDITOR')
      const open = page.locator('section').filter({ hasText: words.pending })
      const row = open.getByRole('listitem').filter({ hasText: 'dora@example.com' })
      await row.getByText(en.states.roles.EDITOR).waitFor()
      const form = page.locator('form').filter({ hasText: words.invite })
      await form.getByLabel(words.email).fill('dora@example.com')
      await pick(form.getByLabel(words.role), en.states.roles.VIEWER)
      await form.getByRole('button', { name: words.send }).click()
      const { VIEWER } = en.states.roles
      await page.getByText(words.renewed.replace('{email}', 'dora@example.com').replace('{role}', VIEWER)).waitFor()
      await row.getByText(VIEWER).waitFor()
      expect(await row.count()).toBe(1)
      await picture(page, 'members-renewed')
      await invite(page, 'eli@example.com', 'VIEWER')
      await page.getByText('4 of 25 seats').waitFor()

      await visit(page, `/app/w/${hana.workspaceId}/settings/plan`)
      await page.getByRole('meter', { name: en.plan.quotas.members }).waitFor()
      for (const name of Object.values(en.plan.features)) await page.getByText(name, { exact: true }).waitFor()
      // A plan without a price links to sales.
      const contact = page.getByRole('link', { name: en.plan.contact }).first()
      expect(await contact.getAttribute('href')).toMatch(/^mailto:sales@example\.com\?subject=Parley/)
      await page.getByRole('button', { name: en.plan.choose.replace('{plan}', en.states.plans.free) }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/Remove \d+ members? before adding more\./).waitFor()
      await still(page)
      await picture(page, 'plan-smaller')
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      await dialog.getByRole('button', { name: en.common.cancel }).click()
      const { data } = await hana.must<{ data: { id: string }[] }>('GET', `/workspaces/${hana.workspaceId}/invitations`)
      for (const { id } of data) await hana.must('DELETE', `/workspaces/${hana.workspaceId}/invitations/${id}`)
      await hana.must('PUT', '/billing/subscription', { plan: 'free' })
    },
  )

  test.runIf(long)('the audit describes in words what was done, by whom and to whom', async () => {
    await visit(page, `/app/w/${hana.workspaceId}/settings/audit`)
    const lines = page.getByRole('listitem')
    const line = (action: string) => lines.filter({ hasText: action })
    const role = line(en.audit.actions.member.role_changed).first()
    await role.waitFor()
    expect((await role.innerText()).replaceAll(/[\u2068\u2069]/g, '').replaceAll(/\s+/g, ' ')).toMatch(
      /^Role changed Hana Cleo Editor → Viewer /,
    )
    await line(en.audit.actions.subscription.changed).filter({ hasText: 'Free → Pro' }).waitFor()
    await line(en.audit.actions.invitation.sent).filter({ hasText: 'dora@example.com' }).first().waitFor()
    await picture(page, 'audit')
    const said = await page.locator('main').innerText()
    expect(said).not.toMatch(
      /\b(OWNER|ADMIN|EDITOR|VIEWER|CLIENT|NET_\w+)\b|[a-z]+_[a-z]+|\b(post|member|invitation|workspace)\.[a-z]/,
    )
    expect(said).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
    expect(said).not.toContain(en.audit.actions.code.sent) // the sign-in of one person does not concern the workspace
    expect([await overflows(page), await smallTargets(page, 24)]).toEqual([[], []])
    await settings(page)
  })

  test('without the subscription, the own plan is still known, and none can be chosen', async () => {
    await page.route('**/billing/subscription', (route) => route.fulfill({ status: 404, json: { code: 'not_found' } }))
    await visit(page, `/app/w/${hana.workspaceId}/settings/plan`)
    const free = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: en.states.plans.free }) })
    await free.getByText(en.plan.current).waitFor()
    await page.getByText(en.states.notFound).waitFor()
    expect(await page.getByRole('button', { name: en.plan.choose.split('{')[0]! }).count()).toBe(0)
    await page.unroute('**/billing/subscription')
    await visit(page, `/app/w/${hana.workspaceId}/settings/plan`)
    await page
      .getByRole('button', { name: en.plan.choose.split('{')[0]! })
      .first()
      .waitFor()
    expect(await free.getByRole('button').count()).toBe(0)
  })

  test('an invitation is revoked after a question, and the focus goes to the next one', async () => {
    const members = `/workspaces/${hana.workspaceId}/invitations`
    const pending = async () =>
      (await hana.must<{ data: { email: string }[] }>('GET', members)).data.map(({ email }) => email)
    const before = await pending()
    await settings(page)
    await invite(page, 'gone@example.com', 'VIEWER')
    await settings(page)
    const revoke = page.getByRole('button', { name: words.revokeTo.replace('{email}', 'gone@example.com') })
    await revoke.click()
    const title = words.revokeTitle.replace('{email}', 'gone@example.com')
    const question = page.getByRole('dialog', { name: title })
    await question.getByRole('button', { name: en.common.cancel }).click()
    await revoke.and(page.locator(':focus')).waitFor()
    expect(await pending()).toContain('gone@example.com')
    await revoke.click()
    await question.getByRole('button', { name: words.revoke, exact: true }).click()
    await revoke.waitFor({ state: 'detached' })
    await expect.poll(pending).toEqual(before)
    if (before.length === 0) await page.getByLabel(words.email).and(page.locator(':focus')).waitFor()
  })

  test('an invitation link works for one address only, and says so to a person signed in with another', async () => {
    const bea = await newPerson(product.url, 'Bea')
    const email = bea.session.user.email ?? ''
    await invite(page, email, 'EDITOR')
    const full = page.getByText(words.seatsFull).and(page.locator('p'))
    await full.filter({ hasText: en.states.largerPlans.replace('{plans}', 'Pro and Business') }).waitFor()
    await full.getByRole('link', { name: en.states.seePlan }).waitFor()
    await picture(page, 'members-full')
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    const link = await linkTo(email)
    const guest = other[0]!.page
    await visit(guest, link)
    await guest.getByRole('heading', { name: en.invite.otherTitle }).waitFor()
    await picture(guest, 'invitation-other')
    const browserOfBea = await elsewhere()
    await browserOfBea.goto(link)
    await browserOfBea.getByRole('link', { name: 'Sign in' }).click()
    await browserOfBea.getByLabel(en.auth.email).fill(email)
    await browserOfBea.getByLabel(en.auth.password, { exact: true }).fill(PASSWORD)
    await browserOfBea.getByRole('button', { name: en.auth.signIn, exact: true }).click()
    await picture(browserOfBea, 'invitation-accept')
    await whileFull(bea.session.user.id, async () => {
      const setRole = (role: string) =>
        sql.query('update workspace_invitation set role = $2 where email = $1', [email, role])
      await setRole('OWNER')
      await browserOfBea.getByRole('button', { name: en.invite.accept }).click()
      await browserOfBea.getByText(en.invite.ownsTooMany).waitFor()
      await setRole('EDITOR')
    })
    await browserOfBea.getByRole('button', { name: en.invite.accept }).click()
    await browserOfBea.waitForURL(new RegExp(`/w/${hana.workspaceId}/today`))
    await browserOfBea.goto(link)
    await browserOfBea.getByRole('heading', { name: en.invite.overTitle }).waitFor()
    await visit(browserOfBea, '/app/invite/none')
    await browserOfBea.getByRole('heading', { name: en.invite.unknownTitle }).waitFor()
  })

  test('ownership is transferred by typing the name, and both screens are updated', async () => {
    const heir = other[1]!.page
    await settings(heir)
    await rowOf(heir, 'Bea').waitFor()
    expect(await heir.getByRole('heading', { name: words.invite }).count()).toBe(0)
    await page.getByRole('button', { name: words.transfer, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await pick(dialog.getByLabel(words.newOwner), 'Bea')
    await dialog.getByLabel(/^Type the workspace name/).fill('Another')
    await dialog.getByRole('button', { name: words.transfer, exact: true }).click()
    await dialog.getByText(words.nameDiffers).waitFor()
    await picture(page, 'members-transfer')
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel(/^Type the workspace name/).fill("Hana's workspace")
    const { rows } = await sql.query<{ id: string }>(
      `select u.id from member m join app_user u on u.id = m.user_id where m.workspace_id = $1 and u.name = 'Bea'`,
      [hana.workspaceId],
    )
    await whileFull(rows[0]!.id, async () => {
      await dialog.getByRole('button', { name: words.transfer, exact: true }).click()
      await dialog.getByText(words.heirOwnsTooMany).waitFor()
      await picture(page, 'members-transfer-refused')
    })
    await dialog.getByRole('button', { name: words.transfer, exact: true }).click()
    await page.getByText(words.transferred.replace('{name}', 'Bea')).waitFor()
    await page.getByRole('button', { name: words.transfer, exact: true }).waitFor({ state: 'detached' })
    await heir.getByRole('heading', { name: words.invite }).waitFor()
    await heir.getByRole('button', { name: words.transfer, exact: true }).waitFor()
    expect(await rowOf(heir, 'Bea').getByText(words.ownerLocked).count()).toBe(1)
  })

  test('a removed member sees at once that the workspace is closed to them, and a member who leaves goes home', async () => {
    const guest = other[0]!.page
    await settings(guest)
    await rowOf(guest, 'Cleo').waitFor()
    await page.getByRole('button', { name: words.removeNamed.replace('{name}', 'Cleo') }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.remove }).click()
    await guest.getByRole('heading', { name: en.shell.leftTitle.replace('{name}', 'Hana’s workspace') }).waitFor()
    await picture(guest, 'removed')
    expect([await violations(guest), await overflows(guest), await smallTargets(guest, 24)]).toEqual([[], [], []])
    await guest.getByRole('link', { name: en.shell.leftAction }).click()
    await guest.getByRole('heading', { name: en.profile.noWorkspace }).waitFor()
    await guest.goto(`${product.url}/app/w/${hana.workspaceId}/calendar`)
    await guest.getByRole('heading', { name: en.states.notFound }).waitFor() // nothing of the workspace is remembered
    await page.getByRole('button', { name: words.leaveAction, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.leaveAction, exact: true }).click()
    await page.waitForURL(/\/app\/(me|onboarding)/)
    expect([faults, ...other.map((one) => one.faults)]).toEqual([[], [], []])
  })

  test.runIf(long)('on a phone, in Arabic and in dark theme, every screen is sound', async () => {
    const ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const address = `${'averylongaddress'.repeat(3)}@example.com`
    await ann.must('POST', `/workspaces/${ann.workspaceId}/members`, { email: address, role: 'CLIENT' })
    const phone = await browser.newContext({ viewport: { width: 390, height: 1600 } })
    await useTheme(phone, 'dark')
    const opened = await openPage(phone)
    await signIn(opened.page, ann)
    await opened.page.goto(`${product.url}/app/w/${ann.workspaceId}/settings/members`)
    await opened.page.getByRole('heading', { name: ar.members.pending }).waitFor()
    await picture(opened.page, 'members-phone')
    expect(await overflows(opened.page)).toEqual([])
    expect(await smallTargets(opened.page, 44)).toEqual([])
    await Promise.all(Array.from({ length: 30 }, () => ann.must('POST', '/posts', { caption: 'من ثلاثين' })))
    await visit(opened.page, `/app/w/${ann.workspaceId}/compose`)
    await opened.page.getByLabel(ar.composer.text, { exact: true }).fill('واحد فوق الحد')
    await opened.page.getByRole('button', { name: ar.composer.saveDraft }).click()
    await opened.page.getByRole('link', { name: ar.states.seePlan }).waitFor()
    await picture(opened.page, 'over-quota-phone')
    expect(await violations(opened.page)).toEqual([])
    expect(await overflows(opened.page)).toEqual([])
    expect(await smallTargets(opened.page, 44)).toEqual([])
    await ann.must('PUT', '/billing/subscription', { plan: 'pro' })
    for (const name of ['a', 'b', 'c'])
      await ann.must('POST', `/workspaces/${ann.workspaceId}/members`, { email: `${name}@example.com`, role: 'VIEWER' })
    for (const [screen, shown] of [
      ['members', ar.members.pending],
      ['plan', ar.plan.usage],
      ['audit', ar.audit.actions.subscription.changed],
    ] as const) {
      await visit(opened.page, `/app/w/${ann.workspaceId}/settings/${screen}`)
      await opened.page.getByText(shown, { exact: true }).first().waitFor()
      if (screen === 'plan') {
        for (const name of Object.values(ar.plan.features)) await opened.page.getByText(name, { exact: true }).waitFor()
        await opened.page.getByRole('button', { name: ar.plan.choose.replace('{plan}', ar.states.plans.free) }).click()
        await opened.page
          .getByRole('dialog')
          .getByText(/عضو.* قبل إضافة المزيد/)
          .waitFor()
      }
      for (const width of [390, 320]) {
        await opened.page.setViewportSize({ width, height: 1600 })
        await still(opened.page)
        await picture(opened.page, `${screen}-${width}`)
        if (width === 390 || long) expect([screen, width, await violations(opened.page)]).toEqual([screen, width, []])
        expect([screen, width, await overflows(opened.page)]).toEqual([screen, width, []])
        expect([screen, width, await smallTargets(opened.page, 44)]).toEqual([screen, width, []])
      }
    }
    await opened.page.setViewportSize({ width: 390, height: 1600 })
    await visit(opened.page, await linkTo(address))
    await opened.page.getByRole('heading', { name: ar.invite.otherTitle }).waitFor()
    await picture(opened.page, 'invitation-phone')
    expect([await violations(opened.page), await overflows(opened.page)]).toEqual([[], []])
    expect(opened.faults).toEqual([])
    await phone.close()
  })
})
