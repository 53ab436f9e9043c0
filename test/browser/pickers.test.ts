import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn, visit } from './story.ts'

// Selects, dates and times have our own pickers, with the keys of the browser's pickers. On touch screens, the
// browser's pickers are better.

describe.skipIf(!hasBrowser)('pickers', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let hana: Person
  let page: Page
  let faults: string[]
  const home = (path: string) => `${product.url}/app/w/${hana.workspaceId}${path}`

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    ;({ page, faults } = await openPage(await browser.newContext({ viewport: { width: 1440, height: 900 } })))
    await signIn(page, hana)
  })

  test('a select works with the keyboard alone: arrows, letters, Home and End, Enter, Escape', async () => {
    await visit(page, home('/settings'))
    const field = page.getByLabel(en.settings.weekStart)
    const active = page.locator('[role=option][data-active]')
    const { monday, saturday, sunday } = en.settings.days
    await field.focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => active.textContent()).toBe(monday)
    await page.keyboard.type(saturday.slice(0, 2).toLowerCase())
    await expect.poll(() => active.textContent()).toBe(saturday)
    expect(await field.getAttribute('aria-activedescendant')).toBe(await active.getAttribute('id'))
    await expectSound(page, 'select-open')
    await page.keyboard.press('Escape')
    await active.waitFor({ state: 'detached' })
    expect(await field.textContent()).toBe(monday)
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press(sunday[0]!.toLowerCase())
    await active.waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    const [first] = Object.values(en.settings.days)
    await expect.poll(() => field.textContent()).toBe(first)
  })

  test.runIf(long)('a time zone is found by part of its name', async () => {
    await visit(page, home('/settings'))
    const field = page.getByLabel(en.settings.timezone)
    await field.click()
    await page.getByRole('option', { selected: true }).waitFor()
    await page.keyboard.type('york new')
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['America/New York'])
    await expectSound(page, 'select-search')
    await page.keyboard.press('Enter')
    await expect.poll(() => field.textContent()).toBe('America/New York')
    await field.click()
    await page.keyboard.type('nowhere')
    await page.getByText(en.common.noMatch).waitFor()
    await page.keyboard.press('Escape')
    expect(await field.textContent()).toBe('America/New York')
  })

  test.runIf(long)('Escape closes a select but not its dialog, and a second Escape closes the dialog', async () => {
    await hana.must('POST', '/posts', { caption: 'To be shared' })
    await visit(page, home('/posts'))
    await page.getByRole('checkbox', { name: /To be shared/ }).check()
    await page.getByRole('button', { name: en.bulk.share }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.approvals.links.days).click()
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    expect(await dialog.isVisible()).toBe(true)
    await dialog.getByLabel(en.approvals.links.days).click()
    await page.getByRole('option').first().waitFor()
    await page.evaluate(() => {
      // Twice before the next rendering.
      for (const _ of [1, 2])
        document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
        )
    })
    await dialog.waitFor({ state: 'detached' })
  })

  test.runIf(long)('a date is chosen from the days of a month, within its limits, and can be cleared', async () => {
    await visit(page, home('/settings/audit'))
    const [from, to] = [page.getByLabel(en.audit.from, { exact: true }), page.getByLabel(en.audit.to, { exact: true })]
    expect(await from.textContent()).toBe(en.audit.anyDate)
    await from.click()
    await page.getByRole('gridcell').first().waitFor()
    await expectSound(page, 'date-open')
    await page.locator('[popover]:popover-open button[tabindex="0"]').focus()
    await page.keyboard.press('PageUp')
    await page.keyboard.press('Home')
    const day = await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    await page.keyboard.press('Enter')
    await expect.poll(() => from.textContent()).not.toBe(en.audit.anyDate)
    expect(day).toContain((await from.textContent())?.split(/\D+/)[1])
    await page.getByText(/./).first().waitFor()
    await to.click()
    await page.getByRole('gridcell').first().waitFor()
    await page.getByRole('button', { name: en.schedule.previousMonth }).click()
    expect(await page.getByRole('gridcell').getByRole('button', { disabled: true }).count()).toBeGreaterThan(0)
    await page.keyboard.press('Escape')
    await from.click()
    await page.getByRole('button', { name: en.common.noDate }).click()
    await expect.poll(() => from.textContent()).toBe(en.audit.anyDate)
  })

  test.runIf(long)('a time is typed as people write it, or chosen from half hours', async () => {
    await visit(page, '/app/me')
    await page.getByLabel(en.notices.quiet).check()
    const field = page.getByLabel(en.notices.quietFrom, { exact: true })
    await field.fill('9:45 pm')
    await field.press('Tab')
    expect(await field.inputValue()).toMatch(/^9:45.PM$/)
    await field.click()
    await page.getByRole('option').first().waitFor()
    await expectSound(page, 'time-open')
    await field.press('ArrowDown')
    await field.press('Enter')
    expect(await field.inputValue()).toMatch(/^10:00.PM$/)
    expect(await page.getByRole('option').count()).toBe(0)
  })

  test.runIf(long)('on a touch screen, the browser’s pickers are used', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const { page: phone } = await openPage(context)
    await signIn(phone, hana)
    await phone.goto(home('/settings'))
    await phone.getByLabel(en.settings.weekStart).selectOption({ label: en.settings.days.sunday })
    await phone.goto(home('/settings/audit'))
    await phone.getByLabel(en.audit.from, { exact: true }).fill('2026-03-04')
    await phone.goto(`${product.url}/app/me`)
    await phone.getByLabel(en.notices.quiet).check()
    await phone.getByLabel(en.notices.quietFrom, { exact: true }).fill('21:30')
    expect(await phone.locator('input[type=time]').count()).toBe(2)
  })

  test('the page reported no error', () => {
    expect(faults).toEqual([])
  })
})
