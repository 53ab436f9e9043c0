import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import type { OpenThread } from '../../src/conversations/threads/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { openInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { signIn, visit } from './story.ts'

// How customers are answered, and what the reviews say about the bot's confidence threshold.

const text = en.bot

describe.skipIf(!hasBrowser)('the figures of the bot', () => {
  const { product, sandbox, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  const faultsOf: string[][] = []

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
  })

  async function at(width = 1440, theme: Theme = 'light'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    faultsOf.push(faults)
    await signIn(page, ann)
    return page
  }
  const home = () => `${product.url}/app/w/${ann.workspaceId}/settings/bot`

  test.runIf(long)(
    'are empty without messages, then count replies, holds and reviews, each with an explanation',
    async () => {
      const page = await at()
      await visit(page, home())
      await page.getByRole('button', { name: text.figures.title }).click()
      await page.getByText(text.figures.none).waitFor()
      await expectSound(page, 'figures-none')
      const shop = await openInbox(ann, sandbox.url, 'u1931')
      await ann.must<BotConfig>('PUT', '/ice/bot-config', {
        isEnabled: true,
        faqEntries: [{ question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' }],
      })
      await shop.play({ kind: 'dm', from: { name: 'Ida' }, text: 'When are you open?' })
      await eventually(async () => (await threadOf(ann, 'Ida')).unansweredAt === null)
      await ann.must<BotConfig>('PUT', '/ice/bot-config', { maxConfidenceForAuto: 0.99 })
      await shop.play({ kind: 'dm', from: { name: 'Max' }, text: 'When are you open on Monday?' })
      const held = await eventually(async (): Promise<OpenThread | undefined> => {
        const thread = await threadOf(ann, 'Max')
        return thread.drafts.length > 0 ? thread : undefined
      })
      await ann.must('POST', `/ice/replies/${held.drafts[0]!.id}/approve`, {})
      await visit(page, home())
      await page.getByRole('button', { name: text.figures.title }).click()
      const figure = (name: string) =>
        page.locator('dl > div').filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
      await figure(text.figures.names.received).getByText('2', { exact: true }).waitFor()
      await figure(text.figures.names.automatedShare).getByText('50%', { exact: true }).waitFor()
      await figure(text.figures.names.approvedUnchanged).getByText('1', { exact: true }).waitFor()
      await figure(text.figures.names.automatedShare).getByText(text.figures.means.automatedShare).waitFor()
      const byDay = page.getByRole('region', { name: text.figures.byDay })
      await byDay.getByText(text.figures.asTable).click()
      await byDay.getByRole('row').nth(1).getByRole('cell', { name: '2' }).first().waitFor()
      await expectSound(page, 'figures')
    },
  )

  test.runIf(long)(
    'the sources of replies are a labelled bar and a table; the settings show the same below their summary',
    async () => {
      const words = text.figures.answered
      await ann.must<BotConfig>('PUT', '/ice/bot-config', { maxConfidenceForAuto: 0.99 })
      const play = await openInbox(ann, sandbox.url, 'u1932')
      for (const name of ['Kim', 'Lou'])
        await play.play({ kind: 'dm', from: { name }, text: 'When are you open on Friday?' })
      const { id } = await threadOf(ann, 'Kim')
      await ann.must('POST', `/conversations/${id}/messages`, { text: 'From nine.' })
      await threadOf(ann, 'Lou')
      const page = await at()
      await visit(page, home())
      const list = page.getByRole('list', { name: words.title })
      await expect
        .poll(() => list.getByRole('listitem').allInnerTexts())
        .toEqual(['33% bot', '33% approved drafts', '33% team'])
      await page.getByText('4 messages in 30 days').waitFor()
      await page.getByText('1 still without a reply').waitFor()
      if (long) await expectSound(page, 'bot-answered-bar')
      await page.getByRole('button', { name: text.figures.title }).click()
      const card = page.getByRole('region', { name: words.title })
      await card
        .getByText(
          '3 messages got a reply: 1 from the bot on its own, 1 from your team using the bot’s draft, and 1 from your team without the bot. 1 message has no reply yet.',
        )
        .waitFor()
      await card.getByText(text.figures.asTable).click()
      expect(await card.getByRole('row').allInnerTexts()).toEqual([
        [words.columns.who, words.columns.count, words.columns.share].join('\t'),
        [words.names.bot, '1', '33%'].join('\t'),
        [words.names.approved, '1', '33%'].join('\t'),
        [words.names.people, '1', '33%'].join('\t'),
      ])
      await expectSound(page, 'figures-answered')
    },
  )

  test.runIf(long)(
    'from 80 reviewed drafts a threshold is suggested, and an admin applies it with one press and saves',
    async () => {
      // Eighty drafts that people sent unchanged, and ten less certain ones that were wrong.
      await sql.query(
        `with one as (select * from draft_reply where workspace_id = $1 limit 1),
        made as (insert into decision (workspace_id, id, kind, thread_id, message_id, revision, state, verdict, facts, confidence, created_at, ended_at)
          select workspace_id, gen_random_uuid(), 'suggest', thread_id, message_id, revision, 'DONE', 'HELD', '{}',
            case when n > 80 then 0.5 else 0.86 end, decided_at, decided_at
          from one, generate_series(1, 90) n returning workspace_id, id, thread_id, message_id, revision, ended_at, confidence)
      insert into draft_reply (workspace_id, id, decision_id, thread_id, message_id, revision, state, text, reason, confidence, parts, threshold,
          decided_at, flag_reason)
        select workspace_id, gen_random_uuid(), id, thread_id, message_id, revision,
          case when confidence = 0.5 then 'FLAGGED' else 'APPROVED' end, 'Yes', 'confidence', confidence, '{}', 0.99, ended_at,
          case when confidence = 0.5 then 'wrong' end from made`,
        [ann.workspaceId],
      )
      const page = await at()
      await visit(page, home())
      const sure = page.getByRole('region', { name: text.sure.title })
      await sure.getByText(text.sure.suggested.replace('{degree}', '86%')).waitFor()
      await expectSound(page, 'bot-suggested-threshold')
      await sure.getByRole('button', { name: text.sure.use.replace('{degree}', '86%') }).click()
      await page.keyboard.press('Control+s')
      await page.getByText(text.saved).first().waitFor()
      expect(await ann.must<BotConfig>('GET', '/ice/bot-config')).toMatchObject({ maxConfidenceForAuto: 0.86 })
      await page.getByRole('button', { name: text.figures.title }).click()
      const bins = page.getByRole('region', { name: text.figures.reliability }).getByRole('listitem')
      await bins.filter({ hasText: '100% (80 of 80)' }).waitFor()
      await expectSound(page, 'figures-reliability')
    },
  )

  test.runIf(long)(
    'an experiment of two ways to reply is written, started, stopped and deleted; only one can run',
    async () => {
      const words = text.experiments
      const page = await at()
      await visit(page, `${product.url}/app/w/${ann.workspaceId}/settings/bot`)
      await page.getByRole('link', { name: en.settings.experiments }).click()
      await page.getByText(words.none).waitFor()
      await expectSound(page, 'experiments-none')
      await page.getByRole('button', { name: words.new }).click()
      const dialog = page.getByRole('dialog', { name: words.new })
      await dialog.getByLabel(words.name, { exact: true }).fill('Brief or warm')
      await dialog.getByRole('button', { name: en.common.save }).click()
      await dialog.getByText(words.same).waitFor()
      await dialog.getByRole('group', { name: words.b }).getByLabel(words.style).fill('warm')
      await expectSound(page, 'experiments-new')
      await dialog.getByRole('button', { name: en.common.save }).click()
      await dialog.waitFor({ state: 'detached' })
      await ann.must('POST', '/ice/experiments', { name: 'Other', variantA: { name: 'A' }, variantB: { name: 'B' } })
      const row = (name: string) =>
        page.getByRole('list', { name: words.title }).getByRole('listitem').filter({ hasText: name })
      await row('Brief or warm').getByRole('button', { name: words.start, exact: true }).click()
      await row('Brief or warm').getByText(words.states.RUNNING).waitFor()
      expect(await ann.must<BotConfig>('GET', '/ice/bot-config')).toMatchObject({ abTestingEnabled: true })
      await row('Other').getByRole('button', { name: words.start, exact: true }).click()
      await page.getByText(words.oneOnly).waitFor()
      await expectSound(page, 'experiments')
      await row('Brief or warm').getByRole('button', { name: words.stop, exact: true }).click()
      await row('Brief or warm').getByText(words.states.STOPPED).waitFor()
      await row('Other')
        .getByRole('button', { name: words.deleteThis.replace('{name}', 'Other') })
        .click()
      await row('Other').waitFor({ state: 'detached' })
    },
  )

  test.runIf(long)('they fit on a phone in Arabic', async () => {
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const phone = await at(390, 'dark')
    await visit(phone, home())
    await phone.getByRole('button', { name: ar.bot.figures.title }).click()
    await phone.getByText(ar.bot.figures.reliability).waitFor()
    await expectSound(phone, 'figures-phone')
    await visit(phone, `${product.url}/app/w/${ann.workspaceId}/settings/experiments`)
    await phone.getByText('Brief or warm').waitFor()
    await expectSound(phone, 'experiments-phone')
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test.runIf(long)('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})
