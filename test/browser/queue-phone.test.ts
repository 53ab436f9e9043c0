import { describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import { useProduct } from '../fixtures.ts'
import { ar } from '../../web/locales/ar.ts'
import { connectPages, newPerson } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme } from './browser.ts'
import { signIn } from './story.ts'

describe.skipIf(!hasBrowser)('the next time of the queue', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  test('fits into the dialog and the menu of an Arabic phone, though its text is long', async () => {
    const hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const [account] = await connectPages(hana)
    await hana.must('PUT', '/scheduler/slots', { slots: [{ day: 'wednesday', time: '09:00' }] })
    const { id } = await hana.must<Post>('POST', '/posts', { caption: 'قهوة', targets: [account!.id], action: 'draft' })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await useTheme(context, 'dark')
    const { page } = await openPage(context)
    await signIn(page, hana)
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/posts/${id}`)
    await page.getByRole('button', { name: ar.composer.schedule, exact: true }).click()
    await page.getByRole('dialog').waitFor()
    const times = page.getByRole('group', { name: ar.schedule.freeSlots })
    const { x, width } = (await times.getByRole('button').first().boundingBox())!
    expect([x > 0, x + width < 390]).toEqual([true, true])
    await page.getByRole('dialog').getByRole('grid').waitFor()
    await expectSound(page, 'queue-time-ar')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 320, height: 700 })
    await page.getByRole('button', { name: ar.post.more, exact: true }).click()
    const menu = page.getByRole('menu', { name: ar.post.more })
    await menu.getByText(new RegExp(ar.schedule.addToQueue.split('(')[0]!)).waitFor()
    // Eight pixels to each edge of the window.
    await expect
      .poll(async () => {
        const box = (await menu.boundingBox())!
        return [box.x >= 8, box.x + box.width <= 312]
      })
      .toEqual([true, true])
  })
})
