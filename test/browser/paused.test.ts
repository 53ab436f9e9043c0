import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Workspace } from '../../src/workspaces/api.ts'
import { en } from '../../web/locales/en.ts'
import type { Product } from '../product.ts'
import { newPerson, PASSWORD } from '../world.ts'
import {
  hasBrowser,
  launch,
  openPage,
  overflows,
  smallTargets,
  startWithDatabase,
  useTheme,
  violations,
} from './browser.ts'

const LONG = 90_000

describe.skipIf(!hasBrowser)('a workspace that was restored from a backup', { timeout: LONG }, () => {
  let product: Product
  let browser: Browser

  beforeAll(async () => {
    product = await startWithDatabase()
    browser = await launch()
  }, LONG)

  afterAll(async () => {
    await browser?.close()
    await product?.stop()
  })

  test.each([
    { width: 1440, theme: 'light' },
    { width: 320, theme: 'dark' },
  ] as const)('says on every screen that nothing goes out, and is resumed ($width px)', async ({ width, theme }) => {
    const ann = await newPerson(product.url)
    const path = `/workspaces/${ann.workspaceId}`
    await ann.must('PATCH', path, { publishing: { paused: true, reason: 'restored_from_backup' } })
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    await page.goto(`${product.url}/app/login`)
    await page.getByLabel(en.auth.email).fill(ann.session.user.email ?? '')
    await page.getByLabel(en.auth.password, { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: en.auth.signIn, exact: true }).click()
    await page.waitForURL(/\/app\/(onboarding|w\/)/)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts`)
    const bar = page.getByText(en.shell.publishingPaused)
    await bar.waitFor()
    await page.getByRole('link', { name: en.shell.publishingPausedWhy }).click()
    await page.getByText(en.settings.pausedByRestore).waitFor()
    expect([await violations(page), await overflows(page), await smallTargets(page, width < 600 ? 44 : 24)]).toEqual([
      [],
      [],
      [],
    ])
    await page.getByRole('button', { name: en.settings.resumePublishing }).click()
    await bar.waitFor({ state: 'detached' })
    expect((await ann.must<Workspace>('GET', path)).publishing).toEqual({ paused: false, reason: null })
    expect(faults).toEqual([])
    await context.close()
  })
})
