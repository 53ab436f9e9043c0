import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import type { DraftReply } from '../../src/conversations/decisions/api.ts'
import type { OpenThread } from '../../src/conversations/threads/api.ts'
import type { AuditEntry } from '../../src/team/audit/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { markedBy } from '../../web/features/conversations/bot/why/facts.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { messagesAt, openInbox, type OpenedInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { signIn, visit } from './story.ts'

// The bot and people in one thread: what the bot holds and why, what a person does about it, and when the bot stays
// silent.

const text = en.inbox
const words = en.why

const FAQ = [
  { question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' },
  { question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' },
  { question: 'هل توصلون إلى برلين؟', answer: 'نعم، نوصل إلى كل مكان في برلين.' },
]

describe('the words of a question in a passage', () => {
  test.each([
    ['Do you sell oat milk?', 'We have oat milk and soy, and you can ask for both.', ['oat', 'milk']],
    ['Do you sell oats?', 'Oat milk, yes. Oats, no.', ['Oat', 'Oats']],
    ['How many cups?', 'One cup is enough for two.', ['cup']],
    ['Was kostet der Tee?', 'Der Tee kostet das, was er wert ist.', ['Tee', 'kostet']],
    ['كم سعر القهوة؟', 'سعر القهوة عشرة', ['سعر', 'القهوة']],
  ])('are highlighted from three letters, unless they are common: %s', (question, passage, found) => {
    const marked = markedBy(passage, question).flatMap((one) => (one.marked ? [one.piece] : []))
    expect(marked).toEqual(found)
  })
})

describe.skipIf(!hasBrowser)('the bot in a thread', () => {
  const { product, sandbox } = useProduct({ env: FAST })
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
    shop = await openInbox(ann, sandbox.url, 'u1901')
  })
  beforeEach(() => set({}))

  const set = (change: Partial<BotConfig>) =>
    ann.must<BotConfig>('PUT', '/ice/bot-config', {
      isEnabled: true,
      faqEntries: FAQ,
      maxConfidenceForAuto: 0.7,
      blockedTopics: [],
      draftsOnlyUntil: null,
      ...change,
    })

  /** Returns the page of a person, which stays open across the tests. */
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

  const home = (query = '') => `${product.url}/app/w/${ann.workspaceId}/inbox${query}`
  const write = async (who: string, message: string) => {
    await shop.play({ kind: 'dm', from: { name: who }, text: message })
    return (await threadOf(ann, who)).id
  }
  const thread = (id: string) => ann.must<OpenThread>('GET', `/conversations/${id}`)
  const until = (id: string, holds: (thread: OpenThread) => unknown) =>
    eventually(async () => {
      const found = await thread(id)
      return holds(found) ? found : undefined
    })
  /** Has a customer ask a question that the bot holds, because its confidence is too low. */
  async function held(who: string, message = 'When are you open on Monday?') {
    await set({ maxConfidenceForAuto: 0.99 })
    const id = await write(who, message)
    const { drafts } = await until(id, (found) => found.drafts.length > 0)
    return { id, draft: drafts[0]! }
  }
  const sent = async (message: string) =>
    (await messagesAt(sandbox.url, shop.account.externalId)).filter((one) => one.text === message)
  const list = (page: Page) => page.getByRole('region', { name: text.list })
  const pane = (page: Page) => page.getByRole('region', { name: text.opened })
  const card = (page: Page, title = words.draft.held) => page.getByRole('region', { name: title })
  const draftNow = (id: string) => ann.must<DraftReply>('GET', `/ice/replies/${id}`)

  test.runIf(long)(
    'a customer asks in Arabic and gets an automatic reply; the thread says that the bot sent it, and why',
    async () => {
      const page = await at(ann)
      const id = await write('نور', 'هل توصلون إلى برلين؟')
      await visit(page, home(`?filter=all&id=${id}`))
      await pane(page).getByText('نعم، نوصل إلى كل مكان في برلين.').waitFor()
      await pane(page).getByText(text.bot.sent).waitFor()
      await until(id, ({ messages }) => messages.at(-1)?.delivery?.state === 'PUBLISHED')
      expect(await sent('نعم، نوصل إلى كل مكان في برلين.')).toHaveLength(1)
      // One button leads to the decision.
      expect(await pane(page).getByRole('button', { name: words.suggest.decided }).count()).toBe(0)
      await pane(page).getByRole('button', { name: text.bot.why, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: words.title })
      await dialog.getByText(words.verdicts.SENT).waitFor()
      await dialog.getByText(words.steps.escalation_keyword.none).waitFor()
      await dialog.getByText(words.steps.classify.is.replace('{intent}', words.intents.question)).waitFor()
      await dialog.getByText('هل توصلون إلى برلين؟').first().waitFor()
      await dialog.getByText(words.considered).click()
      await dialog.getByText(/"maxConfidenceForAuto"/).waitFor()
      await dialog.getByRole('button', { name: words.replay.replay }).click()
      await dialog.getByText(words.replay.same).waitFor()
      await expectSound(page, 'bot-why')
      await page.keyboard.press('Escape')
    },
  )

  test.runIf(long)(
    'the AI history has what the bot asked for, with its cost and the way to the conversation',
    async () => {
      const page = await at(ann)
      const history = en.aiHistory
      await visit(page, `${product.url}/app/w/${ann.workspaceId}/settings/ai`)
      const line = page.getByRole('main').getByRole('listitem').filter({ hasText: 'هل توصلون إلى برلين؟' })
      await line.getByText(history.byBot, { exact: true }).waitFor()
      await line.getByText('1 credit', { exact: true }).waitFor()
      await expectSound(page, 'bot-history')
      await line.getByRole('link', { name: history.conversation }).click()
      await pane(page).getByText('هل توصلون إلى برلين؟').waitFor()
    },
  )

  test('a held reply shows its reason, also in the list; a key approves it, and it is sent once', async () => {
    const page = await at(ann)
    const { id, draft } = await held('Lena')
    await visit(page, home('?filter=review'))
    await list(page).getByRole('link', { name: 'Lena' }).waitFor()
    await list(page)
      .getByText(
        words.short.sure.replace('{degree}', `${Math.round(draft.confidence * 100)}%`).replace('{needed}', '99%'),
      )
      .waitFor()
    await list(page).getByRole('link', { name: 'Lena' }).click()
    await card(page).getByText('We are open from 9:00 to 18:00.').waitFor()
    await card(page).getByRole('button', { name: words.draft.why }).click()
    await card(page).getByText(words.steps.confidence.evidence.replace('{threshold}', '99%')).waitFor()
    await card(page).getByText('When are you open?').waitFor()
    await expectSound(page, 'bot-draft')
    await page.keyboard.press('Shift+A')
    await card(page).waitFor({ state: 'detached' })
    await pane(page).getByText(text.bot.drafted).waitFor()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await sent('We are open from 9:00 to 18:00.')).toHaveLength(1)
    expect(await draftNow(draft.id)).toMatchObject({ state: 'APPROVED', sentText: null })
    // Approving does not pause the bot.
    expect(await thread(id)).toMatchObject({ botPausedAt: null, held: null })
  })

  test.runIf(long)('a held reply is sent as edited; another one is flagged with a reason and never sent', async () => {
    const page = await at(ann)
    const first = await held('Mia')
    await visit(page, home(`?filter=all&id=${first.id}`))
    await card(page).getByText(first.draft.text).waitFor()
    await page.keyboard.press('Shift+E')
    await card(page).getByLabel(words.draft.text).fill('We are open until six.')
    await page.keyboard.press('Control+Enter')
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await sent('We are open until six.')).toHaveLength(1)
    expect(await draftNow(first.draft.id)).toMatchObject({ state: 'APPROVED', sentText: 'We are open until six.' })

    const second = await held('Nils', 'When are you open on Sunday?')
    await visit(page, home(`?filter=all&id=${second.id}`))
    await card(page).getByText(second.draft.text).waitFor()
    await page.keyboard.press('Shift+F')
    const dialog = page.getByRole('dialog', { name: words.draft.flagging.title })
    await dialog.getByLabel(words.draft.flagging.reasons.unsafe).check()
    await dialog.getByLabel(words.draft.flagging.note).fill('We are closed on Sundays.')
    await expectSound(page, 'bot-flag')
    await dialog.getByRole('button', { name: words.draft.flagging.flag }).click()
    await dialog.waitFor({ state: 'detached' })
    await card(page).waitFor({ state: 'detached' })
    expect(await draftNow(second.draft.id)).toMatchObject({
      state: 'FLAGGED',
      flag: { reason: 'unsafe', note: 'We are closed on Sundays.' },
    })
    expect(await thread(second.id)).toMatchObject({ unansweredAt: expect.any(String) })
  })

  test('the edited text of a draft moves into the reply when the customer writes again', async () => {
    const page = await at(ann)
    const { id, draft } = await held('Pia')
    await visit(page, home(`?filter=all&id=${id}`))
    await card(page).getByText(draft.text).waitFor()
    const field = card(page).getByRole('textbox', { name: words.draft.text })
    const isFocused = (element: Element) => element === document.activeElement
    // Escape closes the editor only while nothing was changed.
    await page.keyboard.press('Shift+E')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await card(page).getByRole('button', { name: words.draft.edit, exact: true }).evaluate(isFocused)).toBe(true)
    await page.keyboard.press('Shift+E')
    await field.fill('We open at nine.')
    await page.keyboard.press('Escape')
    expect(await field.inputValue()).toBe('We open at nine.')
    const reply = pane(page).getByLabel(text.replyTo.replace('{name}', 'Pia'))
    await reply.fill('Hello Pia!')
    // The text is still there after a look at another thread, where a key must not send the text of the bot.
    await visit(page, home('?filter=all'))
    await visit(page, home(`?filter=all&id=${id}`))
    expect(await field.inputValue()).toBe('We open at nine.')
    await page.keyboard.press('Shift+A')
    await page.keyboard.press('Shift+E')
    expect(await field.evaluate(isFocused)).toBe(true)
    expect(await draftNow(draft.id)).toMatchObject({ state: 'PENDING_REVIEW' })
    await write('Pia', 'When are you open on Sunday?')
    await page.getByText(text.movedEdit.wroteAgain.replace('{name}', 'Pia')).waitFor()
    expect(await reply.inputValue()).toBe('Hello Pia!\n\nWe open at nine.')
    await expect.poll(() => reply.evaluate(isFocused)).toBe(true)
    await reply.fill('')
  })

  test.runIf(long)('a draft that a colleague has decided says so, and nothing is sent twice', async () => {
    const page = await at(ann)
    const { id, draft } = await held('Olga', 'When are you open on Friday?')
    await visit(page, home(`?filter=all&id=${id}`))
    await card(page).getByText(draft.text).waitFor()
    await page.route(`**/conversations/${id}`, (route) => route.abort())
    await ben.must('POST', `/ice/replies/${draft.id}/approve`, { text: 'From nine, every day.' })
    await card(page).getByRole('button', { name: words.draft.approve }).click()
    await page.getByText(words.draft.problems.APPROVED).waitFor()
    await page.unroute(`**/conversations/${id}`)
    await card(page).waitFor({ state: 'detached' })
    await until(id, ({ messages }) => messages.at(-1)?.delivery?.state === 'PUBLISHED')
    expect(await sent('From nine, every day.')).toHaveLength(1)
  })

  test.runIf(long)(
    'a blocked topic has no draft and says so; a reply can be suggested, with its price shown first',
    async () => {
      await set({ blockedTopics: ['wholesale'] })
      const page = await at(ann)
      const id = await write('Tomás', 'Is there a wholesale price when you are open?')
      await until(id, ({ held: reason }) => reason?.reason === 'blocked_topic')
      await visit(page, home(`?filter=all&id=${id}`))
      await list(page).getByText(words.short.blocked_topic).first().waitFor()
      await pane(page).getByText(words.holds.blocked_topic).waitFor()
      await expectSound(page, 'bot-blocked')
      await set({ blockedTopics: [] })
      const other = await write('Uma', 'hello, when are you open?')
      await until(other, ({ messages }) => messages.length > 1)
      await ann.must('POST', `/conversations/${other}/bot`, { paused: true })
      await write('Uma', 'Do you deliver to Berlin?')
      await visit(page, home(`?filter=all&id=${other}`))
      const suggest = pane(page).getByRole('button', { name: words.suggest.ask })
      await suggest.waitFor()
      await pane(page).getByText('1 credit', { exact: true }).waitFor()
      await suggest.click()
      await card(page, words.draft.suggested).getByText('Yes, we deliver everywhere in Berlin.').waitFor()
      await expectSound(page, 'bot-suggested')
    },
  )

  test.runIf(long)('the bot can be paused in a thread, stays silent, and can be resumed', async () => {
    const page = await at(ann)
    const id = await write('Vera', 'Do you deliver to Berlin?')
    // Wait for the delivery, because a pause withdraws a reply that is not at the network yet.
    await until(id, ({ messages }) => messages.at(-1)?.delivery?.state === 'PUBLISHED')
    await visit(page, home(`?filter=all&id=${id}`))
    await pane(page).getByRole('button', { name: words.here.pause }).click()
    await pane(page).getByText(words.here.paused).waitFor()
    await expect.poll(async () => (await thread(id)).botPausedAt).not.toBeNull()
    await write('Vera', 'When are you open?')
    await until(id, ({ decisionLog }) => decisionLog?.some(({ outcome }) => outcome === 'paused'))
    expect((await thread(id)).messages.filter(({ source }) => source === 'BOT_AUTO')).toHaveLength(1)
    await pane(page).getByRole('button', { name: words.here.resume }).click()
    await expect.poll(async () => (await thread(id)).botPausedAt).toBeNull()
  })

  test.runIf(long)(
    'a client sees nothing of the bot, a viewer reads it, and it fits on a phone in Arabic',
    async () => {
      const { id, draft } = await held('Yara', 'When are you open on Tuesday?')
      const clara = await at(await join(ann, 'Clara', 'CLIENT'))
      await visit(clara, home(`?filter=all&id=${id}`))
      await pane(clara).getByText('When are you open on Tuesday?').waitFor()
      expect(await clara.locator('[data-draft]').count()).toBe(0)
      expect(await pane(clara).getByText(draft.text).count()).toBe(0)
      const vic = await at(await join(ann, 'Vic', 'VIEWER'))
      await visit(vic, home(`?filter=all&id=${id}`))
      await card(vic).getByText(draft.text).waitFor()
      expect(await card(vic).getByRole('button').allInnerTexts()).toEqual([words.draft.why])
      await ben.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const phone = await at(ben, 390, 'dark')
      await visit(phone, home(`?filter=all&id=${id}`))
      await card(phone, ar.why.draft.held).getByRole('button', { name: ar.why.draft.why }).click()
      await card(phone, ar.why.draft.held)
        .getByText(ar.why.steps.confidence.evidence.replace('{threshold}', '99\u200e%\u200e'))
        .waitFor()
      await expectSound(phone, 'bot-draft-phone')
      await ben.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    },
  )

  test.runIf(long)(
    'held drafts are reviewed one after another with keys; one that a colleague decided says so, and the end is shown',
    async () => {
      await set({ maxConfidenceForAuto: 0.99 })
      const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
      const ids = await Promise.all(days.map((day) => write(`Guest ${day}`, `When are you open on ${day}?`)))
      await Promise.all(ids.map((id) => until(id, ({ drafts }) => drafts.length > 0)))
      const waiting = async () =>
        (await ann.must<{ data: DraftReply[] }>('GET', '/ice/replies?state=PENDING_REVIEW&limit=100')).data
      const all = await waiting()
      const page = await at(ann)
      await visit(page, home('?filter=review'))
      await page.getByRole('link', { name: words.review.start }).click()
      const drafts = page.getByRole('region', { name: words.review.list }).getByRole('button')
      await expect.poll(() => drafts.count()).toBe(all.length)
      await expectSound(page, 'bot-review')
      // A colleague decides the last draft of the list first.
      const [taken] = all.slice(0, 1)
      await drafts.last().click()
      await page.getByRole('article', { name: taken!.customer }).waitFor()
      await page.route('**/ice/replies?*', (route) => route.abort())
      await ben.must('POST', `/ice/replies/${taken!.id}/flag`, { reason: 'wrong' })
      await page.keyboard.press('Shift+A')
      await page.getByRole('alert').getByText(words.draft.problems.FLAGGED).waitFor()
      await page.unroute('**/ice/replies?*')
      await page.keyboard.press('Shift+E')
      await page.getByLabel(words.draft.text).fill('Every evening until six.')
      await page.keyboard.press('Control+Enter')
      await page.getByText(words.review.done.replace(/.*one \{# (\w+)\}.*/, '1 $1')).waitFor()
      for (let left = all.length - 2; left > 0; left -= 1) {
        await expect.poll(() => drafts.count()).toBe(left)
        await page.keyboard.press('Shift+A')
      }
      await page.getByText(words.review.none).waitFor()
      await expect.poll(async () => (await waiting()).length).toBe(0)
      await eventually(async () => (await sent('Every evening until six.')).length === 1)
      await expectSound(page, 'bot-review-none')
    },
  )

  test.runIf(long)(
    'the history names who replied: the bot, a person, or someone in the app of the network',
    async () => {
      const isSent = ({ messages }: OpenThread) => messages.at(-1)?.delivery?.state === 'PUBLISHED'
      const asked = await write('Nadia', 'Do you deliver to Berlin?')
      await until(asked, isSent)
      await ben.must('POST', `/conversations/${asked}/messages`, { text: 'On Mondays too.' })
      await until(asked, isSent)
      const comment = { kind: 'comment', postId: shop.postId }
      const { id } = await shop.play({ ...comment, from: { name: 'Omar' }, text: 'Lovely!' })
      const from = { id: shop.account.externalId, name: 'the shop' }
      await shop.play({ ...comment, from, text: 'Thank you!', parentId: id })
      const sent = () => ann.must<{ data: AuditEntry[] }>('GET', '/audit?action=message.sent&limit=3')
      await eventually(async () => (await sent()).data[0]?.detail['by'] === 'network')
      expect((await sent()).data.map(({ actor }) => [actor.kind, actor.name])).toEqual([
        ['system', 'Network app'],
        ['user', 'Ben'],
        ['system', 'Bot'],
      ])
      const [, his] = (await ann.must<{ data: AuditEntry[] }>('GET', `/audit?actorId=${ben.session.user.id}`)).data
      expect(his?.action).toBe('message.written')
      for (const [language, { audit }] of [
        ['en', en],
        ['ar', ar],
      ] as const) {
        await ann.must('PATCH', '/api/v1/auth/me', { language })
        const page = await at(ann)
        await visit(page, `${product.url}/app/w/${ann.workspaceId}/settings/audit`)
        await page.locator(`html[lang=${language}]`).waitFor()
        const lines = page.getByRole('listitem').filter({ hasText: audit.actions.message.sent })
        await lines.first().getByText(audit.by.network, { exact: true }).waitFor()
        await lines.nth(1).getByText('Ben', { exact: true }).waitFor()
        await lines.nth(2).getByText(audit.by.bot, { exact: true }).waitFor()
        if (language === 'en') await expectSound(page, 'history-replies')
      }
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    },
  )

  test('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})
