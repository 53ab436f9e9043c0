import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Generation } from '../../src/assistant/ai/api.ts'
import type { BrandVoice } from '../../src/assistant/brand-voices/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { behave } from '../ai.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { connect, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { choose, pick, picked, signIn, visit } from './story.ts'

// Each result stays with the request that it answers, each action affects only its own result, and nothing unseen is
// charged.

const ways = [
  { language: 'en', width: 1440, height: 900, theme: 'light' },
  { language: 'ar', width: 390, height: 844, theme: 'dark' },
] as const

const NAMES = ['Facebook Page', 'Instagram', 'TikTok']

describe.skipIf(!hasBrowser).each(inWay(1, ways))('in $language at $width px', (way) => {
  const words: typeof en = { en, ar }[way.language]
  const t = words.assistant
  const phone = way.width < 600
  const price = (count: 1 | 3) =>
    way.language === 'en' ? new RegExp(`^${count} credits? ·`) : { 1: /^رصيد واحد ·/, 3: /^3 أرصدة ·/ }[count]
  const topic = way.language === 'ar' ? 'قائمة الخريف في المقهى' : 'The autumn menu of the café'
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person

  const look = async (name: string) => {
    await still(page)
    if (process.env['PICTURES'])
      await page.screenshot({ path: `${process.env['PICTURES']}/answers-${name}-${way.language}.png` })
  }
  const sound = async () => {
    await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'))
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    const small = (await smallTargets(page, phone ? 44 : 24)).filter((one) => !/data-button|inline-block/.test(one))
    expect(small).toEqual([])
  }
  const spent = async () => {
    const { data } = await hana.must<{ data: { quota: string; used: number }[] }>('GET', '/billing/usage')
    return data.find(({ quota }) => quota === 'ai_credits')?.used ?? 0
  }
  const panel = () => page.getByRole(phone ? 'dialog' : 'region', { name: t.title })
  const open = async () => {
    if (!(await panel().isVisible())) await page.getByRole('button', { name: words.composer.assist }).click()
    await panel().waitFor()
  }
  const close = async () => {
    await panel().getByRole('button', { name: words.common.close }).click()
    await panel().waitFor({ state: 'hidden' })
  }
  /** Opens the text of a network. On a phone, the assistant closes for it. */
  const openTab = async (name: string) => {
    if (phone && (await panel().isVisible())) await close()
    await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
    await open()
  }
  const mode = (name: keyof typeof t.modes) => panel().getByRole('tab', { name: t.modes[name], exact: true }).click()
  const text = () => page.getByLabel(words.composer.text, { exact: true })
  const ask = (label: string) => panel().getByRole('button', { name: new RegExp(`^${label}`) })
  const uses = () => panel().getByRole('button', { name: t.use, exact: true })
  const undo = () => panel().getByRole('button', { name: new RegExp(`^${t.inUse}`) })
  const stops = () => panel().getByRole('button', { name: t.stop, exact: true })
  const again = () => panel().getByRole('button', { name: t.again })
  const write = async () => {
    await mode('write')
    await panel().getByLabel(t.topic).fill(topic)
    await ask(t.write).click()
  }
  const toasts = (saying: string) => page.locator('[data-sonner-toast]').filter({ hasText: saying })
  const variants = () =>
    panel()
      .getByText(new RegExp(`^${t.variants.split('{')[0]}`))
      .click()

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await hana.must('PATCH', '/api/v1/auth/me', { language: way.language })
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    for (const network of ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const) await connect(hana, network, 'u1')
    context = await browser.newContext({ viewport: { width: way.width, height: way.height }, hasTouch: phone })
    await useTheme(context, way.theme)
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  beforeEach(async () => {
    await behave(product.url, {})
    await visit(page, `${product.url}/app/nowhere`)
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('parley.draft.')) localStorage.removeItem(key)
    })
    await visit(page, `/app/w/${hana.workspaceId}/compose`)
    for (const network of ['Facebook', 'Instagram', 'TikTok']) await choose(page, network, words.composer.postTo)
    await open()
  })

  test('one of several networks can be stopped and retried separately, at its own price', async () => {
    await behave(product.url, { delayMs: 60_000, times: 1, about: topic })
    await mode('write')
    await variants()
    await write()
    await expect.poll(() => stops().count()).toBe(1)
    await stops().click()
    await expect.poll(() => again().count()).toBe(1)
    const names = NAMES.map((name) => panel().getByRole('region', { name }))
    const late = panel()
      .getByRole('region')
      .filter({ has: page.getByRole('button', { name: t.again }) })
    await late.getByText(price(1)).waitFor()
    await sound()
    await look('one-stopped')
    const before = await uses().count()
    const paid = await spent()
    await again().click()
    await expect.poll(() => uses().count()).toBe(before + 1)
    for (const name of names) expect(await name.getByRole('button', { name: t.use, exact: true }).count()).toBe(1)
    expect(await spent()).toBe(paid + 1)

    await behave(product.url, { delayMs: 60_000 })
    await ask(t.write).click()
    await panel().getByRole('region', { name: 'Instagram' }).getByRole('button', { name: t.stop, exact: true }).click()
    await panel().getByRole('region', { name: 'Instagram' }).getByRole('button', { name: t.again }).waitFor()
    expect(await stops().count()).toBe(2)
    await look('two-running')
    await panel().getByRole('button', { name: t.stopAll }).click()
    await expect.poll(() => again().count()).toBe(3)
    expect(await stops().count()).toBe(0)
  })

  test.runIf(long)('only one message at a time reports the text in use, and only while it is in use', async () => {
    await write()
    await expect.poll(() => uses().count()).toBe(3)
    await uses().first().click()
    // A message stays while the pointer is over it.
    await toasts(t.used).hover()
    await open()
    await uses().first().press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('[data-sonner-toast]').length === 1)
    await toasts(t.used).hover()
    await look('one-message')
    await open()
    await undo().press('Enter')
    await toasts(t.used).waitFor({ state: 'detached' })
    expect(await undo().count()).toBe(1)
  })

  test.runIf(long)('options stay in the tab and the form of their request, and are still there later', async () => {
    await write()
    await expect.poll(() => uses().count()).toBe(3)
    await openTab('Facebook')
    await panel().getByText(t.forNetwork.replace('{network}', 'Facebook Page')).waitFor()
    expect(await uses().count()).toBe(0)
    await look('other-tab')
    await behave(product.url, { answer: 'refusal', times: 1 })
    await write()
    await panel().getByText(words.problems.ai_refused).waitFor()
    await mode('hashtags')
    expect(await panel().getByText(words.problems.ai_refused).count()).toBe(0)
    expect(await again().count()).toBe(0)
    await mode('write')
    await again().click()
    await expect.poll(() => uses().count()).toBe(3)
    await uses().first().click()
    await page.getByRole('tab', { name: new RegExp(`Facebook.*${words.composer.customised}`) }).waitFor()
    await openTab(words.composer.allNetworks)
    expect(await text().inputValue()).toBe('')
    await expect.poll(() => uses().count()).toBe(3)
    await mode('hashtags')
    expect(await uses().count()).toBe(0)
    await mode('write')
    await uses().first().click()
    await expect.poll(() => text().inputValue()).not.toBe('')
    await openTab('Facebook')
    expect(await undo().count()).toBe(1)
  })

  test.runIf(long)(
    'a quick change shows its price first, which for several networks is that of all of them',
    async () => {
      const each = (count: 1 | 3) =>
        way.language === 'en'
          ? new RegExp(`^${count} credits? each$`)
          : { 1: /^رصيد واحد لكل/, 3: /^3 أرصدة لكل/ }[count]
      if (phone) await close()
      await text().fill(
        way.language === 'ar'
          ? 'نخبز الخبز كل صباح، وتفوح رائحته في الشارع كله حتى المساء.'
          : 'We bake bread each morning, and you smell it in the whole street.',
      )
      await open()
      await mode('change')
      await panel().getByText(each(1)).waitFor()
      await variants()
      await panel().getByText(each(3)).waitFor()
      for (const label of Object.values(words.ai.changes)) {
        const described = await panel()
          .getByRole('button', { name: label, exact: true })
          .evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent)
        expect(described).toMatch(each(3))
      }
      await sound()
      await look('quick-price')
    },
  )

  test.runIf(long)('an inserted word is separated from the removed one', async () => {
    await write()
    await expect.poll(() => uses().count()).toBe(3)
    await uses().first().click()
    await expect.poll(() => text().inputValue()).not.toBe('')
    const [first = ''] = (await text().inputValue()).split(' ')
    if (phone) await panel().waitFor({ state: 'hidden' })
    await text().fill((await text().inputValue()).replace(first, 'Xyzzy'))
    await open()
    await panel().getByText(t.changedInPart).waitFor()
    await undo().click()
    await panel().getByRole('button', { name: t.preview }).first().click()
    await panel().locator('del').first().waitFor()
    const shown = await panel()
      .locator('del')
      .first()
      .evaluate((one) => [one.textContent, one.nextSibling?.textContent, one.nextSibling?.nextSibling?.nodeName])
    expect(shown).toEqual([expect.stringContaining('Xyzzy'), ' ', 'INS'])
    await look('compared')
  })

  test.runIf(long)('new options, and using one, leave the text in view', async () => {
    if (phone) return
    const inSight = () =>
      page.evaluate(() => {
        const { top, bottom } = document.querySelector('#field-caption')!.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      })
    await write()
    await expect.poll(() => uses().count()).toBe(3)
    await still(page)
    expect(await page.evaluate(() => scrollY)).toBe(0)
    const first = await uses().first().boundingBox()
    expect(first && first.y > 0 && first.y + first.height < way.height).toBe(true)
    expect(await inSight()).toBe(true)
    await look('in-sight')
    await uses().first().click()
    await undo().waitFor()
    expect(await inSight()).toBe(true)
    await look('in-sight-taken')
    await mode('change')
    await panel().getByRole('button', { name: words.ai.changes.longer, exact: true }).click()
    await expect.poll(() => uses().count()).toBe(3)
    expect(await page.evaluate(() => scrollY)).toBe(0)
  })

  test.runIf(long)('the brand voice chosen in one form applies to all forms', async () => {
    const voices = []
    for (const [name, isDefault] of [
      ['House', true],
      ['Warm', false],
    ] as const)
      voices.push(await hana.must<BrandVoice>('POST', '/brand-voices', { name, toneAttributes: ['warm'], isDefault }))
    const field = () => panel().getByLabel(words.ai.voice, { exact: true })
    await mode('write')
    await pick(field(), 'Warm')
    for (const one of ['change', 'hashtags', 'cta', 'translate', 'image'] as const) {
      await mode(one)
      expect(await picked(field())).toBe('Warm')
      if (one === 'change') await sound()
      await look(`voice-${one}`)
    }
    await mode('hashtags')
    await panel().getByLabel(t.niche).fill('A bakery')
    await ask(t.findHashtags).click()
    await uses().first().waitFor()
    const latest = async () => (await hana.must<{ data: Generation[] }>('GET', '/ai/generations?limit=1')).data[0]
    expect(await latest()).toMatchObject({ kind: 'hashtags', brandVoiceId: voices[1]?.id })
    await mode('cta')
    await pick(field(), words.ai.voiceDefault.replace('{name}', 'House'))
    await panel().getByLabel(t.goal).fill('Book a table')
    await ask(t.writeCta).click()
    await uses().first().waitFor()
    expect(await latest()).toMatchObject({ kind: 'cta', brandVoiceId: voices[0]?.id })
    await pick(field(), words.ai.voiceNone)
    await ask(t.writeCta).click()
    await expect.poll(async () => (await latest())?.brandVoiceId).toBeNull()
    await mode('write')
    await look('no-voice')
  })

  test('the page reported no error', () => expect(faults).toEqual([]))
})
