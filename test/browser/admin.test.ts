import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { pick, picked, signIn, visit } from './story.ts'

const words = en.admin
/** The folder for screenshots, if they are wanted. */
const pictures = process.env['PICTURES']

describe.skipIf(!hasBrowser)('the administration', () => {
  const { product, sql } = useProduct({ env: { BILLING: 'managed' } })
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let root: Person
  let ann: Person

  beforeAll(async () => {
    root = await newPerson(product.url, 'Root')
    ann = await newPerson(product.url, 'Ann')
    await sql.query(`update app_user set name = $2, phone = '+491701234567' where id = $1`, [
      ann.session.user.id,
      `Ann ${'Averylongname'.repeat(4)}`,
    ])
    await sql.query('update app_user set is_super_admin = true where id = $1', [root.session.user.id])
    await sql.query(
      `select graphile_worker.add_job('media', '{"secret": "of a job"}', max_attempts => 1) from generate_series(1, 2)`,
    )
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, root)
  })

  const open = (part = '', on = page) => visit(on, `${product.url}/app/admin${part}`)
  const settled = async (on = page) => {
    await on.locator('h1').first().waitFor()
    await on.waitForFunction(() => document.querySelector('.skeleton') === null)
    await still(on)
  }

  async function sound(name: string, on = page, target = 24) {
    await settled(on)
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      await on.screenshot({ path: join(pictures, `admin-${name}.png`), fullPage: true })
    }
    expect([name, await violations(on), await overflows(on), await smallTargets(on, target)]).toEqual([
      name,
      [],
      [],
      [],
    ])
  }

  test('opens from the account menu, for super admins only; others are refused', async () => {
    await page.goto(`${product.url}/app/w/${root.workspaceId}/calendar`)
    await page
      .getByRole('button', { name: /^Your account/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: en.shell.admin }).click()
    await page.getByRole('heading', { name: words.title }).waitFor()
    const other = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' })
    const { page: theirs, faults: wrong } = await openPage(other)
    await signIn(theirs, ann)
    await theirs.goto(`${product.url}/app/w/${ann.workspaceId}/calendar`)
    await theirs
      .getByRole('button', { name: /^Your account/ })
      .first()
      .click()
    await theirs.getByRole('menuitem', { name: en.shell.profile }).waitFor()
    expect(await theirs.getByRole('menuitem', { name: en.shell.admin }).count()).toBe(0)
    await open('/queues', theirs)
    await theirs.getByRole('heading', { name: words.refused }).waitFor()
    expect(await theirs.getByRole('table').count()).toBe(0)
    await sound('refused', theirs)
    expect(wrong).toEqual([])
    await other.close()
  })

  test('a user is found, disabled after a confirmation, and enabled', async () => {
    await open()
    await sound('users')
    await page.getByLabel(words.searchUsers).fill('1701234567')
    await page.getByRole('button', { name: words.search, exact: true }).click()
    await page.getByRole('row', { name: /Root/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^Ann/ }).click()
    await page.getByRole('button', { name: words.disable, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(words.disableBody).waitFor()
    expect(await violations(page)).toEqual([])
    expect((await ann.call('GET', '/api/v1/auth/me')).status).toBe(200)
    await dialog.getByRole('button', { name: words.disable, exact: true }).click()
    await page.getByRole('button', { name: words.enable }).waitFor()
    expect((await ann.call('GET', '/api/v1/auth/me')).status).toBe(401)
    await sound('user-disabled')
    await page.getByRole('button', { name: words.enable }).click()
    await page.getByRole('button', { name: words.disable, exact: true }).waitFor()
    await open(`/users/${root.session.user.id}`)
    await page.getByRole('button', { name: /^Disable/ }).click({ force: true })
    await page.getByText(words.notYourself).last().waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await open('/users/nobody')
    await page.getByRole('heading', { name: en.states.notFound }).waitFor()
  })

  test.runIf(long)('a search without results says so', async () => {
    await open()
    await page.getByLabel(words.searchUsers).fill('nobody at all')
    await page.getByRole('button', { name: words.search, exact: true }).click()
    await page.getByRole('heading', { name: words.noneFound }).waitFor()
    await sound('none')
  })

  test.runIf(long)('a workspace gets another plan after a confirmation', async () => {
    await open('/workspaces')
    await sound('workspaces')
    const select = page.getByLabel(words.planOf.replace('{name}', 'Ann’s workspace'))
    await pick(select, 'Business')
    await page.getByRole('dialog').getByRole('button', { name: words.give }).click()
    await page.getByText('is now on the Business plan').first().waitFor()
    await expect.poll(() => picked(select)).toBe('Business')
    const { rows } = await sql.query('select plan_id from subscription where workspace_id = $1', [ann.workspaceId])
    expect(rows).toEqual([{ plan_id: 'business' }])
  })

  test.runIf(long)('a plan is changed after a confirmation', async () => {
    await open('/plans')
    await sound('plans')
    const form = page.getByRole('form', { name: en.states.plans.free })
    await form.getByLabel(en.states.features.approvals).check()
    // A field shows its own error, until the next key.
    const { fault } = en.common
    const price = form.getByLabel(words.price)
    const save = form.getByRole('button', { name: 'Save Free plan' })
    for (const [typed, said] of [
      ['-1', fault.least.replace('{least, number}', '0')],
      ['19.505', fault.step.replace('{step, number}', '0.01')],
      ['1e', fault.number],
    ] as const) {
      await price.fill('')
      await price.pressSequentially(typed)
      await save.click()
      await form.getByText(said).waitFor()
      expect(await price.evaluate((field) => [field === document.activeElement, field.ariaInvalid])).toEqual([
        true,
        'true',
      ])
      await price.press('Backspace')
      await form.getByText(said).waitFor({ state: 'detached' })
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    await form.getByLabel(en.plan.quotas.posts).fill('')
    await price.fill('19.5')
    await form.getByLabel(words.currency).click()
    await page.keyboard.type('eur euro')
    await page.keyboard.press('Enter')
    await save.click()
    await page.getByRole('dialog').getByRole('button', { name: words.change }).click()
    await page.getByText('Free plan updated').first().waitFor()
    const { rows } =
      await sql.query(`select (select amount from plan_quota where plan_id = 'free' and quota_id = 'posts') as posts,
      (select amount from plan_quota where plan_id = 'free' and quota_id = 'media_bytes')::float8 as bytes,
      exists (select from plan_feature where plan_id = 'free' and feature_id = 'approvals') as approvals,
      (select price_amount || price_currency from plan where id = 'free') as price`)
    expect(rows).toEqual([{ posts: null, bytes: 2 ** 30, approvals: true, price: '1950EUR' }])
  })

  test.runIf(long)(
    'failed jobs are listed with their reason and without their payload, and can be retried',
    async () => {
      await open('/queues')
      await page
        .getByRole('button', { name: new RegExp(words.showFailed.replace('{name}', words.queueNames.media)) })
        .click()
      await page
        .getByText(/invalid_type|expected/i)
        .first()
        .waitFor()
      expect(await page.getByText('of a job').count()).toBe(0)
      await sound('queues')
      await page.getByRole('button', { name: words.retryAll }).click()
      await page.getByText('Retrying 2 jobs').first().waitFor()
      await page.getByRole('button', { name: words.lookAgain }).click()
      await settled()
    },
  )

  test.runIf(long)('the audit lists what operators did', async () => {
    await open('/audit')
    await page.getByText(words.actions.user.disabled).first().waitFor()
    await page.getByText(words.actions.plan.changed).first().waitFor()
    await sound('audit')
    expect(await page.getByText(words.actions.read.users).count()).toBe(0)
    await pick(page.getByLabel(words.what), words.reads)
    await page.getByText(words.actions.read.users).first().waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)('a failed request shows a way to retry', async () => {
    await context.route('**/api/v1/admin/**', (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
    await open()
    await page.getByRole('button', { name: en.states.retry }).waitFor()
    await sound('failed')
    await context.unroute('**/api/v1/admin/**')
    await page.getByRole('button', { name: en.states.retry }).click()
    await page.getByRole('row', { name: /Root/ }).waitFor()
  })

  test.runIf(long)('on phones, in Arabic and in dark theme, every screen is sound', async () => {
    await root.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await useTheme(phone, 'dark')
    await phone.addInitScript(() => localStorage.setItem('parley.language', 'ar'))
    const { page: small, faults: wrong } = await openPage(phone)
    await signIn(small, root)
    for (const width of [390, 320]) {
      await small.setViewportSize({ width, height: 844 })
      for (const part of ['', `/users/${ann.session.user.id}`, '/workspaces', '/plans', '/queues', '/audit']) {
        await open(part, small)
        await sound(`phone-${width}-${part.slice(1).replace(/\/.*/, '-one') || 'users'}`, small, 44)
        expect(await small.locator('html').getAttribute('dir')).toBe('rtl')
      }
    }
    expect(wrong).toEqual([])
    await phone.close()
  })

  test('the pages reported no errors', () => {
    expect(faults).toEqual([])
  })
})
