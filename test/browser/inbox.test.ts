import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { OpenThread } from '../../src/conversations/threads/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { addDays, dateIn, timeFormat } from '../../web/time.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { commentsBelow, openInbox, type OpenedInbox, threadOf, threadsOf } from '../inbox.ts'
import {
  addFault,
  call,
  confirmEmail,
  connect,
  eventually,
  join,
  liveOn,
  newPerson,
  type Person,
  untilStatus,
  uploadPicture,
  graphError,
} from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { signIn, visit } from './story.ts'

// Customers write, and people reply: on a desktop, with a colleague in the same thread, and on a phone in Arabic.

const text = en.inbox

describe.skipIf(!hasBrowser)('the inbox', () => {
  const { product, sandbox, sql } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let ben: Person
  let shop: OpenedInbox
  const opened = new Map<string, { page: Page; faults: string[] }>()

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    ben = await join(ann, 'Ben', 'EDITOR')
    shop = await openInbox(ann, sandbox.url, 'u1')
  })

  /** Returns the page of a person, which stays open across the tests. */
  async function at(person: Person, width = 1440, theme: Theme = 'light'): Promise<Page> {
    const name = [person.session.user.id, width, theme].join(' ')
    const open = opened.get(name)
    if (open) return open.page
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    opened.set(name, { page, faults })
    await signIn(page, person)
    return page
  }

  const home = (query = '') => `${product.url}/app/w/${ann.workspaceId}/inbox${query}`
  const comment = (name: string, words: string) =>
    shop.play({ kind: 'comment', postId: shop.postId, from: { name }, text: words })
  const below = async (words: string) =>
    (await commentsBelow(sandbox.url, shop.postId)).filter((one) => one.text === words)
  const list = (page: Page) => page.getByRole('region', { name: text.list })
  const pane = (page: Page) => page.getByRole('region', { name: text.opened })
  const isFocused = (element: Element) => element === document.activeElement
  const reply = (page: Page, name: string) => pane(page).getByLabel(text.replyTo.replace('{name}', name))
  /** Has the network refuse the next call of a kind. */
  const fail = (path: string) =>
    addFault(sandbox.url, {
      match: { network: 'NET_PAGE', method: 'POST', path },
      do: { status: 400, body: graphError({ message: 'Wrong', code: 100 }) },
      times: 1,
    })

  test('a comment appears live, a person replies, and the network has the reply once', async () => {
    const page = await at(ann)
    await visit(page, `${product.url}/app/w/${ann.workspaceId}/calendar`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByText(text.empty.views.unanswered).waitFor()
    await comment('Cleo', 'Is the oat milk sweetened?')
    await list(page).getByRole('link', { name: 'Cleo' }).click()
    await pane(page).getByText('Is the oat milk sweetened?').waitFor()
    await page.getByRole('navigation').getByText('1 unanswered').waitFor({ state: 'attached' })
    await expectSound(page, 'inbox')
    await page.keyboard.press('r')
    await page.keyboard.type('No, it has no sugar at all.')
    await page.keyboard.press('Control+Enter')
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await reply(page, 'Cleo').inputValue()).toBe('')
    expect(await below('No, it has no sugar at all.')).toHaveLength(1)
    // No customer is waiting now.
    await page.getByText(text.empty.views.unanswered).waitFor()
    // Our own reply is not shown as the customer's text.
    await visit(page, home('?filter=all'))
    const row = list(page).getByRole('listitem').filter({ hasText: 'Cleo' })
    await row.getByText(`${text.you}:`).waitFor()
    await row.getByText('No, it has no sugar at all.').waitFor()
  })

  test('a comment that arrives after the list is loaded and before the live stream opens is shown', async () => {
    const page = await at(ann)
    let release = () => {}
    const released = new Promise<void>((done) => (release = done))
    await page.route('**/workspaces/*/events', async (route) => {
      await released
      await route.continue()
    })
    await visit(page, home('?filter=all'))
    await list(page).getByRole('link', { name: 'Cleo' }).waitFor()
    await comment('Ilka', 'Is the cellar cold in summer?')
    await threadOf(ann, 'Ilka')
    expect(await list(page).getByRole('link', { name: 'Ilka' }).count()).toBe(0)
    release()
    // The list is loaded again each minute anyway.
    await list(page).getByRole('link', { name: 'Ilka' }).waitFor({ timeout: 30_000 })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('text typed while a reply is being sent stays', async () => {
    const page = await at(ann)
    await comment('Dana', 'Do you roast on Mondays?')
    await visit(page, home('?filter=all'))
    await list(page).getByRole('link', { name: 'Dana' }).click()
    let release = () => {}
    const released = new Promise<void>((done) => (release = done))
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'))
    await page.route('**/conversations/*/messages', async (route) => {
      await released
      await route.continue()
    })
    await reply(page, 'Dana').fill('Yes, all day.')
    await page.keyboard.press('Control+Enter')
    await sent
    await reply(page, 'Dana').fill('And on Tuesdays')
    release()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await reply(page, 'Dana').inputValue()).toBe('And on Tuesdays')
    await reply(page, 'Dana').fill('')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('an unsent reply keeps how and to which comment it will be sent, also after a reload', async () => {
    const { id: root } = await comment('Ida', 'Do you have decaf?')
    const { id } = await threadOf(ann, 'Ida')
    await shop.play({ kind: 'comment', postId: shop.postId, parentId: root, from: { name: 'Ida' }, text: 'Or tea?' })
    const read = () => ann.must<OpenThread>('GET', `/conversations/${id}`)
    await eventually(async () => (await read()).messages.length === 2)
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    await pane(page).getByRole('listitem').first().getByRole('button', { name: text.messageActs }).click()
    await page.getByRole('menuitem', { name: text.answerThis }).click()
    await pane(page).getByRole('button', { name: text.privately, exact: true }).click()
    await reply(page, 'Ida').fill('Yes, two kinds.')
    const isKept = async () => {
      await pane(page).getByRole('button', { name: text.sendPrivately }).waitFor()
      await pane(page).getByRole('button', { name: text.answerNewest }).waitFor()
      expect(await reply(page, 'Ida').inputValue()).toBe('Yes, two kinds.')
    }
    // A look at a note.
    await reply(page, 'Ida').evaluate((field) => field.blur())
    await page.keyboard.press(';')
    await pane(page).getByRole('textbox', { name: text.forms.note }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('r')
    await isKept()
    await page.reload()
    await isKept()
    // Opening the thread does not focus the field, where the next letters would be typed.
    expect(await reply(page, 'Ida').evaluate(isFocused)).toBe(false)
    await pane(page).getByRole('button', { name: text.sendPrivately }).click()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    const { messages } = await read()
    expect(messages.at(-1)).toMatchObject({ kind: 'PRIVATE_REPLY', parentId: messages[0]?.id })
    expect(await below('Yes, two kinds.')).toHaveLength(0)
    // The next reply is public, and empty.
    await pane(page).getByRole('button', { name: text.sendPrivately }).waitFor({ state: 'detached' })
    expect(await reply(page, 'Ida').inputValue()).toBe('')
    // A tab that was open before an update has only the text.
    await page.evaluate((key) => sessionStorage.setItem(key, 'Typed before'), `parley.reply.${id}`)
    await page.reload()
    await expect.poll(() => reply(page, 'Ida').inputValue()).toBe('Typed before')
    await reply(page, 'Ida').fill('')
  })

  test('a reply that is sent while a note is written is not offered for sending again', async () => {
    await comment('Ingo', 'Is the shop open?')
    const { id } = await threadOf(ann, 'Ingo')
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    let release = () => {}
    const released = new Promise<void>((done) => (release = done))
    await page.route('**/conversations/*/messages', async (route) => {
      await released
      await route.continue()
    })
    await reply(page, 'Ingo').fill('Until six.')
    await page.keyboard.press('Control+Enter')
    await pane(page).getByRole('button', { name: text.forms.note }).click()
    release()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    await pane(page).getByRole('button', { name: text.forms.reply, exact: true }).click()
    expect(await reply(page, 'Ingo').inputValue()).toBe('')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('the key of labels opens them where the panel of the customer is hidden', async () => {
    const page = await at(ann)
    await page.setViewportSize({ width: 1100, height: 900 })
    await visit(page, home('?filter=all'))
    await list(page).getByRole('link', { name: 'Dana' }).click()
    await reply(page, 'Dana').waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('l')
    await page.getByRole('dialog', { name: en.labels.title }).waitFor()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('the end of an escalation can be undone, and a label of a colleague stays beside one’s own', async () => {
    await comment('Jana', 'My order has not come')
    const { id } = await threadOf(ann, 'Jana')
    const [mine, theirs] = await Promise.all(
      ['Mine', 'Theirs'].map((name) => ann.must<{ id: string }>('POST', '/labels', { name, color: 'blue' })),
    )
    await ann.must('POST', `/conversations/${id}/escalate`, {})
    const page = await at(ann)
    // The page learns of no change by others.
    await page.route('**/workspaces/*/events', (route) => route.abort())
    await visit(page, home(`?filter=all&id=${id}`))
    await pane(page).getByRole('button', { name: text.moreActs }).click()
    await page.getByRole('menuitem', { name: text.deescalate }).click()
    const stands = () => ann.must<OpenThread>('GET', `/conversations/${id}`)
    await expect.poll(async () => (await stands()).status).toBe('OPEN')
    await page.getByRole('button', { name: text.undo }).click()
    await expect.poll(async () => (await stands()).status).toBe('ESCALATED')
    await page.getByText(text.undone).first().waitFor()
    await page.keyboard.press('l')
    const labels = page.getByRole('dialog', { name: en.labels.title })
    await labels.getByText('Mine').waitFor()
    await ben.must('PATCH', `/conversations/${id}`, { labels: [theirs!.id] })
    await labels.getByText('Mine').click()
    await expect
      .poll(async () => (await stands()).labels.map((label) => label.id).toSorted())
      .toEqual([mine!.id, theirs!.id].toSorted())
    await page.keyboard.press('Escape')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('saved replies that failed to load show the error, not an empty list', async () => {
    const page = await at(ann)
    await page.route('**/saved-replies?*', (route) =>
      route.fulfill({ status: 422, json: { code: 'invalid_state', status: 422 } }),
    )
    await visit(page, home('?filter=all'))
    await list(page).getByRole('link', { name: 'Dana' }).click()
    await pane(page).getByRole('button', { name: text.saved.title, exact: true }).click()
    const popup = page.getByRole('dialog', { name: text.saved.title })
    await popup.getByText(en.problems.invalid_state, { exact: true }).waitFor()
    expect(await popup.getByText(text.saved.none).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('earlier messages load page by page, in place, and on the next try after a failure', async () => {
    const page = await at(ann)
    await comment('Elia', 'The newest message')
    const { id } = await threadOf(ann, 'Elia')
    await sql.query(
      `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at)
        select t.workspace_id, gen_random_uuid(), t.id, t.account_id, 'NOTE', 'INTERNAL', 'AGENT_MANUAL', 'Note ' || n,
          m.at - make_interval(mins => n)
        from thread t join message m on m.workspace_id = t.workspace_id and m.thread_id = t.id, generate_series(1, 119) n
        where t.id = $1`,
      [id],
    )
    // A hint would load the messages again by itself.
    await page.route('**/events', (route) => route.abort())
    let refuses = true
    await page.route('**/conversations/*/messages?*', (route) =>
      refuses ? route.fulfill({ status: 403, json: { code: 'role_required', status: 403 } }) : route.continue(),
    )
    await visit(page, home(`?filter=all&id=${id}`))
    const messages = pane(page).locator('[data-message]')
    await expect.poll(() => messages.count()).toBe(50)
    const earlier = pane(page).getByRole('button', { name: text.earlier })
    await earlier.click()
    await pane(page).getByText(en.problems.role_required, { exact: true }).waitFor()
    refuses = false
    const top = async (note: string) =>
      Math.round((await pane(page).getByText(note, { exact: true }).boundingBox())?.y ?? -1)
    const before = await top('Note 49')
    await earlier.click()
    await expect.poll(() => messages.count()).toBe(100)
    expect(Math.abs((await top('Note 49')) - before)).toBeLessThan(60)
    await earlier.click()
    await earlier.waitFor({ state: 'detached' })
    expect(await messages.count()).toBe(120)
    expect(await pane(page).getByRole('group', { name: text.messages }).evaluate(isFocused)).toBe(true)
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('a message that arrives while the reader is further up is counted, read out, and has links', async () => {
    const { id, messages: shown } = await threadOf(ann, 'Elia')
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    await page.reload()
    const messages = pane(page).getByRole('group', { name: text.messages })
    await messages.getByText('The newest message').waitFor()
    const toTop = () => messages.evaluate((element) => element.scrollTo({ top: 0 }))
    const isAtEnd = () =>
      messages.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2)
    await expect.poll(isAtEnd).toBe(true)
    await toTop()
    const root = shown.find(({ direction }) => direction === 'IN')?.externalId
    const words = 'See https://example.com/a_(b). And javascript:alert(1)'
    await shop.play({ kind: 'comment', postId: shop.postId, parentId: root, from: { name: 'Elia' }, text: words })
    const missed = pane(page).getByRole('button', { name: '1 new message', exact: true })
    await missed.waitFor()
    await pane(page)
      .getByRole('status')
      .filter({ hasText: `Elia: ${words}` })
      .waitFor()
    expect(await isAtEnd()).toBe(false)
    await expectSound(page, 'inbox-missed')
    await missed.click()
    await missed.waitFor({ state: 'detached' })
    expect(await isAtEnd()).toBe(true)
    const links = messages.getByRole('listitem').last().getByRole('link')
    expect(await links.allTextContents()).toEqual(['https://example.com/a_(b)'])
    expect(await links.getAttribute('href')).toBe('https://example.com/a_(b)')
    expect(await links.getAttribute('rel')).toBe('noreferrer nofollow')
    // One's own reply is shown in any case.
    await toTop()
    await reply(page, 'Elia').fill('You are welcome.')
    await page.keyboard.press('Control+Enter')
    await messages.getByText('You are welcome.', { exact: true }).waitFor()
    await expect.poll(isAtEnd).toBe(true)
  })

  test('a person who replies after a colleague sees both texts, and nothing is sent before they choose', async () => {
    await comment('Frieda', 'Do you have gift cards?')
    const { id } = await threadOf(ann, 'Frieda')
    const hers = await at(ann)
    const his = await at(ben)
    await visit(hers, home(`?id=${id}`))
    await visit(his, home(`?id=${id}`))
    await reply(his, 'Frieda').fill('Yes, from 10 euros.')
    // Her page does not learn of his reply.
    await hers.route(`**/conversations/${id}`, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    await reply(hers, 'Frieda').fill('We do.')
    await pane(his).getByRole('button', { name: text.send }).click()
    await pane(his).getByText(text.delivery.sent, { exact: true }).waitFor()
    await pane(hers).getByRole('button', { name: text.send }).click()
    const question = hers.getByRole('alertdialog')
    await question.getByText('Yes, from 10 euros.').waitFor()
    await question.getByText('We do.').waitFor()
    expect(await below('We do.')).toHaveLength(0)
    // Escape and a button return to the text.
    await hers.keyboard.press('Escape')
    await expect.poll(() => reply(hers, 'Frieda').evaluate(isFocused)).toBe(true)
    await pane(hers).getByRole('button', { name: text.send }).click()
    await question.getByText('We do.').waitFor()
    await hers.unroute(`**/conversations/${id}`)
    if (long) await expectSound(hers, 'inbox-newer')
    await question.getByRole('button', { name: text.newer.change }).click()
    await expect.poll(() => reply(hers, 'Frieda').evaluate(isFocused)).toBe(true)
    expect(await reply(hers, 'Frieda').inputValue()).toBe('We do.')
    await reply(hers, 'Frieda').fill('And any amount above that.')
    await pane(hers).getByText('Yes, from 10 euros.').waitFor()
    await pane(hers).getByRole('button', { name: text.send }).click()
    await expect.poll(() => below('And any amount above that.')).toHaveLength(1)
    expect(await below('We do.')).toHaveLength(0)
  })

  test.runIf(long)('on a phone in Arabic, list, thread and customer are three screens', async () => {
    await ben.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await comment('نور', 'هل تشحنون إلى الأردن؟')
    await threadOf(ann, 'نور')
    const words = ar.inbox
    const phone = await at(ben, 390, 'dark')
    await visit(phone, `${product.url}/app/w/${ann.workspaceId}/calendar`)
    // The bar at the bottom leads to the inbox, and counts who waits there.
    const tab = phone.getByRole('navigation').getByRole('link', { name: new RegExp(`^${ar.shell.inbox}`) })
    await tab.getByText(/^\d+$/).waitFor()
    await expectSound(phone, 'inbox-phone-tab')
    await tab.click()
    await phone.getByRole('link', { name: 'نور' }).waitFor()
    await expectSound(phone, 'inbox-phone-list')
    await phone.getByRole('link', { name: 'نور' }).click()
    const thread = phone.getByRole('region', { name: words.opened })
    await thread.getByText('هل تشحنون إلى الأردن؟').waitFor()
    expect(await phone.getByRole('region', { name: words.list }).isVisible()).toBe(false)
    await expectSound(phone, 'inbox-phone-thread')
    await phone.getByLabel(words.replyTo.replace('{name}', 'نور')).fill('نعم، خلال أسبوع.')
    await phone.getByRole('button', { name: words.send }).click()
    await phone.getByText(words.delivery.sent, { exact: true }).waitFor()
    expect(await below('نعم، خلال أسبوع.')).toHaveLength(1)
    await phone.getByRole('button', { name: words.moreActs }).click()
    await phone.getByRole('menuitem', { name: words.about }).click()
    await phone.getByText(words.firstContact).waitFor()
    await expectSound(phone, 'inbox-phone-customer')
    await phone.getByRole('button', { name: words.backToThread }).click()
    await phone.getByRole('button', { name: words.back }).click()
    await phone.getByRole('region', { name: words.list }).waitFor()
    await ben.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test.runIf(long)(
    'a thread is assigned, escalated and closed with keys and menus, and each action can be undone',
    async () => {
      await comment('Edda', 'My order has not come')
      const { id } = await threadOf(ann, 'Edda')
      const page = await at(ann)
      await visit(page, home(`?id=${id}`))
      const stands = async () => {
        const { status, assignee, urgency } = await ann.must<OpenThread>('GET', `/conversations/${id}`)
        return { status, assignee: assignee?.name ?? null, urgency }
      }
      await reply(page, 'Edda').waitFor()
      await page.keyboard.press('a')
      await page.getByRole('menuitemradio', { name: 'Ben' }).click()
      await expect.poll(stands).toEqual({ status: 'OPEN', assignee: 'Ben', urgency: 'MEDIUM' })
      // The message about it covers no part of the reply.
      const toast = page.locator('[data-sonner-toast]').first()
      const form = pane(page).getByRole('form', { name: text.forms.reply })
      await expect
        .poll(async () => {
          const [above, below] = [await toast.boundingBox(), await form.boundingBox()]
          return above && below && above.y + above.height <= below.y
        })
        .toBe(true)
      await page.getByRole('button', { name: text.undo }).click()
      await expect.poll(stands).toEqual({ status: 'OPEN', assignee: null, urgency: 'MEDIUM' })
      await page.getByText(text.undone).first().waitFor()
      const more = async (name: string, role: 'menuitem' | 'menuitemradio' = 'menuitem') => {
        await pane(page).getByRole('button', { name: text.moreActs }).click()
        await page.getByRole(role, { name }).click()
      }
      await more(text.urgencies.CRITICAL, 'menuitemradio')
      await list(page).getByRole('heading', { name: text.urgencies.CRITICAL }).waitFor()
      await more(text.escalate)
      await expect.poll(stands).toEqual({ status: 'ESCALATED', assignee: null, urgency: 'CRITICAL' })
      await page.getByRole('button', { name: text.undo }).click()
      await expect.poll(stands).toEqual({ status: 'OPEN', assignee: null, urgency: 'CRITICAL' })
      // Undo restores a snoozed thread as snoozed.
      const until = new Date(Date.now() + 86_400_000).toISOString()
      await ann.must('POST', `/conversations/${id}/snooze`, { until })
      await pane(page).getByRole('button', { name: text.moreActs }).waitFor()
      await expect.poll(async () => (await stands()).status).toBe('SNOOZED')
      await visit(page, home(`?filter=all&id=${id}`))
      await more(text.escalate)
      await expect.poll(async () => (await stands()).status).toBe('ESCALATED')
      await page.getByRole('button', { name: text.undo }).click()
      await expect.poll(async () => (await stands()).status).toBe('SNOOZED')
      await ann.must('POST', `/conversations/${id}/reopen`)
      await visit(page, home(`?id=${id}`))
      await more(text.escalate)
      await expect.poll(stands).toEqual({ status: 'ESCALATED', assignee: null, urgency: 'CRITICAL' })
      await page.getByText(text.escalated, { exact: true }).waitFor()
      await list(page).getByText(text.statuses.ESCALATED).waitFor()
      await page.keyboard.press('e')
      await page.getByText(text.closed, { exact: true }).waitFor()
      await expect.poll(async () => (await stands()).status).toBe('CLOSED')
      // Undo restores an escalated thread as escalated.
      await page.getByRole('button', { name: text.undo }).click()
      await expect.poll(stands).toEqual({ status: 'ESCALATED', assignee: null, urgency: 'CRITICAL' })
      await page.getByText(text.undone).first().waitFor()
      // The thread is assigned to the person who replies.
      await visit(page, home(`?filter=escalated&id=${id}`))
      await reply(page, 'Edda').fill('It is on its way.')
      await pane(page).getByRole('button', { name: text.send }).click()
      await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
      await expect.poll(stands).toEqual({ status: 'ESCALATED', assignee: 'Ann', urgency: 'CRITICAL' })
      await pane(page).getByRole('button', { name: text.close, exact: true }).click()
      await expect.poll(async () => (await stands()).status).toBe('CLOSED')
      await list(page).getByText(text.empty.views.escalated).waitFor()
    },
  )

  test.runIf(long)('a thread is snoozed until a chosen date and time, in the zone of the workspace', async () => {
    const { timezone: before } = await ann.must<{ timezone: string }>('GET', `/workspaces/${ann.workspaceId}`)
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { timezone: 'Asia/Tokyo' })
    await comment('Olga', 'When are you back?')
    const { id } = await threadOf(ann, 'Olga')
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    await reply(page, 'Olga').waitFor()
    await page.keyboard.press('h')
    await page.getByRole('menuitem', { name: text.snoozeOther }).click()
    const dialog = page.getByRole('dialog', { name: text.snoozeUntil })
    await dialog.getByText(/Tokyo/).waitFor()
    await expectSound(page, 'inbox-snooze')
    await dialog.getByLabel(en.schedule.time).fill('nothing')
    await dialog.getByRole('button', { name: text.snooze }).click()
    await dialog.getByText(text.snoozeInvalid).waitFor()
    await dialog.getByLabel(en.schedule.time).fill('16:45')
    await dialog.getByLabel(text.snoozeDate).click()
    const days = dialog.page().getByRole('gridcell')
    await days.first().waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: text.snooze }).click()
    const tomorrow = addDays(dateIn(new Date(), 'Asia/Tokyo'), 1)
    const stands = async () => {
      const { status, snoozedUntil } = await ann.must<OpenThread>('GET', `/conversations/${id}`)
      return [status, snoozedUntil && new Date(snoozedUntil).toISOString()]
    }
    await expect.poll(stands).toEqual(['SNOOZED', new Date(`${tomorrow}T16:45+09:00`).toISOString()])
    await page.getByRole('button', { name: text.undo }).click()
    await expect.poll(stands).toEqual(['OPEN', null])
    await page.getByText(text.undone).first().waitFor()
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { timezone: before })
  })

  test.runIf(long)('many threads are closed at once, and reopened by one Undo', async () => {
    const count = 50
    for (let number = 1; number <= count; number++) await comment(`Bulk ${number}`, 'Thank you!')
    const bulk = () => threadsOf(ann, '?q=Thank&limit=100')
    await eventually(async () => (await bulk()).length === count)
    const page = await at(ann)
    await visit(page, home('?q=Thank'))
    const boxes = list(page).getByRole('checkbox', { name: /Bulk/ })
    await expect.poll(() => boxes.count()).toBe(count)
    await boxes.first().check()
    const bar = page.getByRole('region', { name: text.bulk.title })
    await bar.getByRole('checkbox').check()
    await bar.getByText(`${count} selected`).waitFor()
    await expectSound(page, 'inbox-bulk')
    await bar.getByRole('button', { name: text.close }).click()
    await page.getByText(`${count} conversations closed`).waitFor()
    const closed = async () => (await bulk()).filter(({ status }) => status === 'CLOSED').length
    await expect.poll(closed).toBe(count)
    await page.getByRole('button', { name: text.undo }).click()
    await expect.poll(closed).toBe(0)
    await page.getByText(text.undone).first().waitFor()
    // No message contains this text.
    await page.getByLabel(text.searchHint).fill('zzzz')
    await page.getByText(text.empty.noMatch).waitFor()
    await expectSound(page, 'inbox-nothing')
    await page.getByRole('button', { name: text.empty.clear }).click()
    await list(page).getByRole('link', { name: /Bulk/ }).first().waitFor()
    // Clear the list for later tests.
    await ann.must('POST', '/conversations/bulk', { ids: (await bulk()).map(({ id }) => id), close: true })
  })

  test.runIf(long)('colleagues see each other in a thread, and a mention in a note leads there', async () => {
    await comment('Finn', 'Which grinder is that?')
    const { id } = await threadOf(ann, 'Finn')
    const hers = await at(ann)
    const his = await at(ben)
    await visit(hers, home(`?id=${id}`))
    await reply(hers, 'Finn').fill('The one from')
    await visit(his, home(`?id=${id}`))
    await pane(his)
      .getByText(/Ann.* is typing…/)
      .waitFor()
    await expectSound(his, 'inbox-presence')
    await his.keyboard.press(';')
    await his.keyboard.type('@An')
    await his.getByRole('option', { name: 'Ann' }).waitFor()
    await his.keyboard.press('Enter')
    await expect.poll(() => pane(his).getByRole('textbox').inputValue()).toBe('@Ann ')
    // The caret is placed in the next frame.
    await his.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await his.keyboard.type('it is the small one')
    await his.keyboard.press('Control+Enter')
    await pane(hers).getByText('@Ann it is the small one').waitFor()
    await pane(hers).getByText(text.ways.NOTE, { exact: true }).waitFor()
    expect(await below('@Ann it is the small one')).toHaveLength(0)
    // Her own draft is still there.
    expect(await reply(hers, 'Finn').inputValue()).toBe('The one from')
    // He replies, and she sees it before she sends hers.
    await his.keyboard.press('Escape')
    await his.keyboard.press('r')
    await his.keyboard.type('It is the small')
    // Escape does not leave a text, because the next letters would be shortcuts.
    await his.keyboard.press('Escape')
    await his.keyboard.type(' one.')
    await his.keyboard.press('Control+Enter')
    await pane(hers).getByText('It is the small one.', { exact: true }).waitFor()
    await pane(hers).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await below('The one from')).toHaveLength(0)
    expect(await reply(hers, 'Finn').inputValue()).toBe('The one from')
    await visit(hers, `${product.url}/app/notifications`)
    await hers.getByRole('link', { name: /mentioned you in a conversation/ }).click()
    await pane(hers).getByText('@Ann it is the small one').waitFor()
  })

  test.runIf(long)('a thread links to the post it comments on, and the post to its comments', async () => {
    await comment('Petra', 'What a nice picture')
    const { id, post } = await threadOf(ann, 'Petra')
    await ann.must('PATCH', `/conversations/${id}`, { urgency: 'CRITICAL' })
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    await pane(page)
      .getByRole('link', { name: new RegExp(text.post) })
      .click()
    await page.waitForURL(new RegExp(`/posts/${post!.id!}`))
    await page.getByRole('button', { name: en.post.more, exact: true }).click()
    await page.getByRole('menuitem', { name: en.post.conversations }).click()
    await page.waitForURL(/\/inbox/)
    await list(page).getByRole('link', { name: 'Petra' }).waitFor()
    await list(page).getByText(text.onePost).waitFor()
    // A direct message is not a comment on a post.
    await shop.play({ kind: 'dm', from: { name: 'Paul' }, text: 'Privately' })
    await threadOf(ann, 'Paul')
    expect(await list(page).getByRole('link', { name: 'Paul' }).count()).toBe(0)
  })

  test.runIf(long)('a slash suggests saved replies, filled in for the customer', async () => {
    await comment('Gina Rossi', 'Where are you?')
    const { id } = await threadOf(ann, 'Gina Rossi')
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    // The field does not offer "/" before there is anything to choose.
    await pane(page).getByPlaceholder(text.replyAlone, { exact: true }).waitFor()
    await pane(page).getByRole('button', { name: text.saved.title }).click()
    await page.getByRole('button', { name: text.saved.new }).click()
    const dialog = page.getByRole('dialog', { name: text.saved.new })
    await dialog.getByLabel(text.saved.name).fill('Address')
    await dialog.getByLabel(text.saved.text).fill('Hi {{first_name}}, we are in Harbour Street 4.')
    await expectSound(page, 'inbox-saved-reply')
    await dialog.getByRole('button', { name: en.common.save }).click()
    await page.getByText(text.saved.saved).waitFor()
    await pane(page).getByPlaceholder(text.replyHint, { exact: true }).waitFor()
    await reply(page, 'Gina Rossi').fill('')
    await reply(page, 'Gina Rossi').pressSequentially('/addr')
    await page.getByRole('option', { name: /Address/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+Enter')
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await below('Hi Gina, we are in Harbour Street 4.')).toHaveLength(1)
  })

  test('an unconfirmed reply asks a person, and an unsent one can be retried', async () => {
    await comment('Hugo', 'Is it open today?')
    const { id } = await threadOf(ann, 'Hugo')
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    await reply(page, 'Hugo').fill('Until six.')
    await pane(page).getByRole('button', { name: text.send }).click()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    // As if the network had never confirmed the reply.
    await sql.query(`update delivery set state = 'UNCONFIRMED' where thread_id = $1`, [id])
    await visit(page, home(`?id=${id}`))
    await pane(page)
      .getByText(/didn’t confirm whether it got this reply/)
      .waitFor()
    if (long) await expectSound(page, 'inbox-unconfirmed')
    await pane(page).getByRole('button', { name: text.delivery.isNotThere }).click()
    await pane(page).getByText(text.delivery.failed).waitFor()
    await expectSound(page, 'inbox-failed')
    await pane(page).getByRole('button', { name: text.delivery.retry }).click()
    await pane(page).getByText(text.delivery.failed).waitFor({ state: 'detached' })
    await pane(page).getByText(text.delivery.sending).waitFor()
  })

  test.runIf(long)('a rejected reply shows an error about the reply, not about a post, in both languages', async () => {
    await fail('/comments')
    await comment('Holly', 'Any news?')
    const { id } = await threadOf(ann, 'Holly')
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    await reply(page, 'Holly').fill('Not yet.')
    await pane(page).getByRole('button', { name: text.send }).click()
    await pane(page).getByText(text.delivery.failed).waitFor()
    const { messages } = await ann.must<OpenThread>('GET', `/conversations/${id}`)
    const code = messages.at(-1)?.delivery?.error?.code as 'content'
    for (const [language, { inbox }] of [
      ['en', en],
      ['ar', ar],
    ] as const) {
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      await visit(page, home(`?id=${id}`))
      await page.getByText(inbox.delivery.reasons[code].message).waitFor()
      await page.getByText(inbox.delivery.reasons[code].fix).waitFor()
    }
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test.runIf(long)('the text of a failed reply can be edited again', async () => {
    await comment('Ivo', 'Do you roast on Mondays?')
    const { id } = await threadOf(ann, 'Ivo')
    const page = await at(ann)
    await fail('/comments')
    await visit(page, home(`?id=${id}`))
    await reply(page, 'Ivo').fill('Every monday.')
    await pane(page).getByRole('button', { name: text.send }).click()
    await pane(page).getByText(text.delivery.failed).waitFor()
    await page.keyboard.press(';')
    await pane(page).getByRole('button', { name: text.delivery.again }).click()
    await expect.poll(() => reply(page, 'Ivo').inputValue()).toBe('Every monday.')
    await expect.poll(() => reply(page, 'Ivo').evaluate((field) => field === document.activeElement)).toBe(true)
    await expectSound(page, 'inbox-again')
    await reply(page, 'Ivo').fill('Every Monday.')
    await pane(page).getByRole('button', { name: text.send }).click()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await below('Every Monday.')).toHaveLength(1)
    expect(await below('Every monday.')).toHaveLength(0)
  })

  test.runIf(long)('the text of a failed private reply is added to the current draft, and stays private', async () => {
    await comment('Ivan', 'Do you roast on Sundays?')
    const { id } = await threadOf(ann, 'Ivan')
    const page = await at(ann)
    await fail('/messages')
    await visit(page, home(`?id=${id}`))
    await pane(page).getByRole('button', { name: text.privately }).click()
    await reply(page, 'Ivan').fill('Write to us.')
    await pane(page).getByRole('button', { name: text.sendPrivately }).click()
    await pane(page).getByText(text.delivery.failed).waitFor()
    await reply(page, 'Ivan').fill('Begun')
    await pane(page).getByRole('button', { name: text.delivery.again }).click()
    await expect.poll(() => reply(page, 'Ivan').inputValue()).toBe('Begun\nWrite to us.')
    await pane(page).getByRole('button', { name: text.sendPrivately }).waitFor()
  })

  test.runIf(long)('comments on a video are counted, link to the network, and reopen the thread', async () => {
    const [account] = (await connect(ann, 'NET_VIDEO', 'u4811')) as [SocialAccount]
    const key = `reading:${account.id}`
    const count = async () => {
      const data = JSON.stringify({ workspaceId: ann.workspaceId, data: { accountId: account.id } })
      await sql.query(`select graphile_worker.add_job('inbox-reading', $1::json, job_key => $2)`, [data, key])
      await eventually(
        async () => (await sql.query('select from graphile_worker.jobs where key = $1', [key])).rowCount === 0,
      )
    }
    const post = await ann.must<Post>('POST', '/posts', {
      caption: 'Latte art, slowly',
      targets: [account.id],
      media: [(await uploadPicture(ann)).id],
      platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
      action: 'publish',
    })
    await untilStatus(ann, post.id, ['PUBLISHED'])
    const [postId] = await eventually(async () => {
      const live = (await liveOn(sandbox.url)).get(account.externalId) ?? []
      return live.length > 0 && live.map((one) => one.id)
    })
    const play = (kind: string) =>
      call(sandbox.url, 'POST', '/inbound', { network: 'NET_VIDEO', accountId: account.externalId, kind, postId })
    for (let n = 0; n < 3; n += 1) await play('comment')
    const thread = await eventually(async () => {
      await count()
      return (await threadsOf(ann, `?accountId=${account.id}`))[0]
    })
    const page = await at(ann)
    await visit(page, home())
    await list(page).getByText('3 new comments').waitFor()
    await list(page).getByRole('link', { name: 'Latte art, slowly' }).click()
    const way = pane(page).getByRole('link', { name: text.counted.open.replace('{network}', 'TikTok') })
    expect(await way.getAttribute('href')).toContain(postId)
    expect(await pane(page).getByRole('button', { name: text.send }).count()).toBe(0)
    await expectSound(page, 'inbox-counted')
    await expect.poll(async () => (await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)).unread).toBe(false)
    await page.keyboard.press('e')
    await page.getByText(text.closed, { exact: true }).waitFor()
    const stands = async () => {
      const { status, comments } = await ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
      return { status, new: comments?.new }
    }
    await expect.poll(stands).toEqual({ status: 'CLOSED', new: 3 })
    await play('comment')
    await count()
    await expect.poll(stands).toEqual({ status: 'OPEN', new: 1 })
    await list(page).getByText('1 new comment', { exact: true }).waitFor()
    await ben.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const phone = await at(ben, 390, 'dark')
    await visit(phone, home(`?id=${thread.id}`))
    const words = ar.inbox.counted
    await phone.getByRole('link', { name: words.open.replace('{network}', 'TikTok') }).waitFor()
    await phone.getByRole('heading', { name: 'تعليق جديد واحد' }).waitFor()
    await expectSound(phone, 'inbox-counted-phone')
    await phone.getByRole('button', { name: ar.inbox.moreActs }).click()
    await phone.getByRole('menuitem', { name: words.about }).click()
    await phone.getByText(words.first).waitFor()
    await expectSound(phone, 'inbox-counted-about')
    await ben.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    await ann.must('POST', `/conversations/${thread.id}/close`)
  })

  test.runIf(long)('a comment can be hidden and shown again, and gets at most one private reply', async () => {
    await comment('Ines', 'Buy pills here')
    const { id } = await threadOf(ann, 'Ines')
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    const act = async (name: string) => {
      await pane(page).getByRole('button', { name: text.messageActs }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act(text.hide)
    await pane(page).getByText(text.hidden, { exact: true }).waitFor()
    expect((await below('Buy pills here'))[0]?.hidden).toBe(true)
    await act(text.unhide)
    await pane(page).getByText(text.hidden, { exact: true }).waitFor({ state: 'detached' })
    const addPicture = pane(page).getByRole('button', { name: text.picture.add })
    await addPicture.waitFor()
    await pane(page).getByRole('button', { name: text.privately }).click()
    // A private reply cannot have a picture.
    await addPicture.waitFor({ state: 'detached' })
    await reply(page, 'Ines').fill('Please write to us here.')
    await pane(page).getByRole('button', { name: text.sendPrivately }).click()
    await pane(page).getByText(text.ways.PRIVATE_REPLY, { exact: true }).waitFor()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    expect(await below('Please write to us here.')).toHaveLength(0)
    const secret = pane(page).getByRole('button', { name: text.privately })
    expect(await secret.getAttribute('title')).toBe(text.private.used)
  })

  test.runIf(long)('a direct message shows until when it can be answered, and later why it cannot', async () => {
    await shop.play({ kind: 'dm', from: { name: 'Jana' }, text: 'Could you ship two bags?' })
    const { id } = await threadOf(ann, 'Jana')
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    await pane(page)
      .getByText(/2[34] hr left/)
      .last()
      .waitFor()
    const ends = (iso: string) => new Intl.DateTimeFormat('en', timeFormat(new Date(iso), zone)).format(new Date(iso))
    const { timezone: zone } = await ann.must<{ timezone: string }>('GET', `/workspaces/${ann.workspaceId}`)
    const { windowUntil, humanUntil } = await ann.must<OpenThread>('GET', `/conversations/${id}`)
    await pane(page)
      .getByText(`You can reply until ${ends(windowUntil!)}`)
      .waitFor()
    await sql.query(`update thread set window_until = app_now() - interval '1 minute' where id = $1`, [id])
    await visit(page, home(`?id=${id}`))
    await pane(page)
      .getByText(
        new RegExp(
          `standard reply window has closed.*until ${ends(humanUntil!).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
        ),
      )
      .waitFor()
    await sql.query(`update thread set human_until = app_now() - interval '1 minute' where id = $1`, [id])
    await visit(page, home(`?id=${id}`))
    await pane(page)
      .getByText(/can reply again once .+ writes to you/)
      .waitFor()
    await expectSound(page, 'inbox-window')
  })

  test.runIf(long)("a customer's picture is shown, and one from the library can be sent", async () => {
    const file = await uploadPicture(ann)
    const sent = [{ type: 'image', url: file.storageUrl }]
    await shop.play({ kind: 'dm', from: { name: 'Lou' }, text: 'This one arrived broken', attachments: sent })
    const { id } = await eventually(async () =>
      (await threadsOf(ann, '?kind=DM')).find(({ lastMessage }) => lastMessage?.text === 'This one arrived broken'),
    )
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    const pictures = pane(page).getByRole('img', { name: text.attachments.image })
    const loaded = () =>
      pictures.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth > 0 && one.isConnected))
    await expect.poll(loaded).toEqual([true])
    await pane(page).getByRole('button', { name: text.picture.add }).click()
    const picker = page.getByRole('dialog', { name: 'From library' })
    await picker.getByRole('button', { name: 'coffee.jpg' }).first().click()
    await expectSound(page, 'inbox-picker')
    await picker.getByRole('button', { name: 'Add 1 file' }).click()
    await pane(page).getByText(text.picture.alone).waitFor()
    await reply(page, 'Lou').fill('Here is how it should look.')
    await expectSound(page, 'inbox-picture')
    await pane(page).getByRole('button', { name: text.send, exact: true }).click()
    await pane(page).getByText(text.delivery.sent, { exact: true }).waitFor()
    await expect.poll(loaded).toEqual([true, true])
    // The text is kept for the next message.
    expect(await reply(page, 'Lou').inputValue()).toBe('Here is how it should look.')
  })

  test('an admin erases a customer, and nothing that they wrote remains', async () => {
    await shop.play({ kind: 'dm', from: { name: 'Mona' }, text: 'Please forget me' })
    const { id } = await threadOf(ann, 'Mona')
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    await pane(page).getByText('Please forget me').waitFor()
    await page.getByRole('button', { name: text.erase.title }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Mona?' })
    await dialog.getByText(text.erase.body).waitFor()
    await expectSound(page, 'inbox-erase')
    await dialog.getByRole('button', { name: text.erase.title }).click()
    await pane(page).getByText(text.off.erased).waitFor()
    await pane(page).getByText(text.erasedText, { exact: true }).waitFor()
    await expect.poll(() => page.getByText(/Mona|Please forget me/).count()).toBe(0)
    expect(await page.getByRole('button', { name: text.erase.title }).count()).toBe(0)
    if (long) await expectSound(page, 'inbox-erased')
  })

  test('a person sets how the bot writes to a customer, and undoes it', async () => {
    await comment('Lars', 'Do you deliver?')
    const { id } = await threadOf(ann, 'Lars')
    const style = async () => (await ann.must<OpenThread>('GET', `/conversations/${id}`)).replyStyle
    const page = await at(ann)
    await visit(page, home(`?id=${id}`))
    await page.getByText(text.style.usual, { exact: true }).waitFor()
    const change = page.getByRole('button', { name: text.style.change })
    await change.click()
    await page.getByRole('dialog').getByLabel(text.style.field).fill(' short and formal ')
    if (long) await expectSound(page, 'inbox-style')
    await page.keyboard.press('Enter')
    await page.getByText(text.style.saved).waitFor()
    await page.getByText('short and formal', { exact: true }).waitFor()
    expect(await style()).toBe('short and formal')
    expect(await change.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: text.undo }).click()
    await page.getByText(text.style.usual, { exact: true }).waitFor()
    await eventually(async () => (await style()) === null)
  })

  test('an answered thread leaves its list, and a key goes on to the one that took its place', async () => {
    for (const name of ['Rosa', 'Rita', 'Rhea']) {
      await comment(name, 'Is anyone there?')
      await ann.must('PATCH', `/conversations/${(await threadOf(ann, name)).id}`, { urgency: 'CRITICAL' })
    }
    const page = await at(ann)
    await visit(page, home())
    await list(page).getByRole('link', { name: 'Rosa' }).waitFor()
    // Those who wrote in the same second are in any order.
    const rows = await list(page).locator('[data-row] bdi').allTextContents()
    const [first, second, third] = rows as [string, string, string]
    expect([first, second, third].toSorted()).toEqual(['Rhea', 'Rita', 'Rosa'])
    await list(page).getByRole('link', { name: first }).click()
    /** Answers the open thread, which leaves the list, and presses a key. */
    const answerAnd = async (name: string, key: string) => {
      await reply(page, name).fill('Yes!')
      await page.keyboard.press('Control+Enter')
      await list(page).getByRole('link', { name }).waitFor({ state: 'detached' })
      await expect.poll(() => reply(page, name).inputValue()).toBe('')
      await page.keyboard.press('Escape')
      await page.keyboard.press(key)
    }
    await answerAnd(first, 'e')
    await reply(page, second).waitFor()
    await expect.poll(async () => (await threadOf(ann, first)).status).toBe('CLOSED')
    await answerAnd(second, 'j')
    await reply(page, third).waitFor()
    await ann.must('POST', `/conversations/${(await threadOf(ann, third)).id}/close`)
  })

  test('the actions of a note have the focus again after it was edited', async () => {
    await comment('Nele', 'Hello')
    const { id } = await threadOf(ann, 'Nele')
    await ann.must('POST', `/conversations/${id}/notes`, { text: 'A regular' })
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    const note = pane(page).getByRole('listitem').filter({ hasText: text.ways.NOTE })
    const acts = note.getByRole('button', { name: text.messageActs })
    for (const way of [en.common.cancel, text.saveNote]) {
      await acts.click()
      await page.getByRole('menuitem', { name: text.changeNote }).click()
      await note.getByRole('textbox').fill(`Changed, then ${way}`)
      await note.getByRole('button', { name: way }).click()
      await note.getByRole('textbox').waitFor({ state: 'detached' })
      expect(await acts.evaluate(isFocused)).toBe(true)
    }
    await note.getByText(`Changed, then ${text.saveNote}`).waitFor()
  })

  test('a deleted note comes back by Undo, and is gone for all once the page is left or the undo is gone', async () => {
    await comment('Nuno', 'Hello')
    const { id } = await threadOf(ann, 'Nuno')
    const page = await at(ann)
    const notes = async () =>
      (await ann.must<OpenThread>('GET', `/conversations/${id}`)).messages.filter(({ kind }) => kind === 'NOTE').length
    const note = pane(page).getByText('Off the record', { exact: true })
    const remove = async () => {
      await pane(page)
        .getByRole('listitem')
        .filter({ hasText: 'Off the record' })
        .getByRole('button', { name: text.messageActs })
        .click()
      await page.getByRole('menuitem', { name: text.deleteNote }).click()
      await note.waitFor({ state: 'detached' })
    }
    await ann.must('POST', `/conversations/${id}/notes`, { text: 'Off the record' })
    await visit(page, home(`?filter=all&id=${id}`))
    await remove()
    expect(await pane(page).getByRole('group', { name: text.messages }).evaluate(isFocused)).toBe(true)
    const said = page.locator('[data-sonner-toast]').filter({ hasText: text.noteDeleted })
    await said.getByRole('button', { name: text.undo }).click()
    await note.waitFor()
    expect(await notes()).toBe(1)
    await remove()
    await page.reload()
    await expect.poll(notes).toBe(0)
    if (!long) return
    await ann.must('POST', `/conversations/${id}/notes`, { text: 'Off the record' })
    await note.waitFor()
    await remove()
    await expect.poll(notes, { timeout: 30_000 }).toBe(0)
    expect(await note.count()).toBe(0)
  })

  test('signing out forgets unsent texts in every tab, and sends the removals of its own', async () => {
    await comment('Noor', 'Hello')
    const { id } = await threadOf(ann, 'Noor')
    for (const note of ['In this tab', 'In another tab'])
      await ben.must('POST', `/conversations/${id}/notes`, { text: note })
    const notes = async () =>
      (await ben.must<OpenThread>('GET', `/conversations/${id}`)).messages.flatMap((one) =>
        one.kind === 'NOTE' ? [one.text] : [],
      )
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const tabs = [(await openPage(context)).page, (await openPage(context)).page] as const
    await signIn(tabs[0], ben)
    const kept = (page: Page) =>
      page.evaluate(() => Object.keys(sessionStorage).filter((key) => /^parley\.(reply|note)\./.test(key)).length)
    const deleted = (page: Page) => page.locator('[data-sonner-toast]').filter({ hasText: text.noteDeleted })
    for (const [index, page] of tabs.entries()) {
      await page.goto(home(`?filter=all&id=${id}`))
      await reply(page, 'Noor').fill('Never sent')
      await pane(page).getByRole('button', { name: text.forms.note }).click()
      await pane(page).getByRole('textbox', { name: text.forms.note }).fill('Never saved')
      expect(await kept(page)).toBe(2)
      await pane(page)
        .getByRole('listitem')
        .filter({ hasText: ['In this tab', 'In another tab'][index]! })
        .getByRole('button', { name: text.messageActs })
        .click()
      await page.getByRole('menuitem', { name: text.deleteNote }).click()
      await deleted(page).waitFor()
    }
    const [page, other] = tabs
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: en.shell.signOut }).click()
    for (const tab of tabs) {
      await tab.waitForURL(/\/login/)
      expect(await kept(tab)).toBe(0)
      // The next person is not offered the undo.
      await expect.poll(() => deleted(tab).count(), { timeout: 5_000 }).toBe(0)
    }
    expect(await notes()).toEqual(['In another tab'])
    await other.close()
    await page.close()
  })

  test('a person who takes a thread is told so by “you”, not by their name', async () => {
    await comment('Odile', 'Hello')
    const { id } = await threadOf(ann, 'Odile')
    const page = await at(ann)
    await visit(page, home(`?filter=all&id=${id}`))
    await reply(page, 'Odile').waitFor()
    await page.keyboard.press('a')
    await page.getByRole('menuitemradio', { name: text.you, exact: true }).click()
    await page.locator('[data-sonner-toast]').getByText(text.assignedToYou, { exact: true }).waitFor()
  })

  test('threads are filtered by assignee, sentiment and status, in the address and with chips', async () => {
    await comment('Zara', 'My order is late')
    await comment('Zeno', 'All good now')
    const [zara, zeno] = [await threadOf(ann, 'Zara'), await threadOf(ann, 'Zeno')]
    await ann.must('POST', `/conversations/${zara.id}/assign`, { userId: ben.session.user.id })
    await sql.query(`update thread set sentiment = 'negative' where id = $1`, [zara.id])
    await ann.must('POST', `/conversations/${zeno.id}/close`)
    const page = await at(ann)
    await visit(page, home('?filter=all'))
    const links = list(page).locator('[data-row]')
    const choose = async (...names: string[]) => {
      await list(page).getByRole('button', { name: text.filter, exact: true }).click()
      for (const name of names) await page.getByRole('menuitemradio', { name, exact: true }).click()
    }
    await choose('Ben', text.sentiments.negative)
    await expectSound(page, 'inbox-filters')
    await page.keyboard.press('Escape')
    await expect.poll(() => links.allTextContents()).toEqual([expect.stringContaining('Zara')])
    await page.reload()
    await expect.poll(() => links.allTextContents()).toEqual([expect.stringContaining('Zara')])
    // The filters load when their menu first opens. The first one takes the focus when it arrives.
    const filter = list(page).getByRole('button', { name: text.filter, exact: true })
    await filter.press('ArrowDown')
    await page.getByRole('menuitemradio', { name: text.onlyUnread }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    expect(await filter.evaluate(isFocused)).toBe(true)
    for (const chip of ['Ben', text.sentiments.negative])
      await list(page)
        .getByRole('button', { name: new RegExp(`^${chip}.*${text.remove}`) })
        .click()
    await list(page).getByRole('link', { name: 'Zeno' }).waitFor()
    // Closed threads are in no other view.
    await visit(page, home())
    await choose(text.statuses.CLOSED)
    await page.keyboard.press('Escape')
    await list(page).getByRole('link', { name: 'Zeno' }).waitFor()
    expect(await list(page).getByRole('link', { name: 'Zara' }).count()).toBe(0)
    await list(page)
      .getByRole('button', { name: new RegExp(`^${text.statuses.CLOSED}.*${text.remove}`) })
      .click()
    await list(page).getByRole('link', { name: 'Zara' }).waitFor()
    await ann.must('POST', `/conversations/${zara.id}/close`)
  })

  test('the notice of an automatic closing is shown as one, in the language of the reader', async () => {
    await comment('Mats', 'Thanks')
    const { id } = await threadOf(ann, 'Mats')
    await sql.query(
      `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at)
        select workspace_id, gen_random_uuid(), id, account_id, 'NOTE', 'INTERNAL', 'SYSTEM', 'Closed.', app_now()
        from thread where id = $1`,
      [id],
    )
    const page = await at(ann)
    for (const [language, { inbox }] of [
      ['ar', ar],
      ['en', en],
    ] as const) {
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      await visit(page, home(`?filter=all&id=${id}`))
      await page.getByText(inbox.system.closed).waitFor()
      await page.getByText(inbox.system.name, { exact: true }).waitFor()
      expect(await page.getByText(inbox.formerMember).count()).toBe(0)
    }
  })

  test('a client reads the messages, but neither the notes nor the handling', async () => {
    await comment('Kim', 'Lovely place')
    const { id } = await threadOf(ann, 'Kim')
    await ann.must('POST', `/conversations/${id}/notes`, { text: 'A regular' })
    const cleo = await join(ann, 'Clara', 'CLIENT')
    const page = await at(cleo)
    await visit(page, home(`?filter=all&id=${id}`))
    await pane(page).getByText('Lovely place').waitFor()
    expect(await page.getByText('A regular').count()).toBe(0)
    expect(await page.getByText(text.urgencies.MEDIUM).count()).toBe(0)
    const views = page.getByRole('list', { name: text.view }).getByRole('link')
    expect(await views.allTextContents()).toEqual(
      (['unanswered', 'escalated', 'snoozed', 'all'] as const).map((view) => text.views[view]),
    )
    for (const name of [text.send, text.close, text.assign])
      expect(await pane(page).getByRole('button', { name }).count()).toBe(0)
    if (long) await expectSound(page, 'inbox-client')
  })

  test.runIf(long)(
    'an event that could not be added is reported in the inbox, retried in the list of trouble, and arrives',
    async () => {
      await sql.query(`create function refuse_message() returns trigger language plpgsql as $$
        begin raise exception 'never'; end $$;
      create trigger refuse_message before insert on message for each row when (new.text = 'Lost on the way')
        execute function refuse_message()`)
      const failed = async (change: string) =>
        (
          await sql.query(
            `update inbound_event set ${change} where workspace_id = $1 and event ->> 'text' = 'Lost on the way' and failures > 0
            returning failures`,
            [ann.workspaceId],
          )
        ).rows[0] as { failures: number } | undefined
      try {
        await comment('Nora', 'Lost on the way')
        await eventually(async () => (await failed('failures = 4')) !== undefined)
        await eventually(async () => (await failed('failures = failures'))?.failures === 5)
      } finally {
        await sql.query('drop trigger refuse_message on message; drop function refuse_message')
      }
      const vic = await join(ann, 'Victor', 'VIEWER')
      const his = await at(vic, 320, 'dark')
      await visit(his, home().replace('/inbox', '/trouble'))
      await his.getByText('Lost on the way').waitFor()
      expect(await his.getByRole('button', { name: en.trouble.events.retry }).count()).toBe(0)
      await expectSound(his, 'inbox-failed-read')
      const page = await at(ann)
      await visit(page, home('?filter=all'))
      await page.getByText('1 comment or message is missing here.').waitFor()
      await expectSound(page, 'inbox-failed-bar')
      await page.getByRole('link', { name: text.seeFailed }).click()
      const section = page.getByRole('region', { name: en.trouble.events.title })
      await section.getByText(en.trouble.events.kinds.comment).waitFor()
      await section.getByText('Lost on the way').waitFor()
      await expectSound(page, 'inbox-failed-events')
      await section.getByRole('button', { name: en.trouble.events.retry }).click()
      await page.getByText(en.trouble.events.retrying).waitFor()
      await section.waitFor({ state: 'detached' })
      await visit(page, home('?filter=all&q=Lost'))
      await list(page).getByRole('link', { name: 'Nora' }).waitFor()
      expect(await page.getByText(text.seeFailed).count()).toBe(0)
    },
  )

  test.runIf(long)('without an account, the inbox says what to do first', async () => {
    const lone = await newPerson(product.url, 'Lone')
    const page = await at(lone)
    await visit(page, `${product.url}/app/w/${lone.workspaceId}/inbox`)
    await page.getByRole('link', { name: text.empty.connect }).waitFor()
    await expectSound(page, 'inbox-no-account')
  })

  test('no page reported an error', () => {
    for (const [name, { faults }] of opened) expect([name, faults]).toEqual([name, []])
  })
})
