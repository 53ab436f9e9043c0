import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { long } from '../tier.ts'

/** The version without a window first, because it opens a page in half the time. */
const path = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((one) => existsSync(one))

if (!path && process.env['CI'] === 'true') throw new Error('The browser tests need Chromium, and none is installed.')
if (!path) console.warn('\n!!! THE BROWSER TESTS ARE SKIPPED: no Chromium is installed. !!!\n')

/** Whether there is a browser to test with. On CI there must be one. */
export const hasBrowser = path !== undefined

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: path,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      // Painting within the browser process and collecting garbage on one thread saves a tenth of the CPU time.
      '--in-process-gpu',
      // A page lives for seconds: optimizing its code or collecting garbage early costs more than it saves.
      '--js-flags=--single-threaded-gc --no-flush-bytecode --no-maglev --no-turbofan --min-semi-space-size=32',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

let browser: Promise<Browser> | undefined

/** Returns the browser that the files of a worker share. The contexts of a file are closed after its last test. */
export function useBrowser(): Pick<Browser, 'newContext'> {
  const contexts: BrowserContext[] = []
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(await shown(contexts.flatMap((context) => context.pages())))
  })
  afterAll(() => Promise.all(contexts.map((context) => context.close())))
  return {
    async newContext(options) {
      browser ??= launch()
      // Animations repaint all the time, also in background pages, and no test depends on them.
      const context = await (await browser).newContext({ reducedMotion: 'reduce', ...options })
      contexts.push(context)
      return context
    },
  }
}

/** The warnings in the consoles of pages. */
const warned = new WeakMap<Page, string[]>()

/** Returns the visible text and the warnings of each page, to show why a test failed. */
async function shown(pages: Page[]): Promise<string> {
  const texts = await Promise.all(
    pages.map(async (page) => {
      const text = await page.evaluate(() => document.body.innerText).catch(String)
      const warnings = (warned.get(page) ?? []).map((warning) => `${warning}\n`).join('')
      return `--- ${page.url()}\n${warnings}${text.replaceAll(/\s*\n\s*/g, ' | ').slice(0, 2_000)}`
    }),
  )
  return texts.join('\n')
}

export type Theme = 'light' | 'dark'

/** The two combinations of width, theme and language in which each flow runs. */
export const WAYS = [
  { width: 1440, theme: 'light', language: 'en', words: en },
  { width: 390, theme: 'dark', language: 'ar', words: ar },
] as const

/** Opens a page and collects its errors. */
export async function openPage(context: BrowserContext): Promise<{ page: Page; faults: string[] }> {
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const faults: string[] = []
  const warnings: string[] = []
  warned.set(page, warnings)
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // A refused request is an answer, not a fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
    if (message.type() === 'warning') warnings.push(message.text())
  })
  return { page, faults }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules whose results depend on theme, language or width. All others are checked once, in light English. */
const EVERYWHERE = ['color-contrast', 'target-size', 'html-has-lang', 'html-lang-valid']

