import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MediaFile } from '../../src/publishing/media/api.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { box, canMakeVideo, video } from '../video.ts'
import { connect, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, violations } from './browser.ts'
import { choose, openProblems, openSettings, pick, signIn, visit } from './story.ts'

const ready = hasBrowser && (await canMakeVideo())

describe.skipIf(!ready)('a video in the composer', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let page: Page
  let faults: string[]
  let hana: Person
  let ws: string

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    hana = await newPerson(product.url, 'Hana')
    await connectPages(hana)
    await connect(hana, 'NET_VIDEO', 'u1')
    await signIn(page, hana)
    ws = hana.workspaceId
  })

  const compose = async (name: string, buffer: Buffer) => {
    await visit(page, `${product.url}/app/w/${ws}/compose`)
    await choose(page)
    await page.getByLabel('Text', { exact: true }).fill('How we roast')
    const mimeType = name.endsWith('.mov') ? 'video/quicktime' : 'video/mp4'
    await page.locator('input[type=file]').setInputFiles([{ name, mimeType, buffer }])
  }

  const remove = (name: string) => page.getByRole('button', { name: `Remove ${name}` }).click()

  test.each(inWay(1, ['roast.mp4', 'roast.mov']))(
    '%s gets a picture and a length, and plays in the preview',
    async (name) => {
      await compose(name, await video({ rotation: 90, type: name.endsWith('.mov') ? 'mov' : 'mp4' }))
      await page.getByText('Ready to publish').waitFor()
      await page.getByText('Length 0:04').waitFor()
      const tile = page.getByRole('img', { name: `Video 1 of 1: ${name}` })
      expect(await tile.evaluate((one: HTMLImageElement) => [one.naturalWidth, one.naturalHeight])).toEqual([360, 640])
      const player = page.getByLabel(`Video ${name}`)
      const played = await player.evaluate(async (one: HTMLVideoElement) => {
        await one.play()
        await new Promise((resolve) => one.addEventListener('timeupdate', resolve, { once: true }))
        return [one.muted, one.controls, one.playsInline, one.videoWidth, one.videoHeight, one.poster !== '']
      })
      expect(played).toEqual([true, true, true, 360, 640, true])
      expect(await violations(page)).toEqual([])
      expect(faults).toEqual([])
      await remove(name)
    },
  )

  test.runIf(long)('works on a phone', async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    await compose('roast.mp4', await video({ seconds: 1 }))
    await page.getByText('Length 0:01').waitFor()
    expect(await overflows(page)).toEqual([])
    expect(await smallTargets(page, 44)).toEqual([])
    await remove('roast.mp4')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test.runIf(long)('shows the progress of its upload, which can be cancelled', async () => {
    const slow = await page.context().newCDPSession(page)
    await slow.send('Network.enable')
    const conditions = { offline: false, latency: 0, downloadThroughput: -1 }
    await compose('short.mp4', await video({ seconds: 1 }))
    await page.getByText('Length 0:01').waitFor()
    await slow.send('Network.emulateNetworkConditions', { ...conditions, uploadThroughput: 400_000 })
    const large = Buffer.concat([await video({ seconds: 1 }), box('free', Buffer.alloc(4_000_000))])
    await page.locator('input[type=file]').setInputFiles([{ name: 'large.mp4', mimeType: 'video/mp4', buffer: large }])
    const bar = page.getByRole('progressbar', { name: 'Uploading large.mp4' })
    await bar.waitFor()
    await page.waitForFunction(() => {
      const now = Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow'))
      return now > 10 && now < 90
    })
    await page.getByRole('button', { name: 'Cancel upload of large.mp4' }).click()
    await bar.waitFor({ state: 'detached' })
    await slow.send('Network.emulateNetworkConditions', { ...conditions, uploadThroughput: -1 })
    await page.getByText('Ready to publish').waitFor()
    expect(await page.getByText('large.mp4').count()).toBe(0)
    await remove('short.mp4')
  })

  test.runIf(long)(
    'shows next to it why it cannot be used, and the objections of networks among the checks',
    async () => {
      const bytes = await video({ seconds: 1 })
      await compose('cut.mp4', bytes.subarray(0, bytes.length - 10))
      const tray = page.getByRole('region', { name: 'Pictures and videos' })
      await tray.getByText('The file is incomplete: its end is missing.').waitFor()
      const problems = await openProblems(page)
      await problems.getByText(/^cut\.mp4 can’t be used\. The file is incomplete: its end/).waitFor()
      await page.keyboard.press('Escape')
      await remove('cut.mp4')
      await compose('blink.mp4', await video({ seconds: 0.5 }))
      await (await openProblems(page)).getByText(/^blink\.mp4 is too short for Facebook \(minimum: 1 s\)/).waitFor()
      await page.keyboard.press('Escape')
      await remove('blink.mp4')
      await page
        .locator('input[type=file]')
        .setInputFiles([{ name: 'film.avi', mimeType: 'video/x-msvideo', buffer: Buffer.from('RIFF') }])
      await page.getByText(/^This file type isn’t supported\. Use JPEG, PNG, GIF or WebP pictures/).waitFor()
    },
  )

  test.runIf(long)(
    'is trimmed without re-encoding, from a key frame to an end, and the result replaces the whole video',
    async () => {
      await compose('roast.mp4', await video())
      await page.getByText('Length 0:04').waitFor()
      await page.getByRole('button', { name: 'Trim roast.mp4' }).click()
      const dialog = page.getByRole('dialog', { name: 'Trim “roast.mp4”' })
      const end = dialog.getByRole('slider', { name: 'End' })
      await end.waitFor()
      expect(await dialog.getByRole('button', { name: 'Trim video' }).isDisabled()).toBe(true)
      await dialog.getByRole('slider', { name: 'Start' }).press('ArrowRight')
      for (let step = 0; step < 5; step += 1) await end.press('ArrowLeft')
      await dialog.getByText('Length: 1.5 s').waitFor()
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      // A person who cancels while the video is being cut keeps the whole video, and nothing is uploaded.
      await dialog.evaluate((element) => {
        const buttons = [...element.querySelectorAll('button')]
        for (const name of ['Trim video', 'Cancel']) buttons.find(({ textContent }) => textContent === name)!.click()
      })
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Length 0:04').waitFor()
      await page.getByRole('button', { name: 'Trim roast.mp4' }).click()
      await end.waitFor()
      await dialog.getByRole('slider', { name: 'Start' }).press('ArrowRight')
      for (let step = 0; step < 5; step += 1) await end.press('ArrowLeft')
      await dialog.getByText('Length: 1.5 s').waitFor()
      await dialog.getByRole('button', { name: 'Trim video' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Length 0:02').waitFor()
      await page.getByText('Ready to publish').waitFor()
      const { data } = await hana.must<{ data: MediaFile[] }>('GET', '/media')
      const files = data.filter(({ fileName }) => fileName === 'roast.mp4')
      expect(files).toHaveLength(2)
      const [cut, whole] = files
      expect(cut).toMatchObject({ state: 'READY', width: 640, height: 360, codec: whole!.codec })
      expect(Math.abs(cut!.duration! - 1.5)).toBeLessThan(0.1)
      expect(whole!.duration).toBe(4)
      expect(await page.getByRole('img', { name: /^Video 1 of 1/ }).count()).toBe(1)
      // The mark of AI does not cover the button.
      await page.getByRole('button', { name: 'Add alt text to roast.mp4' }).click()
      const about = page.getByRole('dialog', { name: 'Alt text' })
      await about.getByRole('checkbox', { name: /^Made with AI/ }).check()
      await about.getByRole('button', { name: 'Save', exact: true }).click()
      await about.waitFor({ state: 'detached' })
      const mark = await page.getByText('AI', { exact: true }).boundingBox()
      const trims = await page.getByRole('button', { name: 'Trim roast.mp4' }).boundingBox()
      expect(mark!.y + mark!.height <= trims!.y || mark!.x + mark!.width <= trims!.x).toBe(true)
      expect(faults).toEqual([])
      await remove('roast.mp4')
    },
  )

  test.runIf(long)('that is too long can be trimmed from its problem, to the limit of the network', async () => {
    await connect(hana, 'NET_PHOTO', 'u1')
    await visit(page, `${product.url}/app/w/${ws}/compose`)
    await choose(page, 'Instagram')
    await page.getByLabel('Text', { exact: true }).fill('')
    const long = await readFile(join(import.meta.dirname, '../../web/public/demo/roast.mp4'))
    await page.locator('input[type=file]').setInputFiles([{ name: 'long.mp4', mimeType: 'video/mp4', buffer: long }])
    await page.getByText('Length 1:15').waitFor()
    await openSettings(page, 'Instagram')
    await pick(page.getByRole('combobox', { name: 'Post type' }), 'Story')
    const problems = await openProblems(page)
    await problems.getByRole('button', { name: /^Trim: long\.mp4 is too long for Instagram/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Trim “long.mp4”' })
    await dialog.getByText('Length: 60.0 s').waitFor()
    await dialog.getByRole('button', { name: 'Trim video' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Length 1:00').waitFor()
    await page.getByText('Ready to publish').waitFor()
    await remove('long.mp4')
    expect(faults).toEqual([])
  })

  test.runIf(long)('gets a cover by moving along the video, also with keys', async () => {
    await visit(page, `${product.url}/app/w/${ws}/compose`)
    await choose(page, 'TikTok')
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'roast.mp4', mimeType: 'video/mp4', buffer: await video() }])
    await openSettings(page, 'TikTok')
    await page.getByText('TikTok chooses the cover.').waitFor()
    await page.getByRole('button', { name: 'Choose cover' }).click()
    const slider = page.getByRole('slider', { name: 'Time of the cover frame in seconds' })
    await slider.focus()
    for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight')
    await expect
      .poll(() =>
        page.locator('dialog video, [role=dialog] video').evaluate((one: HTMLVideoElement) => one.currentTime),
      )
      .toBe(1.2)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The cover is the frame at 1.2 seconds.').waitFor()
    await page.getByRole('button', { name: 'Choose cover' }).click()
    expect(await slider.inputValue()).toBe('1200')
    await page.getByRole('button', { name: 'Let TikTok choose' }).click()
    await page.getByText('TikTok chooses the cover.').waitFor()
    await remove('roast.mp4')
  })
})
