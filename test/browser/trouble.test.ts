import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import {
  addFault,
  confirmEmail,
  connect,
  connectPages,
  liveOn,
  newPerson,
  type Person,
  untilStatus,
  uploadPicture,
  graphError,
} from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, useTheme, violations } from './browser.ts'
import { signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('posts that need attention', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let pages: SocialAccount[]

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(ann)
  })

  test.runIf(long)('are listed with the posts, fixed there, and then gone', async () => {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ message: 'Blocked for now', code: 368 }) },
      times: 1,
    })
    const refused = await ann.must<Post>('POST', '/posts', {
      caption: 'Refused for now',
      targets: [pages[0]!.id],
      action: 'publish',
    })
    await untilStatus(ann, refused.id, ['FAILED'])
    await ann.must('POST', '/posts', {
      caption: 'Waits for a paused page',
      targets: [pages[1]!.id],
      scheduledAt: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    })
    await ann.must('PATCH', `/social-accounts/${pages[1]!.id}`, { paused: true })

    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await useTheme(context, 'dark')
    const { page, faults } = await openPage(context)
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts`)
    await page.getByRole('link', { name: 'Needs attention 2' }).click()
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.getByText('Waits for a paused page').waitFor()
    await page.getByText('is paused. Resume the account.').waitFor()
    await page.getByText('Blocked for now').waitFor()
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/trouble.png`, fullPage: true })
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Refused for now').waitFor({ state: 'detached' })
    await ann.must('PATCH', `/social-accounts/${pages[1]!.id}`, { paused: false })
    await page.getByText('Nothing needs attention').waitFor()
    await untilStatus(ann, refused.id, ['PUBLISHED'])
    expect(faults).toEqual([])
  })

  test('a person reports that an unconfirmed post is live, with the address that the network shows', async () => {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ message: 'Blocked for now', code: 368 }) },
      times: 1,
    })
    const post = { caption: 'Perhaps live', targets: [pages[0]!.id], action: 'publish' }
    const { id } = await ann.must<Post>('POST', '/posts', post)
    await untilStatus(ann, id, ['FAILED'])
    const meant = 'https://example.com/meant'
    const text = { key: 'failures.outcome_unknown/several', values: { posts: `${meant} 12345_6` } }
    await sql.query(
      `update delivery set state = 'UNCONFIRMED', error = error || jsonb_build_object('text', $2::jsonb) where post_id = $1`,
      [id, JSON.stringify(text)],
    )
    const { page, faults } = await openPage(await browser.newContext({ viewport: { width: 390, height: 844 } }))
    await signIn(page, ann)
    await visit(page, `${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    expect(await page.getByRole('link', { name: meant }).getAttribute('href')).toBe(meant)
    await page.getByText('12345_6').waitFor()
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    await page.getByRole('button', { name: en.post.isLive, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en.post.link).fill('facebook')
    await dialog.getByRole('button', { name: en.post.markLive, exact: true }).click()
    await dialog.getByText(en.common.fault.url).waitFor()
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    await dialog.getByLabel(en.post.link).fill('https://example.com/perhaps')
    await dialog.getByRole('button', { name: en.post.markLive, exact: true }).click()
    await untilStatus(ann, id, ['PUBLISHED'])
    const { publications } = await ann.must<Post>('GET', `/posts/${id}`)
    expect(publications).toMatchObject([{ state: 'PUBLISHED', permalink: 'https://example.com/perhaps' }])
    expect(faults).toEqual([])
  })

  test.runIf(long)('lead from Today to the fault in the editor, and offer the fix first, then the retry', async () => {
    const [photo] = await connect(ann, 'NET_PHOTO', 'u1')
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'Partly',
      captionOverrides: { NET_PHOTO: { caption: 'Partly [sim:fail 100]' } },
      targets: [pages[0]!.id, photo!.id],
      media: [(await uploadPicture(ann)).id],
      action: 'publish',
    })
    await untilStatus(ann, id, ['PARTIALLY_PUBLISHED'])
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page, faults } = await openPage(context)
    await signIn(page, ann)
    const fix = page.getByRole('button', { name: en.post.fix.replace('{network}', 'Instagram') })
    const retry = page.getByRole('button', { name: en.post.retry, exact: true })
    const isMain = async (one: Locator) => / bg-accent /.test((await one.getAttribute('class')) ?? '')
    const isOpen = async () => {
      await page.getByRole('tab', { name: /Instagram/, selected: true }).waitFor()
      expect(await page.locator('#field-caption').inputValue()).toBe('Partly [sim:fail 100]')
    }
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/today`)
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Partly' })
      .getByRole('link', { name: en.today.acts.edit })
      .click()
    await isOpen()
    await visit(page, `${product.url}/app/w/${ann.workspaceId}/trouble`)
    await fix.waitFor()
    expect([await isMain(fix), await isMain(retry)]).toEqual([true, false])
    await fix.click()
    await isOpen()
    await page.locator('#field-caption').fill('Partly, and politely')
    await page.getByRole('button', { name: en.composer.saveChanges }).click()
    await page.getByText(en.composer.draftSaved).waitFor()
    await page.getByRole('button', { name: en.composer.back }).click()
    await fix.waitFor()
    expect([await isMain(fix), await isMain(retry)]).toEqual([false, true])
    // While it is tried again, the list still says when it went live.
    const pause = (paused: boolean) =>
      ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { publishing: { paused, onResume: 'send' } })
    await pause(true)
    try {
      await retry.click()
      await untilStatus(ann, id, ['PUBLISHING'])
      await visit(page, `${product.url}/app/w/${ann.workspaceId}/posts`)
      const row = page.getByRole('listitem').filter({ hasText: 'Partly' })
      await row.getByText(new RegExp(`^${en.posts.wentOut} `)).waitFor()
    } finally {
      await pause(false)
    }
    await untilStatus(ann, id, ['PUBLISHED'])
    // Once it is all live, only its badge says so.
    const row = page.getByRole('listitem').filter({ hasText: 'Partly' })
    await row.getByText(en.status.PUBLISHED, { exact: true }).filter({ visible: true }).waitFor()
    expect(await row.getByText(new RegExp(en.posts.wentOut)).filter({ visible: true }).count()).toBe(1)
    // A post at risk opens at its problem too.
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: true })
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
    await ann.must('POST', '/posts', { caption: 'At risk', targets: [pages[0]!.id], scheduledAt })
    await visit(page, `${product.url}/app/w/${ann.workspaceId}/today`)
    const atRisk = page.getByRole('listitem').filter({ hasText: 'At risk' })
    await atRisk.getByRole('link', { name: en.today.acts.edit }).click()
    await page.locator('#field-targets :focus').waitFor()
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: false })
    expect(faults).toEqual([])
  })

  test.runIf(long)('include a post that could not be deleted on its network, and delete it there', async () => {
    const post = await ann.must<Post>('POST', '/posts', {
      caption: 'Out of date',
      targets: [pages[0]!.id],
      action: 'publish',
    })
    await untilStatus(ann, post.id, ['PUBLISHED'])
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'DELETE', path: pages[0]!.externalId },
      do: { status: 400, body: graphError({ message: 'Blocked for now', code: 368 }) },
      times: 1,
    })
    await ann.must('DELETE', `/posts/${post.id}?alsoOn=NET_PAGE`)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'ar' })
    await useTheme(context, 'dark')
    const { page, faults } = await openPage(context)
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/trouble`)
    await page.getByText('Out of date').waitFor()
    const retry = page.getByRole('button', { name: 'إعادة محاولة الحذف' })
    await retry.waitFor()
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/removal.png`, fullPage: true })
    await retry.click()
    await page.getByText('Out of date').waitFor({ state: 'detached' })
    const live = async () =>
      (await liveOn(`${product.url}/sandbox`)).get(pages[0]!.externalId)?.map(({ message }) => message)
    await expect.poll(live).not.toContain('Out of date')
    expect(faults).toEqual([])
  })
})
