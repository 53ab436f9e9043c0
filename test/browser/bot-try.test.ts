import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { messagesAt, openInbox, type OpenedInbox, threadOf, threadsOf } from '../inbox.ts'
import { confirmEmail, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { signIn, visit } from './story.ts'

// The bot is tested before it is switched on: one message step by step, and many questions with two sets of settings.

const text = en.bot.try

describe.skipIf(!hasBrowser)('testing the bot', () => {
  const { product, sandbox } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let shop: OpenedInbox
  const faultsOf: string[][] = []

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    shop = await openInbox(ann, sandbox.url, 'u1911')
    await ann.must<BotConfig>('PUT', '/ice/bot-config', {
      faqEntries: [
        { question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' },
        { question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' },
      ],
      blockedTopics: ['wholesale'],
    })
  })

  async function at(person: Person, width = 1440, theme: Theme = 'light'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    faultsOf.push(faults)
    await signIn(page, person)
    return page
  }

  const home = () => `${product.url}/app/w/${ann.workspaceId}/settings/bot`
  const config = () => ann.must<BotConfig>('GET', '/ice/bot-config')

  test('a person writes as a customer and sees the reply, each step and the sources; nothing is sent, and the bot stays off', async () => {
    const page = await at(ann)
    await visit(page, home())
    await page.getByRole('button', { name: text.title }).click()
    await page.getByText(text.nothingYet).waitFor()
    await page.getByText('1 credit', { exact: false }).first().waitFor()
    if (long) await expectSound(page, 'try-empty')
    await page.getByLabel(text.text).fill('Do you deliver to Berlin?')
    await page.getByRole('button', { name: text.run, exact: true }).click()
    const result = page.getByRole('region', { name: text.result })
    await result.getByText('Yes, we deliver everywhere in Berlin.').first().waitFor()
    await result.getByText(text.outcomes.SENT).waitFor()
    await result.getByText(en.why.steps.escalation_keyword.none).waitFor()
    await expectSound(page, 'try-one')
    await page.getByLabel(text.text).fill('What is your wholesale price?')
    await page.keyboard.press('Control+Enter')
    await result.getByText(`${text.outcomes.HELD}: ${en.why.short.blocked_topic}`).waitFor()
    expect(await config()).toMatchObject({ isEnabled: false })
    expect(await threadsOf(ann)).toEqual([])
    expect(await messagesAt(sandbox.url, shop.account.externalId)).toEqual([])
  })

  test.runIf(long)(
    'many questions, pasted and from the inbox, are tested with unsaved and saved settings; differences come first',
    async () => {
      await shop.play({ kind: 'dm', from: { name: 'Pia' }, text: 'Hello, do you deliver to Berlin?' })
      await threadOf(ann, 'Pia')
      const page = await at(ann)
      await visit(page, home())
      await page
        .getByRole('region', { name: en.bot.never.title })
        .getByRole('textbox', { name: en.bot.never.blocked })
        .fill('open,')
      await page.getByRole('button', { name: text.title }).click()
      await page.getByText(text.unsaved).waitFor()
      await page.getByRole('button', { name: text.tabs.many }).click()
      const questions = page.getByLabel(text.many)
      await questions.fill(
        'Do you deliver to Berlin?\nWhat is your wholesale price?\nWhen are you open?\n\nWhen are you open?',
      )
      await page.getByRole('button', { name: text.past }).click()
      await expect.poll(() => questions.inputValue()).toContain('Hello, do you deliver to Berlin?')
      await page.getByText('8 credits', { exact: false }).first().waitFor()
      await expectSound(page, 'try-many')
      await page.getByRole('button', { name: 'Test 4 questions' }).click()
      const results = page.getByRole('region', { name: text.results })
      await results.getByText('1 result differs').waitFor()
      const first = results.getByRole('row').nth(1)
      await first.getByText('When are you open?').waitFor()
      expect(await first.getByRole('cell').allInnerTexts()).toEqual([
        'When are you open?',
        expect.stringContaining(text.outcomes.SENT),
        expect.stringContaining(`${text.outcomes.HELD}: ${en.why.short.blocked_topic}`),
      ])
      await expectSound(page, 'try-results')
      await first.getByRole('button', { name: en.why.draft.why }).last().click()
      await page.getByRole('dialog', { name: en.why.title }).getByText('Blocked topic: open').waitFor()
      await page.keyboard.press('Escape')
      // The test saved nothing.
      expect(await config()).toMatchObject({ blockedTopics: ['wholesale'] })
      await page.getByRole('button', { name: text.back }).click()
      await page.getByText(en.bot.onceSaved).waitFor()
    },
  )

  test.runIf(long)('a viewer cannot test the bot, and on a phone in Arabic the test fits', async () => {
    const vic = await at(await join(ann, 'Vic', 'VIEWER'))
    await visit(vic, home())
    await vic.getByText(en.bot.readOnly).waitFor()
    expect(await vic.getByRole('button', { name: text.title }).count()).toBe(0)
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const phone = await at(ann, 390, 'dark')
    await visit(phone, home())
    await phone.getByRole('button', { name: ar.bot.try.title }).click()
    await phone.getByLabel(ar.bot.try.text).fill('Do you deliver to Berlin?')
    await phone.getByRole('button', { name: ar.bot.try.run, exact: true }).last().click()
    await phone.getByRole('region', { name: ar.bot.try.result }).getByText(ar.bot.try.outcomes.SENT).waitFor()
    await expectSound(phone, 'try-phone')
    await phone.getByRole('button', { name: ar.bot.try.tabs.many }).click()
    await phone.getByLabel(ar.bot.try.many).fill('When are you open?')
    await phone.getByRole('button', { name: /اختبار سؤال واحد/ }).click()
    await phone.getByRole('region', { name: ar.bot.try.results }).waitFor()
    await expectSound(phone, 'try-phone-many')
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})
