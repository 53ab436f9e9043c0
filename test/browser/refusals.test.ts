import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { useProduct } from '../fixtures.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { addDays, instantOf } from '../../web/time.ts'
import { connectPages, newPerson, type Person, ZONE } from '../world.ts'
import { hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn } from './story.ts'

describe.skipIf(!hasBrowser)('an act that the service refuses', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let hana: Person
  let pages: SocialAccount[]
  let page: Page
  let faults: string[]

  const date = addDays(new Date().toISOString().slice(0, 10), 40)
  const month = `/calendar?view=month&date=${date}`

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(hana)
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  /** Loads a screen, so that no message of an earlier test is left. */
  const open = (path: string) => page.goto(`${product.url}/app/w/${hana.workspaceId}${path}`)
  const stored = (post: Post) => hana.must<Post>('GET', `/posts/${post.id}`)
  const write = (caption: string, wall: string | null) =>
    hana.must<Post>('POST', '/posts', {
      caption,
      targets: [pages[0]!.id],
      ...(wall && { scheduledAt: instantOf(`${date}T${wall}`, ZONE).toISOString() }),
    })

  /** Lets another person change the text just before the service receives a request of the page about the post. */
  async function editBefore(method: string, post: Post, caption: string) {
    let isEdited = false
    await page.route(new RegExp(`/api/v1/posts/${post.id}(/|$)`), async (route) => {
      if (route.request().method() === method && !isEdited) {
        isEdited = true
        await hana.must('PATCH', `/posts/${post.id}`, { caption })
      }
      await route.continue()
    })
  }

  describe('because another person changed the post in the meantime', () => {
    const text = () => page.getByLabel(en.composer.text, { exact: true }).inputValue()
    const refused = () => page.getByText(en.problems.stale_version, { exact: true })

    test('in the preview of the calendar keeps the post and shows its new text, and can then be repeated', async () => {
      const post = await write('Previewed before the change', '10:00')
      await open(month)
      await page.getByRole('link', { name: post.caption }).click()
      const preview = page.getByRole('dialog', { name: post.caption })
      await preview.getByText(post.caption).waitFor()
      const other = 'Changed under the preview'
      await editBefore('DELETE', post, other)
      await preview.getByRole('button', { name: en.calendar.delete, exact: true }).click()
      await refused().waitFor()
      expect(await stored(post)).toMatchObject({ caption: other, status: 'SCHEDULED' })
      const shown = page.getByRole('dialog', { name: other })
      await shown.getByText(other).waitFor()
      await shown.getByRole('button', { name: en.calendar.delete, exact: true }).click()
      await page.getByText(en.calendar.deleted, { exact: true }).waitFor()
      await page.getByRole('link', { name: other }).waitFor({ state: 'detached' })
    })

    test('in the queue leaves the post a draft with its new text, and can then be repeated', async () => {
      await hana.must('PUT', '/scheduler/slots', {
        slots: ['monday', 'thursday'].map((day) => ({ day, time: '09:00' })),
      })
      const post = await write('Queued before the change', null)
      await open(`/posts/${post.id}`)
      const add = async () => {
        await page.getByRole('button', { name: en.post.more, exact: true }).click()
        await page.getByRole('menuitem', { name: /^Add to queue/ }).click()
      }
      const other = 'Changed before it was queued'
      await editBefore('POST', post, other)
      await add()
      await refused().waitFor()
      expect(await stored(post)).toMatchObject({ caption: other, status: 'DRAFT', scheduledAt: null })
      await expect.poll(text).toBe(other)
      await add()
      await expect.poll(() => stored(post)).toMatchObject({ caption: other, status: 'SCHEDULED' })
    })

    test('in the menu of a post leaves it scheduled with its new text, and can then be repeated', async () => {
      const post = await write('Scheduled before the change', '12:00')
      await open(`/posts/${post.id}`)
      const cancel = async () => {
        await page.getByRole('button', { name: en.post.more, exact: true }).click()
        await page.getByRole('menuitem', { name: en.post.cancelSchedule, exact: true }).click()
      }
      const other = 'Changed before it was cancelled'
      await editBefore('POST', post, other)
      await cancel()
      await refused().waitFor()
      expect(await stored(post)).toMatchObject({ caption: other, status: 'SCHEDULED' })
      await expect.poll(text).toBe(other)
      await cancel()
      await expect.poll(() => stored(post)).toMatchObject({ caption: other, status: 'DRAFT' })
    })
  })

  test('because of its account says so in the language of the person', async () => {
    const [account] = pages
    const post = await write('Cannot go out yet', '14:00')
    await hana.must('PATCH', `/social-accounts/${account!.id}`, { paused: true })
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    onTestFinished(async () => {
      await hana.must('PATCH', `/social-accounts/${account!.id}`, { paused: false })
      await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    })
    await open(month)
    await page.getByRole('link', { name: post.caption }).click()
    await page.getByRole('button', { name: ar.calendar.publishNow, exact: true }).click()
    const question = page.getByRole('dialog', { name: ar.composer.publishTitle })
    await question.getByRole('button', { name: ar.composer.publishNow, exact: true }).click()
    const { message } = ar.checks.account_paused
    await page.getByText(message.replace('{account}', account!.name), { exact: true }).waitFor()
    expect((await stored(post)).status).toBe('SCHEDULED')
  })

  test('leaves no error in the pages', () => {
    expect(faults).toEqual([])
  })
})
