import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { call, PASSWORD } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, violations } from './browser.ts'

const SHOTS = process.env['SHOTS']

describe.skipIf(!hasBrowser)('signing in with a provider', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  beforeAll(async () => {
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
  })

  const visit = async (path: string, options: Parameters<Browser['newContext']>[0] = {}) => {
    const opened = await openPage(await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options }))
    await opened.page.goto(`${product.url}/app${path}`)
    return opened
  }
  const shoot = async (page: Page, name: string) => {
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: !name.endsWith('-ar') })
  }
  /** Chooses a person on the provider's page, and approves or refuses. */
  const decide = async (page: Page, user: string, decision: 'Approve' | 'Refuse' = 'Approve') => {
    await page.getByLabel('Person').fill(user)
    await page.getByRole('button', { name: 'Switch' }).click()
    await page.getByText(`(${user})`).waitFor()
    await page.getByRole('button', { name: decision }).click()
  }
  const skipQuestions = async (page: Page) => {
    await page.waitForURL(/\/app\/onboarding/)
    await page.goto(`${product.url}/app/me`)
    await page.getByRole('heading', { name: 'Ways to sign in' }).waitFor()
  }

  test('works with both; the second is added in the profile of the first, and removed again', async () => {
    const { page, faults } = await visit('/login')
    await page.getByRole('button', { name: 'Continue with Google' }).waitFor()
    await shoot(page, 'login')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await page.waitForURL(/\/sandbox\/idp-a\/auth/)
    await shoot(page, 'consent')
    await decide(page, 'u7', 'Refuse')
    await page.getByText('You didn’t allow Google to share your details.').waitFor()
    await shoot(page, 'refused')
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await decide(page, 'u7')
    await skipQuestions(page)
    const card = page.getByRole('region', { name: 'Ways to sign in' })
    for (const way of ['Code by email', 'Google'])
      await card.getByRole('listitem').filter({ hasText: way }).getByText('noor.u7@example.test').waitFor()
    await page.getByRole('button', { name: 'Add Microsoft' }).click()
    await decide(page, 'u8')
    await page.getByText('You can now sign in with Microsoft.').waitFor()
    await card.getByText('mika.u8@example.test').waitFor()
    await shoot(page, 'profile')
    expect(await violations(page)).toEqual([])

    const other = await visit('/register')
    await other.page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    await decide(other.page, 'u8')
    await skipQuestions(other.page)
    await other.page.getByText('noor.u7@example.test').first().waitFor()

    await card.getByRole('button', { name: 'Remove Microsoft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('You can no longer sign in with Microsoft').waitFor()
    await page.getByRole('button', { name: 'Add Microsoft' }).waitFor()

    await page.getByLabel('New password').fill('a quiet lake at dawn')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Password changed').waitFor()
    await page.getByLabel('Current password').waitFor()
    expect(faults).toEqual([])
    expect(other.faults).toEqual([])
  })

  test.runIf(long)('explains how to continue if an account with the address exists, and that works', async () => {
    const email = 'mika.u8@example.test'
    await call(product.url, 'POST', '/api/v1/auth/register', { email, password: PASSWORD, name: 'Mika' })
    const { page, faults } = await visit('/login')
    await page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    await decide(page, 'u8')
    await page.getByText('An account with this address already exists.').waitFor()
    await shoot(page, 'link-required')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(/\/app\/me/)
    await page.getByRole('button', { name: 'Add Microsoft' }).click()
    await decide(page, 'u8')
    await page.getByText('You can now sign in with Microsoft.').waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)('explains every refusal, also on a phone in Arabic', async () => {
    const phone = { viewport: { width: 390, height: 844 }, locale: 'ar', colorScheme: 'dark' } as const
    const { page } = await visit('/login?error=foreign_tenant&provider=IDP_B', phone)
    await page.getByText('تابع لمؤسسة لا يُسمح لحساباتها بتسجيل الدخول هنا').waitFor()
    await shoot(page, 'login-ar')
    expect(await overflows(page)).toEqual([])
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'المتابعة عبر Google' }).click()
    await decide(page, 'u17')
    await page.waitForURL(/\/app\/onboarding/)
    await page.goto(`${product.url}/app/me?error=identity_taken&provider=IDP_B`)
    await page.getByText('مرتبط بحساب Parley آخر').waitFor()
    await page.getByText('jo.u17@example.test').nth(1).waitFor()
    await shoot(page, 'profile-ar')
    expect(await overflows(page)).toEqual([])
    // Show the whole page, so that the bar at the bottom covers nothing.
    await page.setViewportSize({ width: 390, height: 3000 })
    expect(await violations(page)).toEqual([])
  })
})
