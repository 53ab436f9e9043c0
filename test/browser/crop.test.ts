import sharp from 'sharp'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { ar } from '../../web/locales/ar.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { connect, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, violations } from './browser.ts'
import { choose, openSettings, pick, publishNow, signIn, visit } from './story.ts'

/** A picture that is red at its start and blue at its end. */
const halves = () =>
  sharp({ create: { width: 1200, height: 800, channels: 3, background: '#e33' } })
    .composite([{ input: { create: { width: 600, height: 800, channels: 3, background: '#33e' } }, left: 600, top: 0 }])
    .jpeg()
    .toBuffer()

describe.skipIf(!hasBrowser)('cropping in the composer', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let page: Page
  let faults: string[]
  let cora: Person
  let ws: string

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    cora = await newPerson(product.url, 'Cora')
    await connectPages(cora)
    await connect(cora, 'NET_PHOTO', 'u1')
    await signIn(page, cora)
    ws = cora.workspaceId
  })

  const shoot = async (name: string) => {
    const pictures = process.env['PICTURES']
    if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` })
  }
  const compose = async (text: string) => {
    await visit(page, `${product.url}/app/w/${ws}/compose`)
    await choose(page)
    await choose(page, 'Instagram')
    await page.getByLabel('Text', { exact: true }).fill(text)
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'halves.jpg', mimeType: 'image/jpeg', buffer: await halves() }])
    await page.getByText('Ready to publish').waitFor()
  }

  test.runIf(long)('applies to one network only, by keys and pointer, and is published that way', async () => {
    await compose('The two halves')
    await page.getByRole('tab', { name: /Instagram/ }).click()
    await page.getByRole('button', { name: 'Crop halves.jpg' }).click()
    const dialog = page.getByRole('dialog')
    // A feed does not accept such a tall picture, and the post is no story.
    expect(await dialog.getByRole('button', { name: '9:16', exact: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: '1:1', exact: true }).click()
    const now = dialog.getByRole('status')
    await expect.poll(() => now.textContent()).toBe('800 × 800 pixels, starting at 200, 0')
    const frame = dialog.getByRole('button', { name: /^Visible area/ })
    await frame.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => now.textContent()).toBe('800 × 800 pixels, starting at 212, 0')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => now.textContent()).toBe('800 × 800 pixels, starting at 400, 0')
    await dialog.getByText('Result on Instagram: 800 × 800 pixels.').waitFor()
    const slider = dialog.getByRole('slider', { name: 'Size' })
    await slider.fill('600')
    await expect.poll(() => now.textContent()).toBe('600 × 600 pixels, starting at 500, 100')
    await frame.hover()
    const box = (await frame.boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 2, box.y + box.height / 2, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => now.textContent()).toBe('600 × 600 pixels, starting at 600, 100')
    // A corner dragged inwards makes the frame smaller, and the opposite corner stays.
    const held = (await frame.boundingBox())!
    await page.mouse.move(held.x + held.width - 3, held.y + held.height - 3)
    await page.mouse.down()
    await page.mouse.move(held.x + held.width / 2, held.y + held.height / 2, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => now.textContent()).toMatch(/^(29|30|31)\d × (29|30|31)\d pixels, starting at 600, 100$/)
    await slider.fill('600')
    expect(await violations(page)).toEqual([])
    await shoot('crop-desktop')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    await shoot('crop-preview')
    expect(await violations(page)).toEqual([])
    await publishNow(page)
    await page.getByRole('link', { name: /View on Instagram/ }).waitFor()
    await page.getByRole('link', { name: /View on Facebook Page/ }).waitFor()
    const sizeAt = async (name: RegExp) => {
      const [shown] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', { name }).click()])
      const size = await shown
        .locator('.pictures img')
        .first()
        .evaluate(async (one: HTMLImageElement) => {
          await one.decode()
          return [one.naturalWidth, one.naturalHeight]
        })
      await shown.close()
      return size
    }
    expect(await sizeAt(/View on Instagram/)).toEqual([600, 600])
    expect(await sizeAt(/View on Facebook Page/)).toEqual([1200, 800])
    expect(faults).toEqual([])
  })

  test.runIf(long)(
    'offers a full-screen ratio if a network can use it, and explains the effect on the others',
    async () => {
      const tall = page.getByRole('dialog').getByRole('button', { name: '9:16', exact: true })
      await connect(cora, 'NET_VIDEO', 'u1')
      await compose('Upright')
      await openSettings(page, 'Instagram')
      await pick(page.getByRole('combobox', { name: 'Post type' }), 'Story')
      await page.getByRole('button', { name: 'Crop halves.jpg' }).click()
      await tall.click()
      await page
        .getByRole('dialog')
        .getByText(/^Result on Instagram: [^,]* pixels\./)
        .waitFor()
      await page.keyboard.press('Escape')
      await pick(page.getByRole('combobox', { name: 'Post type' }), 'Post')
      await page.getByRole('tab', { name: 'All networks' }).click()
      await choose(page, 'TikTok')
      await page.getByRole('button', { name: 'Crop halves.jpg' }).click()
      await tall.click()
      await page
        .getByRole('dialog')
        .getByText(/^Instagram doesn’t accept this aspect ratio. A white border will be added/)
        .waitFor()
      await page
        .getByRole('dialog')
        .getByText(/^Result on TikTok: [^,]* pixels\./)
        .waitFor()
      expect(await violations(page)).toEqual([])
      await shoot('crop-tall')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.waitForURL(/\/posts\/[0-9a-f-]{36}/)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('applies to all networks, on a phone in Arabic and dark theme, and can be undone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await compose('Another text: the same one is warned of')
    await page.emulateMedia({ colorScheme: 'dark' })
    await cora.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await visit(page, `${product.url}/app/w/${ws}/compose`)
    await page.locator('html[lang=ar][dir=rtl]').waitFor()
    const crop = page.getByRole('button', { name: ar.composer.crop.replace('{name}', 'halves.jpg') })
    await crop.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: '4:5', exact: true }).click()
    await page.getByRole('status').filter({ hasText: '640 × 800' }).waitFor()
    // In any language, the arrow key moves the frame in its direction.
    await dialog.getByRole('button', { name: ar.crop.frame }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('status').filter({ hasText: '292' }).waitFor()
    await shoot('crop-phone')
    expect(await violations(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    expect(await smallTargets(page, 44)).toEqual([])
    await dialog.getByRole('button', { name: 'حفظ' }).click()
    await shoot('crop-phone2')
    await crop.click()
    await page.getByRole('status').filter({ hasText: '292' }).waitFor()
    await dialog.getByRole('button', { name: ar.crop.whole }).click()
    await crop.click()
    await page.getByRole('status').filter({ hasText: '1,200 × 800' }).waitFor()
    expect(faults).toEqual([])
  })
})
