import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OpenThread } from '../../src/conversations/threads/api.ts'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { messagesAt, openInbox, type OpenedInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn, visit } from './story.ts'

// The bot in one conversation, as seen by the person who has set it up: it replies, hands over to a person, and stays
// silent.

const QUESTION = 'هل توصلون إلى برلين؟'
const ANSWER = 'نعم، نوصل إلى كل مكان في برلين.'
const REFUND = 'أريد استرداد المبلغ من فضلكم.'
const HANDOFF = 'سيرد عليك أحد الزملاء قريبًا.'

describe.skipIf(!hasBrowser)('a customer who writes in Arabic', () => {
  const { product, sandbox } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let shop: OpenedInbox
  let page: Page
  let faults: string[]

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    shop = await openInbox(ann, sandbox.url, 'u1951')
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, ann)
  })

  const at = (path: string) => `${product.url}/app/w/${ann.workspaceId}/${path}`
  const says = (text: string, from = 'نور') => shop.play({ kind: 'dm', from: { name: from }, text })
  const pane = () => page.getByRole('region', { name: en.inbox.opened })
  const sent = async () => (await messagesAt(sandbox.url, shop.account.externalId)).map(({ text }) => text)
  const until = (holds: (thread: OpenThread) => unknown, from = 'نور') =>
    eventually(async () => {
      const thread = await threadOf(ann, from)
      return holds(thread) ? thread : undefined
    })

  test('gets a reply, asks for a refund and reaches a person; the paused bot stays silent', async () => {
    const text = en.bot
    // A person switches the bot on, with one answer and one word that hands over to people.
    await visit(page, at('settings/bot'))
    await page.getByRole('radio', { name: new RegExp(`^${text.mode.on} `) }).check()
    const card = (title: string) => page.getByRole('region', { name: title })
    await card(text.know.title).getByRole('button', { name: text.know.add }).click()
    const dialog = page.getByRole('dialog', { name: text.know.new })
    await dialog.getByLabel(text.know.title_.answer, { exact: true }).fill(QUESTION)
    await dialog.getByLabel(text.know.text_.answer, { exact: true }).fill(ANSWER)
    await dialog.getByRole('button', { name: text.know.add }).click()
    await card(text.never.title).getByRole('textbox', { name: text.never.escalate }).fill('استرداد,')
    await card(text.voice.title).getByLabel(text.voice.handoff).fill(HANDOFF)
    await page.keyboard.press('Control+s')
    await page.getByText(text.saved).first().waitFor()

    // The customer asks, and gets the reply.
    await says(QUESTION)
    await visit(page, at('inbox?filter=all'))
    await page.getByRole('region', { name: en.inbox.list }).getByRole('link', { name: /نور/ }).click()
    await pane().getByText(ANSWER).waitFor()
    await pane().getByText(en.inbox.bot.sent).waitFor()
    await until(({ messages }) => messages.at(-1)?.delivery?.state === 'PUBLISHED')
    expect((await sent()).filter((one) => one === ANSWER)).toHaveLength(1)

    // The customer asks for a refund, is told that a person will answer, and waits in the escalated list.
    await says(REFUND)
    await pane().getByText(HANDOFF).waitFor()
    await until(({ status, messages }) => status === 'ESCALATED' && messages.at(-1)?.delivery?.state === 'PUBLISHED')
    await visit(page, at('inbox?filter=escalated'))
    await page.getByRole('region', { name: en.inbox.list }).getByRole('link', { name: /نور/ }).click()
    await pane().getByText(REFUND).waitFor()
    await expectSound(page, 'bot-story-escalated')
    await pane().getByRole('textbox').fill('أهلًا نور، أعدنا إليك المبلغ.')
    await page.keyboard.press('Control+Enter')
    await pane().getByText(en.inbox.delivery.sent, { exact: true }).last().waitFor()
    await until(({ messages }) => messages.at(-1)?.source === 'AGENT_MANUAL')
    expect((await sent()).filter((one) => one === HANDOFF)).toHaveLength(1)

    // The bot is paused in the whole workspace, and stays silent for a new customer too.
    await visit(page, at('settings/bot'))
    await page.getByRole('button', { name: text.pause.pause }).click()
    await page.getByText(text.pause.isPaused).waitFor()
    const before = (await sent()).length
    await says(QUESTION, 'سامي')
    const { id } = await until(
      ({ decisionLog }) => decisionLog?.some(({ outcome }) => outcome === 'paused everywhere'),
      'سامي',
    )
    await visit(page, at(`inbox?filter=all&id=${id}`))
    await pane().getByText(QUESTION).waitFor()
    await pane().getByRole('button', { name: en.why.suggest.decided }).click()
    const why = page.getByRole('dialog', { name: en.why.title })
    await why.getByText(en.why.verdicts.QUIET).waitFor()
    // The step at which the decision stopped.
    await why
      .getByRole('listitem')
      .filter({ hasText: en.why.steps.thread_state.paused_everywhere })
      .locator('.font-medium')
      .waitFor()
    await expectSound(page, 'bot-story-silent')
    await page.keyboard.press('Escape')
    // Only the person's reply has been sent since.
    expect(await sent()).toHaveLength(before + 1)
    expect(await pane().getByText(ANSWER).count()).toBe(0)

    // After it is resumed, the bot replies to the next question.
    await visit(page, at('settings/bot'))
    await page.getByRole('button', { name: text.pause.resume }).click()
    await page.getByText(text.pause.isPaused).waitFor({ state: 'detached' })
    await says(QUESTION, 'ليلى')
    await until(({ messages }) => messages.at(-1)?.source === 'BOT_AUTO', 'ليلى')
    expect(await ann.must<BotConfig>('GET', '/ice/bot-config')).toMatchObject({ isEnabled: true, paused: false })
    expect(faults).toEqual([])
  })
})
