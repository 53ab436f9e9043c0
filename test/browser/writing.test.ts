import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, useTheme, violations } from './browser.ts'
import { publishNow, signIn, unfold, visit } from './story.ts'

const LINK = 'https://cafe.example/autumn'

describe.skipIf(!hasBrowser)('reusable texts', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  let pages: SocialAccount[]
  let place: string

  const picture = async (of: Page, name: string) => {
    if (process.env['PICTURES']) await of.screenshot({ path: `${process.env['PICTURES']}/${name}.png`, fullPage: true })
  }
  /** Runs checks on a phone, in Arabic and in dark theme, in a long run. */
  const onPhone = async (look: (small: Page) => Promise<void>) => {
    if (!long) return
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await useTheme(phone, 'dark')
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    try {
      const { page: small, faults: theirs } = await openPage(phone)
      await signIn(small, hana)
      await look(small)
      expect(theirs).toEqual([])
    } finally {
      await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
      await phone.close()
    }
  }
  const sound = async (small: Page) => {
    expect(await violations(small)).toEqual([])
    expect(await overflows(small)).toEqual([])
    expect(await smallTargets(small, 44)).toEqual([])
  }

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(hana)
    place = `${product.url}/app/w/${hana.workspaceId}`
    context = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  test.runIf(long)(
    'link parameters are set per workspace, with an example; an unknown placeholder is refused next to its field',
    async () => {
      const words = en.links
      await visit(page, `${place}/settings`)
      const card = page.getByRole('form', { name: words.title })
      await card.getByLabel(words.on).check()
      await card.getByLabel(words.campaign).fill('{who}')
      await card.getByRole('button', { name: en.common.save }).click()
      await card.getByText(words.unknownPlaceholder).waitFor()
      expect(await violations(page)).toEqual([])
      await card.getByLabel(words.campaign).fill('autumn')
      await card.getByText('?utm_source=facebook&utm_medium=social&utm_campaign=autumn').waitFor()
      await picture(page, 'links-settings')
      await card.getByRole('button', { name: en.common.save }).click()
      await page.getByText(words.saved).waitFor()
      await onPhone(async (small) => {
        await visit(small, `${place}/settings`)
        await small.getByRole('form', { name: ar.links.title }).waitFor()
        await sound(small)
        await picture(small, 'links-settings-ar')
      })
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('a post shows its links as published, and can override the parameters', async () => {
    const words = en.links
    await visit(page, `${place}/compose`)
    await page.getByRole('checkbox', { name: new RegExp(pages[0]!.name) }).check()
    const section = page.getByRole('region', { name: words.ofPost, exact: true })
    await page.getByLabel(en.composer.text, { exact: true }).fill('No link yet')
    expect(await section.count()).toBe(0)
    await page.getByLabel(en.composer.text, { exact: true }).fill(`Autumn is here: ${LINK}.`)
    const preview = page.getByRole('figure')
    await preview.getByText(`${LINK}?utm_source=facebook&utm_medium=social&utm_campaign=autumn.`).waitFor()
    await section.getByText('UTM tracking on · autumn').waitFor()
    await unfold(page, words.ofPost)
    await section.getByLabel(words.campaign).fill('beans')
    await preview.getByText('utm_campaign=beans.').waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, 'links-composer')
    await section.getByLabel(words.on).uncheck()
    await preview.getByText(`Autumn is here: ${LINK}.`, { exact: true }).waitFor()
    await onPhone(async (small) => {
      await visit(small, `${place}/compose`)
      await small.getByRole('checkbox', { name: new RegExp(pages[0]!.name) }).check()
      await small.getByLabel(ar.composer.text, { exact: true }).fill(`الخريف هنا: ${LINK}`)
      await small.getByRole('region', { name: ar.links.ofPost, exact: true }).waitFor()
      await small.getByRole('button', { name: ar.composer.previewTitle, exact: true }).click()
      await small.getByText('utm_campaign=autumn').waitFor()
      await sound(small)
      await picture(small, 'links-composer-ar')
    })
    expect(faults).toEqual([])
  })

  test('a template and a hashtag set are created, and a taken name is refused next to the form', async () => {
    const words = en.writing
    await visit(page, `${place}/settings/queue`)
    const dialog = page.getByRole('dialog')
    const make = async (button: string, fields: [string, string][]) => {
      // The message that the last one was saved covers this button of the page for some seconds.
      await page.getByRole('button', { name: button, exact: true }).press('Enter')
      for (const [label, value] of fields) await dialog.getByLabel(label, { exact: true }).fill(value)
      await dialog.getByRole('button', { name: en.common.save, exact: true }).click()
    }
    await make(words.newTemplate, [
      [words.name, 'New on the menu'],
      [`${en.composer.text}${words.placeholderHint.replace('{example}', '{{product}}')}`, `Now: {{product}}! ${LINK}`],
    ])
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(`Now: {{product}}! ${LINK}`).waitFor()
    await make(words.newSet, [
      [words.name, 'Coffee'],
      [en.composer.hashtags, '#coffee #Roastery'],
    ])
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('#coffee #Roastery').waitFor()
    await make(words.newSet, [
      [words.name, 'COFFEE'],
      [en.composer.hashtags, '#x'],
    ])
    await dialog.getByText(en.problems.name_taken).waitFor()
    if (long) expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: en.common.cancel }).click()
    await dialog.getByRole('button', { name: en.common.discarding.discard, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await violations(page)).toEqual([])
    await picture(page, 'writing-settings')
    await onPhone(async (small) => {
      await visit(small, `${place}/settings/queue`)
      await small.getByRole('heading', { name: ar.writing.templates, exact: true }).waitFor()
      await sound(small)
      await picture(small, 'writing-settings-ar')
    })
  })

  test('a template with a placeholder becomes a post with a hashtag set and a tagged link', async () => {
    const words = en.writing
    const dialog = page.getByRole('dialog')
    await hana.must('PATCH', `/workspaces/${hana.workspaceId}`, { linkTags: { on: true, campaign: 'autumn' } })
    await visit(page, `${place}/compose`)
    await page.getByLabel(en.composer.text, { exact: true }).fill('Not saved')
    await visit(page, `${place}/settings/queue`)
    await page.getByRole('link', { name: words.useNamed.replace('{name}', 'New on the menu') }).click()
    // The previous post is not saved.
    await page.getByRole('button', { name: en.composer.unfinished.template }).click()
    const use = dialog.getByRole('button', { name: new RegExp(`^${words.use}`) })
    expect(await use.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel('product').fill('Oat milk')
    if (long) await page.waitForFunction(() => document.getAnimations().length === 0)
    if (long) expect(await violations(page)).toEqual([])
    await picture(page, 'writing-ask')
    await use.click()
    const text = page.getByLabel(en.composer.text, { exact: true })
    await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('Now: Oat milk!'))
    await page.getByRole('textbox', { name: en.composer.hashtags, exact: true }).fill('#COFFEE #new')
    await page.getByRole('button', { name: en.composer.sets, exact: true }).click()
    await dialog.getByRole('button', { name: /^Coffee/ }).click()
    const chips = page.getByRole('list', { name: en.composer.hashtags }).getByRole('listitem')
    expect(await chips.allTextContents()).toEqual(['#COFFEE', '#new', '#Roastery'])
    await page.getByRole('checkbox', { name: new RegExp(pages[0]!.name) }).check()
    await page.getByRole('button', { name: en.composer.templates, exact: true }).click()
    await dialog.getByLabel(words.saveTemplate).fill('As it is')
    await dialog.getByRole('button', { name: en.common.save, exact: true }).click()
    await dialog.getByRole('button', { name: /^As it is/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, 'writing-templates')
    await page.keyboard.press('Escape')
    expect(await text.inputValue()).toBe(`Now: Oat milk! ${LINK}`)
    await publishNow(page)
    await page.getByRole('link', { name: /^View on/ }).waitFor()
    const feed = await fetch((await page.getByRole('link', { name: /^View on/ }).getAttribute('href')) ?? '')
    const shown = (await feed.text()).replaceAll('&amp;', '&')
    expect(shown).toContain(`Now: Oat milk! ${LINK}?utm_source=facebook&utm_medium=social&utm_campaign=autumn`)
    expect(shown).toContain('#COFFEE #new #Roastery')
    await onPhone(async (small) => {
      await visit(small, `${place}/compose`)
      await small.getByRole('button', { name: ar.composer.fromTemplate }).click()
      await small.getByRole('button', { name: /^New on the menu/ }).click()
      await small.getByRole('dialog').getByLabel('product').fill('حليب')
      await sound(small)
      await picture(small, 'writing-ask-ar')
    })
  })
})
