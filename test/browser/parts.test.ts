import type { Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, violations } from './browser.ts'
import { signIn } from './story.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'

// Parts of the app are loaded when they are first needed, which fails offline or after a new release.

describe.skipIf(!hasBrowser)('the app, started while its service is unavailable', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
  })

  async function begin(language: 'en' | 'ar' = 'en') {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    await context.addInitScript((tag) => localStorage.setItem('parley.language', tag), language)
    return opened.page
  }

  const refusals = [
    ['no answer', (route: Route) => route.abort()],
    ['failing proxy', (route: Route) => route.fulfill({ status: 502, body: 'Bad gateway' })],
    [
      'busy',
      (route: Route) =>
        route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"code":"unavailable"}' }),
    ],
  ] as const

  test.runIf(long).each(refusals)(
    '(%s) says so in its frame, offers a retry, and continues automatically',
    async (_, refuse) => {
      const page = await begin()
      for (const path of [`/app/w/${ann.workspaceId}/calendar`, '/app/']) {
        await page.route('**/api/**', refuse)
        await page.goto(product.url + path)
        const told = page.getByRole('alert').filter({ hasText: en.states.offline })
        await told.waitFor()
        await page.getByRole('banner').getByText('Parley').waitFor()
        expect(await violations(page)).toEqual([])
        await told.getByRole('button', { name: en.states.retry }).click()
        await told.waitFor()
        await page.unroute('**/api/**')
        await page.getByRole('navigation').first().waitFor()
        expect(await told.count()).toBe(0)
      }
    },
  )

  test.runIf(long)('continues at once after a retry', async () => {
    const page = await begin()
    await page.route('**/api/**', (route) => route.abort())
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/calendar`)
    const told = page.getByRole('alert').filter({ hasText: en.states.offline })
    await told.waitFor()
    // The app cannot detect on its own that the rest of the service is back.
    await page.unroute('**/api/**')
    await page.route('**/health/ready', (route) => route.abort())
    await told.getByRole('button', { name: en.states.retry }).click()
    await page.getByRole('navigation').first().waitFor()
  })

  test.runIf(long).each([
    ['script', '**/app/assets/index-*.js'],
    ['texts', '**/app/assets/ar-*.js'],
  ] as const)(
    'shows an error instead of a blank page without its %s, and reloads automatically',
    async (part, missing) => {
      const page = await begin('ar')
      await page.route(missing, (route) => route.abort())
      // While the server does not answer either, the page stays and can be checked.
      await page.route('**/app/', (route) => route.abort())
      await page.goto(`${product.url}/app/login`)
      const told = page.getByRole('alert').filter({ hasText: 'تعذّر تحميل Parley' })
      await told.waitFor()
      await expectSound(page, `without-${part}`)
      expect(await told.getByRole('button').innerText()).toBe(ar.states.retry)
      await page.unroute(missing)
      await page.unroute('**/app/')
      await page.getByRole('navigation').first().waitFor()
    },
  )
})

describe.skipIf(!hasBrowser)('a part of the app that cannot be loaded', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
  })

  async function begin() {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page } = await openPage(context)
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/calendar`)
    await page.getByRole('navigation').getByRole('link', { name: en.shell.media }).first().waitFor()
    await page.getByText(en.calendar.today, { exact: true }).first().waitFor()
    return page
  }

  test('leaves the navigation in place and offers a retry, which works once the server is back', async () => {
    const page = await begin()
    let loads = 0
    page.on('load', () => (loads += 1))
    await page.route('**/app/**', (route) => route.abort())
    await page.getByRole('link', { name: en.shell.media, exact: true }).first().click()
    // The screen, and a part that the frame would have loaded a moment later.
    await page.getByRole('alert').getByText(en.states.partMissing).first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('navigation').first().waitFor()
    await page.getByRole('main').getByRole('button', { name: en.states.retry }).last().click()
    await page.getByText(en.states.offline).first().waitFor()
    expect(loads).toBe(0)
    await page.unroute('**/app/**')
    await page.getByRole('main').getByRole('button', { name: en.states.retry }).last().click()
    await page.getByRole('heading', { level: 1, name: en.shell.media }).waitFor()
    expect(loads).toBe(1)
  })

  test.runIf(long)(
    'within a screen leaves the rest unchanged, and appears after a retry without a reload',
    async () => {
      const page = await begin()
      await page.getByRole('link', { name: en.shell.newPost }).first().click()
      await page.getByLabel(en.composer.text, { exact: true }).fill('Written before the line broke')
      let loads = 0
      page.on('load', () => (loads += 1))
      await page.route('**/app/**', (route) => route.abort())
      await page.getByRole('button', { name: en.emoji.title, exact: true }).click()
      // Other parts that the screen loads a moment later may be missing too.
      const emoji = page.getByRole('group', { name: en.emoji.title })
      const missing = emoji.getByRole('alert').filter({ hasText: en.states.partMissing })
      await missing.waitFor()
      expect(await violations(page)).toEqual([])
      await missing.getByRole('button', { name: en.states.retry }).click()
      const unreachable = emoji.getByRole('alert').filter({ hasText: en.states.offline })
      await unreachable.waitFor()
      expect(await page.getByLabel(en.composer.text, { exact: true }).inputValue()).toBe(
        'Written before the line broke',
      )
      await page.unroute('**/app/**')
      await unreachable.getByRole('button', { name: en.states.retry }).click()
      await emoji.getByRole('searchbox').waitFor()
      expect(loads).toBe(0)
    },
  )

  test('does not stop a screen that loads at the same time', async () => {
    const page = await begin()
    const failed = new Set<string>()
    let breaks = true
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/assets\/en-[^/]*\.js$/, async (route) => {
      const url = route.request().url()
      if (breaks) failed.add(url)
      if (!failed.has(url)) return route.continue()
      await held
      await route.abort()
    })
    await page.getByRole('link', { name: 'Analytics', exact: true }).first().click()
    await expect.poll(() => failed.size).toBeGreaterThan(0)
    breaks = false
    const sound = page.waitForRequest(/\/assets\/en-[^/]*\.js$/)
    await page.getByRole('link', { name: 'Audience', exact: true }).first().click()
    await sound
    release()
    await page.getByRole('heading', { level: 1, name: 'Audience' }).waitFor()
  })

  test('does not stop other screens from loading if it is their texts', async () => {
    const page = await begin()
    const failed = new Set<string>()
    let breaks = true
    await page.route(/\/assets\/en-[^/]*\.js$/, (route) => {
      const url = route.request().url()
      if (breaks) failed.add(url)
      return failed.has(url) ? route.abort() : route.continue()
    })
    await page.getByRole('link', { name: 'Analytics', exact: true }).first().click()
    await page.getByRole('main').getByRole('alert').first().waitFor()
    breaks = false
    await page.getByRole('link', { name: 'Audience', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Audience' }).waitFor()
    expect(failed.size).toBeGreaterThan(0)
  })

  test('after a new release reloads the page once; if it is still missing, the screen offers a retry', async () => {
    const page = await begin()
    let loads = 0
    page.on('load', () => (loads += 1))
    let checksAfterwards = 0
    // The server serves a newer release, which lacks the screen too.
    await page.route(/\/app\/$/, (route) => {
      if (loads > 0) checksAfterwards += 1
      return route.fulfill({ contentType: 'text/html', body: '<script src="/app/assets/newer.js">' })
    })
    await page.route(/\/assets\/media-[^/]*\.js$/, (route) => route.abort())
    const media = page.getByRole('link', { name: en.shell.media, exact: true }).first()
    // The pointer above the link loads the screen already, so the reload may come before the click, which then fails.
    // The next click shows whether the page works.
    await Promise.all([page.waitForEvent('load'), media.click({ noWaitAfter: true }).catch(() => undefined)])
    await media.click()
    await page.waitForURL(/\/media$/)
    const missing = page.getByRole('main').getByRole('alert').filter({ hasText: en.states.partMissing })
    await missing.waitFor()
    await page.getByRole('navigation').first().waitFor()
    // Before another reload, the page would have asked for the release, and this request is answered after that one.
    await page.evaluate(() => fetch('/api/v1/health/live'))
    expect([loads, checksAfterwards]).toEqual([1, 0])
    await page.unroute(/\/assets\/media-[^/]*\.js$/)
    await missing.getByRole('button', { name: en.states.retry }).click()
    await page.getByRole('heading', { level: 1, name: en.shell.media }).waitFor()
  })
})
