import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Generation } from '../../src/assistant/ai/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { behave } from '../ai.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { signIn, visit } from './story.ts'

// Results that arrive after the service has answered are not lost, and without a model nothing can be requested.

const ways = [
  { language: 'en', width: 1440, height: 1000, theme: 'light' },
  { language: 'ar', width: 390, height: 844, theme: 'dark' },
] as const

describe.skipIf(!hasBrowser)('the assistant', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  const look = async (page: Page, name: string) => {
    await still(page)
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/${name}.png` })
  }

  async function enter({ language, width, height, theme }: (typeof ways)[number], { url } = product) {
    const hana: Person = await newPerson(url, 'Hana')
    await hana.must('PATCH', '/api/v1/auth/me', { language })
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    const phone = width < 600
    const context = await browser.newContext({ viewport: { width, height }, hasTouch: phone })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    await signIn(page, hana)
    const words: typeof en = { en, ar }[language]
    const t = words.assistant
    const panel = page.getByRole(phone ? 'dialog' : 'region', { name: t.title })
    const ask = (label: string) => panel.getByRole('button', { name: new RegExp(`^${label}`) })
    const place = `${url}/app/w/${hana.workspaceId}`
    const open = async () => {
      await page.goto(`${place}/compose`)
      await page.getByRole('button', { name: words.composer.assist }).click()
    }
    const compose = async () => {
      await open()
      await panel.getByLabel(t.topic).fill(language === 'ar' ? 'قائمة الخريف في المقهى' : 'The autumn menu of the café')
    }
    return { hana, page, faults, words, t, panel, ask, place, open, compose, phone, context }
  }

  describe('if something on the way blocks the stream', () => {
    test.runIf(long)(
      'results that arrive after the answer of 25 seconds are shown, even if the assistant was closed in the meantime',
      async () => {
        const { hana, page, faults, words, t, panel, ask, place, compose, context } = await enter(ways[0])
        const answers: number[] = []
        page.on('response', (response) => {
          if (response.url().endsWith('/ai/caption/generate')) answers.push(response.status())
        })
        await page.route('**/ai/caption/generate', (route) =>
          route.continue({ headers: { ...route.request().headers(), accept: 'application/json' } }),
        )
        await hana.must('PATCH', `/workspaces/${hana.workspaceId}`, { niche: 'A bakery' })
        const other = await context.newPage()
        await other.goto(`${place}/ideas`)
        await compose()
        await behave(product.url, { delayMs: 15_000, chunkDelayMs: 600 })
        let polled = 0
        // An error of a proxy does not end the wait.
        await page.route('**/ai/generations/*', (route) =>
          (polled += 1) === 1
            ? route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway timeout</h1>' })
            : route.continue(),
        )
        await ask(t.write).click()
        await other.getByRole('button', { name: words.ideas.refresh }).click()
        const late = other.waitForResponse((response) => response.url().endsWith('/ai/suggestions/refresh'), {
          timeout: 40_000,
        })
        await panel.getByText(t.slow).waitFor()
        await look(page, 'assistant-slow')
        await panel.getByRole('button', { name: words.common.close }).click()
        await panel.waitFor({ state: 'hidden' })
        await page.getByText(t.ready).waitFor()
        expect([answers, (await late).status()]).toEqual([[202], 202])
        await page.getByRole('button', { name: t.show, exact: true }).click()
        const uses = panel.getByRole('button', { name: t.use, exact: true })
        await uses.first().waitFor()
        expect(await uses.count()).toBe(3)
        expect(await panel.getByRole('alert').count()).toBe(0)
        await look(page, 'assistant-late')
        await uses.first().click()
        const text = page.getByLabel(words.composer.text, { exact: true })
        await expect.poll(() => text.inputValue()).not.toBe('')
        await other.getByRole('heading', { level: 2 }).first().waitFor()
        expect(await other.getByRole('alert').count()).toBe(0)
        await other.close()

        // A call that ends earlier is returned in the answer.
        await behave(product.url, {})
        if (!(await panel.isVisible())) await page.getByRole('button', { name: words.composer.assist }).click()
        await panel.getByRole('tab', { name: t.modes.write, exact: true }).click()
        await ask(t.write).click()
        await expect.poll(() => answers).toEqual([202, 200])
        await expect.poll(() => uses.count()).toBe(3)
        expect(faults).toEqual([])
        await context.close()
      },
    )

    test('a request stopped at the moment it begins is stopped, at no cost', async () => {
      const { hana, page, faults, t, panel, ask, compose, context } = await enter(ways[0])
      // Stops between the answer that the request has begun and the next rendering.
      await page.addInitScript((stop) => {
        const real = window.fetch
        window.fetch = async (...given) => {
          const response = await real(...given)
          if (String(given[0]).endsWith('/ai/caption/generate'))
            void (async () => {
              for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
              const buttons = [...document.querySelectorAll('button')]
              buttons.find(({ textContent }) => textContent === stop)?.click()
            })()
          return response
        }
      }, t.stop)
      await behave(product.url, { delayMs: 8_000 })
      await compose()
      await ask(t.write).click()
      await panel.getByText(/No credits used/).waitFor()
      const { data } = await hana.must<{ data: Generation[] }>('GET', '/ai/generations')
      expect(data).toMatchObject([{ status: 'CANCELLED', credits: 0 }])
      expect(faults).toEqual([])
      await behave(product.url, {})
      await context.close()
    })
  })

  describe('if no model is set up', () => {
    const bare = useProduct({ env: { SANDBOX: 'off' }, own: true })

    test.runIf(long).each(ways)('says so before a request, and links to no plan, in $language', async (way) => {
      const { page, faults, words, t, panel, ask, place, open, compose, phone, context } = await enter(
        way,
        bare.product,
      )
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('/ai/')) asked.push(request.url())
      })
      await open()
      await panel.getByText(words.problems.ai_not_configured).waitFor()
      expect(await panel.getByRole('tab').count()).toBe(0)
      await look(page, `assistant-unset-${way.language}`)
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      const small = (await smallTargets(page, phone ? 44 : 24)).filter((one) => !/data-button|inline-block/.test(one))
      expect(small).toEqual([])
      await visit(page, `${place}/ideas`)
      await page.getByRole('status').getByText(words.problems.ai_not_configured).waitFor()
      const refresh = page.getByRole('button', { name: new RegExp(`^${words.ideas.refresh}`) })
      expect(await refresh.getAttribute('aria-disabled')).toBe('true')
      expect(await page.getByRole('link', { name: words.states.seePlan }).count()).toBe(0)
      expect(asked).toEqual([])

      // A page opened while there was a model learns of its absence from the answer, and offers no retry.
      await page.route('**/config', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...((await response.json()) as object), ai: true } })
      })
      await compose()
      await ask(t.write).click()
      await panel.getByRole('alert').getByText(words.problems.ai_not_configured).waitFor()
      expect(await panel.getByRole('button', { name: t.again }).count()).toBe(0)
      expect(await panel.getByLabel(t.topic).inputValue()).not.toBe('')
      await look(page, `assistant-unset-late-${way.language}`)
      expect(asked.length).toBe(1)
      expect(faults).toEqual([])
      await context.close()
    })
  })
})