/**
 * Returns what axe finds wrong with the page: all rules in light English and in long runs, otherwise only those that
 * depend on theme, language or width.
 */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  // In a window as high as the page, no sticky bar covers the content.
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  // Content that arrives late makes the page higher, and content that fades is pale for a moment.
  for (let high = size.height; ;) {
    await still(page)
    const whole = await page.evaluate(() => document.documentElement.scrollHeight)
    if (whole <= high) break
    high = whole
    await page.setViewportSize({ ...size, height: high })
  }
  const everywhere = long ? undefined : EVERYWHERE
  const found = await page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { lang, classList } = document.documentElement
    const whole = !rules || (lang === 'en' && !classList.contains('dark'))
    const { violations } = await axe.run(document, {
      runOnly: whole ? { type: 'tag', values: tags } : { type: 'rule', values: rules },
      resultTypes: ['violations'],
      // These rules need no style sheets, so axe does not load them.
      preload: { assets: ['media'] },
    })
    return violations.map(
      (one) => `${one.id}: ${one.help} — ${one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
    )
  }, everywhere)
  if (page.viewportSize()?.height !== size.height) await page.setViewportSize(size)
  return found
}

/** Returns everything that is too wide: scrollers with overflow, and elements that stick out of the window. */
export const overflows = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    // Finish animations, to measure elements in their final place.
    for (const one of document.getAnimations()) if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish()
    const found: string[] = []
    const name = (element: Element) => element.outerHTML.slice(0, 120)
    /** Whether an element is inside a line that is shortened with an ellipsis. */
    const shortened = (element: Element) => {
      for (let at: Element | null = element.parentElement; at; at = at.parentElement)
        if (getComputedStyle(at).textOverflow === 'ellipsis') return true
      return false
    }
    for (const element of document.querySelectorAll<HTMLElement>('*')) {
      const style = getComputedStyle(element)
      const scrolls = element === document.documentElement || /auto|scroll/.test(style.overflowX)
      if (scrolls && element.scrollWidth > element.clientWidth + 1) found.push(`scrolls: ${name(element)}`)
      const box = element.getBoundingClientRect()
      const hidden = box.width <= 1 || style.visibility === 'hidden' || style.clipPath !== 'none' || shortened(element)
      if (!hidden && box.height > 0 && (box.right > innerWidth + 1 || box.left < -1) && !element.closest('svg'))
        found.push(`sticks out: ${name(element)}`)
    }
    return found
  })

/**
 * Returns controls that are too small to hit, with at least 24 px, or 44 px on phones. Links within a sentence are
 * exempt.
 */
export const smallTargets = (page: Page, least: number): Promise<string[]> =>
  page.evaluate((size) => {
    // Finish animations, to measure elements in their final place.
    for (const one of document.getAnimations()) if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish()
    const found: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>('a, button, input, select, textarea, [role=tab]')) {
      const style = getComputedStyle(element)
      const box = element.getBoundingClientRect()
      if (box.width <= 1 || box.height <= 1 || style.visibility === 'hidden' || style.clipPath !== 'none') continue
      if (element.tagName === 'A' && style.display === 'inline') continue
      const cover = element.tagName === 'A' && getComputedStyle(element, '::after').position === 'absolute'
      const area = element.closest('label') ?? (cover ? element.closest('li') : null) ?? element
      const { width, height } = area.getBoundingClientRect()
      if (width < size - 0.5 || height < size - 0.5)
        found.push(`${Math.round(width)}×${Math.round(height)}: ${element.outerHTML.slice(0, 140)}`)
    }
    return found
  }, least)

/** The folder for screenshots that a person can review. */
const pictures = process.env['PICTURES']

/** Takes a screenshot if wanted, and expects that axe, the widths and the sizes of controls are right. */
export async function expectSound(page: Page, name: string): Promise<void> {
  await still(page)
  if (pictures) {
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }
  const least = (page.viewportSize()?.width ?? 0) < 600 ? 44 : 24
  expect([name, await violations(page)]).toEqual([name, []])
  expect([name, await overflows(page)]).toEqual([name, []])
  expect([name, await smallTargets(page, least)]).toEqual([name, []])
}

/** Sets the theme of all following pages of a context. */
export const useTheme = (context: BrowserContext, theme: Theme) =>
  context.addInitScript((value) => localStorage.setItem('parley.theme', value), theme)

/** Waits for every transition and animation on a screen, except endless ones such as a spinner. */
export const still = (page: Page) =>
  page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity),
  )

/** Whether the page asks before it is closed or reloaded. */
export const asksToStay = (page: Page): Promise<boolean> =>
  page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))

/** Returns a function that waits until no request is open and every answer is rendered. */
export function watchAnswers(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  const isLive = (request: Request) => new URL(request.url()).pathname.endsWith('/events')
  page.on('request', (request) => !isLive(request) && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  const drawn = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  return async () => {
    const end = Date.now() + 60_000
    // Rendering may cause further requests.
    for (let quiet = 0; quiet < 2;) {
      await drawn()
      if (Date.now() > end) throw new Error(`not answered, or not read: ${[...open].map((one) => one.url()).join(' ')}`)
      quiet = open.size === 0 ? quiet + 1 : 0
    }
  }
}
