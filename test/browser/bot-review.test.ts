import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OpenThread } from '../../src/conversations/threads/api.ts'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import type { DraftReply } from '../../src/conversations/decisions/api.ts'
import type { ReplyExperiment } from '../../src/conversations/experiments/api.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { sampledId } from '../tenant.ts'
import { long } from '../tier.ts'
import { messagesAt, openInbox, type OpenedInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn, visit } from './story.ts'

// Many drafts are decided with the keyboard alone, and people who may only read see each screen of the bot without
// actions.

const text = en.bot
const words = en.why

/** The number of guests. Each of them asks once. */
const GUESTS = 30
/** The drafts that are edited; all others that are not flagged are approved unchanged. */
const EDITED = new Set([4, 15, 26])
const FLAGGED = new Set([7, 18, 29])
/** One key decides a draft. An edited one needs another to be sent, and a flagged one two more to choose the reason. */
const PRESSES = GUESTS + EDITED.size + 2 * FLAGGED.size

describe.skipIf(!hasBrowser)('people who work with the bot', () => {
  const { product, sandbox, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let shop: OpenedInbox
  const faultsOf: string[][] = []

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    shop = await openInbox(ann, sandbox.url, 'u1961')
    await ann.must<BotConfig>('PUT', '/ice/bot-config', {
      isEnabled: true,
      maxConfidenceForAuto: 0.99,
      faqEntries: [{ question: 'When are you open?', answer: 'We are open from 9:00 to 18:00.' }],
    })
  })

  async function at(person: Person): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const { page, faults } = await openPage(context)
    faultsOf.push(faults)
    await signIn(page, person)
    return page
  }
  const home = (path: string) => `${product.url}/app/w/${ann.workspaceId}/${path}`
  const drafts = async (state: DraftReply['state']) =>
    (await ann.must<{ data: DraftReply[] }>('GET', `/ice/replies?limit=100&state=${state}`)).data
  const ask = (who: string) => shop.play({ kind: 'dm', from: { name: who }, text: 'When are you open on Monday?' })

  test.runIf(long)(
    `${GUESTS} drafts are decided with ${PRESSES} key presses, not counting the edited text`,
    async () => {
      for (let guest = 1; guest <= GUESTS; guest += 1) await ask(`Guest ${guest}`)
      await eventually(async () => (await drafts('PENDING_REVIEW')).length === GUESTS)
      const page = await at(ann)
      await visit(page, home('inbox/review'))
      const list = page.getByRole('region', { name: words.review.list }).getByRole('button')
      await expect.poll(() => list.count()).toBe(GUESTS)
      // Single keys, which assign and close a conversation in the inbox, decide nothing here.
      for (const key of ['a', 'e', 'f']) await page.keyboard.press(key)
      await page.keyboard.press('Shift+?')
      const sheet = page.getByRole('dialog', { name: en.keys.title })
      await sheet.getByText(en.keys.acts.approveDraft).waitFor()
      expect((await sheet.locator('kbd').allTextContents()).join(' ')).toMatch(/^⇧ A ⇧ E ⇧ F J K/)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      expect(await list.count()).toBe(GUESTS)
      let presses = 0
      const press = async (key: string) => {
        presses += 1
        await page.keyboard.press(key)
      }
      for (let at_ = 1; at_ <= GUESTS; at_ += 1) {
        if (EDITED.has(at_)) {
          await press('Shift+E')
          await page.getByLabel(words.draft.text).and(page.locator(':focus')).waitFor()
          await page.keyboard.type(' See you.')
          await press('Control+Enter')
        } else if (FLAGGED.has(at_)) {
          await press('Shift+F')
          await page.getByRole('radio', { checked: true }).and(page.locator(':focus')).waitFor()
          await press('ArrowDown')
          await press('Enter')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
        } else await press('Shift+A')
        // The next draft appears at once, with the focus where keys decide about it.
        await expect.poll(() => list.count()).toBe(GUESTS - at_)
      }
      expect(presses).toBe(PRESSES)
      await page.getByText(words.review.none).waitFor()
      await eventually(async () => (await drafts('PENDING_REVIEW')).length === 0)
      const approved = await drafts('APPROVED')
      expect(approved).toHaveLength(GUESTS - FLAGGED.size)
      expect(approved.filter(({ sentText }) => sentText?.endsWith(' See you.'))).toHaveLength(EDITED.size)
      expect((await drafts('FLAGGED')).map(({ flag }) => flag?.reason)).toEqual(
        Array.from({ length: FLAGGED.size }, () => 'unsafe'),
      )
      const sent = async () =>
        (await messagesAt(sandbox.url, shop.account.externalId)).filter(({ text: said }) =>
          said.startsWith('We are open'),
        )
      await eventually(async () => (await sent()).length === GUESTS - FLAGGED.size)
    },
  )

  test('drafts are reviewed oldest first and page by page; a refused edit comes back, and a colleague decides elsewhere', async () => {
    const names = ['Ali', 'Bea', 'Cem', 'Dan']
    for (const name of names) {
      await ask(name)
      await eventually(async () => (await drafts('PENDING_REVIEW')).some(({ customer }) => customer === name))
    }
    const page = await at(ann)
    // Two drafts a page.
    await page.route(/\/ice\/replies\?/, (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=2') }),
    )
    await visit(page, home('inbox/review'))
    const list = page.getByRole('region', { name: words.review.list }).getByRole('button')
    await expect.poll(() => list.locator('bdi').allTextContents()).toEqual(names)
    const heading = (name: string) => page.getByRole('heading', { name })
    const edited = page.getByLabel(words.draft.text)
    await heading('Ali').waitFor()
    await page.keyboard.press('Shift+A')
    await heading('Bea').and(page.locator(':focus')).waitFor()

    await page.route(/\/ice\/replies\/[^/]+\/approve/, (route) => route.abort(), { times: 1 })
    await page.keyboard.press('Shift+E')
    await edited.and(page.locator(':focus')).waitFor()
    await page.keyboard.type(' See you.')
    await page.keyboard.press('Control+Enter')
    await heading('Cem').waitFor()
    await page.getByRole('alert').getByText('Bea').waitFor()
    await list.filter({ hasText: 'Bea' }).click()
    expect(await edited.inputValue()).toMatch(/ See you\.$/)

    const bea = (await drafts('PENDING_REVIEW')).find(({ customer }) => customer === 'Bea')
    await ann.must('POST', `/ice/replies/${bea!.id}/approve`, {})
    await page.getByRole('alert').getByText(words.draft.problems.APPROVED).waitFor()
    await heading('Bea').waitFor()
    expect(await edited.inputValue()).toMatch(/ See you\.$/)
    if (long) await expectSound(page, 'bot-review-gone')
    await page.getByRole('button', { name: words.review.next }).click()
    await heading('Cem').and(page.locator(':focus')).waitFor()
    for (const name of ['Dan', null]) {
      await page.keyboard.press('Shift+A')
      await (name ? heading(name) : page.getByText(words.review.none)).waitFor()
    }
    await eventually(async () => (await drafts('PENDING_REVIEW')).length === 0)
  })

  test.runIf(long)('a viewer reads each screen of the bot, and no key or button decides anything', async () => {
    await ask('Vera')
    const draft = await eventually(async () => (await drafts('PENDING_REVIEW'))[0])
    await ann.must<ReplyExperiment>('POST', '/ice/experiments', {
      name: 'Brief or warm',
      variantA: { name: 'Brief' },
      variantB: { name: 'Warm', style: 'warm' },
    })
    const page = await at(await join(ann, 'Vic', 'VIEWER'))
    const main = page.getByRole('main')
    await visit(page, home('settings/bot'))
    await page.getByText(text.readOnly).waitFor()
    for (const name of [text.save, text.try.title, text.pause.pause, text.know.add, text.know.import])
      expect([name, await main.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
    for (const control of await main.locator('input:not([type=search]), textarea').all())
      expect(await control.evaluate((one: HTMLInputElement) => one.disabled || one.readOnly)).toBe(true)
    await page.getByRole('searchbox', { name: text.find.label }).fill('When are you open?')
    await page.getByRole('list', { name: text.find.title }).getByText('We are open from 9:00 to 18:00.').waitFor()
    await page.getByRole('button', { name: text.figures.title }).click()
    await page.getByRole('heading', { name: text.figures.answered.title }).waitFor()
    await expectSound(page, 'bot-viewer-figures')

    await visit(page, home('settings/experiments'))
    await page.getByText('Brief or warm').waitFor()
    expect(await main.getByRole('button').count()).toBe(0)
    await expectSound(page, 'bot-viewer-experiments')

    await visit(page, home('inbox/review'))
    const article = page.getByRole('article', { name: 'Vera' })
    await article.getByText(draft.text).first().waitFor()
    expect(await article.getByRole('button').count()).toBe(0)
    for (const key of ['a', 'e', 'f', 'Shift+A']) await page.keyboard.press(key)
    await expectSound(page, 'bot-viewer-review')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByLabel(words.draft.text).count()).toBe(0)
    expect(await ann.must<DraftReply>('GET', `/ice/replies/${draft.id}`)).toMatchObject({ state: 'PENDING_REVIEW' })

    await visit(page, home(`inbox?filter=review&id=${draft.conversationId}`))
    await page.getByRole('region', { name: words.draft.held }).getByRole('button', { name: words.draft.why }).click()
    await page.getByRole('button', { name: words.replay.replay }).click()
    await page.getByText(words.replay.same).waitFor()
    await expectSound(page, 'bot-viewer-thread')
  })

  test('people check sent replies: one is right, one is flagged, and one was checked by someone else', async () => {
    await ask('Sid')
    const thread = await threadOf(ann, 'Sid')
    for (const [n, customer] of ['first', 'second', 'third'].entries())
      await sql.query(
        `with made as (insert into decision (workspace_id, id, kind, thread_id, message_id, revision, state, verdict, reply, confidence, ended_at)
            values ($1, $2, 'bot', $3, $4, $5, 'DONE', 'SENT', $6, 0.9, app_now()) returning *)
          insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at, decision_id)
            select m.workspace_id, gen_random_uuid(), t.id, t.account_id, 'DM', 'OUT', 'BOT_AUTO', m.reply, app_now(), m.id
            from made m join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id`,
        [ann.workspaceId, sampledId(), thread.id, thread.messages[0]!.id, -1 - n, `The ${customer} reply.`],
      )
    const page = await at(ann)
    await visit(page, home('inbox/review'))
    await page.getByRole('link', { name: words.sent.title }).click()
    const replies = page.getByRole('list', { name: words.sent.list }).getByRole('listitem')
    await expect.poll(() => replies.count()).toBe(3)
    await expectSound(page, 'bot-sent-replies')
    const byOther = `update decision set checked_at = app_now() where workspace_id = $1 and reply = 'The third reply.'`
    await sql.query(byOther, [ann.workspaceId])
    await replies.filter({ hasText: 'The third reply.' }).getByRole('button', { name: words.sent.right }).click()
    await page.getByText(words.sent.checked).waitFor()
    await expect.poll(() => replies.count()).toBe(2)
    await replies.filter({ hasText: 'The first reply.' }).getByRole('button', { name: words.sent.right }).click()
    await expect.poll(() => replies.count()).toBe(1)
    await replies.getByRole('button', { name: words.draft.flag }).click()
    await replies.getByRole('button', { name: words.sent.reasons.unsafe }).click()
    await page.getByText(words.sent.none).waitFor()
    const { rows } = await sql.query<{ reply: string; check_flag: string | null }>(
      'select reply, check_flag from decision where workspace_id = $1 and checked_at is not null order by reply',
      [ann.workspaceId],
    )
    expect(rows).toEqual([
      { reply: 'The first reply.', check_flag: null },
      { reply: 'The second reply.', check_flag: 'unsafe' },
      { reply: 'The third reply.', check_flag: null },
    ])
  })

  test('a client sees that the screens of the bot are not for them, and finds nothing of the bot in a thread', async () => {
    await ask('Clio')
    const thread: OpenThread = await eventually(async () => {
      const found = await threadOf(ann, 'Clio')
      return found.drafts.length > 0 && found
    })
    const page = await at(await join(ann, 'Clara', 'CLIENT'))
    for (const screen of ['settings/bot', 'settings/experiments', 'inbox/review', 'inbox/sent']) {
      await visit(page, home(screen))
      await page.getByRole('alert').getByText(en.states.role).waitFor()
      await page
        .getByRole('alert')
        .getByText(en.states.roleBody.replace('{required}', en.states.roles.VIEWER))
        .waitFor()
    }
    if (long) await expectSound(page, 'bot-client')
    await visit(page, home(`inbox?filter=all&id=${thread.id}`))
    const pane = page.getByRole('region', { name: en.inbox.opened })
    await pane.getByText('When are you open on Monday?').waitFor()
    const said = await pane.innerText()
    expect(await page.getByRole('link', { name: words.review.start }).count()).toBe(0)
    for (const hidden of [thread.drafts[0]!.text, words.draft.held, words.draft.why, words.here.pause])
      expect([hidden, said.includes(hidden)]).toEqual([hidden, false])
    if (long) await expectSound(page, 'bot-client-thread')
  })

  test.runIf(long)(
    'an experiment that has run cannot be changed, can be deleted with its result after a confirmation, but not while it runs',
    async () => {
      const labels = text.experiments
      const page = await at(ann)
      await visit(page, home('settings/experiments'))
      const row = page
        .getByRole('list', { name: labels.title })
        .getByRole('listitem')
        .filter({ hasText: 'Brief or warm' })
      const remove = row.getByRole('button', {
        name: new RegExp(`^${labels.deleteThis.replace('{name}', 'Brief or warm')}`),
      })
      await row.getByRole('button', { name: labels.start, exact: true }).click()
      await row.getByText(labels.states.RUNNING).waitFor()
      expect(await remove.getAttribute('aria-disabled')).toBe('true')
      await row.getByText(labels.stopFirst).waitFor({ state: 'attached' })
      // One customer gets one of the variants.
      await ann.must<BotConfig>('PUT', '/ice/bot-config', { maxConfidenceForAuto: 0.7 })
      await shop.play({ kind: 'dm', from: { name: 'Exa' }, text: 'When are you open?' })
      const list = async () => (await ann.must<{ data: ReplyExperiment[] }>('GET', '/ice/experiments')).data
      await eventually(async () => (await list())[0]!.a.served + (await list())[0]!.b.served === 1)
      await row.getByRole('button', { name: labels.stop, exact: true }).click()
      await row.getByText(labels.states.STOPPED).waitFor()
      await row.getByText(labels.fixed, { exact: false }).waitFor()
      expect(await row.getByRole('button', { name: labels.editThis.replace('{name}', 'Brief or warm') }).count()).toBe(
        0,
      )
      await visit(page, home('settings/experiments'))
      await remove.click()
      const dialog = page.getByRole('dialog', { name: labels.deleteTitle })
      await dialog.getByText('its results so far (1 customer)', { exact: false }).waitFor()
      await expectSound(page, 'experiments-delete')
      await dialog.getByRole('button', { name: en.common.cancel }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await list()).toHaveLength(1)

      // Another person restarts the experiment while the question is open: it stays, and the reason is shown.
      await remove.click()
      await page.route('**/ice/experiments', (route) => route.abort())
      const [one] = await list()
      await ann.must('PATCH', `/ice/experiments/${one!.id}`, { state: 'RUNNING' })
      await dialog.getByRole('button', { name: labels.delete }).click()
      await page.getByText(labels.isRunning).waitFor()
      await page.unroute('**/ice/experiments')
      expect(await list()).toHaveLength(1)
      await ann.must('PATCH', `/ice/experiments/${one!.id}`, { state: 'STOPPED' })
      await visit(page, home('settings/experiments'))
      await remove.click()
      await dialog.getByRole('button', { name: labels.delete }).click()
      await page.getByText(labels.none).waitFor()
      expect(await list()).toEqual([])
      // The message that was sent stays.
      const exa = await threadOf(ann, 'Exa')
      expect(exa.messages.map(({ source }) => source)).toContain('BOT_AUTO')
    },
  )

  test('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})
