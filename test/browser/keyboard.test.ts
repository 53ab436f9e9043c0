import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { connectPages, newPerson, PASSWORD, type Person } from '../world.ts'
import { long } from '../tier.ts'
import { hasBrowser, useBrowser, openPage } from './browser.ts'
import { picture, visit } from './story.ts'

// The main story without a mouse: every action is reached with Tab and done with keys.

describe.skipIf(!hasBrowser)('by keyboard alone', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let page: Page
  let faults: string[]
  let hana: Person
  let ws: string

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    await connectPages(hana)
    ws = hana.workspaceId
    await page.goto(`${product.url}/app/login`)
  })

  /** Presses Tab until an element has the focus. */
  async function tabTo(target: Locator): Promise<void> {
    await target.first().waitFor()
    for (let steps = 0; steps < 150; steps += 1) {
      if (await target.first().evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab never came to ${String(target)}`)
  }

  test('a person enters, opens the composer, and reaches its fields', async () => {
    await tabTo(page.getByLabel('Email'))
    await page.keyboard.type(hana.session.user.email ?? '')
    await tabTo(page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/app\/w\/[^/]+\/today/)
    await tabTo(page.getByRole('link', { name: 'New post' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/compose/)
    // In a new post, the text has the focus.
    await page.locator('#field-caption:focus').waitFor()
    await tabTo(page.getByRole('checkbox', { name: /Facebook Page/ }))
    await page.keyboard.press('Space')
    await tabTo(page.getByLabel('Text', { exact: true }))
    await page.keyboard.type('Without a mouse ')
  })

  test.runIf(long)('an emoji is found by its name and inserted at the caret', async () => {
    await tabTo(page.getByRole('button', { name: 'Emoji' }))
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search emoji' }).waitFor()
    await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'search')
    await page.keyboard.type('maple leaf')
    await page.getByRole('gridcell', { name: 'Maple leaf' }).waitFor()
    // The results for the first letters are gone.
    await page.waitForFunction(() => document.querySelectorAll('[role=gridcell]:not([aria-label=""])').length === 1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const text = page.getByLabel('Text', { exact: true })
    await page.waitForFunction(() => document.activeElement?.id === 'field-caption')
    expect(await text.inputValue()).toBe('Without a mouse 🍁')
  })

  test('a post is scheduled, found in the calendar, moved, and moved back', async () => {
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page.getByRole('button', { name: /^Tomorrow 0?9:00/ }))
    await page.keyboard.press('Enter')
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/posts\/[^/]+$/)
    await tabTo(page.getByRole('link', { name: 'Show in calendar' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/calendar/)
    const chip = page.getByRole('link', { name: /Without a mouse/ })
    await tabTo(chip)
    await page.keyboard.press('Alt+ArrowRight')
    await page
      .getByText(/^Moved to/)
      .first()
      .waitFor()
    expect(await chip.first().evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Control+z')
    await page
      .getByText(/^Moved back to/)
      .first()
      .waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)('pictures are reordered with keys, and by dragging with a mouse', async () => {
    await visit(page, `/app/w/${ws}/compose`)
    const files = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => ({
        name: `${name}.png`,
        mimeType: 'image/png',
        buffer: await picture(300, 300),
      })),
    )
    await page.locator('input[type=file]').setInputFiles(files)
    const order = async () => {
      const buttons = page.getByRole('button', { name: /^Remove .*\.png$/ })
      return (await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))).map((label) =>
        label.slice('Remove '.length, 'Remove a'.length),
      )
    }
    const until = (wanted: string) => expect.poll(async () => (await order()).join('')).toBe(wanted)
    await expect.poll(async () => (await order()).toSorted((a, b) => a.localeCompare(b)).join('')).toBe('abc')
    await page.waitForFunction(() => document.querySelectorAll('#field-media li img').length === 3)
    const [first, second, third] = (await order()) as [string, string, string]
    await tabTo(page.getByRole('button', { name: `Move ${first}.png right` }))
    await page.keyboard.press('Enter')
    await until(second + first + third)
    await page.keyboard.press('Alt+ArrowRight')
    await until(second + third + first)
    const item = (name: string) =>
      page.locator('#field-media li', { has: page.getByRole('button', { name: `Remove ${name}.png` }) })
    await item(first).dragTo(item(second))
    await until(first + second + third)
  })
})
