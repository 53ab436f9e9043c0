import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import type { KnowledgeGap } from '../../src/conversations/bot/learning/api.ts'
import type { Memory } from '../../src/conversations/memory/api.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { openInbox, type OpenedInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn, visit } from './story.ts'

// What the bot does not know yet, and what it remembers: people see both, fill the gaps, and delete memories.

const text = en.bot

describe.skipIf(!hasBrowser)('the knowledge and memory of the bot', () => {
  const { product, sandbox } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let shop: OpenedInbox
  let page: Page
  let faults: string[]

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    shop = await openInbox(ann, sandbox.url, 'u1921')
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, ann)
    await ann.must<BotConfig>('PUT', '/ice/bot-config', {
      isEnabled: true,
      faqEntries: [{ question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' }],
    })
  })

  const home = () => `${product.url}/app/w/${ann.workspaceId}/settings/bot`
  const config = () => ann.must<BotConfig>('GET', '/ice/bot-config')
  const know = () => page.getByRole('region', { name: text.know.title })

  test('an unanswered question becomes a gap, and can be answered there', async () => {
    // Thanks are not a question, even if the bot finds no answer to them.
    await shop.play({
      kind: 'dm',
      from: { name: 'Uli' },
      text: 'Thank you so much for the evening with all of us, we will certainly come back.',
    })
    await eventually(async () => (await threadOf(ann, 'Uli')).status === 'ESCALATED')
    await shop.play({ kind: 'dm', from: { name: 'Ida' }, text: 'Do you sell gift vouchers for yoga lessons?' })
    await eventually(
      async () => (await ann.must<{ data: KnowledgeGap[] }>('GET', '/ice/knowledge/gaps')).data.length > 0,
    )
    await visit(page, home())
    await know().getByText('Do you sell gift vouchers for yoga lessons?').waitFor()
    await know().getByText('asked 1×').waitFor()
    expect((await ann.must<{ data: KnowledgeGap[] }>('GET', '/ice/knowledge/gaps')).data).toHaveLength(1)
    if (long) await expectSound(page, 'bot-gaps')
    await know()
      .getByRole('button', { name: /^Answer “Do you sell/ })
      .click()
    const dialog = page.getByRole('dialog', { name: text.know.new })
    expect(await dialog.getByLabel(text.know.title_.answer, { exact: true }).inputValue()).toBe(
      'Do you sell gift vouchers for yoga lessons?',
    )
    await dialog.getByLabel(text.know.text_.answer, { exact: true }).fill('No, we sell coffee.')
    await dialog.getByRole('button', { name: text.know.add }).click()
    await page.getByRole('button', { name: text.save, exact: true }).click()
    await page.getByText(text.saved).first().waitFor()
    expect((await config()).faqEntries[0]).toMatchObject({ answer: 'No, we sell coffee.' })
  })

  test.runIf(long)('answers are imported from a table and from Markdown, after a preview of each result', async () => {
    await visit(page, home())
    await know().getByRole('button', { name: text.know.import, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: text.importing.title })
    const csv =
      'question,answer,tags\nDo you deliver to Berlin?,"Yes, within a day.",delivery\nAre you open on Sunday?,No.,hours\nWhy?,,\n'
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'faq.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await dialog.getByText('2 answers will be imported', { exact: false }).waitFor()
    const rows = dialog.getByRole('list', { name: text.importing.rows }).getByRole('listitem')
    await rows.filter({ hasText: 'Do you deliver to Berlin?' }).getByText(text.importing.verdicts.changed).waitFor()
    await rows.filter({ hasText: 'Are you open on Sunday?' }).getByText(text.importing.verdicts.new).waitFor()
    await rows
      .filter({ hasText: text.importing.faults.answer_missing })
      .getByText(text.importing.verdicts.invalid)
      .waitFor()
    await expectSound(page, 'bot-import')
    expect((await config()).faqEntries.map(({ question }) => question)).not.toContain('Are you open on Sunday?')
    await dialog.getByRole('button', { name: 'Import 2 answers' }).click()
    await dialog.waitFor({ state: 'detached' })
    await know().getByText('Are you open on Sunday?').waitFor()
    expect((await config()).faqEntries).toContainEqual({
      question: 'Do you deliver to Berlin?',
      answer: 'Yes, within a day.',
      tags: ['delivery'],
    })
    await know().getByRole('button', { name: text.know.import, exact: true }).click()
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'shop.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Do you have decaf?\n\nYes, one.\n'),
    })
    await dialog.getByRole('button', { name: 'Import 1 answer' }).click()
    await know().getByText('Do you have decaf?').waitFor()
  })

  test.runIf(long)(
    'each answer shows how often replies used it; a test question shows what the bot would see, best first, or that nothing fits',
    async () => {
      const answers = await config()
      await ann.must<BotConfig>('PUT', '/ice/bot-config', {
        faqEntries: [
          { question: 'Do you deliver to Berlin?', answer: 'Yes, within a day.' },
          { question: 'Do you have gift cards?', answer: 'Yes, from ten euros on.' },
        ],
        knowledgeBase: { Parcels: 'A parcel to Berlin takes a day.' },
      })
      await shop.play({ kind: 'dm', from: { name: 'Bea' }, text: 'Do you deliver to Berlin?' })
      await eventually(async () => (await threadOf(ann, 'Bea')).messages.some(({ source }) => source === 'BOT_AUTO'))
      await visit(page, home())
      const row = (title: string) => know().getByRole('listitem').filter({ hasText: title })
      await row('Do you deliver to Berlin?')
        .getByText('Used once in the last 30 days', { exact: false })
        .first()
        .waitFor()
      await row('Do you have gift cards?').getByText('Not used in the last 30 days', { exact: false }).waitFor()
      await row('Parcels').getByText('Not used in the last 30 days', { exact: false }).waitFor()
      const asked = know().getByRole('searchbox', { name: text.find.label })
      await asked.fill('Can you deliver to Berlin by Friday?')
      const found = know().getByRole('list', { name: text.find.title }).getByRole('listitem')
      await expect.poll(() => found.count()).toBe(2)
      await know().getByText('Your answers are short, so the bot gets all of them (3)', { exact: false }).waitFor()
      await found.nth(0).getByText('Do you deliver to Berlin?').waitFor()
      await found.nth(0).getByText('Used once in the last 30 days').waitFor()
      await found.nth(1).getByText('Not used in the last 30 days').waitFor()
      expect(await found.nth(0).locator('mark').allInnerTexts()).toEqual(['deliver', 'Berlin'])
      const scores = (await found.getByText(/^Score/).allInnerTexts()).map((said) => Number(said.replace('Score ', '')))
      expect(scores[0]).toBeGreaterThan(scores[1]!)
      await expectSound(page, 'bot-find')
      // Only saved answers are found.
      await row('Parcels')
        .getByRole('button', { name: text.know.removeThis.replace('{name}', 'Parcels') })
        .click()
      await know().getByText(text.find.unsaved).waitFor()
      expect(await found.count()).toBe(2)
      await page.getByRole('button', { name: text.discard, exact: true }).click()
      await asked.fill('Where is the zebra?')
      await know().getByText(text.find.none).waitFor()
      await expectSound(page, 'bot-find-none')
      await know().getByRole('status').getByRole('button', { name: text.know.add }).click()
      const dialog = page.getByRole('dialog', { name: text.know.new })
      expect(await dialog.getByLabel(text.know.title_.answer, { exact: true }).inputValue()).toBe('Where is the zebra?')
      await dialog.getByRole('button', { name: en.common.cancel }).click()
      const { faqEntries, knowledgeBase } = answers
      await ann.must<BotConfig>('PUT', '/ice/bot-config', { faqEntries, knowledgeBase })
    },
  )

  test.runIf(long)('facts that a customer told are shown next to the thread, and deleted with one press', async () => {
    await shop.play({ kind: 'dm', from: { name: 'Lena' }, text: 'My name is Lena. Do you deliver to Berlin?' })
    const { id } = await threadOf(ann, 'Lena')
    const remembered = async () => (await ann.must<{ data: Memory[] }>('GET', `/ice/memory?conversationId=${id}`)).data
    await eventually(async () => (await remembered()).length > 0)
    await visit(page, `${product.url}/app/w/${ann.workspaceId}/inbox?filter=all&id=${id}`)
    const panel = page.getByRole('region', { name: en.inbox.about })
    await panel.getByText(en.why.memory.keys.first_name, { exact: true }).waitFor()
    await expectSound(page, 'bot-memory')
    await panel.getByRole('button', { name: en.why.memory.delete.replace('{value}', 'Lena') }).click()
    await panel.getByText(en.why.memory.title, { exact: true }).waitFor({ state: 'detached' })
    await expect.poll(remembered).toEqual([])
  })

  test('the page reported no error', () => {
    expect(faults).toEqual([])
  })
})
