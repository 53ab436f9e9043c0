import { describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import { useProduct } from '../fixtures.ts'
import { en } from '../../web/locales/en.ts'
import { ar } from '../../web/locales/ar.ts'
import { addDays, instantOf } from '../../web/time.ts'
import { connectPages, newPerson, ZONE } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme } from './browser.ts'
import { signIn } from './story.ts'

/** As many as a page of the list has. */
const PAGE = 30

describe.skipIf(!hasBrowser)('drafts without a time', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  test('are all reached in the calendar of a phone, also if drafts with a time fill the first page', async () => {
    const hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const [account] = await connectPages(hana)
    const write = (caption: string, scheduledAt?: string) =>
      hana.must<Post>('POST', '/posts', { caption, targets: [account!.id], action: 'draft', scheduledAt })
    const captions = ['قهوة الخريف بنكهة القرفة', 'ساعات العمل الجديدة في نهاية الأسبوع']
    for (const caption of captions) await write(caption)
    const day = addDays(new Date().toISOString().slice(0, 10), 90)
    for (let index = 0; index < PAGE; index += 1)
      await write(`Planned ${index}`, instantOf(`${addDays(day, index)}T10:00`, ZONE).toISOString())

    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await useTheme(context, 'dark')
    const { page, faults } = await openPage(context)
    await signIn(page, hana)
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/calendar`)
    const section = page.getByRole('region', { name: ar.calendar.unscheduled })
    await section.getByRole('button', { name: ar.calendar.unscheduled }).click()
    const more = section.getByRole('button', { name: ar.calendar.moreDrafts })
    await more.click()
    for (const caption of captions) await section.getByRole('link', { name: caption }).waitFor()
    expect(await section.getByRole('listitem').count()).toBe(captions.length)
    await more.waitFor({ state: 'detached' })
    await expectSound(page, 'unscheduled-ar')
    expect(faults).toEqual([])
  })

  test('do not hide ideas if they fail to load', async () => {
    const hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    const { page } = await openPage(await browser.newContext({ viewport: { width: 1440, height: 900 } }))
    await page.route('**/api/v1/ai/suggestions', (route) => {
      const idea = { id: crypto.randomUUID(), kind: 'topic', title: 'How we roast', scheduledAt: null }
      return route.fulfill({ json: { data: [idea], nextCursor: null } })
    })
    await page.route('**/api/v1/posts?*', (route) =>
      route.fulfill({ status: 422, json: { code: 'invalid_state', status: 422 } }),
    )
    await signIn(page, hana)
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/calendar`)
    const drafts = page.getByRole('complementary', { name: en.calendar.unscheduled })
    await drafts.getByRole('alert').waitFor()
    await drafts.getByRole('link', { name: 'How we roast' }).waitFor()
  })
})
