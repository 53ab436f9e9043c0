import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { codeByMail, confirmEmail, newPerson, PASSWORD, type Person } from '../world.ts'
import {
  hasBrowser,
  openPage,
  overflows,
  smallTargets,
  still,
  useBrowser,
  useTheme,
  violations,
  watchAnswers,
} from './browser.ts'
import { signIn } from './story.ts'

const DESKTOP: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, locale: 'en' }
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, locale: 'ar' }
/** The folder for screenshots, if they are wanted. */
const pictures = process.env['PICTURES']

describe.skipIf(!hasBrowser)('an account and its open windows', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  const faults: string[][] = []

  /** Opens a path in a new browser context. */
  async function visit(path: string, options = DESKTOP): Promise<Page> {
    const context = await browser.newContext(options)
    if (options === PHONE) await useTheme(context, 'dark')
    const { page, faults: wrong } = await openPage(context)
    faults.push(wrong)
    await page.goto(`${product.url}/app${path}`)
    return page
  }

  async function sound(page: Page, name: string, target = 24) {
    await still(page)
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `account-${name}.png`), fullPage: true })
    }
    expect([name, await violations(page), await overflows(page), await smallTargets(page, target)]).toEqual([
      name,
      [],
      [],
      [],
    ])
  }

  /** Each screen is checked on a desktop in English and on a phone in Arabic, by a person with that language. */
  const WINDOWS = [
    { name: 'desktop', options: DESKTOP, words: en, target: 24 },
    { name: 'phone', options: PHONE, words: ar, target: 44 },
  ] as const
  async function somebody(language: 'en' | 'ar'): Promise<Person> {
    const person = await newPerson(product.url)
    await confirmEmail(person)
    await person.must('PATCH', '/api/v1/auth/me', { language })
    return person
  }

  const emailOf = (person: Person) => person.session.user.email ?? ''

  async function enter(person: Person, options = DESKTOP): Promise<Page> {
    const page = await visit('/login', options)
    await signIn(page, person)
    await page.goto(`${product.url}/app/w/${person.workspaceId}/calendar`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  test.runIf(long)(
    'an idle window goes to the sign-in, with the reason, as soon as its live stream is refused',
    async () => {
      const ann = await newPerson(product.url)
      const page = await enter(ann)
      const heard = page.waitForResponse((answer) => answer.url().endsWith('/events') && answer.ok())
      const answered = watchAnswers(page)
      await page.reload()
      await heard
      await answered()
      // Only the live stream can notice it.
      await page.route(/\/api\/v1\/(?!auth\/|workspaces\/[^/]+\/events$)/, (route) => route.abort())
      const refused: string[] = []
      page.on('response', (answer) => {
        if (answer.status() === 401) refused.push(new URL(answer.url()).pathname)
      })
      await sql.query(`update session set ended_at = now(), end_reason = 'password' where user_id = $1`, [
        ann.session.user.id,
      ])
      await page.getByText(en.auth.sessionEndedElsewhere).waitFor()
      expect(refused[0]).toBe(`/api/v1/workspaces/${ann.workspaceId}/events`)
      await page.unrouteAll()
      await sound(page, 'ended')
    },
  )

  test.runIf(long).each(WINDOWS)(
    'the window of a disabled account says so, and so does the next sign-in: $name',
    async ({ name, options, words, target }) => {
      const root = await newPerson(product.url, 'Root')
      await sql.query('update app_user set is_super_admin = true where id = $1', [root.session.user.id])
      const ann = await somebody(words === en ? 'en' : 'ar')
      const page = await enter(ann, options)
      await root.must('POST', `/admin/users/${ann.session.user.id}/disable`)
      await page.waitForURL(/\/app\/login/)
      await page.getByText(words.auth.providerErrors.account_disabled).waitFor()
      await sound(page, `disabled-${name}`, target)
      await page.getByLabel(words.auth.email).fill(emailOf(ann))
      await page.getByLabel(words.auth.password, { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: words.auth.signIn, exact: true }).click()
      await page.getByRole('alert').getByText(words.problems.account_disabled).waitFor()
    },
  )

  test.runIf(long)(
    'a locked password leaves the code by mail, which is offered in the error and keeps the address that was typed',
    async () => {
      const ann = await newPerson(product.url)
      await confirmEmail(ann)
      await sql.query(`update one_time_code set sent_at = sent_at - interval '61 seconds'`)
      const page = await visit('/login')
      const link = page.getByRole('alert').getByRole('link')
      await page.getByLabel(en.auth.email).fill(emailOf(ann))
      for (let i = 0; i < 6; i += 1) {
        expect(await link.count()).toBe(0)
        await page.getByLabel(en.auth.password, { exact: true }).fill(`wrong wrong ${i}`)
        const answer = page.waitForResponse((each) => each.url().endsWith('/auth/login'))
        await page.getByRole('button', { name: en.auth.signIn, exact: true }).click()
        expect((await answer).status()).toBe(i < 5 ? 401 : 429)
        await page.getByRole('alert').waitFor()
      }
      await link.waitFor()
      await sound(page, 'locked')
      await link.click()
      expect(await page.getByLabel(en.auth.email).inputValue()).toBe(emailOf(ann))
      await page.getByRole('button', { name: en.codes.send }).click()
      const code = page.getByLabel(en.codes.code, { exact: true })
      await code.fill(await codeByMail(product.url, emailOf(ann), 2))
      await page.getByRole('button', { name: en.codes.signIn }).click()
      await page.waitForURL(/\/app\/(onboarding|w\/)/)

      const phone = await visit('/login', PHONE)
      await phone.getByLabel(ar.auth.email).fill(emailOf(ann))
      await phone.getByLabel(ar.auth.password, { exact: true }).fill('wrong wrong')
      await phone.getByRole('button', { name: ar.auth.signIn, exact: true }).click()
      await phone.getByRole('alert').getByRole('link').waitFor()
      await sound(phone, 'locked-phone', 24) // the link is part of a sentence
    },
  )

  test.each(inWay(0, WINDOWS))(
    'changing a confirmed address requires the current password, next to the code: $name',
    async ({ name, options, words, target }) => {
      const ann = await somebody(words === en ? 'en' : 'ar')
      const email = `next-${emailOf(ann)}`
      const page = await enter(ann, options)
      await sql.query(`update session set created_at = created_at - interval '16 minutes' where user_id = $1`, [
        ann.session.user.id,
      ])
      await page.goto(`${product.url}/app/me`)
      const card = page.getByRole('group', { name: words.codes.email })
      await card.getByText(words.profile.isConfirmed, { exact: true }).waitFor()
      await card.getByRole('button', { name: words.profile.change }).click()
      await card.getByLabel(words.profile.newEmail).fill(email)
      await card.getByRole('button', { name: words.codes.send }).click()
      await card.getByLabel(words.codes.code, { exact: true }).fill(await codeByMail(product.url, email))
      const password = card.getByLabel(words.profile.currentPassword, { exact: true })
      const confirm = card.getByRole('button', { name: words.codes.confirm })
      expect(await password.count()).toBe(0)
      await confirm.click()
      await password.waitFor()
      await sound(page, `password-asked-${name}`, target)
      await password.fill('not the password')
      await confirm.click()
      await card.getByText(words.faults.wrong_password).waitFor()
      await password.fill(PASSWORD)
      await confirm.click()
      await page.getByText(words.codes.emailConfirmed).waitFor()
      await card.getByText(email).waitFor()
    },
  )

  test('a name that is not saved yet stays when the language of the screens changes', async () => {
    const page = await enter(await somebody('en'))
    await page.goto(`${product.url}/app/me`)
    await page.getByLabel(en.profile.name, { exact: true }).fill('Not saved yet ')
    await page.getByRole('button', { name: en.shell.yourAccount }).click()
    await page.getByRole('menuitemradio', { name: 'العربية' }).click()
    await page.getByRole('heading', { level: 1, name: ar.profile.title }).waitFor()
    const name = page.getByLabel(ar.profile.name, { exact: true })
    expect(await name.inputValue()).toBe('Not saved yet ')
    await page.keyboard.press('Escape')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: ar.common.save, exact: true }).first().click()
    expect(await (await saved).json()).toMatchObject({ name: 'Not saved yet', language: 'ar' })
    await expect.poll(() => name.inputValue()).toBe('Not saved yet')
  })

  test.each(inWay(1, WINDOWS))(
    'a person without a workspace learns this first, and creates one: $name',
    async ({ name, options, words, target }) => {
      const ann = await somebody(words === en ? 'en' : 'ar')
      await sql.query('delete from member where user_id = $1', [ann.session.user.id])
      const page = await visit('/login', options)
      await page.getByLabel(words.auth.email).fill(emailOf(ann))
      await page.getByLabel(words.auth.password, { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: words.auth.signIn, exact: true }).click()
      await page.getByRole('button', { name: words.onboarding.skip }).click()
      await page.getByRole('heading', { name: words.profile.noWorkspace }).waitFor()
      await sound(page, `no-workspace-${name}`, target)
      await page.getByRole('button', { name: words.shell.newWorkspace }).click()
      await page.getByRole('dialog').getByLabel(words.settings.name).fill('My own')
      await page.getByRole('button', { name: words.shell.createWorkspace }).click()
      await page.getByRole('button', { name: `${words.shell.switchWorkspace} My own` }).waitFor()
    },
  )

  test('no page threw an error', () => {
    expect(faults.flat()).toEqual([])
  })
})
