import { beforeAll, describe, expect, test } from 'vitest'
import type { SharedReviewLink } from '../../src/publishing/approvals/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn } from './story.ts'

const LATER = '2099-05-05T09:00:00.000Z'

describe.skipIf(!hasBrowser)('a review link over several posts', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let account: string

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    account = (await connectPages(ann))[0]!.id
  })

  const submitted = (caption: string) =>
    ann.must<Post>('POST', '/posts', {
      caption,
      targets: [account],
      action: 'submit',
      scheduledAt: LATER,
      client: true,
    })
  const get = (id: string) => ann.must<Post>('GET', `/posts/${id}`)

  /** Opens a page for a visitor without an account. */
  async function visitor(width: number, theme: 'light' | 'dark', locale: string) {
    const context = await browser.newContext({ viewport: { width, height: 844 }, locale })
    await useTheme(context, theme)
    return openPage(context)
  }

  test('is created from the list and mailed; on a phone, it shows one post at a time, until nothing is left', async () => {
    const [first, second] = [await submitted('Shared on Monday'), await submitted('Shared on Tuesday')]
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const { page, faults } = await openPage(context)
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts`)
    for (const text of ['Shared on Monday', 'Shared on Tuesday'])
      await page.getByRole('checkbox', { name: new RegExp(text) }).check()
    await page.getByRole('button', { name: en.bulk.share }).click()
    const dialog = page.getByRole('dialog')
    const { links } = en.approvals
    await dialog.getByLabel(links.name).fill('Nadia')
    await dialog.getByLabel(links.emails).fill('nadia at example')
    await dialog.getByRole('button', { name: links.makeAndSend }).click()
    await dialog.getByText(links.emailsWrong).waitFor()
    await dialog.getByLabel(links.emails).fill('nadia@example.com')
    await dialog.getByRole('button', { name: links.makeAndSend }).click()
    await dialog.getByText('Sent to 1 address.').waitFor()
    await expectSound(page, 'share-several')
    const url = await dialog.getByLabel(links.address).inputValue()

    const phone = await visitor(390, 'dark', 'ar')
    await phone.page.goto(url)
    const { review } = ar.approvals
    await phone.page.getByText('Shared on Monday').or(phone.page.getByText('Shared on Tuesday')).first().waitFor()
    const shown = phone.page.getByRole('article')
    expect(await shown.count()).toBe(1)
    const look = (name: string) =>
      phone.page.getByRole('button', { name, exact: true }).evaluate((one) => {
        const { cursor, opacity } = getComputedStyle(one)
        return { cursor, opacity: Number(opacity) }
      })
    // There is no post before the first.
    const [off, on] = [await look(review.previous), await look(review.next)]
    expect([off.cursor, on.cursor, off.opacity < on.opacity]).toEqual(['not-allowed', 'pointer', true])
    const before = await shown.textContent()
    await expectSound(phone.page, 'review-several')
    await phone.page.getByRole('button', { name: review.next }).click()
    await expect.poll(() => shown.textContent()).not.toBe(before)
    await shown.getByRole('button', { name: ar.approvals.reject }).click()
    await phone.page.getByLabel(ar.approvals.reason).fill('أقصر من فضلك')
    await phone.page.getByRole('dialog').getByRole('button', { name: ar.approvals.reject }).click()
    await shown.getByText('أقصر من فضلك').first().waitFor()
    await phone.page.getByRole('button', { name: review.previous }).click()
    await shown.getByRole('button', { name: ar.approvals.approve }).click()
    await phone.page.getByRole('heading', { name: review.nothingLeft }).waitFor()
    if (long) await expectSound(phone.page, 'review-nothing-left')
    const states = await Promise.all([first, second].map(async ({ id }) => (await get(id)).approval?.state))
    expect(new Set(states)).toEqual(new Set(['APPROVED', 'REJECTED']))

    for (let made = 1; made < 20; made += 1) await ann.must('POST', `/posts/${first.id}/review-links`, { name: 'Sami' })
    await dialog.getByRole('button', { name: links.make, exact: true }).click()
    await dialog.getByText(links.full.replace('{limit, number}', '20')).waitFor()

    // Ended in the same dialog, the link shows nothing more. The newer links are listed first.
    await dialog.getByRole('button', { name: links.more }).click()
    await dialog.getByRole('button', { name: links.endNamed.replace('{name}', 'Nadia') }).click()
    const question = page.getByRole('dialog', { name: links.endTitle })
    await question.getByRole('button', { name: links.end, exact: true }).click()
    await page.getByText(links.ended).waitFor()
    await phone.page.reload()
    await phone.page.getByText(ar.states.linkEnded).waitFor()
    expect([...faults, ...phone.faults]).toEqual([])
  })

  test('stays open, with what is typed, when its visitor signs out in another tab', async () => {
    const { id } = await submitted('For a guest with an account')
    const { url } = await ann.must<SharedReviewLink>('POST', '/review-links', { postIds: [id] })
    const ben = await newPerson(product.url)
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const { page, faults } = await openPage(context)
    await signIn(page, ben)
    await page.goto(url!)
    const comment = page.getByLabel(en.approvals.review.comment)
    await comment.fill('Half a thought')
    const { page: tab } = await openPage(context)
    await tab.goto(url!)
    await tab.evaluate(() => new BroadcastChannel('parley.session').postMessage('left'))
    await page.waitForTimeout(500)
    expect(page.url()).toBe(url)
    expect(await comment.inputValue()).toBe('Half a thought')
    expect(await page.evaluate(() => Object.values<string>(sessionStorage))).toContain('Half a thought')
    expect(faults).toEqual([])
  })

  test.runIf(long).each(WAYS)(
    'without a name asks for one once, and says who reads comments ($language)',
    async (way) => {
      const { id } = await submitted(`For a first look ${way.language}`)
      const { url } = await ann.must<SharedReviewLink>('POST', '/review-links', { postIds: [id] })
      const { page, faults } = await visitor(way.width, way.theme, way.language)
      const { review, say, approve } = way.words.approvals
      await page.goto(url!)
      await page.getByRole('heading', { name: review.headingNameless }).waitFor()
      const [before = ''] = review.commentsSeen.split('{name}')
      await page.getByText(before.trim()).waitFor()
      await page.getByLabel(review.comment).fill('Lovely')
      await page.getByRole('button', { name: say, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: review.whoTitle })
      await expectSound(page, `review-name-${way.language}`)
      // Without a name, the comment is not sent, and its text stays.
      await dialog.getByRole('button', { name: way.words.common.cancel }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await page.getByLabel(review.comment).inputValue()).toBe('Lovely')
      await page.getByRole('button', { name: say, exact: true }).click()
      await dialog.getByRole('button', { name: review.whoGo }).click()
      await dialog.getByText(review.whoMissing).waitFor()
      await dialog.getByLabel(review.who).fill('Nadia')
      await dialog.getByRole('button', { name: review.whoGo }).click()
      await page.getByRole('listitem').filter({ hasText: 'Lovely' }).getByText('Nadia', { exact: true }).waitFor()
      // The link keeps the name, so no device asks again.
      const other = await visitor(way.width, way.theme, way.language)
      await other.page.goto(url!)
      await other.page.getByRole('heading', { name: review.heading.replace('{name}', '\u2068Nadia\u2069') }).waitFor()
      await other.page.getByRole('button', { name: approve, exact: true }).click()
      await other.page.getByText(review.isApprovedStill).waitFor()
      expect((await get(id)).approval).toMatchObject({ state: 'APPROVED', decidedBy: { id: null, name: 'Nadia' } })
      expect([...faults, ...other.faults]).toEqual([])
    },
  )

  test.each(WAYS)(
    'whose plan loses approvals says so, and keeps the comment that it refused ($language)',
    async (way) => {
      const choose = (plan: string) => ann.must('PUT', '/billing/subscription', { plan })
      const { id } = await submitted(`Before the new plan ${way.language}`)
      const { url } = await ann.must<SharedReviewLink>('POST', '/review-links', { postIds: [id], name: 'Nadia' })
      const { page, faults } = await visitor(way.width, way.theme, way.language)
      const { review, say, approve } = way.words.approvals
      const told = page.getByText(review.readOnly.split('{name}')[0]!.split('}}').at(-1)!.trim())
      const field = page.getByLabel(review.comment)
      const button = page.getByRole('button', { name: approve, exact: true })
      await page.goto(url!)
      await field.fill('Lovely')
      try {
        await choose('free')
        await page.getByRole('button', { name: say, exact: true }).click()
        await told.nth(1).waitFor()
        expect(await field.inputValue()).toBe('Lovely')
        await button.waitFor({ state: 'detached' })
        await page.reload()
        await told.waitFor()
        expect([await field.count(), await button.count()]).toEqual([0, 0])
        await expectSound(page, `review-read-only-${way.language}`)
      } finally {
        await choose('pro')
      }
      await page.reload()
      await button.click()
      await page.getByText(review.isApprovedStill).waitFor()
      expect(faults).toEqual([])
    },
  )

  test('approves all posts at once, or none if one was edited in the meantime', async () => {
    const [first, second] = [await submitted('Together one'), await submitted('Together two')]
    const postIds = [first.id, second.id]
    const { url } = await ann.must<SharedReviewLink>('POST', '/review-links', { postIds, name: 'Nadia' })
    const { page, faults } = await visitor(1440, 'light', 'en')
    await page.goto(url!)
    await page.getByRole('article').nth(1).waitFor()
    const { review } = en.approvals
    const approve = async () => {
      await page.getByRole('button', { name: 'Approve all 2' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Approve all 2' }).click()
    }
    const caption = 'Together two, edited'
    await ann.must('PATCH', `/posts/${second.id}`, { caption }, { 'if-match': `"${(await get(second.id)).version}"` })
    await ann.must('POST', `/posts/${second.id}/submit`, { client: true })
    await approve()
    await page.getByText(review.changedSome).waitFor()
    await page.getByText(caption).waitFor()
    expect((await get(first.id)).status).toBe('DRAFT')
    if (long) await expectSound(page, 'review-stale')
    await approve()
    await page.getByRole('heading', { name: review.nothingLeft }).waitFor()
    for (const id of postIds) expect((await get(id)).status).toBe('SCHEDULED')
    expect(faults).toEqual([])
  })

  test('a request for changes is kept when the post was edited in the meantime', async () => {
    const post = await submitted('Sent back late')
    const { url } = await ann.must<SharedReviewLink>('POST', '/review-links', { postIds: [post.id], name: 'Nadia' })
    const { page, faults } = await visitor(390, 'light', 'en')
    await page.goto(url!)
    const { reject, reason, review } = en.approvals
    await page.getByRole('button', { name: reject, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: reject })
    const field = dialog.getByLabel(reason)
    await field.fill('A softer tone, please')
    const caption = 'Sent back late, edited'
    await ann.must('PATCH', `/posts/${post.id}`, { caption }, { 'if-match': `"${(await get(post.id)).version}"` })
    await ann.must('POST', `/posts/${post.id}/submit`, { client: true })
    await dialog.getByRole('button', { name: reject, exact: true }).click()
    await dialog.getByText(review.changedUnsent).waitFor()
    expect(await field.inputValue()).toBe('A softer tone, please')
    // It is there again after a look at the new version.
    await dialog.getByRole('button', { name: en.common.cancel }).click()
    await page.getByText(caption).first().waitFor()
    await page.getByRole('button', { name: reject, exact: true }).click()
    expect(await field.inputValue()).toBe('A softer tone, please')
    await dialog.getByRole('button', { name: reject, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await get(post.id)).approval).toMatchObject({ state: 'REJECTED', reason: 'A softer tone, please' })
    expect(faults).toEqual([])
  })
})
