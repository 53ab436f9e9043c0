import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { connect, connectPages, newPerson, type Person, uploadPicture } from '../world.ts'
import { signIn } from '../browser/story.ts'

// Measures the speed of the screens on the same machine, with the browser's own measurements.

/** The screens whose largest paint is measured, with their paths. */
const SCREENS = {
  today: '/today',
  calendar: '/calendar',
  posts: '/posts',
  composer: '/compose',
  approvals: '/approvals',
} as const
const POSTS = 60
const ROUNDS = 5
/** Letters in the composer during the measurement, followed by the keys and clicks that are measured. */
const LETTERS = 2_000
const KEYS = 150
const CLICKS = 30
/** Milliseconds between two actions of a fast person. */
const PAUSE_MS = 60
/** The browser reports no shorter interactions. */
const LEAST_MS = 16

export interface Screens {
  /** Milliseconds until the largest content was painted, by screen and round. */
  largest: Record<keyof typeof SCREENS, number[]>
  /** Milliseconds from each action in the composer to the next paint. Unreported interactions count as `LEAST_MS`. */
  acts: number[]
}

/** Measures the screens of a product that uses its own stand-ins. */
export async function measureScreens(url: string): Promise<Screens> {
  const ann = await newPerson(url, 'Ann')
  await ann.must('POST', '/api/v1/auth/onboarding', {})
  await fill(ann)
  const executablePath = ['chromium-headless-shell', 'chromium', 'google-chrome']
    .map((name) => `/usr/bin/${name}`)
    .find((path) => existsSync(path))
  if (!executablePath) throw new Error('The benchmark of the screens needs Chromium.')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const home = `${url}/app/w/${ann.workspaceId}`
    const largest = {} as Screens['largest']
    for (const [name, path] of Object.entries(SCREENS) as [keyof typeof SCREENS, string][]) {
      largest[name] = []
      for (let round = 0; round < ROUNDS; round++)
        largest[name].push(await inContext(browser, ann, (page) => largestPaint(page, home + path)))
    }
    return { largest, acts: await inContext(browser, ann, (page) => actsInComposer(page, `${home}/compose`)) }
  } finally {
    await browser.close()
  }
}

/** Fills a typical workspace: accounts on three networks, and posts of the coming weeks. */
async function fill(ann: Person) {
  const [account] = await connectPages(ann)
  for (const platform of ['NET_PHOTO', 'NET_VIDEO'] as const) await connect(ann, platform, 'u1')
  const file = await uploadPicture(ann)
  for (let index = 0; index < POSTS; index++)
    await ann.must('POST', '/posts', {
      caption: `Post ${index} about the bread of this week`,
      targets: [account?.id],
      media: [{ mediaFileId: file.id }],
      action: 'schedule',
      scheduledAt: new Date(Date.now() + (index + 2) * 8 * 3_600_000).toISOString(),
    })
}

/** Runs a function with a page of a browser without a cache, in which the person is signed in. */
async function inContext<T>(browser: Browser, ann: Person, run: (page: Page) => Promise<T>): Promise<T> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    await signIn(page, ann)
    return await run(page)
  } finally {
    await context.close()
  }
}

async function largestPaint(page: Page, address: string): Promise<number> {
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).or(page.getByRole('textbox')).first().waitFor()
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let latest = 0
        let rest = setTimeout(() => resolve(latest), 1500)
        new PerformanceObserver((list) => {
          latest = list.getEntries().at(-1)?.startTime ?? latest
          clearTimeout(rest)
          rest = setTimeout(() => resolve(latest), 1500)
        }).observe({ type: 'largest-contentful-paint', buffered: true })
      }),
  )
}

async function actsInComposer(page: Page, address: string): Promise<number[]> {
  await page.goto(address)
  const text = page.getByLabel('Text', { exact: true })
  await text.waitFor()
  const targets = page.getByRole('group', { name: 'Post to' }).getByRole('checkbox')
  await targets.first().waitFor()
  for (const network of ['Facebook Page', 'Instagram', 'TikTok'])
    await page
      .getByRole('group', { name: 'Post to' })
      .getByRole('checkbox', { name: new RegExp(network) })
      .first()
      .check()
  const words = 'Fresh bread from the wood oven, every morning at seven. #bakery '
  await text.fill(words.repeat(Math.ceil(LETTERS / words.length)).slice(0, LETTERS))
  await page.waitForTimeout(2000)
  await page.evaluate(() => {
    const spans: Record<number, number> = {}
    Object.assign(window, { spans })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
        if (entry.interactionId > 0)
          spans[entry.interactionId] = Math.max(spans[entry.interactionId] ?? 0, entry.duration)
    }).observe({ type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit)
  })
  await text.click()
  await page.keyboard.press('End')
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press('abcdefgh '.charAt(key % 9))
    await page.waitForTimeout(PAUSE_MS)
  }
  const tabs = page.getByRole('tablist').first().getByRole('tab')
  const count = await tabs.count()
  for (let click = 0; click < CLICKS; click++) {
    await tabs.nth((click + 1) % count).click()
    await page.waitForTimeout(PAUSE_MS)
  }
  await page.waitForTimeout(500)
  const told = await page.evaluate(() => Object.values((window as unknown as { spans: Record<string, number> }).spans))
  const acts = KEYS + CLICKS
  return [...told, ...Array.from({ length: Math.max(0, acts - told.length) }, () => LEAST_MS)]
}
