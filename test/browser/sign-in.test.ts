import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { codeByMail, codeBySms, PASSWORD } from '../world.ts'
import { hasBrowser, openPage, overflows, still, useBrowser, violations } from './browser.ts'
import { addressOf } from './story.ts'

const PHONE = '+491701234567'
const EMAIL = addressOf('hana')
/** The folder for screenshots, if they are wanted. */
const pictures = process.env['PICTURES']

describe.skipIf(!hasBrowser)('signing in with a phone or an address', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]

  beforeAll(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    ;({ page, faults } = await openPage(context))
  })

  const inside = (on: Page) => on.waitForURL(/\/app\/(w\/|onboarding)/)
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

  test('a phone number and its code open an account; a wrong code is refused, and spaces are ignored', async () => {
    await page.goto(`${product.url}/app/login`)
    await page.getByRole('link', { name: 'Use phone' }).click()
    await page.getByLabel('Phone number').fill('0170 1234567')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByText('Enter the number with its country code').waitFor()
    await page.getByLabel('Phone number').fill('+49 170 1234567')
    await page.getByRole('button', { name: 'Send code' }).click()
    const field = page.getByLabel('Code', { exact: true })
    await field.waitFor()
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    const code = await codeBySms(product.url, PHONE)
    await page.getByText(`Your code in this sandbox: ${code}`).waitFor()
    await field.fill(wrong(code))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This code is incorrect or has expired.').waitFor()
    await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await inside(page)
    expect(faults.splice(0).filter((fault) => !fault.includes('401') && !fault.includes('422'))).toEqual([])
  })

  test.runIf(long)('in the profile, an address is added with the code mailed to it', async () => {
    await page.goto(`${product.url}/app/me`)
    const email = page.getByRole('group', { name: 'Email' })
    await email.getByRole('button', { name: 'Add' }).click()
    await email.getByLabel('New address').fill(EMAIL)
    await email.getByRole('button', { name: 'Send code' }).click()
    await email.getByLabel('Code', { exact: true }).fill(await codeByMail(product.url, EMAIL))
    await email.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Email address confirmed').waitFor()
    await email.getByText(EMAIL).waitFor()
    await email.getByText('Confirmed', { exact: true }).waitFor()
  })

  test.runIf(long)(
    'a mailed code signs in another browser, which is signed out from here and notices automatically',
    async () => {
      const elsewhere = await browser.newContext()
      const other = (await openPage(elsewhere)).page
      await other.goto(`${product.url}/app/login?by=email`)
      await other.getByLabel('Email').fill(EMAIL)
      await other.getByRole('button', { name: 'Send code' }).click()
      await other.getByLabel('Code', { exact: true }).fill(await codeByMail(product.url, EMAIL, 2))
      await other.getByRole('button', { name: 'Sign in' }).click()
      await inside(other)

      await page.goto(`${product.url}/app/me`)
      const sessions = page.getByRole('region', { name: 'Where you’re signed in' })
      await sessions.getByText('This device').waitFor()
      await sessions.getByText('with a code sent by email').waitFor()
      await sessions.getByRole('button', { name: /^Sign out .* on / }).click()
      await page.getByText('Device signed out').waitFor()
      await sessions.getByText('You aren’t signed in anywhere else.').waitFor()

      await other.waitForURL(/\/app\/login/) // the other page was not touched
      await other.getByText('This device was signed out from another device.').waitFor()
      await page.reload()
      await sessions.getByText('This device').waitFor()
      await elsewhere.close()
    },
  )

  test('the page that a person wanted is kept when they sign up instead', async () => {
    const own = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const { page: form } = await openPage(own)
    await form.goto(`${product.url}/app/me`)
    await form.getByRole('link', { name: en.auth.forgot }).click()
    await form.getByRole('link', { name: en.auth.backToSignIn }).click()
    await form.locator('a[href*="/register"]').click()
    await form.getByLabel(en.auth.email).fill(addressOf('omar'))
    await form.getByLabel(en.auth.password, { exact: true }).fill(PASSWORD)
    await form.getByRole('button', { name: en.auth.signUp }).click()
    await form.waitForURL(/\/app\/me$/)
    await own.close()
  })

  test('an address that only the service refuses is explained in the language of the page', async () => {
    const own = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'ar' })
    const { page: form } = await openPage(own)
    await form.goto(`${product.url}/app/register`)
    await form.getByLabel(ar.auth.password, { exact: true }).fill(PASSWORD)
    await form.getByLabel(ar.auth.email).fill('hana@example')
    await form.getByRole('button', { name: ar.auth.signUp }).click()
    await form.getByText(ar.refusals.email_format).waitFor()
    await own.close()
  })

  test.runIf(long).each([
    { width: 1440, colorScheme: 'light', language: 'en', words: en },
    { width: 390, colorScheme: 'dark', language: 'ar', words: ar },
  ] as const)(
    'a new user sees that a code was sent while it is valid, and can request another one later ($language)',
    async ({ width, colorScheme, language, words }) => {
      const { codes } = words
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        colorScheme,
        locale: language,
        reducedMotion: 'reduce',
      })
      const { page: own, faults: found } = await openPage(context)
      const email = `nadia-${language}@example.com`
      await own.goto(`${product.url}/app/register`)
      await own.getByLabel(words.auth.email).fill(`${'a'.repeat(250)}@example.com`)
      const picture = await own.getByAltText(words.auth.picture).first().getAttribute('src')
      expect(/product-ar-/.test(picture ?? '')).toBe(language === 'ar')
      // The field shows the error, not the browser.
      const password = own.getByLabel(words.auth.password, { exact: true })
      await own.getByRole('button', { name: words.auth.signUp }).click()
      await own.getByText(words.auth.passwordMissing).waitFor()
      await password.pressSequentially('short')
      await own.getByText(words.auth.passwordMissing).waitFor({ state: 'detached' })
      await own.getByRole('button', { name: words.auth.signUp }).click()
      await own.getByText(words.common.fault.short.split('{')[0] ?? '').waitFor()
      expect(await password.getAttribute('aria-invalid')).toBe('true')
      await password.fill(PASSWORD)
      await own.getByLabel(words.auth.email).fill('nadia')
      await own.getByRole('button', { name: words.auth.signUp }).click()
      await own.getByText(words.common.fault.email).waitFor()
      await own.getByLabel(words.auth.email).fill(`${'a'.repeat(250)}@example.com`)
      await own.getByRole('button', { name: words.auth.signUp }).click()
      await own.getByText(words.auth.emailTooLong.replace('{most}', '254')).waitFor()
      await own.goto(`${product.url}/app/login`)
      await own.getByRole('link', { name: codes.byPhone }).click()
      await own.getByRole('button', { name: codes.send }).click()
      await own.getByText(words.codes.phoneMissing).waitFor()
      await own.getByLabel(codes.phone).pressSequentially('0')
      await own.getByText(words.codes.phoneMissing).waitFor({ state: 'detached' })
      await own.goto(`${product.url}/app/register`)
      await own.getByLabel(words.auth.password, { exact: true }).fill(PASSWORD)
      await own.getByLabel(words.auth.email).fill(email)
      await own.getByRole('button', { name: words.auth.signUp }).click()
      await inside(own)
      await codeByMail(product.url, email)
      const bar = own.getByRole('region', { name: codes.confirmTitle })
      const go = async () => {
        await own.goto(`${product.url}/app/me`)
        await bar.waitFor()
      }
      await go()
      await bar.getByText(codes.confirmEmail).waitFor()
      await bar.getByRole('button', { name: codes.enterCode }).waitFor()

      // The five minutes of the code have passed.
      await sql.query(
        `update one_time_code set expires_at = app_now(), sent_at = sent_at - interval '5 minutes' where destination = $1`,
        [email],
      )
      await go()
      await bar.getByText(codes.notConfirmed).waitFor()
      expect(await bar.getByText(codes.confirmEmail).count()).toBe(0)
      await still(own)
      if (pictures) await own.screenshot({ path: `${pictures}/confirm-${language}.png` })
      await bar.getByRole('button', { name: codes.send }).click()
      const code = await codeByMail(product.url, email, 2)
      await bar.getByLabel(codes.code, { exact: true }).waitFor()
      // Only the form says that a code was sent.
      await bar.getByText(email).waitFor()
      expect([
        await bar.getByText(codes.confirmEmail).count(),
        await bar.getByText(codes.notConfirmed).count(),
      ]).toEqual([0, 1])
      await still(own)
      if (pictures) await own.screenshot({ path: `${pictures}/confirm-sent-${language}.png` })
      expect([await violations(own), await overflows(own)]).toEqual([[], []])
      await bar.getByLabel(codes.code, { exact: true }).fill(code)
      await bar.getByRole('button', { name: codes.confirm, exact: true }).click()
      await bar.waitFor({ state: 'detached' })
      expect(found).toEqual([])
      await context.close()
    },
  )
})
