import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import type { FreeSlot, Slots } from '../../src/publishing/scheduler/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { addDays, instantOf, wallTime } from '../../web/time.ts'
import { connectPages, eventually, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { openProblems, pick, signIn, visit } from './story.ts'

const ZONE = 'Europe/Berlin'

/** The last Sunday of a month next year, on which the clocks of Berlin change. */
const change = (month: string) => {
  const last = `${new Date().getUTCFullYear() + 1}-${month}-31`
  return addDays(last, -new Date(`${last}T12:00Z`).getUTCDay())
}
const [SPRING, AUTUMN] = [change('03'), change('10')]

describe.skipIf(!hasBrowser)('the queue', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  let pages: SocialAccount[]
  let place: string

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(hana)
    place = `${product.url}/app/w/${hana.workspaceId}`
    context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, timezoneId: 'America/New_York' })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  const words = en.slots
  const stored = () => hana.must<Slots>('GET', '/scheduler/slots')
  const free = async (limit: number) =>
    (await hana.must<{ data: FreeSlot[] }>('GET', `/scheduler/slots/free?limit=${limit}`)).data.map(({ at }) => at)
  const next = async () => (await free(1))[0]!
  const draft = (caption: string) => hana.must<Post>('POST', '/posts', { caption, targets: [pages[0]!.id] })
  const scheduled = (caption: string, wall: string) =>
    hana.must<Post>('POST', '/posts', {
      caption,
      targets: [pages[0]!.id],
      scheduledAt: instantOf(wall, ZONE).toISOString(),
    })
  const timeOf = async ({ id }: Post) => (await hana.must<Post>('GET', `/posts/${id}`)).scheduledAt

  test('its workdays are those of the reader’s language', async () => {
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    onTestFinished(() => hana.must('PATCH', '/api/v1/auth/me', { language: 'en' }))
    const arabic = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    const { page: its } = await openPage(arabic)
    await signIn(its, hana)
    await its.goto(`${place}/settings/queue`)
    await its.getByRole('button', { name: 'من الأحد إلى الخميس، 9 صباحًا و5 مساءً' }).click()
    await its.getByRole('button', { name: ar.slots.more.replace('{day}', ar.slots.days.sunday) }).click()
    await its.getByRole('menuitem', { name: 'نسخ أوقات الأحد إلى الأيام من الأحد إلى الخميس' }).click()
    await its.getByRole('button', { name: ar.common.save, exact: true }).click()
    await its.getByText(ar.slots.next).waitFor()
    const { slots } = await stored()
    expect(slots).toHaveLength(10)
    expect(new Set(slots.map(({ day }) => day))).toEqual(
      new Set(['sunday', 'monday', 'tuesday', 'wednesday', 'thursday']),
    )
    await hana.must('PUT', '/scheduler/slots', { slots: [] })
    await arabic.close()
  })

  test('its times are set per week: a preset, one added, copied, removed, saved', async () => {
    await visit(page, `${place}/settings/queue`)
    await page.getByRole('button', { name: 'Monday to Friday, 9 AM and 5 PM' }).click()
    await page.getByRole('button', { name: words.add.replace('{day}', 'Monday') }).click()
    await page.getByLabel(words.time, { exact: true }).fill('20:30')
    await page.getByRole('button', { name: words.addTime, exact: true }).click()
    await page.getByRole('button', { name: words.more.replace('{day}', 'Monday') }).click()
    await page.getByRole('menuitem', { name: words.copy.replace('{day}', 'Monday') }).click()
    await page.getByRole('button', { name: /Remove 9:00.AM on Sunday/ }).click()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: en.common.save, exact: true }).click()
    await page.getByText(words.next).waitFor()
    const card = page.getByRole('region', { name: words.title })
    await card.getByRole('button', { name: en.common.save }).and(page.getByTitle(words.nothingChanged)).waitFor()
    const { slots } = await stored()
    expect(slots).toHaveLength(20)
    expect(slots.filter(({ day }) => day === 'sunday').map(({ time }) => time)).toEqual(['17:00', '20:30'])
    expect(faults).toEqual([])
  })

  test('a duplicate time is refused next to its field', async () => {
    await page.getByRole('button', { name: words.add.replace('{day}', 'Monday') }).click()
    await page.getByLabel(words.time, { exact: true }).fill('09:00')
    await page.getByRole('button', { name: words.addTime, exact: true }).click()
    await page.getByText(words.twice).waitFor()
  })

  test('unsaved times stay when another person saves theirs, and replace them only after a warning', async () => {
    const { slots } = await stored()
    await visit(page, `${place}/settings/queue`)
    const removed = page.getByRole('button', { name: /Remove 9:00.AM on Tuesday/ })
    await removed.click()
    const refreshed = page.waitForResponse((answer) => answer.url().endsWith('/scheduler/slots'))
    const theirs = slots.filter(({ day }) => day !== 'friday')
    await hana.must('PUT', '/scheduler/slots', { slots: theirs })
    await refreshed
    const card = page.getByRole('region', { name: words.title })
    const save = card.getByRole('button', { name: en.common.save })
    await save.click()
    await card.getByRole('alert').getByText(words.stale).waitFor()
    expect(await removed.count()).toBe(0)
    expect((await stored()).slots).toEqual(theirs)
    await save.click()
    await save.and(page.getByTitle(words.nothingChanged)).waitFor()
    expect((await stored()).slots).toEqual(slots.filter(({ day, time }) => day !== 'tuesday' || time !== '09:00'))
    // A form without unsaved times follows another person's.
    await hana.must('PUT', '/scheduler/slots', { slots })
    await removed.waitFor()
    await save.and(page.getByTitle(words.nothingChanged)).waitFor()
  })

  test.runIf(long)('on a phone, in Arabic and in dark theme, it fits and is sound', async () => {
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await useTheme(phone, 'dark')
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    onTestFinished(() => hana.must('PATCH', '/api/v1/auth/me', { language: 'en' }))
    const { page: small, faults: theirs } = await openPage(phone)
    await signIn(small, hana)
    await small.goto(`${place}/settings/queue`)
    await small.getByRole('heading', { name: ar.slots.title }).waitFor()
    await small.getByRole('button', { name: ar.slots.add.replace('{day}', 'الاثنين') }).click()
    await small.getByText(ar.slots.next).waitFor()
    expect(await violations(small)).toEqual([])
    expect(await overflows(small)).toEqual([])
    expect(await smallTargets(small, 44)).toEqual([])
    if (process.env['PICTURES'])
      await small.screenshot({ path: `${process.env['PICTURES']}/queue-ar.png`, fullPage: true })
    expect(theirs).toEqual([])
    await phone.close()
  })

  test.runIf(long).each([
    { language: 'en', width: 1280 },
    { language: 'ar', width: 1280 },
    { language: 'en', width: 390 },
    { language: 'ar', width: 390 },
  ])('a menu opens at its button, in $language at $width px', async ({ language, width }) => {
    await hana.must('PATCH', '/api/v1/auth/me', { language })
    onTestFinished(() => hana.must('PATCH', '/api/v1/auth/me', { language: 'en' }))
    const sized = await browser.newContext({ viewport: { width, height: 844 } })
    const { page: its } = await openPage(sized)
    await signIn(its, hana)
    await its.goto(`${place}/settings/queue`)
    await its.locator(`html[lang=${language}] main li [aria-haspopup=menu]`).first().waitFor()
    const buttons = await its.locator('[aria-haspopup=menu]:visible').all()
    expect(buttons.length).toBeGreaterThanOrEqual(7)
    for (const button of buttons) {
      await button.click()
      const menu = its.getByRole('menu')
      await menu.waitFor()
      await still(its)
      const [of, at] = [(await menu.boundingBox())!, (await button.boundingBox())!]
      const name = await button.getAttribute('aria-label')
      expect([name, of.x < at.x + at.width && of.x + of.width > at.x]).toEqual([name, true])
      expect(of.x).toBeGreaterThanOrEqual(0)
      expect(of.x + of.width).toBeLessThanOrEqual(width)
      await its.keyboard.press('Escape')
    }
    await sized.close()
  })

  test.runIf(long)('a menu shows all of its items, including those that arrive after it has opened', async () => {
    const post = await draft('With a menu')
    let release = () => {}
    const released = new Promise<void>((done) => (release = done))
    await page.route('**/scheduler/slots/free?*', async (route) => {
      await released
      await route.continue()
    })
    onTestFinished(() => page.unrouteAll({ behavior: 'wait' }))
    await visit(page, `${place}/posts/${post.id}`)
    await page.getByRole('button', { name: en.post.more, exact: true }).click()
    const menu = page.getByRole('menu', { name: en.post.more })
    await menu.getByRole('menuitem', { name: en.post.delete }).waitFor()
    release()
    await menu.getByText(new RegExp(en.schedule.addToQueue.split('{')[0]!.replace('(', '\\('))).waitFor()
    const { shown, whole } = await menu.evaluate((element) => {
      const popup = element.closest('[popover]') ?? element
      return { shown: popup.clientHeight, whole: popup.scrollHeight }
    })
    expect(shown).toBeGreaterThanOrEqual(whole - 1)
  })

  test('a post is added to the next free time from the form and from its menu, which both name the time', async () => {
    const [first, second] = [await draft('First into the queue'), await draft('Second into the queue')]
    for (const [post, from] of [
      [first, 'form'],
      [second, 'menu'],
    ] as const) {
      const at = await next()
      await visit(page, `${place}/posts/${post.id}`)
      if (from === 'form') {
        await page.getByRole('button', { name: en.composer.schedule, exact: true }).click()
        await page.getByText(en.schedule.freeSlots).waitFor()
        if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/dialog.png` })
        await page.getByRole('button', { name: /^Add to queue \(.*CET\)/ }).click()
      } else {
        await page.getByRole('button', { name: en.post.more, exact: true }).click()
        await page.getByRole('menuitem', { name: /^Add to queue \(.*CET\)/ }).click()
      }
      expect(await eventually(async () => (await timeOf(post)) ?? undefined)).toBe(at)
    }
    expect(faults).toEqual([])
  })

  test('a refusal says why, also if no dialog is open', async () => {
    const post = await draft('Refused by the queue')
    await visit(page, `${place}/posts/${post.id}`)
    await page.route('**/posts/*/queue', (route) =>
      route.fulfill({ status: 409, json: { code: 'no_free_slot', status: 409 } }),
    )
    onTestFinished(() => page.unrouteAll({ behavior: 'wait' }))
    await page.getByRole('button', { name: en.composer.ways, exact: true }).click()
    await page
      .getByRole('menu', { name: en.composer.ways })
      .getByRole('menuitem', { name: /^Add to queue \(.*CET\)/ })
      .click()
    await page.getByText(en.problems.no_free_slot, { exact: true }).waitFor()
    // The next tests schedule with the first way again.
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('parley.way.')) localStorage.removeItem(key)
    })
  })

  test.runIf(long)('the calendar shows free times, and each links to a new post', async () => {
    // The first free time of the next day: in a month, a day with many of them shows only some.
    const walls = (await free(10)).map((at) => wallTime(new Date(at), ZONE))
    const wall = walls.find((each) => each.slice(0, 10) !== walls[0]?.slice(0, 10))!
    await scheduled('On the same day', `${wall.slice(0, 10)}T23:55`)
    for (const view of ['month', 'week', 'agenda']) {
      await visit(page, `${place}/calendar?view=${view}&date=${wall.slice(0, 10)}`)
      await page.locator(`[data-free="${wall}"]`).waitFor()
      expect(await violations(page)).toEqual([])
      if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/calendar-${view}.png` })
    }
    await page.locator(`[data-free="${wall}"]`).click()
    await page.waitForURL(/\/compose\?at=/)
    expect(new URL(page.url()).searchParams.get('at')).toBe(wall)
  })

  test('scheduling at a time that a clock change skips or repeats asks which one is meant', async () => {
    const answers = [
      [`${SPRING}T02:30`, /3:30/, `${SPRING}T01:30:00.000Z`],
      [`${AUTUMN}T02:30`, /Second/, `${AUTUMN}T01:30:00.000Z`],
      [`${SPRING}T02:30`, /1:30/, `${SPRING}T00:30:00.000Z`],
      [`${AUTUMN}T02:30`, /First/, `${AUTUMN}T00:30:00.000Z`],
    ] as const
    for (const [wall, label, instant] of long ? answers : answers.slice(0, 2)) {
      const post = await draft('At a strange time')
      await visit(page, `${place}/posts/${post.id}`)
      await page.getByRole('button', { name: en.composer.schedule, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(en.schedule.when).fill(wall)
      await dialog.getByRole('button', { name: en.schedule.schedule, exact: true }).click()
      await dialog.getByText(en.schedule.whichFirst).waitFor()
      await dialog.getByRole('radio', { name: label }).check()
      expect(await violations(page)).toEqual([])
      await dialog.getByRole('button', { name: en.schedule.schedule, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await eventually(async () => (await timeOf(post)) === instant)
    }
  })

  test.runIf(long)(
    'moving a post onto such a day with keys asks too; moving past it keeps the time of day',
    async () => {
      const post = await scheduled('Moves by the keys', `${addDays(SPRING, -1)}T02:30`)
      await visit(page, `${place}/calendar?view=month&date=${SPRING}`)
      const chip = page.locator(`a[data-post="${post.id}"]`)
      await chip.focus()
      await page.keyboard.press('Alt+ArrowRight')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: /1:30/ }).check()
      await dialog.getByRole('button', { name: en.calendar.move, exact: true }).click()
      await eventually(async () => (await timeOf(post)) === `${SPRING}T00:30:00.000Z`)
      const other = await scheduled('Passes over it', `${addDays(SPRING, -1)}T02:30`)
      await visit(page, `${place}/calendar?view=month&date=${SPRING}`)
      await page.locator(`a[data-post="${other.id}"]`).focus()
      await page.keyboard.down('Alt')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.up('Alt')
      await eventually(
        async () => (await timeOf(other)) === instantOf(`${addDays(SPRING, 1)}T02:30`, ZONE).toISOString(),
      )
      // Without an answer, the post stays.
      const third = await scheduled('Stays', `${addDays(SPRING, -1)}T02:30`)
      await visit(page, `${place}/calendar?view=month&date=${SPRING}`)
      await page.locator(`a[data-post="${third.id}"]`).focus()
      await page.keyboard.press('Alt+ArrowRight')
      await dialog.getByRole('button', { name: en.common.cancel }).click()
      await page.locator(`td[data-date="${addDays(SPRING, -1)}"] a[data-post="${third.id}"]`).waitFor()
      expect(await timeOf(third)).toBe(third.scheduledAt)
    },
  )

  test.runIf(long)('moving several posts at once asks too', async () => {
    const post = await scheduled('Moves with others', `${addDays(AUTUMN, -1)}T02:30`)
    await visit(page, `${place}/posts?text=${encodeURIComponent('Moves with others')}`)
    await page.getByLabel(en.bulk.select.replace('{caption}', 'Moves with others')).check()
    await page.getByRole('button', { name: en.bulk.move, exact: true }).click()
    const dialog = page.getByRole('dialog')
    const days = dialog.getByLabel(en.bulk.days)
    const asked = await days.inputValue()
    await days.fill('400')
    await dialog.getByRole('button', { name: en.bulk.moveNow, exact: true }).click()
    await dialog.getByText(en.bulk.daysInvalid).waitFor()
    await days.fill(asked)
    await dialog.getByRole('button', { name: en.bulk.moveNow, exact: true }).click()
    await dialog.getByText(en.bulk.unclearFirst).waitFor()
    await dialog.getByLabel(en.bulk.later).check()
    await dialog.getByRole('button', { name: en.bulk.moveNow, exact: true }).click()
    await eventually(async () => (await timeOf(post)) === `${AUTUMN}T01:30:00.000Z`)
    expect(faults).toEqual([])
  })

  test.runIf(long)('a new post with the text of another one shows a warning with a link to it', async () => {
    const text = 'Said before, word for word'
    const other = await scheduled(text, `${addDays(SPRING, -20)}T09:00`)
    await hana.must('POST', `/posts/${other.id}/schedule`, {
      scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    await visit(page, `${place}/compose`)
    await page.getByLabel(en.composer.text, { exact: true }).fill(text.toUpperCase())
    await page.getByRole('checkbox', { name: new RegExp(pages[0]!.name) }).check()
    await page
      .getByRole('button', { name: '1 suggestion' })
      .or(page.getByRole('button', { name: /problem/ }))
      .waitFor()
    const link = (await openProblems(page)).getByRole('link', { name: en.composer.otherPost })
    await link.waitFor()
    await page.getByText(/rejects duplicates/).waitFor()
    expect(await violations(page)).toEqual([])
    expect(await link.getAttribute('href')).toContain(other.id)
    expect(faults).toEqual([])
  })

  test('a new zone of the workspace keeps posts at their moment, and slots at their time of day, and says so', async () => {
    const post = await scheduled('Keeps its moment', `${addDays(AUTUMN, -7)}T09:00`)
    await visit(page, `${place}/settings`)
    await pick(page.getByLabel(en.settings.timezone), 'America/New York')
    await page.getByText(en.settings.zoneChanges).waitFor()
    await page.getByRole('button', { name: en.common.save, exact: true }).first().click()
    await page.getByText(en.settings.saved).waitFor()
    expect(await timeOf(post)).toBe(post.scheduledAt)
    expect(await stored()).toMatchObject({ timezone: 'America/New_York' })
    expect(wallTime(new Date(await next()), 'America/New_York').slice(11)).toMatch(/^(09:00|17:00|20:30)$/)
  })
})
