import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { en } from '../../web/locales/en.ts'
import { hasBrowser, useBrowser, openPage } from './browser.ts'
import { addressOf, choose, connect, picture, publishNow, register, visit } from './story.ts'

describe.skipIf(!hasBrowser)('from signing up to a post that is live', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let ws: string
  const email = addressOf('hana')

  beforeAll(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
  })

  test('an account is created, and its first page shows the next step', async () => {
    ws = await register(page, product.url, email)
    await page.getByRole('link', { name: 'Connect account' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sandbox' }).first().getAttribute('href')).toContain('/sandbox')
  })

  test('pages of the network are connected through its consent page', async () => {
    await connect(page, product.url, ws)
    expect(await page.getByRole('listitem').count()).toBeGreaterThan(0)
  })

  test('a post with a picture is published at once, and visible on the network', async () => {
    await visit(page, `/app/w/${ws}/compose`)
    await choose(page)
    await page.getByLabel('Text', { exact: true }).fill('Autumn in a cup is back')
    await page.locator('input[type=file]').setInputFiles([
      { name: 'latte.png', mimeType: 'image/png', buffer: await picture() },
      { name: 'cup.png', mimeType: 'image/png', buffer: await picture(64, 64) },
    ])
    await page.getByText('Ready to publish').waitFor()
    const order = page.getByRole('button', { name: /^Move .* left$/ })
    expect(await order.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
      'Move latte.png left',
      'Move cup.png left',
    ])
    await publishNow(page)
    await page.waitForURL(/\/posts\/[^/]+$/)
    const link = page.getByRole('link', { name: /View on Facebook Page/ })
    await link.waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Published')

    const { pathname } = new URL((await link.getAttribute('href')) ?? '', product.url)
    const network = await context.newPage()
    await network.goto(product.url + pathname)
    await network.getByText('Autumn in a cup is back').waitFor()
    await network.goto(product.url + pathname.replace(/\/[^/]+$/, ''))
    expect(await network.getByText('Autumn in a cup is back').count()).toBe(1)
    expect(await network.locator('article img, .card img').count()).toBeGreaterThan(0)
    await network.close()
  })

  test('one post is published on two networks, with a separate text for one of them', async () => {
    await connect(page, product.url, ws, 'Instagram')
    await visit(page, `/app/w/${ws}/compose`)
    await choose(page)
    await choose(page, 'Instagram')
    const text = page.getByLabel('Text', { exact: true })
    await text.fill('The winter menu is here')
    const tall = { name: 'menu.png', mimeType: 'image/png', buffer: await picture(500, 900) }
    await page.locator('input[type=file]').setInputFiles([tall])
    await page.getByText('Ready to publish').waitFor()
    await page.getByRole('tab', { name: /Instagram/ }).click()
    await page.getByLabel('Text for Instagram', { exact: true }).fill('Winter, in one picture')
    await page.getByRole('tab', { name: /All networks/ }).click()
    expect(await text.inputValue()).toBe('The winter menu is here')
    await publishNow(page)
    await page.waitForURL(/\/posts\/[^/]+$/)
    for (const [name, words] of [
      ['Facebook Page', 'The winter menu is here'],
      ['Instagram', 'Winter, in one picture'],
    ] as const) {
      const link = page.getByRole('link', { name: new RegExp(`View on ${name}`) })
      await link.waitFor()
      const network = await context.newPage()
      await network.goto(product.url + new URL((await link.getAttribute('href')) ?? '', product.url).pathname)
      await network.getByText(words).waitFor()
      await network.close()
    }
  })

  test('a second post is scheduled, and shown in the calendar', async () => {
    await visit(page, `/app/w/${ws}/compose`)
    await choose(page)
    await page.getByLabel('Text', { exact: true }).fill('Beans for the weekend')
    // Publishing was used last, but it never becomes the main action.
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Tomorrow (18|6):00/ }).click()
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Show in calendar').click()
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 7)
    await visit(page, `/app/w/${ws}/calendar?view=month&date=${tomorrow}-01`)
    const chip = page.getByRole('link', { name: /Scheduled.*Beans for the weekend/ })
    await chip.waitFor()
    await chip.click()
    await page.getByRole('link', { name: en.calendar.openPost }).click()
    await page.getByText(en.post.changesCount).waitFor()
  })

  test('a time in the past is refused where it is chosen', async () => {
    await page.getByRole('button', { name: 'Change time' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Date and time').fill('2020-01-01T09:00')
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
    await dialog.getByText('This time has passed').waitFor()
    await page.keyboard.press('Escape')
  })

  test('a stored draft is saved automatically, and text survives a closed page', async () => {
    await visit(page, `/app/w/${ws}/compose`)
    const text = page.getByLabel('Text', { exact: true })
    await text.fill('Written before the crash')
    await page.close({ runBeforeUnload: false })
    ;({ page, faults } = await openPage(context))
    await page.goto(`${product.url}/app/w/${ws}/compose`)
    const again = page.getByLabel('Text', { exact: true })
    await again.waitFor()
    expect(await again.inputValue()).toBe('Written before the crash')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.waitForURL(/\/posts\/[^/]+$/)
    const saved = page.waitForResponse(
      (answer) => answer.ok() && (answer.request().postData() ?? '').includes('and after it'),
    )
    await again.fill('Written before the crash, and after it')
    await saved
    await page.reload()
    await again.waitFor()
    expect(await again.inputValue()).toBe('Written before the crash, and after it')
  })

  test('two people who change one draft are asked which version to keep', async () => {
    const other = await openPage(context)
    await other.page.goto(page.url())
    const theirs = other.page.getByLabel('Text', { exact: true })
    await theirs.waitFor()
    await page.evaluate(() => window.stop())
    // Hold back our change until theirs is saved: the result must be a question, not a lost text.
    let release = () => {}
    const released = new Promise<void>((done) => {
      release = done
    })
    const held = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.route('**/api/v1/posts/*', async (route) => {
      if (route.request().method() === 'PATCH') await released
      await route.continue()
    })
    await page.getByLabel('Text', { exact: true }).fill('Mine')
    await held
    const saved = other.page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
    await theirs.fill('Theirs')
    await saved
    release()
    await page.getByText(/was edited elsewhere/).waitFor()
    await page.unroute('**/api/v1/posts/*')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText(/^Saved /).waitFor()
    await theirs.and(other.page.getByText('Mine')).waitFor()
    await other.page.close()
  })

  test('signing out ends the session in every tab', async () => {
    const other = await context.newPage()
    await other.goto(`${product.url}/app/w/${ws}/posts`)
    await other.getByRole('heading', { name: 'Posts' }).waitFor()
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.close()
  })

  test('a person who signs in again continues at the requested page', async () => {
    await page.goto(`${product.url}/app/w/${ws}/posts?status=SCHEDULED`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The email or password is incorrect').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('beans of the northern hills')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/posts\?status=SCHEDULED/)
    await page.getByRole('link', { name: 'Beans for the weekend' }).waitFor()
  })

  test('the pages reported no errors', () => {
    expect(faults).toEqual([])
  })
})
