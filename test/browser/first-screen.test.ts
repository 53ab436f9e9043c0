import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, newPerson, type Person } from '../world.ts'
import { hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn } from './story.ts'

// `first.js` names the files of the first screen, so that the browser loads them together with the app.

const SCREENS = [
  '/today',
  '/calendar',
  '/posts',
  '/posts/import',
  '/compose',
  '/approvals',
  '/inbox',
  '/analytics',
  '/media',
  '/accounts',
  '/settings',
  '/settings/bot',
  '/settings/members',
]

describe.skipIf(!hasBrowser)('the first screen', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
  })

  async function begin(language: 'en' | 'ar') {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page } = await openPage(context)
    await signIn(page, ann)
    await context.addInitScript((tag) => localStorage.setItem('parley.language', tag), language)
    return page
  }

  /** Returns the scripts that the page and `first.js` name at an address. The app itself does not start. */
  async function namedAt(address: string, language: 'en' | 'ar'): Promise<Set<string>> {
    const page = await begin(language)
    await page.route('**/app/assets/index-*.js', (route) => route.abort())
    await page.goto(address)
    await page.getByRole('alert').waitFor()
    const links = await page
      .locator('link[rel=modulepreload]')
      .evaluateAll((all) => all.map((one) => (one as HTMLLinkElement).href))
    const scripts = await page
      .locator('script[type=module]')
      .evaluateAll((all) => all.map((one) => (one as HTMLScriptElement).src))
    await page.context().close()
    return new Set([...links, ...scripts])
  }

  test.each(
    long
      ? [...SCREENS.map((path) => [path, 'en'] as const), ['/today', 'ar'] as const, ['/inbox', 'ar'] as const]
      : ([['/compose', 'en']] as const),
  )(
    '%s (%s) appears before any file that first.js does not name is loaded, and renews the session once',
    async (path, language) => {
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      const address = `${product.url}/app/w/${ann.workspaceId}${path}`
      const named = await namedAt(address, language)
      const page = await begin(language)
      const held: string[] = []
      const renewals: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/api/v1/auth/refresh')) renewals.push(request.url())
      })
      await page.route('**/app/assets/*.js', async (route) => {
        if (named.has(route.request().url())) return route.continue()
        held.push(new URL(route.request().url()).pathname)
        return undefined
      })
      await page.goto(address)
      const heading = page.getByRole('main').getByRole('heading', { level: 1 }).first()
      await heading.waitFor({ timeout: 20_000 }).catch((error: unknown) => {
        throw new Error(`the screen waits for ${held.join(', ')}`, { cause: error })
      })
      await page.getByRole('navigation').first().waitFor()
      expect(renewals).toHaveLength(1)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  )

  test('forgets the early answer if another tab has found out meanwhile that nobody is signed in', async () => {
    const context = await browser.newContext()
    const { page } = await openPage(context)
    await context.addInitScript(() => localStorage.setItem('parley.known', '1'))
    // The app starts only when the other tab is done.
    await page.route('**/app/assets/index-*.js', async (route) => {
      await page.waitForResponse((response) => response.url().endsWith('/auth/refresh') && response.status() === 401)
      await page.evaluate(() => localStorage.removeItem('parley.known'))
      await route.continue()
    })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/today`)
    await page.waitForURL(/\/app\/login/)
    expect(await page.evaluate(() => 'parleyRefresh' in window)).toBe(false)
  })
})
