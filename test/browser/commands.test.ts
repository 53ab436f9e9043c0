import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, openPage, overflows, smallTargets, useBrowser, useTheme, violations, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

// All tests here use the keyboard alone.

describe.skipIf(!hasBrowser).each(inWay(0, WAYS))(
  'the commands in $language at $width px',
  ({ width, theme, language, words }) => {
    const { product } = useProduct()
    const browser = useBrowser()
    let ann: Person
    let page: Page
    let faults: string[]
    let home: string

    beforeAll(async () => {
      ann = await newPerson(product.url)
      await confirmEmail(ann)
      await ann.must('POST', '/api/v1/auth/onboarding', {})
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      await connectPages(ann)
      await ann.must('POST', '/posts', { caption: 'Bloom, wait, pour' })
      const context = await browser.newContext({ viewport: { width, height: width < 640 ? 844 : 900 } })
      await useTheme(context, theme)
      ;({ page, faults } = await openPage(context))
      await signIn(page, ann)
      home = `/app/w/${ann.workspaceId}/today`
      await page.goto(product.url + home)
      await page.getByRole('heading', { name: words.today.nothingPlanned }).waitFor()
    })

    const field = () => page.getByRole('combobox', { name: words.commands.title })
    const search = async (text: string) => {
      await page.keyboard.press('Control+k')
      await field().waitFor()
      await field().pressSequentially(text)
    }
    const chosen = (name: string) => page.getByRole('option', { name, selected: true })

    test.runIf(long)('open on every screen, lead to another one, and are accessible', async () => {
      await search('')
      await chosen(words.shell.today).waitFor()
      if (process.env['PICTURES'])
        await page.screenshot({ path: `${process.env['PICTURES']}/commands-${language}-${width}.png` })
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      expect(await smallTargets(page, width < 640 ? 44 : 24)).toEqual([])
      await page.keyboard.press('ArrowDown')
      await chosen(words.shell.calendar).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/calendar/)
      expect(await field().count()).toBe(0)
    })

    test('find a post, an account, a member and a part of the settings', async () => {
      for (const [text, name, path] of [
        ['wait, pour', 'Bloom, wait, pour', /\/posts\/[\da-f-]{36}$/],
        ['facebook', 'Facebook', /\/accounts$/],
        [ann.session.user.email ?? '', 'Ann', /\/settings\/members$/],
        [words.settings.plan, words.settings.plan, /\/settings\/plan$/],
      ] as const) {
        await search(text)
        await page.getByRole('option', { name, selected: true }).first().waitFor()
        await page.keyboard.press('Enter')
        await page.waitForURL(path)
        await visit(page, home)
      }
    })

    test.runIf(long)('say that nothing matches, and close with Escape', async () => {
      // Nothing is said about results while posts are searched for.
      let answer = () => {}
      const held = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route(/\/posts\?.*zzzz/, async (route) => {
        await held
        await route.continue()
      })
      await search('zzzz')
      const none = page.getByText('zzzz')
      await page.getByText(words.common.loading).waitFor()
      expect(await none.count()).toBe(0)
      answer()
      await none.waitFor()
      await page.unroute(/\/posts\?.*zzzz/)
      await page.keyboard.press('Escape')
      await field().waitFor({ state: 'detached' })
      expect(faults).toEqual([])
    })

    test('say why posts could not be searched', async () => {
      await page.route(/\/posts\?.*yyyy/, (route) => route.fulfill({ status: 503, json: {} }))
      await search('yyyy')
      await page.getByRole('dialog').getByRole('alert').waitFor()
      expect(await page.getByText('yyyy').count()).toBe(0)
      await page.unroute(/\/posts\?.*yyyy/)
      await page.keyboard.press('Escape')
      await field().waitFor({ state: 'detached' })
    })

    test.runIf(long)('G and a letter open a screen, N opens a new post; in a text, the letters are typed', async () => {
      for (const [letter, path] of [
        ['c', /\/calendar/],
        ['p', /\/posts$/],
        ['a', /\/approvals$/],
        ['m', /\/media$/],
        ['i', /\/inbox$/],
        ['d', /\/ideas$/],
        ['s', /\/settings$/],
        ['t', /\/today$/],
      ] as const) {
        await page.keyboard.press('g')
        await page.keyboard.press(letter)
        await page.waitForURL(path)
      }
      await page.keyboard.press('p')
      await page.keyboard.press('n')
      await page.waitForURL(/\/compose/)
      await page.getByLabel(words.composer.text, { exact: true }).focus()
      await page.keyboard.type('gc n')
      expect(new URL(page.url()).pathname).toMatch(/\/compose$/)
      expect(await page.getByLabel(words.composer.text, { exact: true }).inputValue()).toBe('gc n')
    })

    test('the pages reported no errors', () => {
      expect(faults).toEqual([])
    })
  },
)
