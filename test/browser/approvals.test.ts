import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Comment, Review, ReviewLink } from '../../src/publishing/approvals/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import {
  addFault,
  call,
  confirmEmail,
  connectPages,
  join,
  newPerson,
  type Person,
  untilStatus,
  uploadPicture,
  graphError,
} from '../world.ts'
import {
  asksToStay,
  hasBrowser,
  useBrowser,
  openPage,
  type Theme,
  useTheme,
  expectSound,
  watchAnswers,
  WAYS,
} from './browser.ts'
import { choose, openReviewLinks, signIn, takeWay, visit } from './story.ts'

// Posts that need approval: an editor who must ask for it, an admin who sends the link, a client with a phone and no
// account, and a client who is a member.

const LATER = '2099-05-05T09:00:00.000Z'
describe.skipIf(!hasBrowser)('approvals', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let owner: Person
  let editor: Person
  let client: Person
  let account: string
  const opened = new Map<string, { page: Page; faults: string[] }>()

  beforeAll(async () => {
    owner = await newPerson(product.url, 'Hana')
    await confirmEmail(owner)
    account = (await connectPages(owner))[0]!.id
    ;[editor, client] = await Promise.all([join(owner, 'Emil', 'EDITOR'), join(owner, 'Cleo', 'CLIENT')])
    await demand('required')
  })

  const demand = (approvalMode: string, language = 'en') =>
    owner.must('PATCH', `/api/v1/workspaces/${owner.workspaceId}`, { approvalMode, language })

  /** Returns the page of a person, which stays open across the tests. */
  async function at(person: Person | null, width: number, theme: Theme = 'light'): Promise<Page> {
    const name = [person?.session.user.id, width, theme].join(' ')
    const open = opened.get(name)
    if (open) return open.page
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 1000 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    opened.set(name, { page, faults })
    if (person) await signIn(page, person)
    return page
  }

  const home = (path = '') => `${product.url}/app/w/${owner.workspaceId}${path}`
  const get = (id: string) => owner.must<Post>('GET', `/posts/${id}`)
  const submitted = (caption: string, more: object = {}) =>
    editor.must<Post>('POST', '/posts', {
      caption,
      targets: [account],
      action: 'submit',
      scheduledAt: LATER,
      ...more,
    })

  test('a post that waits for the client can be neither published nor scheduled without them', async () => {
    const ask = { caption: 'The client looks first', targets: [account], action: 'submit', scheduledAt: LATER }
    const { id } = await owner.must<Post>('POST', '/posts', { ...ask, client: true })
    await owner.must('PUT', '/scheduler/slots', { slots: [{ day: 'monday', time: '09:00' }] })
    const desk = await at(owner, 1440)
    await visit(desk, home(`/posts/${id}`))
    await desk.getByRole('button', { name: en.approvals.withdraw }).waitFor()
    // The owner asked for the client's decision, so their own is not offered.
    for (const name of [en.composer.publishNow, en.composer.schedule, en.composer.reschedule, en.approvals.approve])
      expect(await desk.getByRole('button', { name, exact: true }).count()).toBe(0)
    const queued = desk.getByRole('menuitem', { name: en.schedule.addToQueue.split('{')[0]! })
    const openMenu = async () => {
      await desk.getByRole('button', { name: en.post.more, exact: true }).click()
      await desk.getByRole('menuitem', { name: en.post.duplicate }).waitFor()
      // The item asks for a free time first, so it needs some answers of the server.
      await desk.evaluate(async () => {
        for (let answers = 0; answers < 10; answers += 1) await fetch('/', { cache: 'no-store' })
      })
    }
    await openMenu()
    expect(await queued.count()).toBe(0)
    await desk.keyboard.press('Escape')
    const preview = desk.getByRole('dialog', { name: ask.caption })
    const openPreview = async () => {
      await visit(desk, home(`/calendar?view=month&date=${LATER.slice(0, 10)}`))
      await desk.locator(`[data-post="${id}"]`).first().click()
      await preview.getByRole('button', { name: en.calendar.delete, exact: true }).waitFor()
    }
    await openPreview()
    for (const name of [en.calendar.publishNow, en.calendar.approve])
      expect(await preview.getByRole('button', { name, exact: true }).count()).toBe(0)
    await visit(desk, home(`/posts/${id}`))
    await desk.getByRole('button', { name: en.approvals.withdraw }).click()
    await desk.getByRole('button', { name: en.composer.schedule, exact: true }).waitFor()
    await openMenu()
    await queued.waitFor()
    await openPreview()
    await preview.getByRole('button', { name: en.calendar.publishNow }).waitFor()

    // An approval that publishes immediately is confirmed, so the calendar does not offer it.
    await editor.must('POST', `/posts/${id}/submit`, { onApproval: 'publish' })
    await openPreview()
    expect(await preview.getByRole('button', { name: en.calendar.approve, exact: true }).count()).toBe(0)
    await owner.must('DELETE', `/posts/${id}`)
  })

  test('an editor submits a post, a client requests changes on a phone, the editor makes them, the client approves, and the post is scheduled', async () => {
    const file = await uploadPicture(editor)
    const desk = await at(editor, 1440)
    await visit(desk, home('/compose'))
    await choose(desk)
    await desk.getByLabel(en.composer.text, { exact: true }).fill('Twenty-five percent off everything on Friday')
    await desk.getByText(en.composer.ready).waitFor()
    expect(await desk.getByRole('button', { name: en.composer.publishNow }).count()).toBe(0)
    expect(await desk.getByRole('button', { name: en.composer.schedule, exact: true }).count()).toBe(0)
    await desk.getByRole('button', { name: en.approvals.submit }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByLabel(en.schedule.when).fill('2099-05-05T09:00')
    await dialog.getByRole('button', { name: en.approvals.submit }).click()
    await desk.waitForURL(/\/posts\/[0-9a-f-]{36}$/)
    const id = new URL(desk.url()).pathname.split('/').at(-1) ?? ''
    await desk.getByText(/^Waiting for .Cleo.* can also review it\.$/).waitFor()
    expect((await get(id)).approval).toMatchObject({ state: 'PENDING', asks: { act: 'schedule', client: true } })
    if (long) await expectSound(desk, 'composer-waiting')

    // The admin creates a link for the client. Its address is shown once.
    await demand('required', 'ar')
    const admin = await at(owner, 1440)
    await visit(admin, home(`/posts/${id}`))
    await openReviewLinks(admin)
    await admin.getByLabel(en.approvals.links.name).fill('Nadia of Shore & Co')
    await admin.getByRole('button', { name: en.approvals.links.make }).click()
    const url = await admin.getByLabel(en.approvals.links.address).inputValue()
    expect(url).toContain('/app/review/')
    if (long) await expectSound(admin, 'review-links')

    const phone = await at(null, 390, 'dark')
    await phone.goto(url)
    // The page uses the language of the browser, not of the workspace, until the client chooses another.
    await phone.getByText('Twenty-five percent off').waitFor()
    expect(await phone.locator('html').getAttribute('lang')).toBe('en')
    const forNadia = (heading: string) =>
      phone.getByRole('heading', { level: 1, name: heading.replace('{name}', '\u2068Nadia of Shore & Co\u2069') })
    await forNadia(en.approvals.review.heading).waitFor()
    await phone.getByRole('button', { name: 'العربية' }).click()
    await phone.locator('html[lang=ar][dir=rtl]').waitFor()
    await forNadia(ar.approvals.review.heading).waitFor()
    expect(await phone.getByRole('navigation').count()).toBe(0)
    await phone.getByLabel(ar.approvals.review.comment).fill('الخصم كبير جدًا')
    await phone.getByRole('button', { name: ar.approvals.say, exact: true }).click()
    await phone.getByText('الخصم كبير جدًا').waitFor()
    await phone.getByRole('button', { name: ar.approvals.reject }).click()
    await phone.getByRole('dialog').getByRole('button', { name: ar.approvals.reject }).click()
    await phone.getByText(ar.approvals.reasonMissing).waitFor()
    await phone.getByLabel(ar.approvals.reason).fill('عشرون بالمئة فقط')
    if (long) await expectSound(phone, 'review-reject')
    await phone.getByRole('dialog').getByRole('button', { name: ar.approvals.reject }).click()
    await phone.getByText(ar.approvals.review.isRejected).waitFor()
    await phone.getByText('عشرون بالمئة فقط').waitFor()
    await phone.getByText(ar.approvals.review.unchangedSince).waitFor()
    await expectSound(phone, 'review-rejected')
    expect(await get(id)).toMatchObject({
      status: 'DRAFT',
      approval: { state: 'REJECTED', reason: 'عشرون بالمئة فقط' },
    })

    // The editor sees the reason without a reload, fixes the post and submits it again.
    await desk.getByText('عشرون بالمئة فقط').waitFor()
    await expectSound(desk, 'composer-rejected')
    await desk.getByLabel(en.composer.text, { exact: true }).fill('Twenty percent off grinders on Friday')
    await desk.getByRole('button', { name: en.approvals.submitAgain }).click()
    await desk.getByRole('dialog').getByRole('button', { name: en.approvals.submit }).click()
    await desk.getByText(/^Waiting for .Cleo/).waitFor()
    await editor.must('POST', `/posts/${id}/comments`, {
      text: '@Hana fixed',
      mentions: [owner.session.user.id],
    })

    await visit(admin, home('/approvals'))
    await admin.locator('ins').first().waitFor()
    await admin.getByText('fixed').waitFor()
    if (long) await expectSound(admin, 'approvals')
    await phone.reload()
    await phone.getByText('Twenty percent off grinders').waitFor()
    // The client sees the request, and that the post has changed since.
    await phone.getByText('عشرون بالمئة فقط').waitFor()
    await phone.getByText(ar.approvals.review.changedSince.split('{')[0] ?? '').waitFor()
    if (long) await expectSound(phone, 'review-again')
    await phone.getByRole('button', { name: ar.approvals.approve }).click()
    await phone.getByText(ar.approvals.review.isApprovedStill).waitFor()
    await phone.getByRole('heading', { level: 1, name: ar.approvals.review.headingLook }).waitFor()
    const offers = async () => {
      const { approve, reject } = ar.approvals
      return Promise.all([approve, reject].map((name) => phone.getByRole('button', { name, exact: true }).count()))
    }
    expect(await offers()).toEqual([0, 1])
    await expectSound(phone, 'review-approved')
    expect(await get(id)).toMatchObject({
      status: 'SCHEDULED',
      approved: true,
      approval: { state: 'APPROVED', decidedBy: { id: null, name: 'Nadia of Shore & Co' } },
    })
    await desk.getByText(/^Approved by .*Nadia/).waitFor()

    // A change unschedules the post, and a message says so at once.
    await desk.getByLabel(en.composer.text, { exact: true }).fill('Thirty percent off grinders on Friday')
    await desk.getByRole('button', { name: en.composer.saveChanges }).click()
    await desk.getByText(en.approvals.takenBack).waitFor()
    expect(await get(id)).toMatchObject({ status: 'DRAFT', approved: false, approval: { state: 'WITHDRAWN' } })

    // An earlier version can be restored.
    await desk.getByRole('button', { name: en.composer.panels.versions }).click()
    const beside = desk.getByRole('complementary', { name: en.composer.beside })
    await beside.getByRole('button', { expanded: false }).first().click()
    await beside.locator('del').first().waitFor()
    if (long) await expectSound(desk, 'history')
    await desk.getByRole('button', { name: en.approvals.restore }).click()
    await desk.getByText(en.approvals.restored).waitFor()
    expect((await get(id)).caption).toBe('Twenty percent off grinders on Friday')
    await owner.must('DELETE', `/posts/${id}`)

    // The link of a deleted post looks like one that never existed.
    await phone.reload()
    await phone.getByText(ar.states.linkEnded).waitFor()
    if (long) await expectSound(phone, 'review-over')

    // Where nothing is left to do, nothing is offered.
    const kept = await owner.must<Post>('POST', '/posts', { caption: 'Kept', action: 'submit', onApproval: 'draft' })
    await owner.must('POST', `/approvals/${kept.approval!.id}/approve`)
    const link = await owner.must<ReviewLink>('POST', `/posts/${kept.id}/review-links`, { name: 'Nadia' })
    await phone.goto(link.url!)
    await phone.getByText(ar.approvals.review.isApproved).waitFor()
    expect(await offers()).toEqual([0, 0])
    await demand('required')
    expect(file.state).toBe('READY')
  })

  test.runIf(long).each(WAYS)(
    'the client option is checked by default only if a client can be reached, and otherwise explains how to reach one ($language)',
    async ({ width, theme, language, words }) => {
      const lone = await newPerson(product.url, 'Lone')
      await lone.must('PATCH', '/api/v1/auth/me', { language })
      const [facebook] = await connectPages(lone)
      const post = await lone.must<Post>('POST', '/posts', { caption: 'For whom?', targets: [facebook?.id] })
      const page = await at(lone, width, theme)
      const open = async () => {
        await visit(page, `${product.url}/app/w/${lone.workspaceId}/posts/${post.id}`)
        await takeWay(page, words.approvals.submit, words)
      }
      const asked = page.getByRole('checkbox', { name: words.approvals.clientToo })
      const invites = page.getByRole('dialog').getByRole('link')
      // The option is disabled until it is known whether a client can be reached, so that it never changes after a
      // person has set it.
      let tell = () => {}
      const known = new Promise<void>((resolve) => (tell = resolve))
      await page.route(/\/members(\?|$)/, async (route) => {
        await known
        await route.continue()
      })
      await open()
      await asked.waitFor()
      expect([await asked.isChecked(), await asked.isDisabled()]).toEqual([true, true])
      tell()
      await invites.waitFor()
      expect([await asked.isChecked(), await asked.isDisabled()]).toEqual([false, false])
      await expectSound(page, `no-client-${language}`)
      await asked.check()
      expect(await asked.isChecked()).toBe(true)
      await lone.must('POST', `/posts/${post.id}/review-links`, { name: 'Nadia' })
      const links = page.waitForResponse(/review-links/)
      await open()
      await links
      await expect.poll(async () => [await asked.isChecked(), await invites.count()]).toEqual([true, 0])
    },
  )

  test.runIf(long).each([
    { width: 1440, theme: 'light', language: 'en', words: en, said: '2 comments' },
    { width: 390, theme: 'dark', language: 'ar', words: ar, said: 'تعليقان' },
  ] as const)('a post shows that it has comments ($language)', async (way) => {
    const { width, theme, language, words, said } = way
    const lone = await newPerson(product.url, 'Lone')
    await lone.must('PATCH', '/api/v1/auth/me', { language })
    const post = await lone.must<Post>('POST', '/posts', { caption: 'Much discussed' })
    const page = await at(lone, width, theme)
    await page.goto(`${product.url}/app/w/${lone.workspaceId}/posts/${post.id}`)
    const talk = page.getByRole('button', { name: words.composer.panels.comments })
    await talk.waitFor()
    expect(await talk.textContent()).toBe(words.composer.panels.comments)
    for (const text of ['Is it too long?', 'Not at all'])
      await lone.must('POST', `/posts/${post.id}/comments`, { text })
    // The count appears without a reload.
    await page.getByRole('button', { name: `${words.composer.panels.comments} ${said}` }).waitFor()
    await expectSound(page, `count-${language}`)
    await talk.click()
    await page.getByRole('heading', { name: `${words.approvals.comments} ${said}` }).waitFor()
    await expectSound(page, `count-open-${language}`)
  })

  test('the open request and a comment on it stay when another post is submitted, and when a colleague decides', async () => {
    const first = await submitted('Open all the time', { client: false })
    const page = await at(owner, 1440)
    await visit(page, home('/approvals'))
    const open = page.getByRole('region', { name: en.approvals.opened })
    await open.getByText('Open all the time').first().waitFor()
    const comment = open.getByLabel(en.approvals.comment)
    await comment.fill('Softer, please')
    const second = await submitted('Sent meanwhile', { client: false })
    const row = (name: string) => page.getByRole('region', { name: en.approvals.queue }).getByRole('link', { name })
    await row('Sent meanwhile').waitFor()
    expect(await comment.inputValue()).toBe('Softer, please')
    expect(await open.getByText('Sent meanwhile').count()).toBe(0)

    const reason = 'Decided by a colleague'
    const colleague = await join(owner, 'Ada', 'ADMIN')
    await colleague.must('POST', `/posts/${first.id}/reject`, { reason })
    await row('Open all the time').waitFor({ state: 'detached' })
    await open.getByText(reason).waitFor()
    await open.getByRole('button', { name: en.approvals.approve, exact: true }).waitFor({ state: 'detached' })
    expect(await comment.inputValue()).toBe('Softer, please')
    await row('Sent meanwhile').click()
    await open.getByText('Sent meanwhile').first().waitFor()
    for (const { id } of [first, second]) await owner.must('DELETE', `/posts/${id}`)
  })

  test('an unsent comment and its mention are kept while another request is open', async () => {
    const [first, second] = [await submitted('Commented on'), await submitted('Looked at in between')]
    const page = await at(owner, 1440)
    await visit(page, home(`/approvals?id=${first.id}`))
    const open = page.getByRole('region', { name: en.approvals.opened })
    const comment = open.getByLabel(en.approvals.comment)
    await comment.fill('Softer, please, @Em')
    await page.getByRole('option', { name: 'Emil' }).click()
    const row = (name: string) => page.getByRole('region', { name: en.approvals.queue }).getByRole('link', { name })
    await row('Looked at in between').click()
    await open.getByText('Looked at in between').first().waitFor()
    expect(await comment.inputValue()).toBe('')
    await row('Commented on').click()
    await expect.poll(() => comment.inputValue()).toBe('Softer, please, @Emil ')
    await open.getByRole('button', { name: en.approvals.say, exact: true }).click()
    await expect.poll(() => comment.inputValue()).toBe('')
    const said = await owner.must<{ data: Comment[] }>('GET', `/posts/${first.id}/comments`)
    expect(said.data).toMatchObject([{ text: 'Softer, please, @Emil', mentions: [{ name: 'Emil' }] }])
    for (const { id } of [first, second]) await owner.must('DELETE', `/posts/${id}`)
  })

  test('a deleted comment can be brought back until its message closes, and the focus goes to the next one', async () => {
    const { id } = await submitted('With two comments')
    for (const text of ['Comment one', 'Comment two']) await owner.must('POST', `/posts/${id}/comments`, { text })
    const page = await at(owner, 1440)
    await visit(page, home(`/approvals?id=${id}`))
    const open = page.getByRole('region', { name: en.approvals.opened })
    const remove = open.getByRole('button', { name: en.approvals.removeComment.replace('{name}', 'Hana') })
    const texts = async () =>
      (await owner.must<{ data: Comment[] }>('GET', `/posts/${id}/comments`)).data.map(({ text }) => text)
    const counted = open.getByRole('heading', { name: en.approvals.comments }).locator('bdi')
    await expect.poll(() => counted.textContent()).toBe('2')
    await remove.first().click()
    await open.getByText('Comment one').waitFor({ state: 'detached' })
    // The number above the list counts what the list shows.
    expect(await counted.textContent()).toBe('1')
    await remove.first().and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: en.approvals.undo }).click()
    await open.getByText('Comment one').waitFor()
    expect(await counted.textContent()).toBe('2')
    expect(await texts()).toEqual(['Comment two', 'Comment one'])
    await remove.first().click()
    await open.getByText('Comment one').waitFor({ state: 'detached' })
    expect(await texts()).toEqual(['Comment two', 'Comment one'])
    // A message stays open below the pointer.
    await page.mouse.move(5, 5)
    await expect.poll(texts, { timeout: 30_000 }).toEqual(['Comment two'])
    await remove.click()
    await open.getByLabel(en.approvals.comment).and(page.locator(':focus')).waitFor()
    // Leaving the page does not lose the act.
    await page.reload()
    await expect.poll(texts, { timeout: 20_000 }).toEqual([])
    await owner.must('DELETE', `/posts/${id}`)
  })

  test('approving a post that publishes at once asks for confirmation, also by key, which acts only on a focused row', async () => {
    const { id } = await submitted('Out at once', { scheduledAt: undefined, onApproval: 'publish' })
    const page = await at(owner, 1440)
    await visit(page, home(`/approvals?id=${id}`))
    const open = page.getByRole('region', { name: en.approvals.opened })
    const approve = open.getByRole('button', { name: en.approvals.approve, exact: true })
    const question = page.getByRole('dialog', { name: en.approvals.publishTitle })
    await approve.waitFor()
    const tooltips = [en.approvals.approve, en.approvals.reject].map((name) =>
      open.getByRole('button', { name, exact: true }).getAttribute('title'),
    )
    expect(await Promise.all(tooltips)).toEqual(['Approve (A)', 'Request changes (R)'])

    // Without a focused row, the keys do nothing, so the next key still opens the list of keys.
    const sent: string[] = []
    const note = (request: Request) =>
      request.method() !== 'GET' && /\/(approvals|posts)\//.test(request.url()) && sent.push(request.url())
    page.on('request', note)
    await approve.focus()
    await page.keyboard.press('a')
    await page.keyboard.press('r')
    await page.keyboard.press('Shift+?')
    const sheet = page.getByRole('dialog', { name: en.keys.title })
    const keyOf = (act: string) => sheet.locator('dl > div').filter({ hasText: act }).locator('kbd').allTextContents()
    await sheet.getByText(en.keys.acts.approve, { exact: true }).waitFor()
    expect([await keyOf(en.keys.acts.approve), await keyOf(en.keys.acts.reject)]).toEqual([['A'], ['R']])
    expect([await question.count(), sent]).toEqual([0, []])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.locator(`[data-row="${id}"]`).focus()
    // The focus must be visible, which requires a key press.
    await page.keyboard.press('Shift')
    await page.keyboard.press('a')
    await question.waitFor()
    expect(sent).toEqual([])
    page.off('request', note)
    if (long) await expectSound(page, 'approve-publish')
    await question.getByRole('button', { name: en.common.cancel }).click()
    expect((await get(id)).status).toBe('DRAFT')
    await approve.click()
    await question.getByRole('button', { name: en.approvals.publishAction }).click()
    await untilStatus(owner, id, ['PUBLISHED'])
  })

  test.runIf(long)(
    'several posts are approved at once, each with its result; A approves the focused row, J and K move the focus',
    async () => {
      const posts = await Promise.all(
        ['One', 'Two', 'Three', 'Four', 'Five'].map((text) => submitted(`Bulk ${text}`, { client: false })),
      )
      const theirs = await submitted('Left to the client')
      const page = await at(owner, 1440)
      const answered = watchAnswers(page)
      await visit(page, home('/approvals'))
      await page.getByLabel(en.bulk.selectAll).waitFor()
      // Posts that wait for the client are listed separately, cannot be selected, and do not count for the reader.
      const apart = page.getByRole('list', { name: en.approvals.forClient })
      await apart.locator(`[data-row="${theirs.id}"]`).waitFor()
      expect(await apart.getByRole('checkbox').count()).toBe(0)
      const mine = await page.getByRole('checkbox', { name: /^Select / }).count()
      await page.getByRole('link', { name: new RegExp(`${mine - 1} waiting$`) }).waitFor()
      const open = page.getByRole('region', { name: en.approvals.opened })
      await open.getByText(/Bulk/).first().waitFor()
      const shown = async () =>
        (await open
          .getByText(/^Bulk \w+$/)
          .first()
          .textContent()) ?? ''
      const first = await shown()
      await page.keyboard.press('j')
      await expect.poll(shown).not.toBe(first)
      await page.keyboard.press('k')
      await expect.poll(shown).toBe(first)
      // A letter typed into a comment is no shortcut.
      await open.getByLabel(en.approvals.comment).click()
      await page.keyboard.type('a')
      await page.keyboard.press('Escape')
      // Without a focused row, the key decides nothing.
      const approve = open.getByRole('button', { name: en.approvals.approve, exact: true })
      expect(await approve.getAttribute('title')).toBe(`${en.approvals.approve} (A)`)
      await approve.focus()
      await page.keyboard.press('a')
      await page.keyboard.press('j')
      await expect.poll(shown).not.toBe(first)
      await page.keyboard.press('k')
      await expect.poll(shown).toBe(first)
      for (const { id } of posts) expect((await get(id)).status).toBe('DRAFT')
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.matches('[data-row]:focus-visible')))
        .toBe(true)
      // A shortcut asks for confirmation where a button does not: the question names the consequence, and pressing the
      // key again decides nothing.
      await page.keyboard.press('a')
      const question = page.getByRole('dialog', { name: en.approvals.scheduleTitle })
      await question.getByText(first, { exact: true }).waitFor()
      await question.getByText(/It will be published on Tue, May 5, 2099, /).waitFor()
      await expectSound(page, 'approve-key')
      await page.keyboard.press('a')
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      for (const { id } of posts) expect((await get(id)).status).toBe('DRAFT')
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.matches('[data-row]:focus-visible')))
        .toBe(true)
      await page.keyboard.press('a')
      await question.getByRole('button', { name: en.approvals.approve, exact: true }).click()
      await expect
        .poll(async () => (await get(posts.find(({ caption }) => caption === first)?.id ?? '')).status)
        .toBe('SCHEDULED')

      // One of the other posts is withdrawn without the page noticing: the rest is approved, and this one shows its
      // reason.
      await expect.poll(() => page.getByRole('checkbox', { name: /^Select Bulk|Bulk/ }).count()).toBe(4)
      // A request that is already under way could reveal it.
      await answered()
      await page.route('**/approvals?*', (route) => route.abort())
      const behind = posts.find(({ caption }) => caption !== first)!
      await editor.must('POST', `/approvals/${behind.approval!.id}/withdraw`)
      await page.getByLabel(en.bulk.selectAll).check()
      await expectSound(page, 'approvals-bulk')
      let release = () => {}
      const released = new Promise<void>((done) => (release = done))
      await page.route('**/approvals/*/approve', async (route) => {
        await released
        await route.continue()
      })
      await page.getByRole('button', { name: 'Approve 4' }).click()
      // The approvals are made in this tab.
      await page.getByText(en.bulk.stay).waitFor()
      expect(await asksToStay(page)).toBe(true)
      // The results outlive the screen.
      await page.getByRole('navigation').getByRole('link', { name: 'Media', exact: true }).click()
      await page.waitForURL(/\/media/)
      release()
      await page
        .getByRole('navigation')
        .getByRole('link', { name: /^Approvals/ })
        .click()
      await page.getByText('3 of 4 approved').waitFor()
      await page.unroute('**/approvals/*/approve')
      await expectSound(page, 'approvals-done')
      await page.unroute('**/approvals?*')
      await editor.must('POST', `/approvals/${theirs.approval!.id}/withdraw`)
      const now = await Promise.all(posts.map(({ id }) => get(id)))
      expect(now.map(({ status, caption }) => [caption, status])).toEqual(
        posts.map(({ caption }) => [caption, caption === behind.caption ? 'DRAFT' : 'SCHEDULED']),
      )
    },
  )

  test.runIf(long).each(WAYS)(
    'by shortcut, a post that stays a draft is approved at once, and one that publishes asks for confirmation ($language)',
    async ({ width, theme, language, words }) => {
      await owner.must('PATCH', '/api/v1/auth/me', { language })
      const draft = await submitted('Stays a draft', { scheduledAt: undefined, onApproval: 'draft' })
      const page = await at(owner, width, theme)
      const press = async (text: string) => {
        await visit(page, home('/approvals'))
        await page.locator('button[aria-keyshortcuts=A]').waitFor({ state: 'attached' })
        await page.getByRole('link', { name: text }).focus()
        // The focus must be visible, which requires a key press.
        await page.keyboard.press('Shift')
        await page.keyboard.press('a')
      }
      if (width > 1000) {
        await press('Stays a draft')
        await expect.poll(async () => (await get(draft.id)).approved).toBe(true)
        expect((await get(draft.id)).status).toBe('DRAFT')
      }
      const atOnce = `Out by key, ${language}`
      const { id } = await submitted(atOnce, { scheduledAt: undefined, onApproval: 'publish' })
      await press(atOnce)
      await page.getByRole('dialog', { name: words.approvals.publishTitle }).waitFor()
      if (long) await expectSound(page, `approve-key-publish-${language}`)
      await page.getByRole('button', { name: words.common.cancel }).click()
      expect((await get(id)).status).toBe('DRAFT')

      // Approving several posts asks for confirmation too, if one of them publishes at once.
      const timed = await submitted('Out at its time', { client: false })
      await visit(page, home('/approvals'))
      for (const text of [atOnce, 'Out at its time'])
        await page.getByRole('checkbox', { name: new RegExp(text) }).check()
      const many = words.approvals.approveMany.split('{')[0] ?? ''
      const approve = page.getByRole('button', { name: new RegExp(`^${many}\\S+$`) })
      await approve.click()
      const question = page.getByRole('dialog', { name: words.approvals.manyTitle.split('{')[0] ?? '' })
      await question.waitFor()
      await expectSound(page, `approve-many-${language}`)
      await question.getByRole('button', { name: words.common.cancel }).click()
      await question.waitFor({ state: 'detached' })
      const states = async () => [(await get(id)).status, (await get(timed.id)).status]
      expect(await states()).toEqual(['DRAFT', 'DRAFT'])
      await approve.click()
      await question.getByRole('button', { name: words.approvals.publishAction }).click()
      await expect.poll(states).toEqual(['PUBLISHED', 'SCHEDULED'])
      for (const post of [draft.id, timed.id]) await owner.must('DELETE', `/posts/${post}`)
      await owner.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    },
  )

  test.runIf(long)('a client who is a member starts with what waits for them, and approves it on a phone', async () => {
    const post = await submitted('For the client alone')
    const other = await submitted('Not for the client', { client: false })
    await client.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const page = await at(client, 390, 'dark')
    await page.goto(home())
    await page.waitForURL(/\/approvals/)
    await page.locator('html[lang=ar]').waitFor()
    await page.getByRole('link', { name: 'For the client alone' }).waitFor()
    expect(await page.getByText('Not for the client').count()).toBe(0)
    await expectSound(page, 'client-queue')
    await page.getByRole('link', { name: 'For the client alone' }).click()
    await page.getByRole('button', { name: ar.approvals.approve, exact: true }).waitFor()
    await expectSound(page, 'client-open')
    await page.getByRole('button', { name: ar.approvals.approve, exact: true }).click()
    await page.getByText(ar.approvals.nothingWaits).waitFor()
    expect(await get(post.id)).toMatchObject({ status: 'SCHEDULED', approved: true })
    expect((await get(other.id)).approval?.state).toBe('PENDING')
  })

  test.runIf(long)('an approved time binds an editor: only others are offered to publish the post now', async () => {
    const scheduled = { caption: 'Approved for May', targets: [account], action: 'schedule', scheduledAt: LATER }
    const { id } = await owner.must<Post>('POST', '/posts', scheduled)
    await demand('required')
    for (const [person, isOffered] of [
      [editor, false],
      [owner, true],
    ] as const) {
      const page = await at(person, 1440)
      await visit(page, home(`/posts/${id}`))
      await page.getByRole('button', { name: en.composer.ways }).click()
      await page.getByRole('menuitem').first().waitFor()
      expect((await page.getByRole('menuitem', { name: en.composer.publishNow }).count()) > 0).toBe(isOffered)
    }
  })

  test.runIf(long)('a scheduled post warns about the effect of a change before it is saved', async () => {
    const post = await owner.must<Post>('POST', '/posts', {
      caption: 'On the schedule',
      targets: [account],
      action: 'schedule',
      scheduledAt: LATER,
    })
    const { changesCount, changeNeedsApproval } = en.post
    for (const [mode, person, said] of [
      ['optional', editor, changesCount],
      ['required', owner, changesCount],
      ['required', editor, changeNeedsApproval],
      ['required_with_client', editor, changeNeedsApproval],
      ['required_with_client', owner, changeNeedsApproval],
    ] as const) {
      await demand(mode)
      const page = await at(person, 1440)
      await visit(page, home(`/posts/${post.id}`))
      const note = page.getByText(en.post.showInCalendar).locator('../..')
      await note.getByText(said).waitFor()
      expect(await note.getByText(said === changesCount ? changeNeedsApproval : changesCount).count()).toBe(0)
    }
    await expectSound(await at(owner, 1440), 'change-needs-approval')
    await owner.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const phone = await at(owner, 390, 'dark')
    await phone.goto(home(`/posts/${post.id}`))
    await phone.getByText(ar.post.changeNeedsApproval).waitFor()
    await expectSound(phone, 'change-needs-approval-ar')
    await owner.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    // Saving has the announced effect.
    const desk = await at(owner, 1440)
    await visit(desk, home(`/posts/${post.id}`))
    await desk.getByLabel(en.composer.text, { exact: true }).fill('Changed by one word')
    await desk.getByRole('button', { name: en.composer.saveChanges }).click()
    await desk.getByText(en.approvals.takenBack).waitFor()
    expect(await get(post.id)).toMatchObject({ status: 'DRAFT', approved: false })
    await demand('required')
  })

  test('moving to drafts and scheduling say what becomes of an approval', async () => {
    await demand('required')
    const schedule = (caption: string) =>
      owner.must<Post>('POST', '/posts', { caption, targets: [account], action: 'schedule', scheduledAt: LATER })
    const [one, other] = [await schedule('Off the schedule'), await schedule('Off the schedule as well')]
    const desk = await at(editor, 1440)
    await visit(desk, home(`/posts/${one.id}`))
    await desk.getByRole('button', { name: en.post.more, exact: true }).click()
    await desk.getByRole('menuitem', { name: en.post.cancelSchedule }).click()
    await desk.getByText(en.common.approvalEnded).waitFor()
    expect(await get(one.id)).toMatchObject({ status: 'DRAFT', approved: false })

    // The editor cannot schedule it again, so nothing offers that.
    await visit(desk, home('/posts?q=Off the schedule as well'))
    await desk.getByLabel(en.bulk.select.replace('{caption}', other.caption)).check()
    await desk.getByRole('button', { name: en.bulk.cancel, exact: true }).click()
    const lost = en.bulk.lost.approval
    await desk.getByText(lost.slice(lost.indexOf('one {') + 5, lost.indexOf('}')).replace('#', '1')).waitFor()
    expect(await desk.getByRole('button', { name: en.bulk.undo, exact: true }).count()).toBe(0)
    expect(await get(other.id)).toMatchObject({ status: 'DRAFT', approved: false })

    // The admin who schedules a post in review approves it.
    await editor.must('POST', `/posts/${one.id}/submit`, { client: false })
    const page = await at(owner, 1440)
    await visit(page, home(`/posts/${one.id}`))
    await takeWay(page, en.composer.schedule)
    await page.getByRole('dialog').getByRole('button', { name: en.composer.schedule, exact: true }).click()
    await page.getByText(en.approvals.requestApproved).waitFor()
    expect(await get(one.id)).toMatchObject({ status: 'SCHEDULED', approved: true, approval: { state: 'APPROVED' } })
  })

  /** Creates a post with a review link. `act` uses the link without an account. */
  async function linked(name: string, more: object) {
    const post = await owner.must<Post>('POST', '/posts', { caption: `For ${name}`, targets: [account], ...more })
    const { url } = await owner.must<ReviewLink>('POST', `/posts/${post.id}/review-links`, { name })
    const path = `/api/v1/review/${url!.split('/').at(-1)}`
    const act = async (what: string, body: object) => {
      const answer = await call<Review>(product.url, 'POST', `${path}/${what}`, body)
      expect(answer.status).toBe(200)
      return answer.body
    }
    return { post, url: url!, act }
  }

  test.runIf(long)('the history names the person who acted by a review link', async () => {
    const { post, act } = await linked('Clara', { action: 'submit', scheduledAt: LATER })
    const { post: seen } = await act('comments', { text: 'Lovely' })
    await act('approve', { postVersion: seen.version })
    const { version } = await get(post.id)
    await act('reject', { postVersion: version, reason: 'On second thoughts' })
    const { comment, approval, post: posts } = en.audit.actions
    for (const [width, theme, language, words] of [
      [1440, 'light', 'en', en],
      [390, 'dark', 'ar', ar],
    ] as const) {
      await owner.must('PATCH', '/api/v1/auth/me', { language })
      const page = await at(owner, width, theme)
      await page.goto(home('/settings/audit'))
      const line = (action: string) => page.getByRole('listitem').filter({ hasText: action }).first()
      await page.locator(`html[lang=${language}]`).waitFor()
      const named = words.audit.byLink.replace('{name}', 'Clara')
      const acts =
        language === 'en' ? [comment.added, approval.approved, posts.scheduled, approval.rejected, posts.cancelled] : []
      for (const action of acts) await line(action).getByText(named, { exact: true }).waitFor()
      await line(words.audit.actions.comment.added).getByText(named, { exact: true }).waitFor()
      await expectSound(page, `history-link-${language}`)
    }
    await owner.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test.runIf(long)('a review link shows the state of its post, and links to where it is live', async () => {
    const pages = (await owner.must<{ data: { id: string; name: string }[] }>('GET', '/social-accounts')).data
    const [first, second] = pages
    const publishing = (paused: boolean) =>
      owner.must('PATCH', `/api/v1/workspaces/${owner.workspaceId}`, { publishing: { paused } })
    const views = await Promise.all(
      WAYS.map(async (way) => {
        const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
        await useTheme(context, way.theme)
        return { ...way, ...(await openPage(context)) }
      }),
    )
    type Going = keyof typeof en.approvals.review.headings
    const shows = async (url: string, status: Going, live: string[]) => {
      for (const { page, words, language, faults } of views) {
        const { review } = words.approvals
        await page.goto(url)
        await page.getByRole('heading', { level: 1, name: review.headings[status] }).waitFor()
        expect(await page.getByText(review.headingLook).count()).toBe(0)
        const told = page.getByRole('status').filter({ hasText: review.out[status].split('{')[0]! })
        await told.waitFor()
        const ways = told.getByRole('link', { name: words.post.viewOn.replace('{network}', 'Facebook Page') })
        expect(await ways.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(live)
        await expectSound(page, `review-${status}-${language}`)
        expect(faults).toEqual([])
      }
    }
    const permalinks = async (id: string) =>
      (await get(id)).publications.flatMap(({ state, permalink }) => (state === 'PUBLISHED' ? [permalink!] : []))

    await publishing(true)
    const { post, url } = await linked('Dina', { action: 'publish' })
    await shows(url, 'PUBLISHING', [])
    await publishing(false)
    await untilStatus(owner, post.id, ['PUBLISHED'])
    const live = await permalinks(post.id)
    expect(live).toHaveLength(1)
    await shows(url, 'PUBLISHED', live)

    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ message: 'Blocked for now', code: 368 }) },
      times: 1,
    })
    const part = await linked('Elif', { action: 'publish', targets: [first!.id, second!.id] })
    await untilStatus(owner, part.post.id, ['PARTIALLY_PUBLISHED'])
    const some = await permalinks(part.post.id)
    expect(some).toHaveLength(1)
    await shows(part.url, 'PARTIALLY_PUBLISHED', some)

    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ message: 'Blocked for now', code: 368 }) },
      times: 1,
    })
    const none = await linked('Farah', { action: 'publish' })
    await untilStatus(owner, none.post.id, ['FAILED'])
    await shows(none.url, 'FAILED', [])
  })

  test.runIf(long)(
    'a concurrent change of another setting does not refuse a choice, but one of the same setting does',
    async () => {
      const page = await at(owner, 1440)
      await visit(page, home('/settings'))
      const { required, required_with_client, optional } = en.approvals.modes
      const way = (name: string) => page.getByRole('radio', { name, exact: true })
      const mode = async () =>
        (await owner.must<{ approvalMode: string }>('GET', `/api/v1/workspaces/${owner.workspaceId}`)).approvalMode
      /** The change by another person just before the next choice arrives. */
      let meanwhile: object | null = null
      await page.route(`**/api/v1/workspaces/${owner.workspaceId}`, async (route) => {
        const body = route.request().method() === 'PATCH' && meanwhile
        if (body) {
          meanwhile = null
          await owner.must('PATCH', `/api/v1/workspaces/${owner.workspaceId}`, body)
        }
        await route.continue()
      })
      meanwhile = { niche: 'A bakery' }
      await way(required_with_client.title).click()
      await expect.poll(mode).toBe('required_with_client')
      meanwhile = { approvalMode: 'optional' }
      await way(required.title).click()
      await page.getByText(en.problems.stale_version).waitFor()
      expect(await mode()).toBe('optional')
      expect(await way(optional.title).isChecked()).toBe(true)
      await page.unrouteAll({ behavior: 'wait' })
    },
  )

  test.runIf(long)(
    'the settings explain the four modes; if the plan lacks approvals, each screen says so',
    async () => {
      const page = await at(owner, 1440)
      await visit(page, home('/settings'))
      await page.getByRole('radio', { name: en.approvals.modes.required_with_client.title }).click()
      await page.getByText(en.approvals.modes.saved).last().waitFor()
      await expect
        .poll(
          async () =>
            (await owner.must<{ approvalMode: string }>('GET', `/api/v1/workspaces/${owner.workspaceId}`)).approvalMode,
        )
        .toBe('required_with_client')
      await owner.must('PUT', '/billing/subscription', { plan: 'free' })
      await visit(page, home('/approvals'))
      await page.getByText('Not in your plan: Approvals').waitFor()
      await page.getByRole('main').getByRole('link', { name: en.settings.plan }).waitFor()
      await expectSound(page, 'approvals-free')
      await visit(page, home('/settings'))
      await page.getByRole('radio', { name: en.approvals.modes.required.title, exact: true }).waitFor()
      expect(await page.getByRole('radio', { name: en.approvals.modes.required.title, exact: true }).isDisabled()).toBe(
        true,
      )
      await owner.must('PUT', '/billing/subscription', { plan: 'pro' })
      await visit(page, '/app/notifications')
      await page.getByText(/mentioned you/).waitFor()
    },
  )

  test('no page reported an error', () => {
    expect([...opened.values()].flatMap(({ faults }) => faults)).toEqual([])
  })
})
