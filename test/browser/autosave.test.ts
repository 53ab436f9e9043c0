import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, connectPages, eventually, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, overflows, useBrowser, useTheme, violations, WAYS } from './browser.ts'
import { signIn, takeWay } from './story.ts'

// Text typed while an answer is pending belongs to the post like earlier text.

describe.skipIf(!hasBrowser)('text typed during a save', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let page: Page
  let faults: string[]

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    await connectPages(ann)
    ;({ page, faults } = await openPage(await browser.newContext({ viewport: { width: 1440, height: 900 } })))
    await signIn(page, ann)
  })

  const text = () => page.getByLabel(en.composer.text, { exact: true })
  const saves = (caption: string) =>
    eventually(async () => {
      const { data } = await ann.must<{ data: Post[] }>('GET', '/posts')
      return data.some((post) => post.caption === caption)
    })

  /** Holds requests back. `asked` resolves with the first one, `release` lets them continue. */
  async function hold(url: string, method: string) {
    let release = () => {}
    let ask = () => {}
    const released = new Promise<void>((done) => (release = done))
    const asked = new Promise<void>((done) => (ask = done))
    await page.route(url, async (route: Route) => {
      if (route.request().method() === method) {
        ask()
        await released
      }
      await route.continue()
    })
    return { asked, release }
  }

  test('of a new post: it moves to the page of the post, and is saved there automatically', async () => {
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/compose`)
    await text().fill('Before the first answer')
    const { asked, release } = await hold('**/api/v1/posts', 'POST')
    await page.getByRole('button', { name: en.composer.saveDraft }).click()
    await asked
    await text().fill('Before the first answer, and while it was on its way')
    release()
    await page.waitForURL(/\/posts\/[^/]+$/)
    await saves('Before the first answer, and while it was on its way')
    await page.getByText(/^Saved /).waitFor()
    // It is not announced, because it is said at each pause in typing.
    expect(
      await page
        .getByRole('status')
        .filter({ hasText: /^Saved / })
        .count(),
    ).toBe(0)
    expect(await text().inputValue()).toBe('Before the first answer, and while it was on its way')
    // Nothing was restored, and nothing is left for the next new post.
    expect(await page.getByRole('button', { name: en.composer.discardRestored }).count()).toBe(0)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/compose`)
    await text().waitFor()
    expect(await text().inputValue()).toBe('')
  })

  test.runIf(long)('continues key by key as the new post becomes a stored one', async () => {
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/compose`)
    await text().fill('Typed on: ')
    await page.keyboard.press('Control+s')
    const typed = 'abcdefghijklmnopqrstuvwxyz'.repeat(4)
    await page.keyboard.type(typed, { delay: 10 })
    await page.waitForURL(/\/posts\/[^/]+$/)
    await page.keyboard.type(' end')
    expect(await text().inputValue()).toBe(`Typed on: ${typed} end`)
    await saves(`Typed on: ${typed} end`)
  })

  test.runIf(long)('of a draft: a second save in the meantime causes no conflict', async () => {
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'To be saved' })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    await text().waitFor()
    const { asked, release } = await hold(`**/api/v1/posts/${id}`, 'PATCH')
    await text().fill('To be saved once')
    await asked
    await page.keyboard.press('Control+s')
    const refused: number[] = []
    page.on('response', (answer) => answer.status() === 409 && refused.push(answer.status()))
    release()
    await page.getByText(/^Saved /).waitFor()
    await saves('To be saved once')
    await page.keyboard.press('Control+s')
    await text().fill('To be saved once, and again')
    await saves('To be saved once, and again')
    expect(refused).toEqual([])
  })

  test('of a colleague is not published by a person who has not seen it', async () => {
    const [account] = await ann.must<{ data: { id: string }[] }>('GET', '/social-accounts').then(({ data }) => data)
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Finished', targets: [account?.id] })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    await takeWay(page, en.composer.publishNow)
    const dialog = page.getByRole('dialog', { name: en.composer.publishTitle })
    await dialog.waitFor()
    const refreshed = page.waitForResponse((answer) => answer.url().endsWith(`/posts/${id}`))
    await ann.must('PATCH', `/posts/${id}`, { caption: 'Finished, but th' })
    await refreshed
    await dialog.getByRole('button', { name: en.composer.publishNow, exact: true }).click()
    await page.getByRole('button', { name: en.conflict.takeTheirs }).waitFor()
    expect(await text().inputValue()).toBe('Finished')
    expect(await ann.must<Post>('GET', `/posts/${id}`)).toMatchObject({ status: 'DRAFT', caption: 'Finished, but th' })
    await page.getByRole('button', { name: en.conflict.takeTheirs }).click()
    await expect.poll(() => text().inputValue()).toBe('Finished, but th')
  })

  test('of a refused draft is not repeated before the draft changes', async () => {
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'To be refused' })
    await page.clock.install()
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    let tried = 0
    await page.route(`**/api/v1/posts/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      tried += 1
      await route.fulfill({ status: 422, json: { code: 'validation_failed', status: 422 } })
    })
    await text().fill('Refused')
    await page.getByText(en.composer.saveFailed.split('{')[0]!).waitFor()
    await page.clock.runFor(6_000)
    // A request of the autosave would leave before this one.
    await page.evaluate(() => fetch('/api/v1/health/live').then((answer) => answer.text()))
    expect(tried).toBe(1)
    await text().fill('Refused again')
    await expect.poll(() => tried).toBe(2)
    await page.unrouteAll({ behavior: 'wait' })
    await text().fill('Accepted')
    await saves('Accepted')
    expect(faults).toEqual([])
  })

  test('of a scheduled post: it stays unsaved until the next save', async () => {
    const [account] = await ann.must<{ data: { id: string }[] }>('GET', '/social-accounts').then(({ data }) => data)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'On the schedule',
      targets: [account?.id],
      scheduledAt: '2099-05-05T09:00:00Z',
    })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    await text().fill('Changed')
    const { asked, release } = await hold(`**/api/v1/posts/${id}`, 'PATCH')
    const save = page.getByRole('button', { name: en.composer.saveChanges })
    await save.click()
    await asked
    await text().fill('Changed, and once more')
    release()
    await page.getByText(en.composer.draftSaved).waitFor()
    expect(await text().inputValue()).toBe('Changed, and once more')
    await page.getByText(en.composer.unsaved).waitFor()
    await save.click()
    await saves('Changed, and once more')
    expect(faults).toEqual([])
  })

  test('of a scheduled post can be copied when publishing starts before it is saved', async () => {
    const [account] = await ann.must<{ data: { id: string }[] }>('GET', '/social-accounts').then(({ data }) => data)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'Soon live',
      targets: [account?.id],
      scheduledAt: '2099-05-06T09:00:00Z',
    })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    await text().fill('Changed too late')
    await page.getByText(en.composer.unsaved).waitFor()
    await ann.must('POST', `/posts/${id}/publish`)
    const words = en.composer.kept
    const note = page.getByText(words.bodyPublishing)
    await note.waitFor()
    expect(await page.getByLabel(words.title).inputValue()).toBe('Changed too late')
    await page.getByRole('button', { name: words.discard, exact: true }).click()
    await note.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Soon live').first().waitFor()
    expect(await note.count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('of a draft is saved over a version that differs only in its time, and waits if the post is scheduled', async () => {
    const [account] = await ann.must<{ data: { id: string }[] }>('GET', '/social-accounts').then(({ data }) => data)
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Planned', targets: [account?.id] })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    const whileHeld = async (caption: string, act: () => Promise<unknown>) => {
      const { asked, release } = await hold(`**/api/v1/posts/${id}`, 'PATCH')
      await text().fill(caption)
      await asked
      await act()
      release()
    }
    const scheduledAt = '2099-05-07T09:00:00Z'
    await whileHeld('Planned by two', () => ann.must('PATCH', `/posts/${id}`, { scheduledAt }))
    await saves('Planned by two')
    await whileHeld('Planned by three', () => ann.must('POST', `/posts/${id}/schedule`, { scheduledAt }))
    await page.getByText(en.composer.unsaved).waitFor()
    expect(await page.getByRole('button', { name: en.conflict.takeTheirs }).count()).toBe(0)
    expect(await ann.must<Post>('GET', `/posts/${id}`)).toMatchObject({ caption: 'Planned by two' })
    await page.getByRole('button', { name: en.composer.saveChanges }).click()
    await saves('Planned by three')
    expect(faults).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('restored unsaved text', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  test.runIf(long).each(WAYS)(
    'can be discarded, and Undo brings it back ($language)',
    async ({ width, theme, language, words }) => {
      const ben = await newPerson(product.url)
      await ben.must('PATCH', '/api/v1/auth/me', { language })
      const context = await browser.newContext({ viewport: { width, height: 900 }, locale: language })
      await useTheme(context, theme)
      const { page, faults } = await openPage(context)
      await signIn(page, ben)
      const text = page.getByLabel(words.composer.text, { exact: true })
      const discard = page.getByRole('button', { name: words.composer.discardRestored, exact: true })
      const undo = page.getByRole('button', { name: words.composer.undo, exact: true })
      await page.goto(`${product.url}/app/w/${ben.workspaceId}/compose`)
      await text.fill('Typed, and not saved')
      await page.reload()
      await page.getByText(words.composer.restored).waitFor()
      expect(await text.inputValue()).toBe('Typed, and not saved')
      await expectSound(page, `restored-${language}`)
      await discard.click()
      await expect.poll(() => text.inputValue()).toBe('')
      await undo.waitFor()
      const pictures = process.env['PICTURES']
      if (pictures) await page.screenshot({ path: `${pictures}/discarded-${language}.png` })
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      await undo.click()
      await expect.poll(() => text.inputValue()).toBe('Typed, and not saved')
      await page.reload()
      await page.getByText(words.composer.restored).waitFor()
      expect(await text.inputValue()).toBe('Typed, and not saved')
      // Text typed after discarding is not replaced by the discarded text.
      await discard.click()
      await undo.waitFor()
      await text.fill('Something else')
      await undo.waitFor({ state: 'detached' })
      expect(await text.inputValue()).toBe('Something else')
      expect(faults).toEqual([])
    },
  )
})
