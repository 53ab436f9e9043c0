import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { canMakeVideo, video } from '../video.ts'
import { connect, liveOn, newPerson, type Person, picture } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, useTheme, violations } from './browser.ts'
import { choose, openSettings, pick, publishNow, signIn, unfold, visit } from './story.ts'

// Each kind of post apart from the usual one is composed on the screen, published, and found on the network.

const shots = process.env['SHOTS']
const ready = hasBrowser && (await canMakeVideo())

const ways = [
  { language: 'en', width: 1440, height: 900, theme: 'light', words: en },
  { language: 'ar', width: 390, height: 844, theme: 'dark', words: ar },
] as const

const file = (name: string, buffer: Buffer) => ({
  name,
  mimeType: name.endsWith('.mp4') ? 'video/mp4' : 'image/jpeg',
  buffer,
})

describe.skipIf(!ready).each(inWay(0, ways))('in $language at $width px', (way) => {
  const { words } = way
  const { product } = useProduct({ env: FAST })
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let ann: Person
  const accounts = {} as Record<SocialAccount['platform'], SocialAccount>

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await ann.must('PATCH', '/api/v1/auth/me', { language: way.language })
    for (const network of ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const)
      accounts[network] = (await connect(ann, network, 'u9301'))[0] as SocialAccount
    context = await browser.newContext({
      viewport: { width: way.width, height: way.height },
      locale: way.language,
      hasTouch: way.width < 600,
    })
    await useTheme(context, way.theme)
    ;({ page, faults } = await openPage(context))
    await signIn(page, ann)
  })

  const kinds = [
    { name: 'reel', on: 'NET_PAGE', files: async () => [file('up.mp4', await video({ width: 540, height: 960 }))] },
    { name: 'story', on: 'NET_PHOTO', files: async () => [file('tall.jpg', await picture(900, 1600, '#1d4ed8'))] },
    {
      name: 'mixed',
      on: 'NET_PHOTO',
      files: async () => [
        file('first.jpg', await picture(800, 800, '#b45309')),
        file('clip.mp4', await video()),
        file('last.jpg', await picture(800, 800, '#0f766e')),
      ],
    },
    {
      name: 'pictures',
      on: 'NET_VIDEO',
      files: async () => [
        file('one.jpg', await picture(800, 800, '#7c3aed')),
        file('two.jpg', await picture(800, 800, '#be123c')),
      ],
    },
    { name: 'comment', on: 'NET_PAGE', files: async () => [] },
  ] as const

  // A usual run takes the comment that follows a post.
  test.each(long ? kinds : kinds.filter(({ name }) => name === 'comment'))(
    '$name on $on',
    async ({ name, on, files }) => {
      const account = accounts[on]
      await visit(page, `${product.url}/app/w/${ann.workspaceId}/compose`)
      const network = { NET_PAGE: 'Facebook', NET_PHOTO: 'Instagram', NET_VIDEO: 'TikTok' }[on]
      await choose(page, network, words.composer.postTo)
      const text = `Kind ${name} ${way.language}`
      await page.getByLabel(words.composer.text, { exact: true }).fill(text)
      const chosen = await files()
      if (chosen.length > 0) await page.locator('input[type=file]').setInputFiles([...chosen])
      if (name !== 'comment') await openSettings(page, network, words)
      if (name === 'reel' || name === 'story')
        await pick(page.getByRole('combobox', { name: words.options.kind }), words.options.kinds[name])
      if (name === 'comment') {
        await page.getByRole('tab', { name: new RegExp(network) }).click()
        await unfold(page, words.options.firstComment)
        await page.locator(`#field-${on}-firstComment`).fill('More in our bio')
      }
      if (on === 'NET_VIDEO') {
        await pick(page.getByLabel(words.options.privacy), words.options.levels.PUBLIC_TO_EVERYONE)
        await page.getByText(words.options.consent.replace('{network}', 'TikTok')).click()
      }
      if (name === 'pictures') {
        // The settings only mention what the post contains.
        const settings = page.getByRole('region', { name: words.options.title.replace('{network}', 'TikTok') })
        await settings.getByText(words.options.advertising).waitFor()
        await expect.poll(() => settings.innerText()).not.toMatch(/video|duet|فيديو|ثنائيات/i)
      }
      // Suggestions, for example about a text that a story does not show, prevent nothing.
      await page
        .getByText(words.composer.ready)
        .or(page.getByRole('button', { name: way.language === 'ar' ? /اقتراح/ : /suggestion/ }))
        .waitFor()
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      if (shots) await page.screenshot({ path: `${shots}/compose-${name}-${way.language}.png`, fullPage: true })
      await publishNow(page, words)
      await page.waitForURL(/\/posts\/[0-9a-f-]{36}/)
      await page.getByRole('heading', { level: 1 }).getByText(words.status.PUBLISHED, { exact: true }).waitFor()
      if (shots) await page.screenshot({ path: `${shots}/live-${name}-${way.language}.png`, fullPage: true })
      // The time names its zone, which is not that of the browser.
      await page
        .getByText(/(CET|CEST)$/)
        .first()
        .waitFor()
      const row = page.getByRole('region', { name: words.post.accounts, exact: true }).getByRole('listitem')
      expect(await row.locator('time').first().getAttribute('title')).toMatch(/CES?T$/)
      // A name is next to its picture, in any language.
      const card = page.getByRole('listitem').filter({ has: page.getByText(account.name, { exact: true }) })
      const [face, called] = await Promise.all(
        [card.locator('span').first(), card.getByText(account.name, { exact: true })].map((one) => one.boundingBox()),
      )
      if (!face || !called) throw new Error('There is no name beside a picture.')
      const gap = way.language === 'ar' ? face.x - called.x - called.width : called.x - face.x - face.width
      expect(gap).toBeGreaterThan(0)
      expect(gap).toBeLessThan(24)

      const live = (await liveOn(`${product.url}/sandbox`)).get(account.externalId) ?? []
      const shown = live.filter(({ message, kind }) => (name === 'story' ? kind === 'story' : message === text))
      expect(shown).toHaveLength(1)
      // The public sees the same.
      const feed = await context.newPage()
      await feed.goto(`${product.url}/sandbox/feed/${account.externalId}`)
      const seen = name === 'story' ? feed.locator('article, .card').filter({ hasText: 'story' }) : feed.getByText(text)
      await seen.first().waitFor()
      if (name === 'reel') expect(await feed.getByText(/· reel/).count()).toBe(1)
      if (name === 'comment') {
        await expect.poll(async () => (await feed.reload(), await feed.getByText('More in our bio').count())).toBe(1)
      }
      if (shots) await feed.screenshot({ path: `${shots}/feed-${name}-${way.language}.png` })
      await feed.close()
      expect(faults).toEqual([])
    },
  )
})
