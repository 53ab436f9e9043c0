import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/accounts/api.ts'
import { useProduct } from '../fixtures.ts'
import { addFault, call, confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, useTheme, violations } from './browser.ts'
import { signIn } from './story.ts'

describe.skipIf(!hasBrowser)('the doctor of an account', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let pages: SocialAccount[]

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(ann)
  })

  async function enter(context: BrowserContext) {
    const { page, faults } = await openPage(context)
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/accounts`)
    return { page, faults }
  }
  const shoot = async (page: Page, name: string) => {
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true })
  }

  test('says that all is well, what is not known while the network is down, and mends what can be mended', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    await useTheme(context, 'light')
    const { page, faults } = await enter(context)
    const card = page.getByRole('listitem').filter({ hasText: pages[0]!.name })
    const open = async () => {
      await card.getByRole('button', { name: `More for ${pages[0]!.name}` }).click()
      await page.getByRole('menuitem', { name: 'Check this account' }).click()
    }
    await open()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('The network accepts our access.').waitFor()
    expect(await sheet.getByText('does not work').count()).toBe(0)
    await addFault(`${product.url}/sandbox`, { match: { network: 'NET_PAGE' }, do: { status: 503 } })
    await sheet.getByRole('button', { name: 'Look again' }).click()
    await sheet.getByText('The network did not answer as it should.').waitFor()
    await sheet.getByText('not known').first().waitFor()
    await call(`${product.url}/sandbox`, 'DELETE', '/faults')
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: true })
    await sheet.getByRole('button', { name: 'Look again' }).click()
    await sheet.getByText('The account is paused').waitFor()
    await shoot(page, 'doctor-light')
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    await page.reload()
    await open()
    await sheet.getByRole('button', { name: 'Resume the account' }).click()
    await page.getByText(`${pages[0]!.name} publishes again`).waitFor()
    expect(faults).toEqual([])
  })

  test('is told in Arabic, on a phone, with the way to connect again', async () => {
    await call(`${product.url}/sandbox`, 'POST', '/accounts', { id: pages[1]!.externalId, do: 'revoke' })
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'ar' })
    await useTheme(context, 'dark')
    const { page, faults } = await enter(context)
    const card = page.getByRole('listitem').filter({ hasText: pages[1]!.name })
    await card.locator('button[aria-haspopup]').click()
    await page.getByRole('menuitem', { name: 'فحص هذا الحساب' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('غيّر من ربط الحساب كلمة مروره.').waitFor()
    // Of one cause there is one finding; what hangs on it says so, with nothing to do.
    expect(await sheet.getByText('لا يعمل', { exact: true }).count()).toBe(1)
    expect(await sheet.getByText('يمكن فحص هذا حين يعود الوصول إلى العمل.').count()).toBe(3)
    await shoot(page, 'doctor-arabic')
    expect([await violations(page), await overflows(page), await smallTargets(page, 24)]).toEqual([[], [], []])
    await sheet.getByRole('button', { name: 'إعادة الربط' }).click()
    await page.waitForURL(/\/sandbox\//)
    expect(faults).toEqual([])
  })
})
