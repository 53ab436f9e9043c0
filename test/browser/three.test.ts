import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import type { Session } from '../../src/team/identity/api.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { asPerson, call, liveOn } from '../world.ts'
import { hasBrowser, useBrowser, openPage, useTheme } from './browser.ts'
import { addressOf, choose, openProblems, pick, takeWay, visit } from './story.ts'

// One person with three networks, on a desktop in English and on a phone in Arabic: they connect accounts, write one
// post with a video, adapt it, preview it, move it, publish it, and find it live on two networks and refused by the
// third.

const FILM = join(import.meta.dirname, '../../web/public/demo/roast.mp4')
const DAY = 86_400_000

const ways = [
  { language: 'en', width: 1440, height: 1000, theme: 'light', zone: 'Europe/Berlin' },
  { language: 'ar', width: 390, height: 844, theme: 'dark', zone: 'Asia/Riyadh' },
] as const

describe.skipIf(!hasBrowser || !long).each(ways)('in $language at $width px', (way) => {
  const words: typeof en = { en, ar }[way.language]
  const phone = way.width < 600
  const fill = (text: string, network: string) => text.replace('{network}', network)
  const { product } = useProduct({ env: { TIME_SCALE: '10' } })
  const email = addressOf('hana')
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let ws: string

  beforeAll(async () => {
    context = await browser.newContext({
      viewport: { width: way.width, height: way.height },
      locale: way.language === 'ar' ? 'ar-SA' : 'en-GB',
      timezoneId: way.zone,
      hasTouch: phone,
    })
    await useTheme(context, way.theme)
    ;({ page, faults } = await openPage(context))
  })

  test('an account is created in the language of the browser', async () => {
    await page.goto(`${product.url}/app/register`)
    await page.getByLabel(words.auth.name).fill('Hana')
    await page.getByLabel(words.auth.email).fill(email)
    await page.getByLabel(words.auth.password, { exact: true }).fill('beans of the northern hills')
    await page.getByRole('button', { name: words.auth.signUp }).click()
    await page.waitForURL(/\/app\/(onboarding|w\/)/)
    if (page.url().includes('onboarding')) await page.getByRole('button', { name: words.onboarding.skip }).click()
    await page.waitForURL(/\/app\/w\/[^/]+\//)
    ws = new URL(page.url()).pathname.split('/')[3] ?? ''
    expect(await page.locator('html').getAttribute('dir')).toBe(way.language === 'ar' ? 'rtl' : 'ltr')
  })

  test('accounts of three networks are connected on their consent pages', async () => {
    for (const network of ['Facebook Page', 'Instagram', 'TikTok']) {
      await visit(page, `${product.url}/app/w/${ws}/accounts`)
      await page.getByRole('button', { name: words.accounts.connectAny }).click()
      await page.getByRole('menuitem', { name: network }).click()
      await page.waitForURL(/\/sandbox\//)
      // This person may only post videos of up to a minute, so one network refuses.
      const consent = new URL(page.url())
      consent.searchParams.set('sandbox_user', 'u178')
      await page.goto(consent.href)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.waitForURL(/\/app\/w\/[^/]+\/accounts/)
      await page.getByText(words.accounts.isConnected, { exact: true }).first().waitFor()
    }
  })

  test('one post with a video is written, adapted, and previewed as on each network', async () => {
    await visit(page, `/app/w/${ws}/compose`)
    for (const network of ['Facebook', 'Instagram', 'TikTok']) await choose(page, network, words.composer.postTo)
    await page.getByLabel(words.composer.text, { exact: true }).fill('From green to brown')
    // Every problem is shown before publishing, and leads to its field.
    const unseen = (await openProblems(page, words)).getByRole('button', {
      name: way.language === 'ar' ? ar.checks.privacy_required.message : 'Choose who can see this video.',
    })
    await unseen.click()
    await page.locator('#field-NET_VIDEO-privacyLevel:focus').waitFor()
    await pick(page.getByLabel(words.options.privacy), words.options.levels.PUBLIC_TO_EVERYONE)
    await page.getByText(fill(words.options.consent, 'TikTok')).click()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'roast.mp4', mimeType: 'video/mp4', buffer: await readFile(FILM) })
    // Only the limit of one account's owner is left, which may differ tomorrow.
    const tooLong = new RegExp(words.options.tooLong.split('{')[0] ?? '')
    await page.getByRole('tab', { name: words.composer.allNetworks }).click()
    await page.getByRole('button', { name: way.language === 'ar' ? /مشكلة واحدة/ : '1 problem' }).waitFor()
    await (await openProblems(page, words)).getByRole('button', { name: tooLong }).waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('tab', { name: /Instagram/ }).click()
    await page.getByLabel(fill(words.composer.textFor, 'Instagram')).fill('Roasting, in a minute')
    await page.getByRole('button', { name: words.composer.cta }).click()
    await page.getByLabel(words.composer.cta).fill('Come and smell it')
    await page.getByRole('tab', { name: words.composer.allNetworks }).click()
    expect(await page.getByLabel(words.composer.text, { exact: true }).inputValue()).toBe('From green to brown')
    for (const network of ['Facebook Page', 'Instagram', 'TikTok']) {
      if (phone) await page.getByRole('button', { name: words.composer.previewTitle, exact: true }).click()
      await page
        .getByRole('group', { name: words.composer.previewed })
        .getByRole('button', { name: fill(words.composer.showPreview, network.split(' ')[0] ?? '') })
        .click()
      const preview = page.getByRole('figure', { name: fill(words.composer.preview, network) })
      await preview.getByText(network === 'Instagram' ? 'Roasting, in a minute' : 'From green to brown').waitFor()
      expect(await preview.locator('video').count()).toBe(1)
    }
  })

  test('the post is scheduled, and moved to another day at the same time', async () => {
    await page.getByRole('button', { name: words.composer.schedule, exact: true }).click()
    await page.getByRole('button', { name: /^(Tomorrow|غدًا) .*(18:00|6:00)/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.schedule.schedule, exact: true }).click()
    await page.waitForURL(/\/posts\/[^/]+$/)
    const post = page.url()
    const day = (ahead: number) => new Date(Date.now() + ahead * DAY).toLocaleDateString('sv', { timeZone: way.zone })
    await visit(page, `/app/w/${ws}/calendar?date=${day(1)}`)
    const chip = page.getByRole('link', { name: /From green to brown/ }).first()
    await chip.waitFor()
    if (phone) {
      await page
        .getByRole('button', { name: words.calendar.moreFor.replace('{caption}', 'From green to brown') })
        .first()
        .click()
      await page.getByRole('menuitem', { name: words.calendar.dayAfter }).click()
    } else {
      await chip.focus()
      await page.keyboard.press('Alt+ArrowRight')
    }
    const said = new RegExp(words.calendar.movedTo.split('{')[0]!.trim())
    await page.getByText(said).first().waitFor()
    await visit(page, post)
    const note = page.getByText(words.post.showInCalendar).locator('..')
    await note.waitFor()
    expect(await note.textContent()).toMatch(/18:00|6:00/)
  })

  test('the post is live on two networks and refused by the third, with the reason and a fix', async () => {
    // The screen refuses the long video, while the service itself does not know the owner's limit.
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await takeWay(page, words.composer.publishNow, words)
    const tooLong = new RegExp(words.options.tooLong.split('{')[0] ?? '')
    await page.getByRole('group', { name: words.composer.checks }).getByRole('button', { name: tooLong }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    const account = { email, password: 'beans of the northern hills' }
    const { body } = await call<Session>(product.url, 'POST', '/api/v1/auth/login', account)
    await asPerson(product.url, body, ws).must('POST', `/posts/${id}/publish`)
    await page.getByText(words.failures.video_over_limit.message.replace('{limit}', '60')).waitFor()
    for (const network of ['Facebook Page', 'Instagram']) {
      await page.getByRole('link', { name: new RegExp(fill(words.post.viewOn, network)) }).waitFor()
    }
    await page.getByRole('heading', { level: 1 }).getByText(words.status.PARTIALLY_PUBLISHED).waitFor()
    await page.getByRole('button', { name: fill(words.post.fix, 'TikTok') }).waitFor()
    const live = [...(await liveOn(`${product.url}/sandbox`)).values()].flat().map(({ message }) => message)
    expect(live.toSorted()).toEqual(['From green to brown', 'Roasting, in a minute\n\nCome and smell it'])
    expect(faults).toEqual([])
  })
})
