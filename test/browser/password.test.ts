import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { eventually, mailTo } from '../world.ts'
import { hasBrowser, useBrowser, openPage } from './browser.ts'
import { addressOf, PASSWORD, pick, signUp } from './story.ts'

const EMAIL = addressOf('noor')
const FORGOTTEN = 'a meadow after the rain'
const CHANGED = 'a river in late summer'

describe.skipIf(!hasBrowser)('first questions, passwords, workspaces', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]

  beforeAll(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: 'Asia/Dubai' })
    ;({ page, faults } = await openPage(context))
  })

  const signIn = async (on: Page, password: string) => {
    await on.goto(`${product.url}/app/login`)
    await on.getByLabel('Email').fill(EMAIL)
    await on.getByLabel('Password', { exact: true }).fill(password)
    await on.getByRole('button', { name: 'Sign in' }).click()
  }
  const refused = (on: Page) => on.getByRole('alert').getByText('The email or password is incorrect.').waitFor()
  const inside = (on: Page) => on.waitForURL(/\/app\/w\/[^/]+\/today/)

  test('a person who signs up answers a few questions, and continues with connecting an account', async () => {
    await signUp(page, product.url, EMAIL)
    expect(await page.getByLabel('Time zone').textContent()).toBe('Asia/Dubai')
    expect(await page.getByLabel('Workspace name').inputValue()).toBe('Hana Weber’s workspace')
    await page.getByLabel('Workspace name').fill('Northern Hills')
    await page.getByLabel('What you post about').fill('A coffee roastery')
    await page.getByLabel('Language').click()
    expect(await page.getByRole('option').allTextContents()).toEqual(['English', 'العربية'])
    await page.keyboard.press('Escape')
    await page.getByLabel('Plan posts ahead').check()
    await page.getByRole('button', { name: 'Continue to accounts' }).click()
    await page.waitForURL(/\/app\/w\/[^/]+\/accounts/)
    await page.getByRole('button', { name: 'Connect account' }).first().waitFor()
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Northern Hills')
    expect(await page.getByLabel('What you post about').inputValue()).toBe('A coffee roastery')
    expect(await page.getByLabel('Time zone').textContent()).toBe('Asia/Dubai')
    // Only a confirmed address can recover its account by mail.
    await sql.query('update app_user set email_confirmed_at = now() where email = $1', [EMAIL])
  })

  test('the questions are not asked again', async () => {
    await page.goto(`${product.url}/app/`)
    await inside(page)
  })

  test.runIf(long)('changing a password requires the current one, and signs out another browser', async () => {
    const elsewhere = await browser.newContext()
    const other = (await openPage(elsewhere)).page
    await signIn(other, PASSWORD)
    await inside(other)

    await page.goto(`${product.url}/app/me`)
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password', { exact: true }).fill(CHANGED)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This isn’t your current password.').waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('')

    // The other browser is signed out at its next request, which it may make on its own before the click.
    const out = other.waitForURL(/\/app\/login/)
    await Promise.any([other.getByRole('link', { name: 'Posts' }).first().click(), out])
    await out
    await other.getByText('This device was signed out from another device.').waitFor()
    await signIn(other, PASSWORD)
    await refused(other)
    await signIn(other, CHANGED)
    await inside(other)
    await elsewhere.close()
    await page.reload()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
  })

  test('a forgotten password is replaced with the link in the mail, which works once', async () => {
    const elsewhere = await browser.newContext()
    const other = (await openPage(elsewhere)).page
    await other.goto(`${product.url}/app/login`)
    await other.getByRole('link', { name: 'Forgot your password?' }).click()
    await other.getByRole('heading', { name: 'Reset your password' }).waitFor()
    await other.getByLabel('Email').fill(EMAIL)
    await other.getByRole('button', { name: 'Email me a link' }).click()
    await other.getByRole('heading', { name: 'Check your email' }).waitFor()
    await eventually(async () => (await mailTo(product.url, EMAIL)).some(({ text }) => text.includes('/app/reset/')))

    const [sandbox] = await Promise.all([
      elsewhere.waitForEvent('page'),
      other.getByRole('link', { name: 'Read the message in the sandbox console' }).click(),
    ])
    await sandbox.getByRole('link', { name: 'Reset your Parley password' }).first().click()
    const link = sandbox.getByRole('link', { name: /\/app\/reset\// })
    const address = (await link.getAttribute('href')) ?? ''
    await link.click()
    await sandbox.getByLabel('New password', { exact: true }).fill('1234567890')
    await sandbox.getByRole('button', { name: 'Set new password' }).click()
    await sandbox.getByText('This password is too easy to guess. Choose a less common one.').waitFor()
    await sandbox.getByLabel('New password', { exact: true }).fill(FORGOTTEN)
    await sandbox.getByRole('button', { name: 'Set new password' }).click()
    await sandbox.getByRole('heading', { name: 'Your password was changed' }).waitFor()
    await sandbox.getByRole('link', { name: 'Sign in' }).click()

    await signIn(sandbox, long ? CHANGED : PASSWORD)
    await refused(sandbox)
    await signIn(sandbox, FORGOTTEN)
    await inside(sandbox)

    await sandbox.goto(address)
    await sandbox.getByLabel('New password', { exact: true }).fill(PASSWORD)
    await sandbox.getByRole('button', { name: 'Set new password' }).click()
    await sandbox.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await elsewhere.close()

    // This browser is signed out at its next request, which it may make on its own before the click.
    const out = page.waitForURL(/\/app\/login/)
    await Promise.any([page.getByRole('link', { name: 'Posts' }).first().click(), out])
    await out
    expect((await mailTo(product.url, EMAIL)).map(({ subject }) => subject).slice(0, 2)).toEqual([
      'Your Parley password was changed',
      'Reset your Parley password',
    ])
    expect(faults).toEqual([])
  })

  test.runIf(long)(
    'a second workspace can be created and switched to, and one can be chosen to open first',
    async () => {
      await signIn(page, FORGOTTEN)
      await inside(page)
      await page.getByRole('button', { name: 'Switch workspace: Northern Hills' }).click()
      await page.getByRole('menuitemradio', { name: /Northern Hills.*Owner/ }).waitFor()
      await page.getByRole('menuitem', { name: 'New workspace' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Southern Shore')
      await page.getByRole('button', { name: 'Create workspace' }).click()
      await page.getByRole('button', { name: 'Switch workspace: Southern Shore' }).click()
      await page.getByRole('menuitemradio', { name: /Northern Hills/ }).click()
      await page.getByRole('button', { name: 'Switch workspace: Northern Hills' }).waitFor()

      await page.goto(`${product.url}/app/me`)
      await pick(page.getByLabel('Default workspace'), 'Southern Shore')
      await pick(page.getByLabel('Your time zone'), 'Europe/Berlin')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Profile saved').waitFor()
      await page.goto(`${product.url}/app/`)
      await page.getByRole('button', { name: 'Switch workspace: Southern Shore' }).waitFor()
      expect(faults).toEqual([])
    },
  )
})
