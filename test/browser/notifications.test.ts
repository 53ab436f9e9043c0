import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import {
  addFault,
  confirmEmail,
  connectPages,
  eventually,
  mailTo,
  join as invite,
  newPerson,
  PASSWORD,
  type Person,
  untilStatus,
  graphError,
} from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, useTheme, violations } from './browser.ts'
import { signIn, visit } from './story.ts'

const words = en.notices
/** The folder for screenshots, if they are wanted. */
const pictures = process.env['PICTURES']

describe.skipIf(!hasBrowser)('notifications', () => {
  const { product, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let first: BrowserContext
  let hana: Person
  let account: SocialAccount
  const windows: { page: Page; faults: string[] }[] = []

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await confirmEmail(hana)
    account = (await connectPages(hana))[0]!
    first = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' })
    await signIn(await open(first), hana)
  })

  async function open(context: BrowserContext): Promise<Page> {
    const opened = await openPage(context)
    windows.push(opened)
    return opened.page
  }

  async function failingPost(caption: string): Promise<Post> {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ code: 100, error_user_msg: 'Not this text' }) },
      times: 1,
    })
    const post = await hana.must<Post>('POST', '/posts', { caption, targets: [account.id], action: 'publish' })
    return untilStatus(hana, post.id, ['FAILED'])
  }

  /** Skips the time in which notices are collected for one mail. */
  async function mailNow() {
    await sql.query(`update notification set mail_at = mail_at - interval '10 minutes' where mailed_at is null`)
    await sql.query(`update graphile_worker._private_jobs set run_at = now() where key like 'notices:%'`)
  }

  async function picture(on: Page, name: string) {
    if (!pictures) return
    mkdirSync(pictures, { recursive: true })
    await on.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }

  const bell = (on: Page, count: number) => on.getByRole('link', { name: count === 1 ? '1 unread' : `${count} unread` })

  test('a failed post raises the count in every window at once, and its notice leads to it', async () => {
    const [here, there] = [windows[0]!.page, await open(first)]
    for (const page of [here, there]) {
      await page.goto(`${product.url}/app/w/${hana.workspaceId}/calendar`)
      await page.getByRole('link', { name: en.shell.notifications, exact: true }).waitFor()
    }
    await here.getByRole('link', { name: en.shell.notifications, exact: true }).click()
    await here.getByText(words.none).waitFor()
    await picture(here, 'notifications-empty')
    expect([await violations(here), await overflows(here)]).toEqual([[], []])

    const post = await failingPost('Beans of the northern hills')
    await bell(there, 1).waitFor()
    const notice = here.getByRole('listitem').filter({ hasText: /“.?Beans of the northern hills.?” wasn’t published/ })
    await notice.waitFor()
    await failingPost('Second')
    await bell(there, 2).click()
    await there.getByRole('heading', { level: 1, name: words.title }).waitFor()
    await there.getByText(/“.?Second.?” wasn’t published/).waitFor()
    await picture(there, 'notifications')
    expect([await violations(there), await overflows(there), await smallTargets(there, 24)]).toEqual([[], [], []])
    await there.getByRole('link', { name: /Beans of the northern hills/ }).click()
    await there.waitForURL(new RegExp(`/w/${hana.workspaceId}/posts/${post.id}`))
    await there.getByText('Not this text').first().waitFor()
    await bell(there, 1).waitFor()

    await here.reload()
    await here.getByRole('button', { name: words.readAll }).click()
    await here.getByRole('link', { name: en.shell.notifications, exact: true }).waitFor()
    expect(await here.getByRole('button', { name: words.readAll }).count()).toBe(0)
  })

  test('unread notices are mailed, with a link to the post', async () => {
    const post = await failingPost('Third')
    await mailNow()
    const letters = await eventually(async () => {
      const found = await mailTo(product.url, hana.session.user.email ?? '')
      return found.length > 0 && found
    })
    expect(letters.map(({ subject }) => subject)).toEqual(['A post in Hana’s workspace wasn’t published'])
    expect(letters[0]!.text).not.toContain('Second')
    const link = /\S+\/app\/w\/\S+/.exec(letters[0]!.text)?.[0] ?? ''
    const page = windows[0]!.page
    await page.goto(link)
    await page.waitForURL(new RegExp(`/posts/${post.id}`))
    await page.getByText('Third').first().waitFor()
    expect(windows.map(({ faults }) => faults)).toEqual(windows.map(() => []))
  })

  test.runIf(long)('a person can turn off mail by kind and at night, in the profile', async () => {
    const page = windows[0]!.page
    await visit(page, '/app/notifications')
    await page.getByRole('link', { name: words.choose }).click()
    const box = (kind: keyof typeof words.kinds, way: 'inApp' | 'mail') =>
      page.getByLabel(words.by.replace('{kind}', words.kinds[kind]).replace('{way}', words[way]))
    await box('post_failed', 'mail').uncheck()
    await page.waitForLoadState('networkidle')
    expect(await box('security', 'mail').isDisabled()).toBe(true)
    await page.getByLabel(words.quiet).check()
    const card = page.locator('#notifications')
    await card.getByLabel(words.quietFrom, { exact: true }).fill('23:15')
    await card.getByLabel(words.quietUntil, { exact: true }).fill('23:15')
    await card.getByRole('button', { name: en.common.save }).click()
    await card.locator('[aria-invalid=true]').waitFor()
    await card.getByLabel(words.quietUntil, { exact: true }).fill('06:45')
    await card.getByRole('button', { name: en.common.save }).click()
    await page.getByText(words.saved, { exact: true }).first().waitFor()
    await page.reload()
    await box('post_failed', 'mail').waitFor()
    expect(await box('post_failed', 'mail').isChecked()).toBe(false)
    expect(await box('post_failed', 'inApp').isChecked()).toBe(true)
    expect(await card.getByLabel(words.quietFrom, { exact: true }).inputValue()).toMatch(/^11:15.PM$/)
    await picture(page, 'notifications-preferences')
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    expect(windows.map(({ faults }) => faults)).toEqual([[], []])
  })

  test.runIf(long)('on a phone, in Arabic and in dark theme, every screen is sound', async () => {
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await hana.must('POST', '/api/v1/auth/change-password', { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` })
    await hana.must('POST', '/api/v1/auth/change-password', { currentPassword: `${PASSWORD}!`, newPassword: PASSWORD })
    await failingPost(`حبوب البن ${'طويلة جدًا '.repeat(10)}`)
    const phone = await browser.newContext({ viewport: { width: 390, height: 3000 } })
    await useTheme(phone, 'dark')
    const page = await open(phone)
    await signIn(page, hana)
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/calendar`)
    await page.getByRole('link', { name: /غير مقروء/ }).click()
    await page.getByRole('heading', { level: 1, name: ar.notices.title }).waitFor()
    await page.getByText(ar.notices.security.password).first().waitFor()
    await picture(page, 'notifications-phone')
    for (const path of ['notifications', 'me']) {
      await visit(page, `/app/${path}`)
      await page
        .getByText(path === 'me' ? ar.notices.quietNote.slice(0, 20) : ar.notices.choose)
        .first()
        .waitFor()
      expect([await violations(page), await overflows(page), await smallTargets(page, 44)]).toEqual([[], [], []])
      await picture(page, `notifications-phone-${path}`)
    }
    expect(windows.at(-1)!.faults).toEqual([])
    await phone.close()
  })

  test.runIf(long)('the notice of a request decided elsewhere shows the decision, and counts as read', async () => {
    const olga = await newPerson(product.url, 'Olga')
    await confirmEmail(olga)
    const [own] = await connectPages(olga, 'u77')
    const editor = await invite(olga, 'Eda', 'EDITOR')
    const scheduledAt = '2099-05-05T09:00:00.000Z'
    const body = { caption: 'Twenty percent off', targets: [own!.id], scheduledAt, action: 'submit', client: false }
    const { approval } = await editor.must<Post>('POST', '/posts', body)
    const page = await open(await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' }))
    await signIn(page, olga)
    await page.goto(`${product.url}/app/notifications`)
    const notice = page.getByRole('listitem').filter({ hasText: 'Twenty percent off' })
    await notice.getByText(/is waiting for approval/).waitFor()
    await olga.must('POST', `/approvals/${approval!.id}/approve`)
    await notice.getByText(/Olga.? approved/).waitFor()
    expect(await notice.getByRole('button').count()).toBe(0)
    await picture(page, 'notifications-decided')
    await notice.getByRole('link').click()
    await page.waitForURL(/\/approvals\?.*state=APPROVED/)
    await page.getByText('Twenty percent off').first().waitFor()
    expect(windows.at(-1)!.faults).toEqual([])
  })

  test.runIf(long)('how long ago a notice came runs on while the page is open', async () => {
    const olga = await newPerson(product.url, 'Olga')
    await confirmEmail(olga)
    const editor = await invite(olga, 'Eda', 'EDITOR')
    const [own] = await connectPages(olga, 'u78')
    await editor.must('POST', '/posts', { caption: 'Young', targets: [own!.id], action: 'submit', client: false })
    const { page } = await openPage(await browser.newContext({ locale: 'en' }))
    await signIn(page, olga)
    await page.clock.install()
    await visit(page, `${product.url}/app/notifications`)
    const time = page.getByRole('listitem').filter({ hasText: 'Young' }).locator('time')
    const before = await time.textContent()
    expect(before).toMatch(/^(now|\d+ seconds? ago)$/)
    await page.clock.fastForward(20_000)
    await expect.poll(() => time.textContent()).toMatch(/^[2-5]\d seconds ago$/)
    await page.clock.fastForward(60_000)
    await expect.poll(() => time.textContent()).toBe('1 minute ago')
    await page.close()
  })
})
