import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post, Removal } from '../../src/publishing/posts/api.ts'
import type { MediaFile } from '../../src/publishing/media/api.ts'
import { en } from '../../web/locales/en.ts'
import { behave } from '../ai.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { untilSubscribed } from '../inbox.ts'
import {
  addFault,
  call,
  confirmEmail,
  connectPages,
  liveOn,
  newPerson,
  type Person,
  untilStatus,
  uploadPicture,
  graphError,
} from '../world.ts'
import { hasBrowser, openPage, expectSound, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('the page of a post', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let pages: SocialAccount[]

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(ann)
  })

  async function at(way: (typeof WAYS)[number] = WAYS[0]) {
    await ann.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    return opened
  }
  const home = (path: string) => `${product.url}/app/w/${ann.workspaceId}${path}`
  async function removeAndUndo(page: Page) {
    await page.getByRole('main').getByRole('button', { name: en.post.more, exact: true }).click()
    await page.getByRole('menuitem', { name: en.post.delete }).click()
    const dialog = page.getByRole('dialog', { name: en.post.deleteTitle })
    await dialog.getByRole('button', { name: en.post.delete, exact: true }).click()
    const toast = page.locator('[data-sonner-toast]').filter({ hasText: en.post.deleted })
    await toast.getByRole('button', { name: en.post.undo, exact: true }).click()
  }

  test.runIf(long).each(WAYS)(
    'shows where it is live and what happened, and accepts comments ($language)',
    async (way) => {
      const { id } = await ann.must<Post>('POST', '/posts', {
        caption: `Told ${way.language}`,
        targets: [pages[0]!.id],
        action: 'publish',
      })
      await untilStatus(ann, id, ['PUBLISHED'])
      const { page, faults } = await at(way)
      await page.goto(home(`/posts/${id}`))
      const { post: words, approvals } = way.words
      await page.getByText(words.outcome.live.replace('{networks}', 'Facebook'), { exact: true }).waitFor()
      const timeline = page.getByRole('region', { name: words.timeline.title })
      const [live, written] = await timeline.getByRole('listitem').allTextContents()
      expect(live).toContain(words.timeline.live.replace('{network}', 'Facebook'))
      expect(written).toContain('Ann')
      await page.getByLabel(approvals.comment).fill('Well done')
      await page.getByRole('button', { name: approvals.say, exact: true }).click()
      await page.getByRole('complementary', { name: words.beside }).getByText('Well done').waitFor()
      await expectSound(page, `post-page-${way.language}`)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long).each(WAYS)('keeps an earlier failure in the timeline after the retry ($language)', async (way) => {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: `${pages[0]!.externalId}/feed` },
      do: { status: 400, body: graphError({ code: 368, message: 'Blocked for now' }) },
      times: 1,
    })
    const body = { caption: `Retried ${way.language}`, targets: [pages[0]!.id], action: 'publish' }
    const { id } = await ann.must<Post>('POST', '/posts', body)
    await untilStatus(ann, id, ['FAILED'])
    const { page, faults } = await at(way)
    await page.goto(home(`/posts/${id}`))
    const { timeline: words } = way.words.post
    const timeline = page.getByRole('region', { name: words.title })
    const fill = (text: string) => text.replace('{network}', 'Facebook').replace('{name}', '\u2068Ann\u2069')
    const told = async () => (await timeline.getByRole('listitem').locator('> span').allTextContents()).slice(0, -1)
    const { post, publication } = words.events
    const before = [publication.failed, post.publish_requested].map(fill)
    await expect.poll(told).toEqual(before)
    await ann.must('POST', `/posts/${id}/retry`)
    await expect.poll(told, { timeout: 30_000 }).toEqual([fill(words.live), fill(post.retried), ...before])
    await expectSound(page, `post-page-retried-${way.language}`)
    expect(faults).toEqual([])
  })

  test('has every edit in its timeline, also those on later pages of versions', async () => {
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'Often edited',
      targets: [pages[0]!.id],
      action: 'publish',
    })
    await untilStatus(ann, id, ['PUBLISHED'])
    const { page, faults } = await at()
    const version = (number: number) => ({
      id: crypto.randomUUID(),
      version: number,
      savedAt: new Date().toISOString(),
      savedBy: null,
      content: {},
    })
    await page.route(`**/posts/${id}/versions?*`, (route) => {
      const isLast = new URL(route.request().url()).searchParams.has('cursor')
      return route.fulfill({
        json: isLast
          ? { data: [version(2), version(1)], nextCursor: null }
          : { data: [version(4), version(3)], nextCursor: 'next' },
      })
    })
    await visit(page, home(`/posts/${id}`))
    const timeline = page.getByRole('region', { name: en.post.timeline.title })
    const edits = timeline.getByRole('listitem').filter({ hasText: en.post.timeline.changed })
    await expect.poll(() => edits.count()).toBe(3)
    expect(faults).toEqual([])
  })

  test('deletes a scheduled post, and undo schedules it again', async () => {
    const { id, scheduledAt } = await ann.must<Post>('POST', '/posts', {
      caption: 'Deleted by mistake',
      targets: [pages[0]!.id],
      scheduledAt: '2099-05-05T09:00:00.000Z',
    })
    const { page, faults } = await at()
    await visit(page, home(`/posts/${id}`))
    await removeAndUndo(page)
    await page.waitForURL(new RegExp(`/posts/${id}$`))
    expect(await ann.must<Post>('GET', `/posts/${id}`)).toMatchObject({ status: 'SCHEDULED', scheduledAt })
    expect(faults).toEqual([])
  })

  test('opens a restored post as a draft, with the reason, if it cannot be scheduled again', async () => {
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'Deleted for too long',
      targets: [pages[0]!.id],
      scheduledAt: '2099-05-05T09:00:00.000Z',
    })
    const { page } = await at()
    await page.route(`**/posts/${id}/schedule`, (route) =>
      route.fulfill({ status: 422, json: { code: 'invalid_state', status: 422 } }),
    )
    await visit(page, home(`/posts/${id}`))
    await removeAndUndo(page)
    await page.waitForURL(new RegExp(`/posts/${id}$`))
    await page.getByText(en.common.restoredAsDraft.replace('{reason}', en.problems.invalid_state)).waitFor()
    await page.getByLabel(en.composer.text, { exact: true }).waitFor()
    expect(await ann.must<Post>('GET', `/posts/${id}`)).toMatchObject({ status: 'DRAFT' })
  })

  test('deletes a live post on its network too, if chosen', async () => {
    const publish = async (caption: string) => {
      const { id } = await ann.must<Post>('POST', '/posts', { caption, targets: [pages[0]!.id], action: 'publish' })
      await untilStatus(ann, id, ['PUBLISHED'])
      return id
    }
    const shown = async () =>
      (await liveOn(`${product.url}/sandbox`)).get(pages[0]!.externalId)?.map(({ message }) => message) ?? []
    const { page, faults } = await at()
    const remove = async (id: string, also: boolean) => {
      await visit(page, home(`/posts/${id}`))
      // The first two entries have the same time.
      const { title, live, events, written } = en.post.timeline
      const lines = page.getByRole('region', { name: title }).getByRole('listitem').locator('> span')
      await expect
        .poll(() => lines.allTextContents())
        .toEqual(
          [live, events.post.publish_requested, written].map((text) =>
            text.replace('{network}', 'Facebook').replace('{name}', '\u2068Ann\u2069'),
          ),
        )
      await page.getByRole('main').getByRole('button', { name: en.post.more, exact: true }).click()
      await page.getByRole('menuitem', { name: en.post.delete }).click()
      const dialog = page.getByRole('dialog', { name: en.post.deleteTitle })
      const box = dialog.getByRole('checkbox', { name: /Also delete from Facebook/ })
      expect(await box.isChecked()).toBe(false)
      if (also) await box.check()
      if (long) await expectSound(page, `post-delete-${also}`)
      await dialog.getByRole('button', { name: en.post.delete, exact: true }).click()
      await page.getByText(en.post.deleted).first().waitFor()
    }
    const [kept, gone] = [await publish('Stays on the page'), await publish('Leaves the page')]
    await remove(kept, false)
    await remove(gone, true)
    await page.getByText('Also deleting it from 1 account.').waitFor()
    await expect.poll(shown).not.toContain('Leaves the page')
    expect(await shown()).toContain('Stays on the page')
    expect(faults).toEqual([])
  })

  test.runIf(long)(
    'deletes several posts at once, on their networks too if chosen, and shows the progress',
    async () => {
      const captions = ['Many: one', 'Many: two', 'Many: a draft']
      const posts = await Promise.all(
        captions.map((caption, index) =>
          ann.must<Post>('POST', '/posts', {
            caption,
            targets: [pages[0]!.id],
            action: index < 2 ? 'publish' : 'draft',
          }),
        ),
      )
      for (const { id } of posts.slice(0, 2)) await untilStatus(ann, id, ['PUBLISHED'])
      const shown = async () =>
        (await liveOn(`${product.url}/sandbox`)).get(pages[0]!.externalId)?.map(({ message }) => message) ?? []
      const { page, faults } = await at()
      await visit(page, home('/posts'))
      for (const caption of captions) await page.getByRole('checkbox', { name: new RegExp(caption) }).check()
      await page.getByRole('button', { name: en.bulk.remove, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/Live posts stay on Facebook unless you delete them there too/).waitFor()
      await dialog.getByRole('checkbox', { name: /Also delete from Facebook Deletes 2 posts there/ }).check()
      await expectSound(page, 'posts-delete')
      // Let both removals finish first, since one may end before the page has seen it under way.
      const removed = async () =>
        (await ann.must<{ data: Removal[] }>('GET', '/removals')).data.filter(({ state }) => state === 'REMOVED').length
      const before = await removed()
      await page.route(/\/api\/v1\/removals/, async (route) => {
        await expect.poll(removed, { timeout: 60_000 }).toBe(before + 2)
        await route.continue()
      })
      await dialog.getByRole('button', { name: en.post.delete, exact: true }).click()
      const progress = page.getByRole('region', { name: en.bulk.removals.title })
      await progress.getByText('2 posts were also deleted from their networks.').waitFor()
      await expectSound(page, 'posts-deleted')
      expect((await shown()).filter((message) => message.startsWith('Many'))).toEqual([])
      await page.unrouteAll({ behavior: 'wait' })
      await progress.getByRole('button', { name: en.common.close }).click()
      await progress.waitFor({ state: 'detached' })
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('the AI describes a picture on request, and says when it fails', async () => {
    const file = await uploadPicture(ann)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'With a picture',
      media: [{ mediaFileId: file.id }],
    })
    const { page, faults } = await at()
    await page.goto(home(`/posts/${id}`))
    await page.getByRole('button', { name: /ALT/ }).first().click()
    const dialog = page.getByRole('dialog', { name: en.composer.altTitle })
    const { altText } = en.ai
    await behave(product.url, { answer: 'refusal' })
    await dialog.getByRole('button', { name: altText.write }).click()
    await dialog.getByText(en.ai.nothingLost).waitFor()
    await behave(product.url, {})
    await dialog.getByRole('button', { name: altText.write }).click()
    await dialog.getByText(altText.check).waitFor()
    await expectSound(page, 'alt-text-written')
    const text = await dialog.getByRole('textbox').inputValue()
    expect(text).not.toBe('')
    await dialog.getByRole('button', { name: en.common.save }).click()
    await expect.poll(async () => (await ann.must<MediaFile>('GET', `/media/${file.id}`)).altText).toBe(text)
    expect(faults).toEqual([])
  })

  test.runIf(long).each(WAYS)(
    'the list of all workspaces shows what needs attention in each ($language)',
    async (way) => {
      const quiet = `Quiet corner ${way.language}`
      await ann.must('POST', '/api/v1/workspaces', { name: quiet })
      await ann.must('POST', '/posts', { caption: 'Waits', action: 'submit', onApproval: 'draft' })
      await untilSubscribed(ann, pages[0]!.id)
      const guest = { network: 'NET_PAGE', accountId: pages[0]!.externalId, kind: 'dm', from: { name: 'Mia' } }
      await call(`${product.url}/sandbox`, 'POST', '/inbound', { ...guest, text: 'Are you open on Sunday?' })
      const unanswered = async () => (await ann.must<{ unanswered: number }>('GET', '/conversations/counts')).unanswered
      await expect.poll(unanswered).not.toBe(0)
      const { page, faults } = await at(way)
      await page.goto(home('/today'))
      await page
        .getByRole('button', { name: new RegExp(way.words.shell.switchWorkspace) })
        .first()
        .click()
      await page.getByRole('menuitem', { name: way.words.shell.overview }).click()
      const rows = page.getByRole('list', { name: way.words.overview.title }).getByRole('listitem')
      await rows.filter({ hasText: quiet }).getByText(way.words.overview.nothingPlanned).waitFor()
      await rows.first().locator(`a[href$="/w/${ann.workspaceId}/inbox"]`).waitFor()
      await expectSound(page, `overview-${way.language}`)
      await rows.first().locator(`a[href$="/w/${ann.workspaceId}/approvals"]`).click()
      await page.waitForURL(/\/approvals/)
      expect(faults).toEqual([])
    },
  )
})
