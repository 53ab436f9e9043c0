import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noisy } from '../../src/publishing/media/testing.ts'
import { freshDatabase, type TestDatabase } from '../database.ts'
import { freePort, type Product, startProduct } from '../product.ts'
import { connectPages, newPerson } from '../world.ts'
import { long } from '../tier.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, violations } from './browser.ts'
import { choose, signIn } from './story.ts'

describe.skipIf(!hasBrowser)('an upload in the composer', () => {
  let database: TestDatabase
  let product: Product
  let start: () => Promise<Product>
  const browser = useBrowser()
  let page: Page
  let cable: CDPSession
  let faults: string[]
  let ws: string
  let folder: string
  let path: string
  let bytes: Buffer
  let sent: Request[]

  beforeAll(async () => {
    database = await freshDatabase()
    folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'))
    bytes = await noisy(3_000_000)
    path = join(folder, 'large.png')
    await writeFile(path, bytes)
    const env = { PORT: String(await freePort()) }
    start = () => startProduct({ databaseUrl: database.url, dataDir: join(folder, 'data'), env })
    product = await start()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    page.on('dialog', (dialog) => void dialog.accept())
    page.on('request', (request) => request.url().includes('/media/uploads') && sent.push(request))
    sent = []
    const hana = await newPerson(product.url, 'Hana')
    await connectPages(hana)
    await signIn(page, hana)
    ws = hana.workspaceId
    cable = await context.newCDPSession(page)
    await cable.send('Network.enable')
  })

  afterAll(async () => {
    await product?.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const speed = (uploadThroughput: number) =>
    cable.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })

  beforeEach(async () => {
    await page.goto(`${product.url}/app/w/${ws}/compose`)
    await choose(page)
    sent = []
  })

  const put = () => page.locator('input[type=file]').setInputFiles(path)
  const bar = () => page.getByRole('progressbar', { name: 'Uploading large.png' })
  const halfway = () =>
    page.waitForFunction(() => {
      const now = Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow'))
      return now > 25 && now < 90
    })
  const share = async () => Number(await bar().getAttribute('aria-valuenow'))
  const offsets = () =>
    sent.filter((each) => each.method() === 'PATCH').map((each) => Number(each.headers()['upload-offset']))
  const begun = () => sent.filter((each) => each.method() === 'POST').length

  /** Waits until the post shows the uploaded picture, which the service can serve. */
  async function arrives(): Promise<void> {
    await speed(-1)
    const tile = page.getByRole('img', { name: 'Picture 1 of 1: large.png' })
    await tile.waitFor()
    const served = await page.evaluate(async () => {
      const answer = await fetch(document.querySelector<HTMLImageElement>('img[alt^="Picture 1 of 1"]')!.src)
      return answer.ok
    })
    expect(served).toBe(true)
    await page.getByRole('button', { name: 'Remove large.png' }).click()
  }

  test.runIf(long)('continues where it was when the server was killed and restarted', async () => {
    await speed(500_000)
    await put()
    await halfway()
    await product.kill()
    await page.getByText('No connection. The upload will resume automatically.').waitFor()
    const before = await share()
    product = await start()
    await arrives()
    expect(begun()).toBe(1)
    const [first, last] = [offsets()[0], offsets().at(-1)!]
    expect(first).toBe(0)
    expect(last).toBeGreaterThan(bytes.length * 0.1)
    expect(last).toBeLessThanOrEqual(bytes.length * (before + 1) * 0.01)
    expect(faults).toEqual([])
  })

  test.runIf(long)('can be paused and resumed', async () => {
    await speed(500_000)
    await put()
    await halfway()
    // Without a request, nothing is sent. The last check counts the requests.
    const ended = page.waitForEvent('requestfailed', (request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Pause upload of large.png' }).click()
    await ended
    await page.getByText('Paused').waitFor()
    expect(offsets()).toHaveLength(1)
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 700 })
    expect([await overflows(page), await smallTargets(page, 44)]).toEqual([[], []])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Resume upload of large.png' }).click()
    await arrives()
    expect([begun(), offsets().length]).toEqual([1, 2])
    expect(offsets()[1]).toBeGreaterThan(0)
  })

  test.runIf(long)('continues when the file is chosen again after a reload', async () => {
    await speed(500_000)
    await put()
    await halfway()
    await page.reload()
    await choose(page)
    sent = []
    await put()
    await arrives()
    expect(begun()).toBe(0)
    expect(offsets()[0]).toBeGreaterThan(0)
    expect(faults).toEqual([])
  })
})
