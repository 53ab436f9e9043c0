import type { BrowserContext, Page } from 'playwright-core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Generation } from '../../src/assistant/ai/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { NETWORKS } from '../../web/labels.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { connect, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { choose, pick, picked, signIn, visit } from './story.ts'

// From nothing to a post for three networks with the assistant alone, on a desktop in English and on a phone in Arabic.

const ways = [
  { language: 'en', width: 1440, height: 1000, theme: 'light' },
  { language: 'ar', width: 390, height: 844, theme: 'dark' },
] as const

describe.skipIf(!hasBrowser).each(inWay(1, ways))('in $language at $width px', (way) => {
  const words: typeof en = { en, ar }[way.language]
  const t = words.assistant
  const phone = way.width < 600
  const { product, database } = useProduct()
  let sql: pg.Client
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  let place: string

  const behave = async (behaviour: object) => {
    const answer = await fetch(`${product.url}/sandbox/ai/behaviour`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(behaviour),
    })
    expect(answer.ok).toBe(true)
  }
  const look = async (name: string) => {
    await still(page)
    if (process.env['PICTURES'])
      await page.screenshot({ path: `${process.env['PICTURES']}/${name}-${way.language}.png`, fullPage: !phone })
  }
  const sound = async () => {
    await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'))
    expect(await violations(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    // Buttons of messages, and links within the text of a preview, may be smaller.
    const small = (await smallTargets(page, phone ? 44 : 24)).filter((one) => !/data-button|inline-block/.test(one))
    expect(small).toEqual([])
  }
  /** Returns the parts of the sheet that a message covers: its close button and its scrollers. */
  const covered = () =>
    page.evaluate(() => {
      const messages = [...document.querySelectorAll('[data-sonner-toast]')].map((one) => one.getBoundingClientRect())
      if (messages.length === 0) return ['no message']
      return [...document.querySelectorAll('[role=dialog] :is(header button, .overflow-y-auto)')]
        .filter((part) => {
          const { top, bottom, left, right } = part.getBoundingClientRect()
          return messages.some((one) => one.top < bottom && top < one.bottom && one.left < right && left < one.right)
        })
        .map((part) => part.outerHTML.slice(0, 120))
    })
  const used = async (quota: string) => {
    const { data } = await hana.must<{ data: { quota: string; used: number }[] }>('GET', '/billing/usage')
    return data.find((one) => one.quota === quota)?.used
  }
  const panel = () =>
    phone ? page.getByRole('dialog', { name: t.title }) : page.getByRole('region', { name: t.title })
  const open = async () => {
    const opener = page.locator('#assist')
    const tab = panel().getByRole('tab', { name: t.modes.write, exact: true })
    // A click is lost if content above the button changes its height at that moment.
    await expect
      .poll(async () => {
        if ((await opener.getAttribute('aria-expanded')) === 'false') await opener.click()
        return tab.isVisible()
      })
      .toBe(true)
  }
  const close = async () => {
    await panel().getByRole('button', { name: words.common.close }).click()
    await panel().waitFor({ state: 'hidden' })
  }
  const text = () => page.getByLabel(words.composer.text, { exact: true })
  /** The name of a disabled button includes the reason. */
  const ask = (label: string) => panel().getByRole('button', { name: new RegExp(`^${label}`) })

  beforeAll(async () => {
    sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    hana = await newPerson(product.url, 'Hana')
    await hana.must('PATCH', '/api/v1/auth/me', { language: way.language })
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    await hana.must('PATCH', `/workspaces/${hana.workspaceId}`, { language: way.language })
    for (const network of ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const) await connect(hana, network, 'u1')
    place = `${product.url}/app/w/${hana.workspaceId}`
    context = await browser.newContext({
      viewport: { width: way.width, height: way.height },
      hasTouch: phone,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await useTheme(context, way.theme)
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  afterAll(async () => {
    await sql?.end()
  })

  test('an empty composer offers the assistant, which shows its cost and the remaining credits first', async () => {
    await visit(page, `${place}/compose`)
    const button = page.getByRole('button', { name: words.composer.assist })
    expect(await button.innerText()).toContain(words.composer.assist)
    await button.click()
    await panel().getByLabel(t.topic).waitFor()
    await panel()
      .getByText(/2[,٬]000/)
      .first()
      .waitFor()
    expect(await ask(t.write).getAttribute('aria-disabled')).toBe('true')
    await panel().getByText(t.standIn).waitFor()
    await sound()
    await look('assistant-empty')
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('assist')
  })

  test('options arrive one by one with reasons; using one writes it, and undo removes it', async () => {
    await open()
    await panel()
      .getByLabel(t.topic)
      .fill(way.language === 'ar' ? 'قائمة الخريف في المقهى' : 'The autumn menu of the café')
    await behave({ chunkDelayMs: 150 })
    await ask(t.write).click()
    const options = panel()
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: new RegExp(`^${t.use}`) }) })
    await options.first().waitFor()
    expect(await options.count()).toBeLessThan(3)
    await panel().getByRole('button', { name: t.stop, exact: true }).waitFor()
    await expect.poll(() => options.count()).toBe(3)
    await panel().getByRole('button', { name: t.stop, exact: true }).waitFor({ state: 'hidden' })
    await behave({})
    await options.first().getByText(t.reasons.covers_brief).waitFor()
    await sound()
    await look('assistant-options')
    const first = options.first()
    await first.getByRole('button', { name: t.preview }).click()
    await first.locator('ins').first().waitFor()
    await look('assistant-difference')
    await first.getByRole('button', { name: t.copy, exact: true }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    await first.getByRole('button', { name: t.use, exact: true }).click()
    await expect.poll(() => text().inputValue()).not.toBe('')
    expect(copied.startsWith(await text().inputValue())).toBe(true)
    await page.getByRole('button', { name: words.composer.undo, exact: true }).last().click()
    await expect.poll(() => text().inputValue()).toBe('')
    await open()
    await panel().getByRole('button', { name: t.use, exact: true }).first().click()
    await expect.poll(() => text().inputValue()).not.toBe('')
    expect(await used('ai_credits')).toBe(1)
  })

  test.runIf(long)(
    'variants for three networks are written together for three credits, and each is used for its network only',
    async () => {
      if (phone && (await panel().isVisible())) await close()
      for (const network of ['Facebook', 'Instagram', 'TikTok']) await choose(page, network, words.composer.postTo)
      const main = await text().inputValue()
      await open()
      await panel().getByRole('tab', { name: t.modes.write, exact: true }).click()
      await panel()
        .getByText(new RegExp(t.variants.split('{')[0]!))
        .click()
      await panel()
        .getByText(new RegExp(`^${way.language === 'en' ? '3 credits' : '3 أرصدة'}`))
        .waitFor()
      await ask(t.write).click()
      for (const network of ['Facebook Page', 'Instagram', 'TikTok']) {
        const one = panel().getByRole('region', { name: network })
        await one.getByRole('button', { name: t.skip }).waitFor()
      }
      await sound()
      await look('assistant-variants')
      const take = (network: string) =>
        panel().getByRole('region', { name: network }).getByRole('button', { name: t.use, exact: true }).first().click()
      await take('Facebook Page')
      await look('assistant-variant-taken')
      if (phone) {
        expect(await covered()).toEqual([])
        // Undo in a message works without leaving the assistant.
        await page.locator('[data-sonner-toast][data-front=true]').getByRole('button', { name: t.undo }).click()
        await panel()
          .getByRole('button', { name: new RegExp(`^${t.inUse}`) })
          .waitFor({ state: 'detached' })
        await take('Facebook Page')
      }
      for (const network of ['Instagram', 'TikTok']) await take(network)
      expect(await used('ai_credits')).toBe(4)
      await close()
      expect(await text().inputValue()).toBe(main)
      for (const network of ['Facebook', 'Instagram', 'TikTok'])
        await page.getByRole('tab', { name: new RegExp(`${network}.*${words.composer.customised}`) }).waitFor()
      await look('assistant-variants-taken')
    },
  )

  test('a stopped request shows its cost, and changes no text', async () => {
    const main = await text().inputValue()
    const before = await used('ai_credits')
    await behave({ delayMs: 60_000 })
    await open()
    await panel().getByRole('tab', { name: t.modes.change, exact: true }).click()
    await panel().getByRole('button', { name: words.ai.changes.shorter, exact: true }).click()
    await panel().getByRole('button', { name: t.stop, exact: true }).click()
    await panel().getByText(t.again, { exact: true }).waitFor()
    await panel()
      .getByText(way.language === 'en' ? /No credits used/ : /لم تُستهلك أي أرصدة/)
      .waitFor()
    await behave({})
    expect(await used('ai_credits')).toBe(before)
    await close()
    expect(await text().inputValue()).toBe(main)
  })

  test.runIf(long)('a refusal is explained, offers a retry, and costs nothing', async () => {
    await behave({ answer: 'refusal' })
    await open()
    await panel().getByRole('tab', { name: t.modes.change, exact: true }).click()
    await panel().getByRole('button', { name: words.ai.changes.longer, exact: true }).click()
    const refused = panel().getByText(words.problems.ai_refused)
    await refused.waitFor()
    expect(await refused.textContent()).not.toMatch(/[0-9a-f]{8}-/)
    await sound()
    await look('assistant-refused')
    await behave({})
    await panel().getByRole('button', { name: t.again }).click()
    await panel().getByRole('button', { name: t.use, exact: true }).first().waitFor()
    expect(await used('ai_credits')).toBe(5)
    await close()
  })

  test.runIf(long)('a generated picture is added to the post, marked as made by AI', async () => {
    await open()
    await panel().getByRole('tab', { name: t.modes.image, exact: true }).click()
    await panel().getByLabel(t.prompt).fill('A cup of coffee on a wooden table')
    await ask(t.makeImage).click()
    await panel().getByRole('button', { name: t.addPicture }).waitFor()
    // The person has seen the picture, and no message says that options are missing.
    await panel().getByRole('img', { name: 'A cup of coffee on a wooden table' }).waitFor()
    expect(
      await panel()
        .getByText(words.ai.fewer.split('{')[0] as string)
        .count(),
    ).toBe(0)
    await look('assistant-picture')
    await panel().getByRole('button', { name: t.addPicture }).click()
    if (!phone) await close()
    const tray = page.getByRole('region', { name: words.composer.media })
    await tray.getByText(words.composer.aiMade).waitFor({ state: 'attached' })
    expect(await used('ai_credits')).toBe(15)
  })

  test.runIf(long)('hashtags and a call to action fill their fields, and a text is translated', async () => {
    const use = () => panel().getByRole('button', { name: t.use, exact: true }).first()
    const chips = page.locator(`ul[aria-label="${words.composer.hashtags}"] li`)
    const tags = async () => (await chips.allTextContents()).join(' ')
    const cta = page.locator('#field-cta')
    const before = { text: await text().inputValue(), tags: await tags() }
    const take = async (mode: keyof typeof t.modes, label: string) => {
      await open()
      await panel().getByRole('tab', { name: t.modes[mode], exact: true }).click()
      await ask(label).click()
      await use().waitFor()
      await use().click()
      // On a phone, the assistant closes to show the post.
      if (phone) await panel().waitFor({ state: 'hidden' })
    }
    await take('hashtags', t.findHashtags)
    await expect.poll(tags).not.toBe(before.tags)
    expect(await tags()).toContain(before.tags)
    if (await cta.count()) await cta.fill('')
    await take('cta', t.writeCta)
    await expect.poll(() => cta.inputValue()).not.toBe('')
    expect(await text().inputValue()).toBe(before.text)
    await take('translate', t.translate)
    await expect.poll(() => text().inputValue()).not.toBe(before.text)
    expect(await text().inputValue()).toMatch(way.language === 'en' ? /[ء-ي]{3}/ : /[a-z]{3}/)
    expect(await used('ai_credits')).toBe(18)
    if (!phone) await close()
  })

  test.runIf(long)('missing options are explained, and offline nothing can be requested', async () => {
    await behave({ disobey: ['count'] })
    await open()
    await panel().getByRole('tab', { name: t.modes.write, exact: true }).click()
    await panel()
      .getByText(new RegExp(t.variants.split('{')[0]!))
      .click()
    await ask(t.write).click()
    await panel()
      .getByText(way.language === 'en' ? '1 couldn’t be generated.' : 'تعذّر إنشاء خيار واحد.')
      .waitFor()
    await behave({})
    expect(await used('ai_credits')).toBe(19)
    await context.setOffline(true)
    await expect.poll(() => ask(t.write).getAttribute('aria-disabled')).toBe('true')
    expect(await ask(t.write).textContent()).toContain(words.ai.offline)
    await context.setOffline(false)
    await expect.poll(() => ask(t.write).getAttribute('aria-disabled')).toBeNull()
    await close()
  })

  test.runIf(long)('once the post is saved, the service knows which options it uses', async () => {
    await page.getByRole('button', { name: words.composer.saveDraft }).click()
    await page.waitForURL(/\/posts\/[0-9a-f-]+$/)
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const post = await hana.must<Post>('GET', `/posts/${id}`)
    expect(post.caption).not.toBe('')
    expect(Object.keys(post.captionOverrides).toSorted()).toEqual(['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'])
    const taken = async () =>
      (await sql.query('select kind from ai_generation where accepted_post_id = $1 order by kind', [id])).rows.length
    await expect.poll(taken).toBe(7)
  })

  test.runIf(long)('if the credits do not suffice, the price and the rest are shown', async () => {
    await sql.query(`update plan_quota set amount = $1 where quota_id = 'ai_credits'`, [
      ((await used('ai_credits')) ?? 0) + 4,
    ])
    await page.reload()
    await open()
    await panel().getByRole('tab', { name: t.modes.image, exact: true }).click()
    await panel().getByRole('status').getByText(/10.*4/).waitFor()
    await panel().getByRole('tab', { name: t.modes.write, exact: true }).click()
    await panel().getByRole('status').getByText(/10.*4/).waitFor({ state: 'hidden' })
  })

  test.runIf(long)(
    'without credits the button says so, with the date of renewal, and a link leads to the plan; the text stays',
    async () => {
      await sql.query(`update plan_quota set amount = 19 where quota_id = 'ai_credits'`)
      await page.reload()
      const main = await text().inputValue()
      await open()
      await panel().getByRole('tab', { name: t.modes.write, exact: true }).click()
      await panel().getByLabel(t.topic).fill('x')
      await panel().getByRole('link', { name: words.states.seePlan }).waitFor()
      expect(await ask(t.write).getAttribute('aria-disabled')).toBe('true')
      await sound()
      await look('assistant-used-up')
      await panel().getByRole('link', { name: words.states.seePlan }).click()
      await page.waitForURL(/settings\/plan/)
      await page.goBack()
      expect(await text().inputValue()).toBe(main)
    },
  )

  test.runIf(long)('a text uses the language of its topic until another one is chosen', async () => {
    await sql.query(`update plan_quota set amount = 2000 where quota_id = 'ai_credits'`)
    await page.goto(`${place}/compose`)
    await open()
    expect(await picked(panel().getByLabel(words.ai.language, { exact: true }))).toBe(words.ai.languageOfTopic)
    await panel()
      .getByLabel(t.topic)
      .fill(way.language === 'ar' ? 'The autumn menu of our café' : 'قائمة الخريف في المقهى')
    await pick(panel().getByLabel(words.ai.tone, { exact: true }), words.ai.tones.warm)
    await ask(t.write).click()
    await panel()
      .getByRole('button', { name: new RegExp(`^${t.use}`) })
      .first()
      .waitFor()
    const { data } = await hana.must<{ data: Generation[] }>('GET', '/ai/generations?limit=1')
    expect(data[0]?.input).not.toHaveProperty('language')
    await expect
      .poll(async () => (await hana.must<Generation>('GET', `/ai/generations/${data[0]?.id}`)).options[0]?.text)
      .toMatch(way.language === 'ar' ? /[a-z]{3}.*[a-z]{3}/ : /[ء-ي]{3}.*[ء-ي]{3}/)
    await close()
  })

  test.runIf(long)('choosing a smaller plan lists the features that it lacks', async () => {
    await visit(page, `${place}/settings/plan`)
    await page.getByRole('button', { name: words.plan.choose.replace('{plan}', words.states.plans.free) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(words.plan.features.ai_suggestions).waitFor()
    expect(await dialog.innerText()).toContain(words.plan.features.approvals)
    expect(await dialog.innerText()).not.toContain(words.plan.features.ai_content)
    await sound()
    await look('smaller-plan')
    await page.keyboard.press('Escape')
  })

  test.runIf(long)('the history lists requests with their options, and can be filtered by kind', async () => {
    await visit(page, `${place}/settings/ai`)
    const h = words.aiHistory
    await page.getByRole('listitem').filter({ hasText: h.kinds.image }).first().waitFor()
    const { data } = await hana.must<{ data: Generation[] }>('GET', '/ai/generations?limit=50')
    expect(data.length).toBeGreaterThan(5)
    // A request made by a button is named after it.
    await page.getByRole('listitem').filter({ hasText: words.ai.changes.longer }).first().waitFor()
    await pick(page.getByLabel(h.what, { exact: true }), h.kinds.caption)
    await page.getByRole('listitem').filter({ hasText: h.kinds.image }).first().waitFor({ state: 'hidden' })
    // Variants of one request are distinguished by their networks.
    const variants = page.getByRole('listitem')
    const ofNetwork = (platform: 'NET_PAGE' | 'NET_PHOTO') => variants.filter({ hasText: NETWORKS[platform].name })
    await ofNetwork('NET_PAGE').first().waitFor()
    await ofNetwork('NET_PHOTO').first().waitFor()
    await variants.filter({ hasText: words.ai.tones.warm }).first().waitFor()
    await page.getByRole('button', { name: h.open, exact: true }).first().click()
    await page.getByRole('button', { name: words.ai.copy, exact: true }).first().waitFor()
    await sound()
    await look('ai-history')
  })

  test('the page reported no error', () => expect(faults).toEqual([]))
})
