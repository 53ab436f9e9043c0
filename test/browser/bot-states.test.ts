import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import { RULES_VERSION } from '../../src/conversations/bot/decide.ts'
import type { OpenThread } from '../../src/conversations/threads/api.ts'
import type { Usage } from '../../src/team/plans/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { behave } from '../ai.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { openInbox, type OpenedInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { signIn, visit } from './story.ts'

// What the screens of the bot show when it cannot work, without credits, model or feature, and when a decision cannot
// be repeated exactly.

const text = en.bot
const words = en.why

const FAQ = [
  { question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' },
  { question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' },
]
const SCREENS = ['settings/bot', 'settings/experiments', 'inbox/review']

describe.skipIf(!hasBrowser)('a bot that cannot work', () => {
  const { product, sandbox, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let ben: Person
  let shop: OpenedInbox
  const opened = new Map<string, Page>()
  const faultsOf: string[][] = []

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    ben = await join(ann, 'Ben', 'EDITOR')
    shop = await openInbox(ann, sandbox.url, 'u1941')
  })
  beforeEach(() => set({}))

  const set = (change: Partial<BotConfig>) =>
    ann.must<BotConfig>('PUT', '/ice/bot-config', {
      isEnabled: true,
      faqEntries: FAQ,
      maxConfidenceForAuto: 0.7,
      ...change,
    })

  async function at(person: Person, width = 1440, theme: Theme = 'light'): Promise<Page> {
    const name = [person.session.user.id, width, theme].join(' ')
    const open = opened.get(name)
    if (open) return open
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    opened.set(name, page)
    faultsOf.push(faults)
    await signIn(page, person)
    return page
  }
  const at_ = (path: string) => `${product.url}/app/w/${ann.workspaceId}/${path}`
  const write = async (who: string, message: string) => {
    await shop.play({ kind: 'dm', from: { name: who }, text: message })
    return (await threadOf(ann, who)).id
  }
  const until = (id: string, holds: (thread: OpenThread) => unknown) =>
    eventually(async () => {
      const found = await ann.must<OpenThread>('GET', `/conversations/${id}`)
      return holds(found) ? found : undefined
    })
  const pane = (page: Page) => page.getByRole('region', { name: en.inbox.opened })
  const used = async () =>
    (await ann.must<{ data: Usage[] }>('GET', '/billing/usage')).data.find(({ quota }) => quota === 'ai_credits')
      ?.used ?? 0
  const allow = (amount: number) =>
    sql.query(`update plan_quota set amount = $1 where plan_id = 'business' and quota_id = 'ai_credits'`, [amount])

  test.runIf(long)(
    'without credits, the settings and a thread explain why no reply came, and nothing that costs credits can be requested',
    async () => {
      const page = await at(ann)
      // This page was opened before the last credit was used.
      await visit(page, at_('settings/bot'))
      await page.getByRole('button', { name: text.try.title }).click()
      await page.getByLabel(text.try.text).fill('Do you deliver to Berlin?')
      const { rows } = await sql.query(
        `select amount from plan_quota where plan_id = 'business' and quota_id = 'ai_credits'`,
      )
      await allow(await used())
      try {
        // The name of the disabled button includes the reason.
        const run = page.getByRole('button', { name: new RegExp(`^${text.try.run}`) })
        await run.click()
        await page.getByText(text.unable.full, { exact: false }).waitFor()
        await expect.poll(() => run.getAttribute('aria-disabled')).toBe('true')
        expect(await page.getByLabel(text.try.text).inputValue()).toBe('Do you deliver to Berlin?')
        await page.getByRole('link', { name: en.states.seePlan }).first().waitFor()
        await expectSound(page, 'bot-no-credits')
        await page.getByRole('button', { name: text.try.back }).click()

        const id = await write('Ida', 'Do you deliver to Berlin?')
        await until(id, ({ held }) => held?.reason === 'no_credits')
        await visit(page, at_(`inbox?filter=review&id=${id}`))
        await page.getByRole('region', { name: en.inbox.list }).getByText(words.short.no_credits).waitFor()
        await pane(page).getByText(words.holds.no_credits).waitFor()
        const suggest = pane(page).getByRole('button', { name: new RegExp(`^${words.suggest.ask}`) })
        expect(await suggest.getAttribute('aria-disabled')).toBe('true')
        await pane(page).getByRole('status').getByText('You’ve used all your AI credits', { exact: false }).waitFor()
        await expectSound(page, 'bot-no-credits-thread')
        // The bot still asks the model what a message is about, which is free, but writes no reply.
        await pane(page).getByRole('button', { name: words.suggest.why }).click()
        await page
          .getByRole('dialog', { name: words.title })
          .getByText(words.steps.credits.no_credits, { exact: true })
          .waitFor()
        await page.keyboard.press('Escape')
      } finally {
        await allow((rows[0] as { amount: number }).amount)
      }
    },
  )

  test.runIf(long)('a model that fails leaves the message to people, and a test with it costs nothing', async () => {
    const page = await at(ann)
    await behave(product.url, { answer: 'refusal' })
    try {
      const id = await write('Max', 'When are you open?')
      await until(id, ({ held }) => held?.reason === 'ai_failed')
      await visit(page, at_(`inbox?filter=review&id=${id}`))
      await pane(page).getByText(words.holds.ai_failed).waitFor()
      await visit(page, at_('settings/bot'))
      await page.getByRole('button', { name: text.try.title }).click()
      await page.getByLabel(text.try.text).fill('When are you open?')
      await page.getByRole('button', { name: text.try.run, exact: true }).click()
      const result = page.getByRole('region', { name: text.try.result })
      await result.getByText(`${text.try.outcomes.HELD}: ${words.short.ai_failed}`).waitFor()
      await result.getByText('Cost: 0 credits').waitFor()
      await expectSound(page, 'bot-model-failed')
    } finally {
      await behave(product.url, {})
    }
  })

  /** Returns the decision that answered a customer, and its thread. */
  async function answered(who: string) {
    const id = await write(who, 'Do you deliver to Berlin?')
    const { messages } = await until(id, ({ messages: all }) => all.at(-1)?.delivery?.state === 'PUBLISHED')
    return { id, decisionId: messages.at(-1)!.decisionId! }
  }
  async function openWhy(page: Page, id: string) {
    await visit(page, at_(`inbox?filter=all&id=${id}`))
    await pane(page).getByRole('button', { name: en.inbox.bot.why, exact: true }).first().click()
    return page.getByRole('dialog', { name: words.title })
  }
  /** Stores an outcome of a step that differs from the one of the facts. */
  const spoil = (decisionId: string, version: number) =>
    sql.query(
      `update decision set rules_version = $3, log = (select jsonb_agg(case when e ->> 'step' = 'confidence'
          then e || '{"outcome": "0.2 < 0.7"}' else e end order by n) from jsonb_array_elements(log) with ordinality x (e, n))
        where workspace_id = $1 and id = $2`,
      [ann.workspaceId, decisionId, version],
    )

  test.runIf(long)(
    'a replay says whether the rules are newer or the record was changed, and shows each step then and today',
    async () => {
      const page = await at(ann)
      const newer = await answered('Nora')
      await spoil(newer.decisionId, 1)
      const dialog = await openWhy(page, newer.id)
      await dialog.getByRole('button', { name: words.replay.replay }).click()
      await dialog
        .getByText(
          words.replay.differs.replace('{version, number}', String(RULES_VERSION)).replace('{before, number}', '1'),
        )
        .waitFor()
      const row = dialog.getByRole('row').nth(1).getByRole('cell')
      await row.nth(0).getByText('20%', { exact: false }).waitFor()
      await row
        .nth(1)
        .getByText(words.steps.confidence.enough.replace('{threshold}', '70%'), { exact: false })
        .waitFor()
      await expectSound(page, 'bot-replay-differs')
      await page.keyboard.press('Escape')

      const changed = await answered('Otto')
      await spoil(changed.decisionId, RULES_VERSION)
      const other = await openWhy(page, changed.id)
      await other.getByRole('button', { name: words.replay.replay }).click()
      await other.getByText(words.replay.changed).waitFor()
      expect(await other.getByText('Today’s rules').count()).toBe(0)
      await page.keyboard.press('Escape')

      await ben.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const phone = await at(ben, 320, 'dark')
      await visit(phone, at_(`inbox?filter=all&id=${newer.id}`))
      await phone.getByRole('button', { name: ar.inbox.bot.why, exact: true }).first().click()
      const sheet = phone.getByRole('dialog', { name: ar.why.title })
      await sheet.getByRole('button', { name: ar.why.replay.replay }).click()
      await sheet.getByText(`${ar.why.replay.today}:`).waitFor()
      await expectSound(phone, 'bot-replay-differs-phone')
      await phone.keyboard.press('Escape')
      await ben.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    },
  )

  test('for an erased customer, the verdict and the cost stay, no step is shown, and the decision cannot be replayed', async () => {
    const page = await at(ann)
    const { id } = await answered('Rosa')
    const { customer } = await ann.must<OpenThread>('GET', `/conversations/${id}`)
    await ann.must('DELETE', `/audience/${customer!.id}`)
    await until(id, (thread) => thread.customer?.erased)
    const dialog = await openWhy(page, id)
    await dialog.getByText(words.verdicts.SENT).waitFor()
    await dialog.getByText(words.stepsErased).waitFor()
    // Steps without an outcome are not shown.
    expect(await dialog.getByRole('listitem').count()).toBe(0)
    await dialog.getByText(words.considered).click()
    await dialog.getByText(words.erased).waitFor()
    expect(await dialog.locator('pre').count()).toBe(0)
    await dialog.getByRole('button', { name: words.replay.replay }).click()
    await dialog.getByText(words.replay.redacted).waitFor()
    expect(await dialog.getByText('Berlin').count()).toBe(0)
    await expectSound(page, 'bot-erased')
    await page.keyboard.press('Escape')
  })

  test.runIf(long)('after 180 days the steps stay, and the reason for the missing rest is shown', async () => {
    const page = await at(ann)
    const { id, decisionId } = await answered('Sven')
    // The record after the regular clean-up.
    await sql.query(
      `update decision set facts = '{}', reply = null, sources = '[]', knowledge_hash = null, erased_at = now() where workspace_id = $1 and id = $2`,
      [ann.workspaceId, decisionId],
    )
    const dialog = await openWhy(page, id)
    await dialog.getByText(words.steps.escalation_keyword.none).waitFor()
    await dialog.getByText(words.considered).click()
    await dialog.getByText(words.expired).waitFor()
    expect(await dialog.getByText(words.erased).count()).toBe(0)
    await dialog.getByRole('button', { name: words.replay.replay }).click()
    await dialog.getByText(words.replay.redacted).waitFor()
    await page.keyboard.press('Escape')
  })

  test.runIf(long)(
    'if the plan lacks the bot, each screen names the missing feature and the plans that have it',
    async () => {
      const plan = (id: string) =>
        sql.query('update subscription set plan_id = $2 where workspace_id = $1', [ann.workspaceId, id])
      await plan('free')
      try {
        const page = await at(ann)
        const bens = await at(ben)
        const missing = en.states.feature.replace('{feature}', en.states.features.auto_reply)
        for (const screen of SCREENS) {
          await visit(page, at_(screen))
          await page.getByRole('alert').getByText(missing).waitFor()
          await page.getByRole('alert').getByText('Available in: Pro and Business.').waitFor()
          await page.getByRole('main').getByRole('link', { name: en.settings.plan }).last().waitFor()
          await visit(bens, at_(screen))
          await bens.getByRole('alert').getByText(missing).waitFor()
        }
        await expectSound(page, 'bot-not-in-plan')
      } finally {
        await plan('business')
      }
    },
  )

  test('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('if no model is set up', () => {
  const { product } = useProduct({ env: { SANDBOX: 'off', DEFAULT_PLAN: 'business' }, own: true })
  const browser = useBrowser()

  test.runIf(long)(
    'the settings say that the bot leaves everything to people, and nothing can be tested; an older page learns it from the answer',
    async () => {
      const ann = await newPerson(product.url, 'Ann')
      await ann.must<BotConfig>('PUT', '/ice/bot-config', { isEnabled: true, faqEntries: FAQ })
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      const { page, faults } = await openPage(context)
      await signIn(page, ann)
      const home = `${product.url}/app/w/${ann.workspaceId}/settings/bot`
      await visit(page, home)
      await page.getByText(text.unable.unset).waitFor()
      await page.getByRole('button', { name: text.try.title }).click()
      const run = page.getByRole('button', { name: new RegExp(`^${text.try.run}`) })
      await page.getByRole('status').getByText(en.problems.ai_not_configured).waitFor()
      expect(await run.getAttribute('aria-disabled')).toBe('true')
      expect(await page.getByRole('link', { name: en.states.seePlan }).count()).toBe(0)
      await expectSound(page, 'bot-no-model')
      // A page that was opened while there was a model.
      await page.route('**/config', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...((await response.json()) as object), ai: true } })
      })
      await page.goto(home)
      await page.getByRole('button', { name: text.try.title }).click()
      await page.getByLabel(text.try.text).fill('Do you deliver to Berlin?')
      await run.click()
      await page.getByRole('alert').getByText(en.problems.ai_not_configured).waitFor()
      expect(await page.getByLabel(text.try.text).inputValue()).toBe('Do you deliver to Berlin?')
      expect(faults).toEqual([])
    },
  )
})
