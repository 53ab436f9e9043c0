import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { newPerson } from '../world.ts'
import { hasBrowser, useBrowser, openPage, violations } from './browser.ts'
import { signIn } from './story.ts'

describe.skipIf(!hasBrowser)('the end of a workspace', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let ws: string

  beforeAll(async () => {
    context = await browser.newContext({ locale: 'en-GB' })
    ;({ page, faults } = await openPage(context))
    const hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    await signIn(page, hana)
    ws = hana.workspaceId
  })

  const words = en.ending
  // Its name has the apostrophe of print, which few keyboards have.
  const name = "Hana's workspace"

  test('its owner deletes it by typing its exact name, and goes to their profile', async () => {
    await page.goto(`${product.url}/app/w/${ws}/settings`)
    await page.getByRole('button', { name: words.action }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('something else')
    await dialog.getByRole('button', { name: words.action }).click()
    await dialog.getByText(words.nameDiffers).waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('textbox').fill(name)
    await dialog.getByRole('button', { name: words.action }).click()
    await page.waitForURL(/\/app\/me/)
  })

  test('it can be restored in the profile, and returns with its publishing paused', async () => {
    await page.getByRole('heading', { name: words.deleted }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: words.restore, exact: true }).click()
    await page.waitForURL(new RegExp(`/w/${ws}/settings`))
    await page.getByText(en.settings.pausedByReturn).waitFor()
    await page.getByRole('button', { name: en.settings.resumePublishing }).click()
    const dialog = page.getByRole('dialog', { name: en.settings.resumeTitle })
    await dialog.getByRole('button', { name: en.settings.resumePublishing }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(en.settings.pausedByReturn).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })
})
