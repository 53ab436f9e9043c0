import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, openPage, overflows, useBrowser, violations } from './browser.ts'
import { choose, signIn, takeWay, visit } from './story.ts'

const WORDS: Record<'en' | 'ar', typeof en> = { en, ar }
/** Both languages and both widths. */
const ways = (['en', 'ar'] as const).flatMap((language) => [1440, 390].map((width) => ({ language, width })))

describe.skipIf(!hasBrowser)('a newcomer', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let hana: Person
  let post: Post

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    const [account] = (await connectPages(hana, 'u4711')) as [SocialAccount]
    const day = '2099-05-05'
    for (const hour of ['08', '10', '12', '14', '16', '18']) {
      post = await hana.must<Post>('POST', '/posts', {
        caption: `At ${hour}`,
        targets: [account.id],
        scheduledAt: `${day}T${hour}:00:00Z`,
        action: 'schedule',
      })
    }
    await hana.must('PUT', '/scheduler/slots', { slots: [{ day: 'monday', time: '09:00' }] })
  })

  const windows = new Map<string, { page: Page; faults: string[] }>()
  /** Returns the page of Hana in a language and width, which stays open across the tests. */
  async function enter(language: 'en' | 'ar' = 'en', width = 1440): Promise<Page> {
    await hana.must('PATCH', '/api/v1/auth/me', { language })
    const name = `${language} ${width}`
    const open = windows.get(name)
    if (open) return open.page
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      locale: language,
      hasTouch: width < 500,
    })
    const opened = await openPage(context)
    windows.set(name, opened)
    await signIn(opened.page, hana)
    return opened.page
  }
  const go = (page: Page, path: string) => visit(page, `${product.url}/app/w/${hana.workspaceId}/${path}`)

  test.runIf(long).each(['en', 'ar'] as const)(
    'finds the shortcuts of a screen with ? and in the account menu, in %s',
    async (language) => {
      const { keys, shell, calendar } = WORDS[language]
      const page = await enter(language)
      await go(page, 'calendar')
      const heading = page.getByRole('heading', { level: 1 })
      await heading.waitFor()
      await page.keyboard.press('Shift+?')
      const sheet = page.getByRole('dialog', { name: keys.title })
      await sheet.getByText(keys.acts.views).waitFor()
      expect(await sheet.locator('kbd').allTextContents()).toEqual(
        expect.arrayContaining(['T', 'M', 'W', 'L', '←', '→', '?']),
      )
      expect(await sheet.getByText(keys.acts.approve).count()).toBe(0)
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      const today = page.getByRole('main').getByRole('link', { name: calendar.today, exact: true })
      expect(await today.getAttribute('title')).toBe(`${calendar.today} (T)`)

      await go(page, 'approvals')
      await heading.waitFor()
      await page.getByRole('button', { name: new RegExp(`^${shell.yourAccount}`) }).click()
      await page.getByRole('menuitem', { name: shell.keys }).click()
      await sheet.getByText(keys.acts.approve).waitFor()
      expect(await sheet.getByText(keys.acts.views).count()).toBe(0)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
    },
  )

  test.runIf(long)(
    'opens no list of shortcuts by typing a question mark, or if single keys are turned off',
    async () => {
      const page = await enter()
      const sheet = page.getByRole('dialog', { name: en.keys.title })
      await go(page, 'posts')
      const search = page.getByLabel(en.posts.search)
      await search.pressSequentially('why?')
      await page.waitForURL(/q=why/)
      expect(await search.inputValue()).toBe('why?')
      expect(await sheet.count()).toBe(0)
      await visit(page, '/app/me')
      await page.getByLabel(en.profile.shortcuts).uncheck()
      await page.getByRole('heading', { level: 1 }).click()
      await page.keyboard.press('Shift+?')
      // Opened from the menu afterwards, it is the only one, and says why the key did nothing.
      await page.getByRole('button', { name: new RegExp(`^${en.shell.yourAccount}`) }).click()
      await page.getByRole('menuitem', { name: en.shell.keys }).click()
      await sheet.getByRole('link').waitFor()
      expect(await sheet.count()).toBe(1)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
    },
  )

  test.each(long ? ['nowhere', 'settings', 'admin/nowhere', 'w/none/calendar'] : ['nowhere', 'w/none/calendar'])(
    'keeps the navigation at an unknown address: /app/%s',
    async (path) => {
      const page = await enter()
      await visit(page, `${product.url}/app/${path}`)
      await page.getByRole('heading', { name: en.states.notFound }).waitFor()
      await page.getByRole('complementary').getByRole('link', { name: en.shell.posts }).click()
      await page.waitForURL(/\/posts/)
    },
  )

  test('sees no problems in an untouched post, and all of them once there is one to publish', async () => {
    const page = await enter()
    await go(page, 'compose')
    await choose(page)
    const text = page.getByLabel('Text', { exact: true })
    await page.getByText('Your text will appear here').first().waitFor()
    const problem = page.getByRole('button', { name: '1 problem' })
    const list = page.getByRole('group', { name: en.composer.checks })
    expect([await problem.count(), await list.count()]).toEqual([0, 0])
    await text.fill('x'.repeat(70_000))
    await problem.waitFor()
    await text.fill('')
    await problem.waitFor({ state: 'detached' })
    await takeWay(page, en.composer.publishNow)
    await problem.waitFor()
    await list.getByText('The post is empty.').waitFor()
  })

  test.each(long ? ways : [{ language: 'ar', width: 390 } as const])(
    'has every menu inside the window, in $language at $width px',
    async ({ language, width }) => {
      const page = await enter(language, width)
      const seen = new Set<string>()
      const all = ['calendar?date=2099-05-05', `posts/${post.id}`, 'settings/queue', 'compose', 'accounts']
      const paths = long ? all : all.slice(0, 2)
      for (const path of paths) {
        await visit(page, `${product.url}/app/w/${hana.workspaceId}/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
        const triggers = page.locator('button:has(+ [popover]):visible')
        for (let index = 0; index < (await triggers.count()); index += 1) {
          const trigger = triggers.nth(index)
          const name = (await trigger.getAttribute('aria-label')) ?? (await trigger.textContent()) ?? ''
          const ofFrame = await trigger.evaluate((element) => element.closest('main') === null)
          if (ofFrame && seen.has(name)) continue
          await trigger.click()
          const popup = page.locator(':popover-open')
          seen.add(ofFrame ? name : `${path}: ${name}`)
          await popup.locator('button, a, input').first().waitFor()
          const outside = await popup.evaluate((element) => {
            const { left, top, right, bottom } = element.getBoundingClientRect()
            return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight
          })
          expect([name, outside, await overflows(page)]).toEqual([name, false, []])
          await page.keyboard.press('Escape')
          await popup.waitFor({ state: 'detached' })
        }
      }
      expect(seen.size).toBeGreaterThanOrEqual(long ? 8 : 5)
    },
  )

  test('reads which plans have a screen that the own plan lacks, also after a reload', async () => {
    const page = await enter()
    await hana.must('PUT', '/billing/subscription', { plan: 'free' })
    try {
      const refused = page.getByRole('alert').getByText('Available in: Pro and Business.', { exact: true })
      for (const path of ['approvals', 'ideas']) {
        await go(page, path)
        await refused.waitFor()
        await page.reload()
        await refused.waitFor()
      }
    } finally {
      await hana.must('PUT', '/billing/subscription', { plan: 'pro' })
    }
  })

  test('saw no errors in any page', () => {
    expect([...windows.values()].flatMap(({ faults }) => faults)).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the first live post', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  /** Opens a page whose clicks are counted. */
  async function begin() {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page, faults } = await openPage(context)
    let clicks = 0
    const click = async (what: Locator) => {
      await what.click()
      clicks += 1
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    /** Publishes the post in the composer. Most people click into the text first, although it has the focus. */
    const publish = async (account: RegExp) => {
      await click(page.getByRole('group', { name: 'Post to' }).getByRole('checkbox', { name: account }).first())
      const text = page.getByLabel(en.composer.text, { exact: true })
      await click(text)
      await text.fill('We are open. Come by for a cup.')
      await click(button(en.composer.ways))
      await click(page.getByRole('menuitem', { name: en.composer.publishNow }))
      await click(page.getByRole('dialog').getByRole('button', { name: en.composer.publishNow, exact: true }))
      await page.waitForURL(/\/posts\/[0-9a-f-]{36}$/)
      await page.getByText(/^Live on Facebook/).waitFor()
    }
    return { page, faults, click, button, publish, clicks: () => clicks }
  }

  test('takes at most eight clicks from the sign-up, one of them into the text, following the screens', async () => {
    const { page, faults, click, button, publish, clicks } = await begin()
    await page.goto(`${product.url}/app/register`)
    await page.getByLabel(en.auth.name).fill('Hana')
    await page.getByLabel(en.auth.email).fill(`hana-${Date.now()}@example.test`)
    await page.getByLabel(en.auth.password, { exact: true }).fill('correct horse battery')
    await click(button(en.auth.signUp))
    await page.getByText(en.onboarding.firstAccount).waitFor()
    expect(await violations(page)).toEqual([])
    await click(button('Facebook Page'))
    await click(button('Approve'))
    await page.waitForURL(/\/compose$/)
    await page.getByText(/^\d accounts connected$/).waitFor()
    await publish(/Northside Coffee/)
    expect(clicks()).toBeLessThanOrEqual(8)
    expect(faults).toEqual([])
  })

  test.runIf(long)('takes at most seven clicks in the demo', async () => {
    const { page, click, button, publish, clicks } = await begin()
    await page.goto(`${product.url}/app/`)
    await click(button(en.demo.look))
    await page.waitForURL(/\/today/)
    await click(page.getByRole('link', { name: en.shell.newPost }).first())
    await publish(/Facebook/)
    expect(clicks()).toBeLessThanOrEqual(7)
  })

  test.runIf(long)(
    'starts with the account if there is only one, and shows the accounts if connecting failed',
    async () => {
      const { page, faults } = await begin()
      const hana = await newPerson(product.url, 'Hana')
      await hana.must('POST', '/api/v1/auth/onboarding', {})
      const [account, ...others] = await connectPages(hana, 'u7')
      for (const { id } of others) await hana.must('DELETE', `/social-accounts/${id}?confirm=true`)
      await signIn(page, hana)
      await page.goto(`${product.url}/app/w/${hana.workspaceId}/compose`)
      const chosen = page.getByRole('group', { name: 'Post to' }).getByRole('checkbox')
      await chosen.and(page.getByRole('checkbox', { checked: true })).waitFor()
      expect(await chosen.count()).toBe(1)
      expect(await chosen.getAttribute('aria-label')).toContain(account?.name)
      await page.goto(`${product.url}/app/w/${hana.workspaceId}/accounts?next=compose&error=access_denied`)
      await page.getByRole('alert').getByText(en.accounts.errors.access_denied).waitFor()
      expect(new URL(page.url()).pathname).toMatch(/\/accounts$/)
      expect(faults).toEqual([])
    },
  )
})
