import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Generation, Suggestion } from '../../src/assistant/ai/api.ts'
import type { BrandVoice } from '../../src/assistant/brand-voices/api.ts'
import type { MediaFile } from '../../src/publishing/media/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { behave } from '../ai.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { asPerson, confirmEmail, connect, eventually, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { choose, pick, signIn, visit } from './story.ts'

// The assistant never loses typed text, charges nothing without a request, and leaves no card waiting for ever.

const t = en.assistant

declare global {
  interface Window {
    /**
     * What the stream of the next request does: `cut` ends it without content, `silent` keeps it open without content.
     */
    line?: 'cut' | 'silent' | undefined
  }
}

describe.skipIf(!hasBrowser)('the assistant', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  let place: string

  const look = async (of: Page, name: string) => {
    await still(of)
    if (process.env['PICTURES']) await of.screenshot({ path: `${process.env['PICTURES']}/${name}.png`, fullPage: true })
  }
  /** Elements that fade in are pale for a moment. */
  const sound = async (of: Page) => {
    await of.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'))
    expect(await violations(of)).toEqual([])
  }
  const panel = () => page.getByRole('region', { name: t.title })
  const text = () => page.getByLabel(en.composer.text, { exact: true })
  const ask = (label: string) => panel().getByRole('button', { name: new RegExp(`^${label}`) })
  const mode = (name: keyof typeof t.modes) => panel().getByRole('tab', { name: t.modes[name], exact: true }).click()
  const uses = () => panel().getByRole('button', { name: t.use, exact: true })
  const undo = () => panel().getByRole('button', { name: new RegExp(`^${t.inUse}`) })
  const removeHashtags = async () => {
    const chips = page.getByRole('button', { name: /^Remove #/ })
    for (let left = await chips.count(); left > 0; left--) await chips.last().click()
  }
  const asked = async () => (await hana.must<{ data: Generation[] }>('GET', '/ai/generations?limit=50')).data
  /** Opens an empty composer with the assistant next to it. */
  const begin = async (search = '') => {
    await visit(page, `${product.url}/app/nowhere`)
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('parley.draft.')) localStorage.removeItem(key)
    })
    await visit(page, `${place}/compose${search}`)
    if (!search) await page.getByRole('button', { name: en.composer.assist }).click()
    await panel().waitFor()
  }
  const write = async (topic = 'The autumn menu of the café') => {
    await mode('write')
    await panel().getByLabel(t.topic).fill(topic)
    await ask(t.write).click()
    await uses().first().waitFor()
  }

  async function joined(name: string, role: string): Promise<Person> {
    const person = await newPerson(product.url, name)
    await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
      hana.workspaceId,
      person.session.user.id,
      role,
    ])
    return asPerson(product.url, person.session, hana.workspaceId)
  }

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await confirmEmail(hana)
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    for (const network of ['NET_PAGE', 'NET_PHOTO'] as const) await connect(hana, network, 'u1')
    place = `${product.url}/app/w/${hana.workspaceId}`
    context = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    // Requests go to the service as usual, but the test decides how much of the stream arrives.
    await context.addInitScript(() => {
      const plain = window.fetch
      window.fetch = async (input, init) => {
        const answer = await plain(input, init)
        const { line } = window
        if (!line || !answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer
        if (!String(input).includes('/ai/')) return answer
        window.line = undefined
        void answer.text().catch(() => {})
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(': open\n\n'))
            if (line === 'cut') controller.close()
          },
        })
        return new Response(body, { headers: answer.headers })
      }
    })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  test.runIf(long)('undo keeps text typed since, and says so', async () => {
    await begin()
    await write()
    await uses().first().click()
    await expect.poll(() => text().inputValue()).not.toBe('')
    await text().press('Control+End')
    await text().pressSequentially(' See you there.')
    const typed = await text().inputValue()
    await page.getByText(t.changedInPart, { exact: true }).waitFor()
    await sound(page)
    await look(page, 'undo-in-part')
    await undo().click()
    await page.getByText(t.undoneInPart).waitFor()
    expect(await text().inputValue()).toBe(typed)
    expect(await page.locator('#field-hashtags').inputValue()).toBe('')
    expect(await undo().count()).toBe(0)
  })

  test.runIf(long)('a later option replaces the earlier one, which undo brings back', async () => {
    await uses().nth(0).click()
    const first = await text().inputValue()
    await uses().nth(0).click()
    await expect.poll(() => text().inputValue()).not.toBe(first)
    expect(await undo().count()).toBe(1)
    await undo().click()
    await expect.poll(() => text().inputValue()).toBe(first)
    expect(await undo().count()).toBe(1)
  })

  test.runIf(long)('a rewritten option is not undone, and can be used again', async () => {
    await removeHashtags()
    await page.locator('#field-hashtags').fill('#mine')
    await page.locator('#field-cta').fill('Mine too')
    await text().fill('All my own words')
    await panel().getByText(t.changedSince).waitFor()
    expect(await undo().count()).toBe(0)
    expect(await uses().count()).toBe(3)
    expect(await text().inputValue()).toBe('All my own words')
    // The texts hardly share a word, so they are shown one after the other.
    await panel().getByRole('button', { name: t.preview }).first().click()
    await panel().getByText(en.approvals.oldText, { exact: true }).waitFor()
    await panel().getByText('All my own words').waitFor()
    expect(await panel().locator('ins, del').count()).toBe(0)
    await sound(page)
    await look(page, 'assistant-rewritten')
  })

  test.runIf(long)('undo for one network leaves the text of another', async () => {
    await begin()
    for (const network of ['Facebook', 'Instagram']) await choose(page, network)
    await panel().getByText(t.variantsHint).click()
    await write()
    for (const network of ['Facebook Page', 'Instagram'])
      await panel()
        .getByRole('region', { name: network })
        .getByRole('button', { name: t.use, exact: true })
        .first()
        .click()
    const own = (network: string) =>
      page.getByRole('tab', { name: new RegExp(`${network}.*${en.composer.customised}`) }).first()
    await own('Facebook').waitFor()
    await own('Instagram').waitFor()
    await panel().getByRole('region', { name: 'Facebook Page' }).getByRole('button', { name: t.inUse }).click()
    await own('Facebook').waitFor({ state: 'hidden' })
    expect(await own('Instagram').isVisible()).toBe(true)
    expect(await undo().count()).toBe(1)
  })

  test('Enter sends a request only if the button would, and only once', async () => {
    await begin()
    const before = (await asked()).length
    await mode('change')
    const instruction = panel().getByLabel(t.instruction)
    await instruction.fill('Shorter')
    await instruction.press('Enter')
    await page.getByText(t.textFirst).last().waitFor()
    await text().fill('We bake bread each morning, and you smell it in the whole street.')
    await behave(product.url, { delayMs: 1500 })
    await instruction.press('Enter')
    await panel().getByRole('button', { name: t.stop, exact: true }).waitFor()
    await instruction.press('Enter')
    await instruction.press('Control+Enter')
    await uses().first().waitFor()
    await behave(product.url, {})
    expect((await asked()).length).toBe(before + 1)
  })

  test('a late stop shows the option that was charged', async () => {
    await page.route('**/cancel', async (route) => {
      await eventually(async () => ((await asked())[0]?.status === 'SUCCEEDED' ? true : undefined))
      await route.continue()
    })
    await mode('image')
    await panel().getByLabel(t.prompt).fill('A loaf of bread')
    await behave(product.url, { delayMs: 1000 })
    // The stream stays silent, so only the answer to the stop can tell.
    await page.evaluate(() => (window.line = 'silent'))
    const late = page.waitForResponse((response) => response.url().endsWith('/cancel') && response.status() === 409)
    await ask(t.makeImage).click()
    await panel().getByRole('button', { name: t.stop, exact: true }).click()
    await late
    await panel().getByRole('button', { name: t.addPicture }).waitFor()
    expect(await panel().getByRole('alert').count()).toBe(0)
    await behave(product.url, {})
    await page.unroute('**/cancel')
  })

  test.runIf(long)('typed texts and used options survive a change of form and of window width', async () => {
    const prompt = () => page.getByLabel(t.prompt)
    const tray = page.getByRole('region', { name: en.composer.media })
    const added = tray.getByText(en.composer.aiMade)
    await panel().getByRole('button', { name: t.addPicture }).click()
    await undo().waitFor()
    await mode('change')
    expect(await panel().getByLabel(t.instruction).inputValue()).toBe('Shorter')
    await mode('image')
    expect(await prompt().inputValue()).toBe('A loaf of bread')
    await page.setViewportSize({ width: 800, height: 1000 })
    const sheet = page.getByRole('dialog', { name: t.title })
    await sheet.getByRole('button', { name: new RegExp(`^${t.inUse}`) }).waitFor()
    expect(await prompt().inputValue()).toBe('A loaf of bread')
    expect(await sheet.getByRole('button', { name: t.addPicture }).count()).toBe(0)
    await page.setViewportSize({ width: 1440, height: 1000 })
    await panel().waitFor()
    expect(await prompt().inputValue()).toBe('A loaf of bread')
    expect(await added.count()).toBe(1)
    await look(page, 'picture-in-use')
  })

  test.runIf(long)('a picture can be removed like a text, on its card and in the message', async () => {
    const added = page.getByRole('region', { name: en.composer.media }).getByText(en.composer.aiMade)
    await undo().click()
    await added.waitFor({ state: 'detached' })
    await panel().getByRole('button', { name: t.addPicture }).click()
    await added.waitFor({ state: 'attached' })
    const told = page.getByRole('listitem').filter({ hasText: t.pictureAdded }).first()
    await told.getByRole('button', { name: t.undo }).click()
    await added.waitFor({ state: 'detached' })
    await panel().getByRole('button', { name: t.addPicture }).waitFor()
    const { data } = await hana.must<{ data: MediaFile[] }>('GET', '/media')
    expect(data.filter((file) => file.aiGenerated)).toHaveLength(1)
  })

  test.runIf(long)('a stream that ends without content is followed by a request for the result', async () => {
    await page.evaluate(() => (window.line = 'cut'))
    await write()
    expect(await uses().count()).toBeGreaterThan(1)
  })

  test.runIf(long)(
    'a stream with nothing but heartbeats is followed by a request for the result after a minute',
    async () => {
      await page.clock.install()
      await begin()
      await mode('write')
      await panel().getByLabel(t.topic).fill('The winter menu')
      const before = (await asked()).length
      await page.evaluate(() => (window.line = 'silent'))
      await ask(t.write).click()
      await eventually(async () => {
        const all = await asked()
        return all.length > before && all[0]?.status === 'SUCCEEDED' ? true : undefined
      })
      expect(await uses().count()).toBe(0)
      await page.clock.fastForward(61_000)
      await uses().first().waitFor()
    },
  )

  test.runIf(long)(
    'options used in a discarded draft, or in another workspace, are not attributed to the next post',
    async () => {
      const told: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/accept')) told.push(request.url())
      })
      const save = async (words: string) => {
        await text().fill(words)
        await page.getByRole('button', { name: en.composer.saveDraft }).click()
        await page.waitForURL(/\/posts\/[0-9a-f-]+$/)
      }
      await begin()
      await write()
      await uses().first().click()
      await text().fill('')
      await removeHashtags()
      await page.locator('#field-cta').fill('')
      await page.locator('#field-cta').blur()
      await save('Without any help')
      expect(told).toEqual([])
      const { id } = await hana.must<{ id: string }>('POST', '/workspaces', {
        name: 'Second',
        timezone: 'Europe/Berlin',
      })
      await begin()
      await write()
      await uses().first().click()
      await page.evaluate((ws) => {
        history.pushState({}, '', `/app/w/${ws}/compose`)
        dispatchEvent(new PopStateEvent('popstate'))
      }, id)
      await page.waitForURL(new RegExp(id))
      await expect.poll(() => text().inputValue()).toBe('')
      await save('In the other workspace')
      expect(told).toEqual([])
    },
  )

  test.runIf(long)(
    'a change has an effect: shorter is shorter, spelling only corrects, and a correct text gets no option',
    async () => {
      const change = (one: keyof typeof en.ai.changes) =>
        panel().getByRole('button', { name: new RegExp(`^${en.ai.changes[one]}`) })
      const offered = async () => (await asked())[0]?.options.map((option) => option.text) ?? []
      await begin()
      await text().fill('Fresh bread')
      await mode('change')
      expect(await change('shorter').getAttribute('aria-disabled')).toBe('true')
      await panel().getByText(t.shortAlready).first().waitFor({ state: 'attached' })
      const wrong = 'Teh new oat milk cappuccino is on the counter today. Come by and taste it!'
      await text().fill(wrong)
      await change('shorter').click()
      await uses().first().waitFor()
      for (const short of await offered()) expect(short.length).toBeLessThan(wrong.length)
      // A correction uses no brand voice, whichever is chosen.
      const voice = await hana.must<BrandVoice>('POST', '/brand-voices', { name: 'Warm', isDefault: false })
      await pick(panel().getByLabel(en.ai.voice), voice.name)
      await change('spelling').click()
      await eventually(async () => (await offered())[0]?.startsWith('The new'))
      await uses().first().click()
      expect(await text().inputValue()).toBe(wrong.replace('Teh', 'The'))
      await change('spelling').click()
      await panel().getByText(t.nothingToCorrect).waitFor()
      expect(await uses().count()).toBe(0)
      await sound(page)
      await look(page, 'assistant-nothing-to-correct')
      await hana.must('DELETE', `/brand-voices/${voice.id}`)
    },
  )

  test.runIf(long)('a translation includes the call to action and the hashtags of the post', async () => {
    await begin()
    await text().fill('Good things begin small.')
    await page.getByRole('button', { name: en.composer.cta, exact: true }).click()
    await page.locator('#field-cta').fill('Shop now')
    await page.locator('#field-hashtags').fill('#New #Parley ')
    await mode('translate')
    await ask(t.translate).click()
    await uses().first().click()
    expect(await page.locator('#field-cta').inputValue()).toBe('تسوقوا الآن')
    await page.getByText('#جديد').first().waitFor()
    await look(page, 'assistant-translated')
  })

  test.runIf(long)('a text that is too long for the AI says so before a request', async () => {
    await begin()
    await text().fill('word '.repeat(2001))
    for (const one of ['change', 'hashtags', 'cta', 'translate'] as const) {
      await mode(one)
      await panel()
        .getByText(/10,000.*10,004/)
        .first()
        .waitFor()
    }
    await mode('change')
    expect(
      await panel()
        .getByRole('button', { name: new RegExp(`^${en.ai.changes.shorter}`) })
        .getAttribute('aria-disabled'),
    ).toBe('true')
    await sound(page)
    await look(page, 'assistant-too-long')
  })

  test.runIf(long)('a pasted text is not cut; one that is too long says so and cannot be sent', async () => {
    const pasted = 'word '.repeat(401).trim() + '.'.repeat(10)
    await begin()
    for (const [tab, field, button] of [
      ['write', t.topic, t.write],
      ['image', t.prompt, t.makeImage],
    ] as const) {
      await mode(tab)
      await panel().getByLabel(field).fill(pasted)
      expect(await panel().getByLabel(field).inputValue()).toBe(pasted)
      await panel()
        .getByText(/2,000.*2,014/)
        .first()
        .waitFor()
      expect(await ask(button).getAttribute('aria-disabled')).toBe('true')
    }
    await sound(page)
    await look(page, 'assistant-topic-too-long')
  })

  test.runIf(long)(
    'without ideas, a phone in Arabic says what to do, and asks what to do with an unsaved post',
    async () => {
      await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
      await useTheme(phone, 'dark')
      const { page: small, faults: theirs } = await openPage(phone)
      await signIn(small, hana)
      await small.goto(`${place}/ideas`)
      await small.getByRole('link', { name: ar.ideas.sayNiche }).waitFor()
      // Ideas use the language of the posts, not that of the screen.
      await small.getByText('تُكتب الأفكار باللغة الإنجليزية', { exact: false }).waitFor()
      await small.getByRole('link', { name: ar.ideas.changeLanguage }).waitFor()
      await sound(small)
      expect(await overflows(small)).toEqual([])
      expect(await smallTargets(small, 44)).toEqual([])
      await look(small, 'ideas-empty-ar')
      await visit(small, `${place}/compose`)
      await small.getByLabel(ar.composer.text, { exact: true }).fill('نصف فكرة')
      await visit(small, `${place}/compose?idea=${randomUUID()}`)
      await small.getByText(ar.composer.unfinished.body).waitFor()
      await sound(small)
      expect(await overflows(small)).toEqual([])
      expect(await smallTargets(small, 44)).toEqual([])
      await look(small, 'unfinished-ar')
      await small.getByRole('button', { name: ar.composer.unfinished.idea }).click()
      await small.getByText(ar.assistant.ideaGone).waitFor()
      await sound(small)
      expect(await overflows(small)).toEqual([])
      await look(small, 'idea-gone-ar')
      expect(theirs).toEqual([])
      await phone.close()
      await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    },
  )

  test.runIf(long)('without ideas, the screen says what to do and what it costs', async () => {
    const i = en.ideas
    await visit(page, `${place}/ideas`)
    await page.getByRole('link', { name: i.sayNiche }).waitFor()
    await page.getByText(/^1 credit/).waitFor()
    expect(await page.getByRole('link', { name: i.changeLanguage }).count()).toBe(0)
    await sound(page)
    await look(page, 'ideas-empty')
    await page.getByRole('link', { name: i.sayNiche }).click()
    await page.getByLabel(en.settings.niche).fill('A bakery')
    await hana.must('PATCH', `/workspaces/${hana.workspaceId}`, { niche: 'A bakery' })
    await visit(page, `${place}/ideas`)
    await page.getByText(i.noneBody).waitFor()
    await page.getByRole('button', { name: i.refresh }).click()
    await page.getByText(i.refreshed).waitFor()
  })

  test.runIf(long)('an idea fills only an empty brief, and a deleted idea says so', async () => {
    const { data } = await hana.must<{ data: Suggestion[] }>('GET', '/ai/suggestions')
    const idea = data[0]!
    const topic = () => panel().getByLabel(t.topic)
    await begin(`?idea=${idea.id}`)
    await expect.poll(() => topic().inputValue()).toBe(idea.brief.topic)
    let open = () => {}
    const typed = new Promise<void>((resolve) => (open = resolve))
    await page.route('**/ai/suggestions', async (route) => {
      await typed
      await route.continue()
    })
    await begin(`?idea=${idea.id}`)
    await topic().fill('My own')
    const there = page.waitForResponse('**/ai/suggestions')
    open()
    await there
    await page.unroute('**/ai/suggestions')
    expect(await topic().inputValue()).toBe('My own')
    await begin(`?idea=${randomUUID()}`)
    await panel().getByText(t.ideaGone).waitFor()
    await sound(page)
    await look(page, 'idea-gone')
  })

  test.runIf(long)('a post started from an idea asks what to do with an unsaved post', async () => {
    const u = en.composer.unfinished
    const start = async () => {
      await visit(page, `${place}/ideas`)
      await page
        .getByRole('link', { name: /^Create post:/ })
        .first()
        .click()
      await page.waitForURL(/idea=/)
    }
    await begin()
    await text().fill('Half a thought')
    await start()
    await page.getByText(u.body).waitFor()
    await sound(page)
    await look(page, 'unfinished')
    // Leaving the page decides nothing.
    await start()
    expect(await text().inputValue()).toBe('Half a thought')
    await page.getByRole('button', { name: u.continue }).click()
    await page.waitForURL((url) => url.search === '')
    await page.getByRole('button', { name: en.composer.assist }).waitFor()
    expect(await text().inputValue()).toBe('Half a thought')
    await start()
    await page.getByRole('button', { name: u.idea }).click()
    await expect.poll(() => panel().getByLabel(t.topic).inputValue()).not.toBe('')
    expect(await text().inputValue()).toBe('')
    // No unsaved post is left, so no question follows.
    await start()
    await panel().waitFor()
    await text().fill('A thought for later')
    await start()
    await page.getByRole('button', { name: u.saveFirst.idea }).click()
    await expect.poll(() => panel().getByLabel(t.topic).inputValue()).not.toBe('')
    expect(await text().inputValue()).toBe('')
    const { data } = await hana.must<{ data: Post[] }>('GET', '/posts?status=DRAFT')
    expect(data.filter(({ caption }) => caption === 'A thought for later')).toHaveLength(1)
  })

  const roles = [
    ['EDITOR', { refresh: 1, start: true, ideas: true }],
    ['VIEWER', { refresh: 0, start: false, ideas: true }],
    ['CLIENT', { refresh: 0, start: false, ideas: false }],
  ] as const

  test.each(long ? roles : roles.slice(1))('a %s sees only what their role permits', async (role, may) => {
    const person = await joined(role, role)
    const theirs = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    const { page: other, faults: wrong } = await openPage(theirs)
    await signIn(other, person)
    await other.goto(`${place}/ideas`)
    if (may.ideas) await other.getByRole('heading', { level: 2 }).first().waitFor()
    else await other.getByText(en.states.role).waitFor()
    expect(await other.getByRole('button', { name: en.ideas.refresh }).count()).toBe(may.refresh)
    expect((await other.getByRole('link', { name: /^Create post:/ }).count()) > 0).toBe(may.start)
    await look(other, `ideas-${role}`)
    await visit(other, `${place}/settings/ai`)
    await other.getByText(may.ideas ? en.aiHistory.lead : en.states.role).waitFor()
    await visit(other, `${place}/settings/voices`)
    await other.getByText(may.ideas ? en.voices.none : en.states.role).waitFor()
    expect(await other.getByRole('link', { name: en.voices.new }).count()).toBe(0)
    await visit(other, `${place}/compose`)
    if (may.start) {
      await other.getByRole('button', { name: en.composer.assist }).click()
      await other.getByRole('region', { name: t.title }).getByLabel(t.topic).fill('Bread')
      const button = other
        .getByRole('region', { name: t.title })
        .getByRole('button', { name: new RegExp(`^${t.write}`) })
      expect(await button.getAttribute('aria-disabled')).toBeNull()
    } else {
      await other.getByText(en.states.role).waitFor()
      expect(await other.getByRole('button', { name: en.composer.assist }).count()).toBe(0)
    }
    if (long) await sound(other)
    await look(other, `compose-${role}`)
    expect(wrong).toEqual([])
    await theirs.close()
  })

  test('the page reported no error', () => expect(faults).toEqual([]))
})
