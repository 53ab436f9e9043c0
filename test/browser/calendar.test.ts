import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import type { SavedView } from '../../src/publishing/views/api.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { lossOf, lostBy } from '../../web/features/publishing/approvals/states.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { addDays, dateIn, instantOf, wallTime, weekOf } from '../../web/time.ts'
import { addFault, connectPages, newPerson, type Person, untilStatus, graphError } from '../world.ts'
import { asksToStay, hasBrowser, openPage, overflows, still, useBrowser, violations, watchAnswers } from './browser.ts'
import { signIn, visit } from './story.ts'

test('a new time takes the open request or the approval of a post, and is told as that', () => {
  const approval = (state: 'PENDING' | 'WITHDRAWN' | 'APPROVED') => ({ state })
  const draft = { status: 'DRAFT', approved: false, approval: null } as const
  const asked = { ...draft, approval: approval('PENDING') }
  const scheduled = { status: 'SCHEDULED', approved: true, approval: approval('APPROVED') } as const
  expect([draft, asked, scheduled].map((post) => lossOf(post, false))).toEqual([null, 'request', null])
  expect([draft, asked, scheduled].map((post) => lossOf(post, true))).toEqual([null, 'request', 'approval'])
  expect(lossOf({ ...draft, approved: true }, false)).toBe('approval')
  expect(lostBy(asked, { ...draft, approval: approval('WITHDRAWN') })).toBe('request')
  expect(lostBy(scheduled, draft)).toBe('approval')
  expect(lostBy(scheduled, scheduled)).toBe(null)
})

const ZONE = 'Europe/Berlin'

/** The last Sunday of March next year, on which the clocks of Berlin go forward. */
const SPRING = (() => {
  const last = `${new Date().getUTCFullYear() + 1}-03-31`
  return addDays(last, -new Date(`${last}T12:00Z`).getUTCDay())
})()

describe.skipIf(!hasBrowser)('the calendar and the list', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let answered: () => Promise<void>
  let hana: Person
  let pages: SocialAccount[]

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(hana)
    context = await browser.newContext({ viewport: { width: 1440, height: 1100 }, timezoneId: 'America/New_York' })
    ;({ page, faults } = await openPage(context))
    answered = watchAnswers(page)
    await signIn(page, hana)
  })

  // Every test has its own posts, with unique texts.
  let made = 0
  let caption = ''
  beforeEach(async () => {
    caption = `Post number ${++made}.`
    await page.setViewportSize({ width: 1440, height: 1100 })
  })

  const scheduled = (wall: string, text = caption) =>
    hana.must<Post>('POST', '/posts', {
      caption: text,
      targets: [pages[0]!.id],
      scheduledAt: instantOf(wall, ZONE).toISOString(),
    })
  const stored = (post: Post) => hana.must<Post>('GET', `/posts/${post.id}`)
  const labelsOf = async (post: Post) => (await stored(post)).labels.map(({ name }) => name)
  const wallOf = async (post: Post) => wallTime(new Date((await stored(post)).scheduledAt ?? 0), ZONE)
  const open = async (search: string) => {
    await visit(page, `${product.url}/app/w/${hana.workspaceId}/calendar?${search}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const chip = (text = caption) => page.getByRole('link', { name: text })
  const day = (date: string) => page.locator(`td[data-date="${date}"]`)
  const hour = (wall: string) => page.locator(`td[data-at="${wall}"]`)
  const showFilters = () => page.getByRole('button', { name: en.calendar.filter, exact: true }).click()
  /** Chooses from the menu of a filter, in English. */
  const narrow = async (filter: string, to: string) => {
    await page.getByRole('button', { name: new RegExp(`^${filter}(: |$)`) }).click()
    await page.getByRole('menu', { name: filter }).getByRole('menuitemradio', { name: to }).click()
  }
  /** Presses Undo in a message. */
  const undo = (message: string | RegExp) =>
    page.getByRole('listitem').filter({ hasText: message }).getByRole('button', { name: 'Undo' }).click()
  const focused = () => page.evaluate(() => [document.activeElement?.tagName, document.activeElement?.textContent])

  const shoot = async (name: string) => {
    const pictures = process.env['PICTURES']
    if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` })
  }

  /** Returns the box of an element, once nothing that arrives or is animated can move it. */
  const settled = async (at: Locator) => {
    await at.waitFor()
    await answered()
    await still(page)
    const box = await at.boundingBox()
    if (!box) throw new Error('Not on the screen')
    return box
  }
  /** Lifts a post with the mouse. A post that can be moved turns pale in the air. */
  const lift = async (from: Locator, movable = true) => {
    const { x, y } = await settled(from)
    await page.mouse.move(x + 20, y + 8)
    await page.mouse.down()
    await page.mouse.move(x + 30, y + 14, { steps: 3 })
    if (movable) await page.locator('[data-chip].opacity-40').waitFor()
    return x + 30
  }
  /** Drags like a hand, through intermediate places. */
  const drag = async (from: Locator, to: Locator, { down = 0.5, movable = true } = {}) => {
    const end = await settled(to)
    const [x, y] = [end.x + end.width / 2, end.y + end.height * down]
    await page.evaluate(() => {
      const note = ({ clientX, clientY }: MouseEvent) => Object.assign(window, { pointer: [clientX, clientY] })
      for (const kind of ['dragenter', 'dragover', 'mousemove'] as const)
        addEventListener(kind, note, { capture: true })
    })
    await lift(from, movable)
    await page.mouse.move(x, y, { steps: 4 })
    // The browser reports a drag only now and then, and must have reported the last place.
    await page.waitForFunction(
      ([atX, atY]) => {
        const [nowX, nowY] = (window as unknown as { pointer: [number, number] }).pointer
        return Math.abs(nowX - atX) < 1 && Math.abs(nowY - atY) < 1
      },
      [x, y] as const,
    )
    await page.mouse.up()
  }

  test.runIf(long)('a scheduled post links to its own month', async () => {
    const date = addDays(SPRING, 40)
    const post = await scheduled(`${date}T23:30`)
    await visit(page, `${product.url}/app/w/${hana.workspaceId}/posts/${post.id}`)
    await page.getByRole('link', { name: en.post.showInCalendar }).click()
    await page.waitForURL(/\/calendar/)
    await day(date).getByRole('link', { name: caption }).waitFor()
    expect(new URL(page.url()).searchParams.get('date')).toBe(date)
  })

  test('undo moves a post back', async () => {
    const from = addDays(SPRING, -9)
    const post = await scheduled(`${from}T10:00`)
    await open(`view=month&date=${SPRING}`)
    await drag(chip(), day(addDays(from, 1)))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Moved back to /).waitFor()
    await day(from).getByRole('link', { name: caption }).waitFor()
    expect(await wallOf(post)).toBe(`${from}T10:00`)

    await drag(chip(), day(addDays(from, 2)))
    await page.getByText(/^Moved to /).waitFor()
    /** Whether the keys undo the move while this element has the focus. */
    const undoes = (target: Locator) =>
      target.evaluate((element) => {
        const keys = { key: 'z', code: 'KeyZ', ctrlKey: true, bubbles: true, cancelable: true }
        return !element.dispatchEvent(new KeyboardEvent('keydown', keys))
      })
    // In a field, they undo what was typed there.
    await showFilters()
    const search = page.getByRole('searchbox', { name: en.posts.search })
    await search.focus()
    expect(await undoes(search)).toBe(false)
    await showFilters()
    expect(await wallOf(post)).toBe(`${addDays(from, 2)}T10:00`)
    const body = page.locator('body')
    expect(await undoes(body)).toBe(true)
    // A move is undone once.
    expect(await undoes(body)).toBe(false)
    await page.getByText(/^Moved back to /).waitFor()
    await day(from).getByRole('link', { name: caption }).waitFor()
    expect(await undoes(body)).toBe(false)
    expect(await wallOf(post)).toBe(`${from}T10:00`)
  })

  test('a post dragged to another day keeps its time, also across a clock change, and stays there', async () => {
    const from = addDays(SPRING, -2)
    const to = addDays(SPRING, 1)
    const post = await scheduled(`${from}T16:15`)
    await open(`view=month&date=${SPRING}`)
    await day(from).getByRole('link', { name: caption }).waitFor()
    await drag(chip(), day(to))
    await day(to).getByRole('link', { name: caption }).waitFor()
    await page.getByText(/^Moved to .*4:15/).waitFor()
    expect(await wallOf(post)).toBe(`${to}T16:15`)
    await open(`view=month&date=${SPRING}`)
    await day(to).getByRole('link', { name: /4:15/ }).and(chip()).waitFor()
  })

  test.runIf(long)('in a week, a post moves to the quarter of an hour on which it is dropped', async () => {
    const [monday = '', tuesday = ''] = weekOf(addDays(SPRING, -9), 'monday')
    const post = await scheduled(`${monday}T08:00`)
    await open(`view=week&date=${monday}`)
    await drag(chip(), hour(`${tuesday}T11:00`), { down: 0.8 })
    await hour(`${tuesday}T11:00`).getByRole('link', { name: caption }).waitFor()
    await page.getByText(/^Moved to .*11:45/).waitFor()
    expect(await wallOf(post)).toBe(`${tuesday}T11:45`)
  })

  test.runIf(long)('a week scrolls while a post is held at its edge', async () => {
    const [monday = ''] = weekOf(addDays(SPRING, -30), 'monday')
    await scheduled(`${monday}T08:00`)
    await page.setViewportSize({ width: 1440, height: 600 })
    await open(`view=week&date=${monday}`)
    await chip().waitFor()
    const region = page.getByRole('region', { name: 'Week' })
    const scrolled = () => region.evaluate((one) => one.scrollTop)
    const before = await scrolled()
    const x = await lift(chip())
    await page.mouse.move(x, 510, { steps: 5 })
    await expect.poll(scrolled).toBeGreaterThan(before + 100)
    await page.keyboard.press('Escape')
    await page.mouse.up()
  })

  test.runIf(long)(
    'the day on which clocks go forward lacks the skipped hour, and a post cannot be dropped there',
    async () => {
      const post = await scheduled(`${addDays(SPRING, -1)}T02:30`)
      await open(`view=week&date=${SPRING}`)
      await chip().waitFor()
      expect(await hour(`${SPRING}T03:00`).count()).toBe(1)
      expect(await hour(`${SPRING}T02:00`).count()).toBe(0)
      await page.getByRole('region', { name: 'Week' }).evaluate((region) => region.scrollTo(0, 0))
      await drag(chip(), page.getByTitle(/Clocks go forward/))
      await page.getByText(/the post wasn’t moved/).waitFor()
      expect(await wallOf(post)).toBe(`${addDays(SPRING, -1)}T02:30`)
      await chip().press('Alt+ArrowRight')
      await page.getByRole('dialog').getByRole('radio', { name: /3:30/ }).check()
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
      await hour(`${SPRING}T03:00`).getByRole('link', { name: caption }).waitFor()
      await expect.poll(() => wallOf(post)).toBe(`${SPRING}T03:30`)
    },
  )

  test('Alt and the arrow keys move a post by days and hours, and keep the focus on it', async () => {
    const from = addDays(SPRING, -12)
    const post = await scheduled(`${from}T09:30`)
    await open(`view=month&date=${SPRING}`)
    await chip().focus()
    await page.keyboard.down('Alt')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.up('Alt')
    await day(addDays(from, -5)).getByRole('link', { name: caption }).waitFor()
    expect(await focused()).toEqual(['A', expect.stringContaining(caption)])
    await page
      .getByRole('status')
      .getByText(new RegExp(`${caption}.*9:30`))
      .waitFor({ state: 'attached' })
    await expect.poll(() => wallOf(post)).toBe(`${addDays(from, -5)}T09:30`)
    // Several steps were saved as one move.
    expect((await stored(post)).version).toBe(post.version + 1)
    expect(await focused()).toEqual(['A', expect.stringContaining(caption)])

    await open(`view=week&date=${addDays(from, -5)}`)
    await hour(`${addDays(from, -5)}T09:00`)
      .getByRole('link', { name: caption })
      .waitFor()
    await chip().press('Alt+ArrowDown')
    await hour(`${addDays(from, -5)}T10:00`)
      .getByRole('link', { name: caption })
      .waitFor()
    expect(await focused()).toEqual(['A', expect.stringContaining(caption)])
    await expect.poll(() => wallOf(post)).toBe(`${addDays(from, -5)}T10:30`)
  })

  test.runIf(long)('the calendar follows a post that moves beyond its edge', async () => {
    const [monday = ''] = weekOf(addDays(SPRING, -20), 'monday')
    const post = await scheduled(`${monday}T12:00`)
    await open(`view=week&date=${monday}`)
    await chip().press('Alt+ArrowLeft')
    await hour(`${addDays(monday, -1)}T12:00`)
      .getByRole('link', { name: caption })
      .waitFor()
    expect(await focused()).toEqual(['A', expect.stringContaining(caption)])
    await expect.poll(() => wallOf(post)).toBe(`${addDays(monday, -1)}T12:00`)
  })

  test.runIf(long)('a post that cannot be dragged can be moved with a menu', async () => {
    const from = addDays(SPRING, -16)
    const post = await scheduled(`${from}T18:00`)
    await open(`view=agenda&date=${SPRING}`)
    await page.getByRole('button', { name: `More actions for ${caption}` }).click()
    await page.getByRole('menuitem', { name: 'Move to…' }).click()
    await page.getByLabel('Date and time').fill(`${addDays(from, 3)}T07:05`)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText(/^Moved to .*7:05/).waitFor()
    expect(await wallOf(post)).toBe(`${addDays(from, 3)}T07:05`)
    await page.getByRole('button', { name: `More actions for ${caption}` }).click()
    await page.getByRole('menuitem', { name: 'One day earlier' }).click()
    await expect.poll(() => wallOf(post)).toBe(`${addDays(from, 2)}T07:05`)
  })

  test('a post added today gets a time that has not passed, and at midnight the next day becomes today', async () => {
    const clocked = await browser.newContext({ viewport: { width: 1440, height: 1100 } })
    const { page: own } = await openPage(clocked)
    await signIn(own, hana)
    const today = dateIn(new Date(), ZONE)
    const tomorrow = addDays(today, 1)
    await own.clock.setFixedTime(instantOf(`${today}T14:20`, ZONE))
    const address = `${product.url}/app/w/${hana.workspaceId}/calendar`
    const timeIn = (place: Locator) =>
      place
        .locator('a[href*="/compose"]')
        .first()
        .evaluate((link: HTMLAnchorElement) => new URL(link.href).searchParams.get('at'))
    await own.goto(`${address}?view=week`)
    expect(await timeIn(own.locator(`th[data-date="${today}"]`))).toBe(`${today}T15:00`)
    expect(await timeIn(own.locator(`td[data-at="${today}T14:00"]`))).toBe(`${today}T14:30`)
    expect(await timeIn(own.locator(`td[data-at="${today}T15:00"]`))).toBe(`${today}T15:00`)
    await visit(own, `${address}?view=weeks`)
    expect(await timeIn(own.locator(`td[data-date="${today}"]`))).toBe(`${today}T15:00`)
    expect(await timeIn(own.locator(`td[data-date="${tomorrow}"]`))).toBe(`${tomorrow}T09:00`)
    await own.setViewportSize({ width: 390, height: 1100 })
    expect(await timeIn(own.getByRole('region').filter({ hasText: en.calendar.addHere }))).toBe(`${today}T15:00`)
    await own.setViewportSize({ width: 1440, height: 1100 })

    await own.locator(`td[data-date="${today}"] [aria-current=date]`).waitFor()
    await own.clock.setFixedTime(instantOf(`${tomorrow}T00:01`, ZONE))
    await own.locator(`td[data-date="${tomorrow}"] [aria-current=date]`).waitFor()
    await clocked.close()
  })

  test('a long text is cut at its own end, whatever the language of the page', async () => {
    const from = addDays(SPRING, -25)
    await scheduled(`${from}T18:00`, 'قهوة الصباح على مهل')
    await open(`view=agenda&date=${from}`)
    expect(await chip('قهوة الصباح').evaluate((one) => getComputedStyle(one).direction)).toBe('rtl')
  })

  test.runIf(long)('the menu of a post opens it, duplicates it, and moves it to drafts in place', async () => {
    const from = addDays(SPRING, -23)
    const post = await scheduled(`${from}T18:00`)
    const menu = async (item: string) => {
      await open(`view=agenda&date=${from}`)
      const [more, wanted] = [
        page.getByRole('button', { name: `More actions for ${caption}` }),
        page.getByRole('menuitem', { name: item }),
      ]
      await expect
        .poll(async () => {
          if ((await more.getAttribute('aria-expanded')) !== 'true') await more.click()
          return wanted.isVisible()
        })
        .toBe(true)
      await wanted.click()
    }
    await menu('Open')
    await page.waitForURL(new RegExp(post.id))
    await menu('Move to drafts')
    await expect.poll(async () => (await stored(post)).status).toBe('DRAFT')
    await page.getByRole('listitem').filter({ has: chip() }).getByText('Draft', { exact: true }).waitFor()
    await menu('Duplicate')
    await page.waitForURL((url) => /\/posts\/[0-9a-f-]{36}/.test(url.pathname) && !url.pathname.includes(post.id))
    await page
      .getByText(/^Post duplicated/)
      .first()
      .waitFor()
  })

  test.runIf(long)('a refused move returns the post to its place and gives the reason', async () => {
    const from = addDays(SPRING, -8)
    const post = await scheduled(`${from}T10:00`)
    await open(`view=month&date=${SPRING}`)
    await chip().waitFor()
    // Another person changes the post, and this page does not notice.
    await page.route('**/events', (route) => route.abort())
    await page.route('**/scheduler/calendar*', (route) => route.abort())
    await hana.must('PATCH', `/posts/${post.id}`, { caption: `${caption} Changed` })
    await drag(chip(), day(addDays(from, 1)))
    await page.getByText(/wasn’t moved\. Someone else just changed this/).waitFor()
    await day(from).getByRole('link', { name: caption }).waitFor()
    expect(await day(addDays(from, 1)).getByRole('link', { name: caption }).count()).toBe(0)
    expect(await wallOf(post)).toBe(`${from}T10:00`)
    await page.unroute('**/scheduler/calendar*')
    await page.unroute('**/events')
  })

  test.runIf(long)('an address with unknown values shows the default', async () => {
    for (const path of ['calendar?view=list&date=tomorrow', 'approvals?state=none']) {
      await page.goto(`${product.url}/app/w/${hana.workspaceId}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    }
  })

  test.runIf(long)('a post cannot be moved into the past', async () => {
    const today = wallTime(new Date(), ZONE).slice(0, 10)
    const post = await scheduled(`${addDays(today, 1)}T00:01`)
    // Reload, so that no message of an earlier test covers a day.
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/calendar?view=month`)
    await chip().waitFor()
    await drag(chip(), day(addDays(today, -1)))
    await page.getByText(/This time has passed/).waitFor()
    // Reload, so that the second refusal is not confused with the first.
    await page.reload()
    await chip().press('Alt+ArrowUp')
    await page.getByText(/This time has passed/).waitFor()
    expect(await stored(post)).toMatchObject({ version: post.version, scheduledAt: post.scheduledAt })
    await hana.must('DELETE', `/posts/${post.id}`)
  })

  test.runIf(long)('a published post stays in its place', async () => {
    const post = await hana.must<Post>('POST', '/posts', { caption, targets: [pages[0]!.id], action: 'publish' })
    const { happensAt } = await untilStatus(hana, post.id, ['PUBLISHED'])
    const at = wallTime(new Date(happensAt), ZONE).slice(0, 10)
    await open('view=month')
    await chip().waitFor()
    await drag(chip(), day(addDays(at, 1)), { movable: false })
    await chip().press('Alt+ArrowRight')
    await page.getByText(/Only drafts and scheduled posts/).waitFor()
    await day(at).getByRole('link', { name: caption }).waitFor()
    expect(await page.getByRole('button', { name: `More actions for ${caption}` }).count()).toBe(0)
    expect((await stored(post)).happensAt).toBe(happensAt)
  })

  test.runIf(long)(
    'filters apply to the calendar, are kept in the address, and can be cleared if nothing matches',
    async () => {
      const at = `${addDays(SPRING, -14)}T10:00`
      await scheduled(at, `${caption} Cocoa`)
      await hana.must('POST', '/posts', {
        caption: `${caption} Draft`,
        scheduledAt: instantOf(at, ZONE).toISOString(),
        action: 'draft',
      })
      await open(`view=week&date=${SPRING.slice(0, 8)}${at.slice(8, 10)}`)
      await chip(`${caption} Cocoa`).waitFor()
      await showFilters()
      await narrow('Status', 'Drafts')
      await chip(`${caption} Cocoa`).waitFor({ state: 'detached' })
      await chip(`${caption} Draft`).waitFor()
      expect(page.url()).toContain('status=DRAFT')
      await page.reload()
      await chip(`${caption} Draft`).waitFor()
      await narrow('Status', 'All statuses')
      await narrow('Network', 'Facebook')
      await chip(`${caption} Draft`).waitFor({ state: 'detached' })
      await chip(`${caption} Cocoa`).waitFor()
      await narrow('Account', pages[1]!.name)
      await page.getByText('No matching posts').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await chip(`${caption} Draft`).waitFor()
      expect(page.url()).toContain('view=week')
      await page.getByLabel('Search posts').fill('cocoa')
      await chip(`${caption} Draft`).waitFor({ state: 'detached' })
    },
  )

  test.runIf(long)('the list has the same filters, and typing one goes on while an answer is pending', async () => {
    const at = `${addDays(SPRING, -14)}T10:00`
    await scheduled(at, `${caption} Cocoa`)
    const scheduledAt = instantOf(at, ZONE).toISOString()
    await hana.must('POST', '/posts', { caption: `${caption} Draft`, scheduledAt, action: 'draft' })
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/posts?q=cocoa&net=NET_PAGE`)
    await chip(`${caption} Cocoa`).waitFor()
    await narrow('Network', 'TikTok')
    await page.getByText('No matching posts').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await chip(`${caption} Draft`).waitFor()
    expect(await page.getByLabel('Search posts').inputValue()).toBe('')

    // Text typed while an answer is pending stays.
    await page.getByLabel('Search posts').pressSequentially('cocoa and more', { delay: 120 })
    await page.waitForURL(/q=cocoa(%20|\+)and(%20|\+)more/)
    expect(await page.getByLabel('Search posts').inputValue()).toBe('cocoa and more')
  })

  test.runIf(long)(
    'single keys change view and period, but not while typing, and not if they are turned off',
    async () => {
      await open(`view=month&date=${SPRING}`)
      await page.keyboard.press('w')
      await page.waitForURL(/view=week/)
      await page.keyboard.press('ArrowRight')
      await page.waitForURL(new RegExp(`date=${addDays(SPRING, 7)}`))
      await page.keyboard.press('t')
      await page.waitForURL((url) => !url.search.includes('date='))
      await showFilters()
      await page.getByLabel('Search posts').pressSequentially('lm')
      await page.waitForURL(/q=lm/)
      expect(page.url()).toContain('view=week')
      await visit(page, '/app/me')
      await page.getByLabel('Keyboard shortcuts').uncheck()
      await open('view=month')
      await page.keyboard.press('w')
      // Keys are handled in order, so W would have taken effect before the filters open.
      await showFilters()
      await page.getByLabel('Search posts').pressSequentially('later')
      await page.waitForURL(/q=later/)
      expect(page.url()).toContain('view=month')
      await visit(page, '/app/me')
      await page.getByLabel('Keyboard shortcuts').check()
    },
  )

  const openList = (text: string) =>
    visit(page, `${product.url}/app/w/${hana.workspaceId}/posts?q=${encodeURIComponent(text)}`)

  test.runIf(long)(
    'several posts are moved at once: a refused one shows its reason and stays selected, the others can be undone',
    async () => {
      const from = addDays(SPRING, -2)
      const posts = []
      for (const each of ['one', 'two', 'three', 'four', 'five', 'six'])
        posts.push(await scheduled(`${from}T16:15`, `${caption} ${each}`))
      await openList(caption)
      await page.getByLabel('Select all shown').check()
      await page.getByText('6 selected').waitFor()
      // Another person publishes one of the posts, and this page does not notice.
      await page.route('**/events', (route) => route.abort())
      await page.route('**/api/v1/posts?*', (route) => route.abort())
      const taken = posts[2]!
      await hana.must('POST', `/posts/${taken.id}/publish`)
      await untilStatus(hana, taken.id, ['PUBLISHED'])
      let most = 0
      let open = 0
      let answered: Promise<boolean> | undefined
      await page.route('**/schedule', async (route) => {
        most = Math.max(most, ++open)
        // Hold the requests until there are four, and until a later request is answered: a fifth would have come before
        // that.
        await expect.poll(() => most).toBeGreaterThanOrEqual(4)
        answered ??= page.evaluate(() => fetch('/api/v1/health/live').then(({ ok }) => ok))
        await answered
        open--
        await route.continue()
      })
      await page.getByRole('button', { name: 'Move…' }).click()
      await page.getByLabel('Days').fill('3')
      await page.getByRole('button', { name: 'Move', exact: true }).click()
      await page.getByRole('progressbar', { name: 'Progress' }).waitFor()
      await page.getByText('5 posts moved').waitFor()
      expect(most).toBe(4)
      const alert = page.getByRole('alert')
      await alert.getByText('1 of 6 couldn’t be changed').waitFor()
      await alert.getByRole('link', { name: `${caption} three` }).waitFor()
      await page.getByText('1 selected').waitFor()
      expect(await page.getByLabel(`Select “${caption} three”`).isChecked()).toBe(true)
      for (const post of posts) {
        if (post !== taken) expect(await wallOf(post)).toBe(`${addDays(from, 3)}T16:15`)
      }
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('5 posts restored').waitFor()
      for (const post of posts) if (post !== taken) expect(await wallOf(post)).toBe(`${from}T16:15`)
      await page.unroute('**/schedule')
      await page.unroute('**/api/v1/posts?*')
      await page.unroute('**/events')
    },
  )

  test('the menus of the filters take the focus and give it back', async () => {
    const { id } = await hana.must<{ id: string }>('POST', '/labels', { name: caption, color: 'blue' })
    await openList(caption)
    const held = (target: Locator) => target.and(page.locator(':focus')).waitFor()
    const network = page.getByRole('button', { name: new RegExp(`^${en.posts.network}(: |$)`) })
    const [first, second] = [0, 1].map((at) => page.getByRole('menuitemradio').nth(at)) as [Locator, Locator]
    for (const key of ['Enter', 'ArrowDown']) {
      await network.press(key)
      await held(first)
      await page.keyboard.press('Escape')
      await held(network)
    }
    await network.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await held(second)
    await page.keyboard.press('Enter')
    await page.waitForURL(/net=/)
    await held(network)
    // The list of labels loads when it first opens.
    const label = page.getByRole('button', { name: en.posts.label, exact: true })
    await label.press('Enter')
    await held(page.getByRole('searchbox', { name: en.labels.search }))
    await page.keyboard.press('ArrowDown')
    await held(page.getByRole('dialog', { name: en.posts.label }).getByRole('checkbox').first())
    await page.keyboard.press('Escape')
    await held(label)
    await hana.must('DELETE', `/labels/${id}`)
  })

  test('all posts that match are selected beyond the shown ones, and their progress and refusals outlive the list', async () => {
    const posts = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        hana.must<Post>('POST', '/posts', {
          caption: `${caption} no ${index}, with a text that is longer than a phone is wide`,
          targets: [pages[0]!.id],
        }),
      ),
    )
    const [oldest] = posts.toSorted((a, b) => a.id.localeCompare(b.id))
    await openList(caption)
    const selectAll = () => page.getByRole('region', { name: en.bulk.title }).getByRole('checkbox')
    const selectMatching = page.getByRole('button', { name: en.bulk.selectMatching })
    // A service with endless matches: the selection ends, and says so.
    let asked = 0
    await page.route('**/api/v1/posts?*limit=100*', async (route) => {
      asked += 1
      const others = Array.from({ length: 68 }, () => ({ ...posts[0], id: crypto.randomUUID() }))
      const data = [...posts.map((post) => (asked === 1 ? post : { ...post, id: crypto.randomUUID() })), ...others]
      await route.fulfill({ json: { data, nextCursor: 'more' } })
    })
    await selectAll().check()
    await page.getByText('All 30 shown posts are selected.').waitFor()
    await selectMatching.click()
    await page.getByText(/^1,000 posts are selected.*More posts match/).waitFor()
    expect(asked).toBe(10)
    await page.unroute('**/api/v1/posts?*limit=100*')
    await openList(caption)

    await selectAll().check()
    await selectMatching.click()
    // The result is announced, and the box that undoes it has the focus of the button.
    await page.getByRole('status').getByText('All 32 matching posts are selected.').waitFor()
    await page.getByText('32 selected').waitFor()
    const focused = selectAll().and(page.locator(':focus'))
    await focused.waitFor()
    // Another person changes a post that is not shown.
    await hana.must('PATCH', `/posts/${oldest!.id}`, { caption: `${caption} changed` })
    let release = () => {}
    const released = new Promise<void>((done) => (release = done))
    await page.route('**/api/v1/posts/*', async (route) => {
      if (route.request().method() === 'DELETE') await released
      await route.continue()
    })
    await page.getByRole('button', { name: en.bulk.remove, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: en.bulk.remove }).click()
    const progress = page.getByRole('progressbar', { name: en.bulk.progress })
    await progress.waitFor()
    await focused.waitFor()
    // The action runs in this tab.
    await page.getByText(en.bulk.stay).waitFor()
    expect(await asksToStay(page)).toBe(true)
    const leave = async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Media', exact: true }).click()
      await page.waitForURL(/\/media/)
      await page.getByRole('navigation').getByRole('link', { name: 'Posts', exact: true }).click()
      await page.waitForURL(/\/posts/)
    }
    await leave()
    await progress.waitFor()
    release()
    const alert = page.getByRole('alert')
    await alert.getByText('1 of 32 couldn’t be changed').waitFor()
    expect(await asksToStay(page)).toBe(false)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflows(page)).toEqual([])
    await page.setViewportSize({ width: 1440, height: 1100 })
    await leave()
    await alert.getByRole('link', { name: `${caption} no` }).waitFor()
    await alert.getByRole('button', { name: 'Close' }).click()
    await alert.waitFor({ state: 'detached' })
    await page.unroute('**/api/v1/posts/*')
    const left = await hana.must<{ data: Post[] }>('GET', `/posts?text=${encodeURIComponent(caption)}`)
    expect(left.data.map(({ id }) => id)).toEqual([oldest!.id])
  })

  test.runIf(long)('a refusal stays visible after its post has left the list, even if the list is empty', async () => {
    const lone = await scheduled(`${addDays(SPRING, -4)}T08:15`, `${caption} alone`)
    await visit(page, `/app/w/${hana.workspaceId}/posts?status=SCHEDULED&q=${encodeURIComponent(`${caption} alone`)}`)
    await page.getByLabel(`Select “${caption} alone”`).check()
    await page.route('**/events', (route) => route.abort())
    await page.route('**/api/v1/posts?*', (route) => route.abort())
    await hana.must('POST', `/posts/${lone.id}/publish`)
    await untilStatus(hana, lone.id, ['PUBLISHED'])
    await page.route('**/cancel', async (route) => {
      await page.unroute('**/api/v1/posts?*')
      await route.continue()
    })
    await page.getByRole('button', { name: 'Move to drafts' }).click()
    await page.getByText('No matching posts').waitFor()
    await page.unroute('**/cancel')
    const alert = page.getByRole('alert')
    await alert.getByRole('link', { name: `${caption} alone` }).waitFor()
    await alert.getByRole('button', { name: 'Close' }).click()
    await alert.waitFor({ state: 'detached' })
    await page.unroute('**/events')
  })

  test.runIf(long)('several posts are moved to drafts or deleted at once, and undo schedules them again', async () => {
    const at = `${addDays(SPRING, -3)}T07:45`
    const posts = [await scheduled(at, `${caption} a`), await scheduled(at, `${caption} b`)]
    const states = () =>
      Promise.all(posts.map(async (post) => (await hana.call<Post>('GET', `/posts/${post.id}`)).body))
    await openList(caption)
    await page.getByLabel(`Select “${caption} a”`).check()
    await page.getByLabel(`Select “${caption} b”`).check()
    await page.getByRole('button', { name: 'Move to drafts' }).click()
    await page.getByText('2 posts moved to drafts').waitFor()
    expect((await states()).map((post) => post.status)).toEqual(['DRAFT', 'DRAFT'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 posts restored').first().waitFor()
    const scheduledAgain = () =>
      expect.poll(async () => (await states()).map((post) => post.status)).toEqual(['SCHEDULED', 'SCHEDULED'])
    await scheduledAgain()

    await page.getByLabel('Select all shown').check()
    await page.getByRole('button', { name: 'Retry' }).click({ force: true })
    await page.getByText('None of these posts have failed').first().waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 posts deleted').waitFor()
    expect((await states()).map((post) => post.status)).not.toContain('SCHEDULED')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 posts restored').first().waitFor()
    await scheduledAgain()
    for (const post of await states()) expect(await wallOf(post)).toBe(at)
  })

  test.runIf(long)('several failed posts are retried at once', async () => {
    await addFault(`${product.url}/sandbox`, {
      match: { method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ code: 100, error_user_msg: 'This text is not possible' }) },
      times: 2,
    })
    const posts: Post[] = []
    for (const each of ['a', 'b']) {
      const body = { caption: `${caption} ${each}`, targets: [pages[0]!.id], action: 'publish' }
      posts.push(await hana.must<Post>('POST', '/posts', body))
    }
    for (const post of posts) await untilStatus(hana, post.id, ['FAILED'])
    await openList(caption)
    await page.getByLabel('Select all shown').check()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Retrying 2 posts').waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    for (const post of posts) await untilStatus(hana, post.id, ['PUBLISHED'])
  })

  test.runIf(long).each([
    { language: 'en', words: en, width: 1440 },
    { language: 'ar', words: ar, width: 390 },
  ] as const)('the list has a separate filter for posts in review ($language)', async (way) => {
    const { language, words, width } = way
    const scheduledAt = instantOf(`${addDays(SPRING, 9)}T09:00`, ZONE).toISOString()
    const write = (text: string, action: string) =>
      hana.must<Post>('POST', '/posts', { caption: text, targets: [pages[0]!.id], action, scheduledAt })
    const [draft, asked] = [await write(`${caption} unasked`, 'draft'), await write(`${caption} asked`, 'submit')]
    await hana.must('PATCH', '/api/v1/auth/me', { language })
    await page.setViewportSize({ width, height: 1100 })
    await page.emulateMedia({ colorScheme: language === 'ar' ? 'dark' : 'light' })
    await page.goto(`${product.url}/app/w/${hana.workspaceId}/posts?q=${encodeURIComponent(caption)}`)
    await chip(draft.caption).waitFor()
    const filters = page.getByRole('navigation', { name: words.posts.filters })
    await filters.getByRole('link', { name: words.posts.filter.inReview }).click()
    await chip(draft.caption).waitFor({ state: 'detached' })
    await chip(asked.caption).waitFor()
    await shoot(`in-review-${language}`)
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    await visit(
      page,
      `/app/w/${hana.workspaceId}/calendar?view=month&date=${addDays(SPRING, 9)}&q=${encodeURIComponent(caption)}`,
    )
    await page.getByRole('button', { name: words.posts.status, exact: true }).click()
    await page.getByRole('menuitemradio', { name: words.posts.filter.inReview }).click()
    await chip(draft.caption).waitFor({ state: 'detached' })
    await chip(asked.caption).waitFor()
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test.runIf(long).each([
    { language: 'en', words: en },
    { language: 'ar', words: ar },
  ] as const)('three posts on one day are legible in the month ($language)', async ({ language }) => {
    const date = addDays(SPRING, language === 'en' ? 3 : 4)
    const text = language === 'en' ? 'Autumn in a cup, with cinnamon' : 'قهوة الخريف بنكهة القرفة'
    await hana.must('PATCH', '/api/v1/auth/me', { language })
    for (const hour of ['08', '10', '16']) await scheduled(`${date}T${hour}:30`, `${text} ${hour}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const view of ['month', 'week']) {
      await open(`view=${view}&date=${date}`)
      for (const hour of ['08', '10', '16']) {
        const words = chip(`${text} ${hour}`).locator('bdi').filter({ hasText: text })
        await words.waitFor()
        const [shown, whole] = await words.evaluate((one) => [one.clientWidth, one.scrollWidth])
        // At least two thirds of a short text are visible.
        expect([view, hour, shown / whole > 0.66]).toEqual([view, hour, true])
      }
      await shoot(`calendar-${view}-${language}`)
    }
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
  })

  test('the calendar opens at this week and the next three, moves by four, and has drafts without a time on no day', async () => {
    const draft = await hana.must<Post>('POST', '/posts', { caption })
    const today = wallTime(new Date(), ZONE).slice(0, 10)
    const [first = ''] = weekOf(today, 'monday')
    await open('')
    await day(first).waitFor()
    const dates = () => page.locator('td[data-date]').evaluateAll((all) => all.map((one) => one.dataset['date']))
    expect([(await dates())[0], (await dates()).length]).toEqual([first, 28])
    const beside = page.getByRole('complementary', { name: en.calendar.unscheduled }).getByRole('listitem')
    await beside.filter({ hasText: draft.caption }).waitFor()
    await answered()
    expect(await page.locator('td[data-date]').filter({ hasText: draft.caption }).count()).toBe(0)
    await page.getByRole('link', { name: en.calendar.nextWeeks }).click()
    await day(addDays(first, 28)).waitFor()
    expect((await dates())[0]).toBe(addDays(first, 28))
  })

  test.runIf(long)('a click shows a post with its most frequent actions; Escape returns the focus', async () => {
    const from = addDays(SPRING, -33)
    const answered = watchAnswers(page)
    const post = await scheduled(`${from}T10:00`)
    await open(`view=month&date=${from}`)
    await chip().press('Enter')
    const preview = page.getByRole('dialog', { name: caption })
    await preview.getByRole('link', { name: en.calendar.openPost }).and(page.locator(':focus')).waitFor()
    expect([await violations(page), page.url().includes('/calendar')]).toEqual([[], true])
    await page.keyboard.press('Escape')
    await preview.waitFor({ state: 'detached' })
    await expect.poll(focused).toEqual(['A', expect.stringContaining(caption)])

    await chip().click()
    await preview.getByRole('button', { name: en.calendar.move, exact: true }).click()
    await page.getByLabel('Date and time').fill(`${addDays(from, 2)}T07:05`)
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText(/^Moved to .*7:05/).waitFor()
    expect(await wallOf(post)).toBe(`${addDays(from, 2)}T07:05`)

    await chip().click()
    await preview.getByRole('button', { name: en.calendar.delete, exact: true }).click()
    await page.getByText(en.calendar.deleted, { exact: true }).waitFor()
    await chip().waitFor({ state: 'detached' })
    await undo(en.calendar.deleted)
    await chip().waitFor()
    await expect.poll(async () => (await stored(post)).status).toBe('SCHEDULED')
    await answered()

    await chip().click()
    await preview.getByRole('button', { name: en.calendar.publishNow }).click()
    await page
      .getByRole('dialog', { name: en.composer.publishTitle })
      .getByRole('button', { name: en.composer.publishNow, exact: true })
      .click()
    await untilStatus(hana, post.id, ['PUBLISHED'])
  })

  test('a new time for posts in review says, before or after, that their requests are withdrawn', async () => {
    const from = addDays(SPRING, -48)
    const post = await hana.must<Post>('POST', '/posts', {
      caption,
      targets: [pages[0]!.id],
      action: 'submit',
      scheduledAt: instantOf(`${from}T10:00`, ZONE).toISOString(),
    })
    const state = async () => (await stored(post)).approval?.state
    const count = (text: string) => text.slice(text.indexOf('one {') + 5, text.indexOf('}')).replace('#', '1')
    await openList(caption)
    await page.getByLabel(`Select “${caption}”`).check()
    await page.getByRole('button', { name: en.bulk.move, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(count(en.bulk.loses.request), { exact: true }).waitFor()
    await dialog.getByRole('button', { name: en.bulk.moveNow, exact: true }).click()
    await page.getByText(`${count(en.bulk.lost.request)} ${en.bulk.undoesTimes}`, { exact: true }).waitFor()
    expect([await state(), await wallOf(post)]).toEqual(['WITHDRAWN', `${addDays(from, 1)}T10:00`])
    await undo('1 post moved')
    await expect.poll(() => wallOf(post)).toBe(`${from}T10:00`)
    expect(await state()).toBe('WITHDRAWN')

    await hana.must('POST', `/posts/${post.id}/submit`)
    await open(`view=agenda&date=${from}`)
    await page.getByRole('button', { name: `More actions for ${caption}` }).click()
    await page.getByRole('menuitem', { name: en.calendar.moveTo }).click()
    await dialog.getByText(en.calendar.loses.request, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: en.common.cancel }).click()
    expect(await state()).toBe('PENDING')
    await chip().press('Alt+ArrowRight')
    await page.getByText(en.calendar.lost.request, { exact: true }).waitFor()
    expect(await state()).toBe('WITHDRAWN')
  })

  test('a post in review is never called a draft, wherever its state is shown, and is approved in the calendar', async () => {
    const date = addDays(SPRING, -34)
    const asked = await hana.must<Post>('POST', '/posts', {
      caption: `${caption} asked`,
      targets: [pages[0]!.id],
      action: 'submit',
      onApproval: 'schedule',
      client: false,
      scheduledAt: instantOf(`${date}T10:00`, ZONE).toISOString(),
    })
    const timed = await scheduled(`${date}T12:00`, `${caption} timed`)
    const told = async (where: Locator) => {
      await where.getByText('In review', { exact: true }).filter({ visible: true }).waitFor()
      expect(await where.getByText('Draft', { exact: true }).count()).toBe(0)
    }
    await openList(caption)
    await told(page.getByRole('listitem').filter({ has: chip(asked.caption) }))
    for (const { caption: text } of [asked, timed]) await page.getByLabel(`Select “${text}”`).check()
    // A button that is off looks off.
    const look = (name: string) =>
      page.getByRole('button', { name: new RegExp(`^${name}`) }).evaluate((one) => {
        const { cursor, opacity, color } = getComputedStyle(one)
        return { cursor, opacity, color }
      })
    const [on, off] = [await look(en.bulk.remove), await look(en.bulk.retry)]
    expect([on.cursor, off.cursor, Number(off.opacity) < Number(on.opacity), off.color === on.color]).toEqual([
      'pointer',
      'not-allowed',
      true,
      false,
    ])
    await page.getByRole('button', { name: en.bulk.cancel }).click()
    const refused = page.getByRole('alert').getByRole('listitem').filter({ hasText: asked.caption })
    await refused.getByText('Not available for posts with this status: In review.', { exact: true }).waitFor()
    await undo(/moved to drafts/)
    await expect.poll(async () => (await stored(timed)).status).toBe('SCHEDULED')

    await open(`view=month&date=${date}`)
    const preview = (post: Post) => page.getByRole('dialog', { name: post.caption })
    await chip(timed.caption).click()
    await preview(timed).getByRole('button', { name: en.calendar.move, exact: true }).click()
    const planned = page.getByRole('dialog').getByRole('listitem').filter({ hasText: asked.caption })
    await planned.getByRole('img', { name: 'In review', exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: en.common.cancel }).click()
    const said = (await chip(asked.caption).textContent()) ?? ''
    expect([said.includes('In review'), said.includes('Draft')]).toEqual([true, false])
    await chip(asked.caption).click()
    await told(preview(asked))
    await preview(asked).getByRole('button', { name: en.calendar.approve }).click()
    await expect.poll(async () => (await stored(asked)).status).toBe('SCHEDULED')
  })

  test.runIf(long)(
    'a draft without a time is listed next to the weeks, and can be put on a day with mouse or keyboard',
    async () => {
      const draft = await hana.must<Post>('POST', '/posts', { caption, targets: [pages[0]!.id] })
      const date = addDays(SPRING, -40)
      await open(`view=weeks&date=${date}`)
      const side = page.getByRole('complementary', { name: en.calendar.unscheduled })
      const beside = side.getByRole('listitem').filter({ hasText: caption })
      await drag(beside, day(date))
      await page.getByText(/^Moved to .*9:00/).waitFor()
      await day(date).getByRole('link', { name: caption }).waitFor()
      await beside.waitFor({ state: 'detached' })
      expect(await wallOf(draft)).toBe(`${date}T09:00`)
      await undo(/^Moved to .*9:00/)
      await beside.waitFor()
      expect((await stored(draft)).scheduledAt).toBeNull()

      const choose = side.getByRole('button', { name: en.calendar.scheduleThis.replace('{caption}', caption) })
      await choose.press('Enter')
      await page.getByLabel('Date and time').fill(`${addDays(date, 1)}T11:30`)
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).press('Enter')
      await day(addDays(date, 1)).getByRole('link', { name: caption }).waitFor()
      await expect.poll(() => wallOf(draft)).toBe(`${addDays(date, 1)}T11:30`)

      const fold = page.getByRole('button', { name: en.calendar.unscheduled })
      await fold.click()
      await side.waitFor({ state: 'detached' })
      await page.reload()
      await day(date).waitFor()
      expect(await fold.getAttribute('aria-expanded')).toBe('false')
      await fold.click()
      await side.waitFor()
    },
  )

  test.runIf(long)('a day with more posts than fit can be expanded', async () => {
    const date = addDays(SPRING, -44)
    for (const hour of ['08', '09', '10', '11', '12']) await scheduled(`${date}T${hour}:00`, `${caption} ${hour}`)
    await open(`view=month&date=${date}`)
    await day(date).getByRole('button', { name: '+3 more' }).click()
    const all = day(date).getByRole('group')
    for (const hour of ['08', '09', '10', '11', '12'])
      await all.getByRole('link', { name: `${caption} ${hour}` }).waitFor()
  })

  test.runIf(long)('on a phone, dots mark the posts of a day, and a tap lists them', async () => {
    const date = addDays(SPRING, -50)
    const post = await scheduled(`${date}T10:00`)
    await page.setViewportSize({ width: 390, height: 2000 })
    await open(`view=month&date=${addDays(date, 1)}`)
    const dots = day(date).getByRole('button', { name: /, 1 post$/ })
    await dots.click()
    await page.getByRole('listitem').filter({ has: chip() }).waitFor()
    expect(await dots.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: `More actions for ${caption}` }).click()
    await page.getByRole('menuitem', { name: 'One day later' }).click()
    await expect.poll(() => wallOf(post)).toBe(`${addDays(date, 1)}T10:00`)
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
  })

  test.runIf(long)(
    'labels can be created, put on several posts at once, used as a filter, and are shown with posts',
    async () => {
      const date = addDays(SPRING, -51)
      const posts = [await scheduled(`${date}T10:00`, `${caption} a`), await scheduled(`${date}T12:00`, `${caption} b`)]
      await scheduled(`${date}T14:00`, `${caption} c`)
      await openList(caption)
      await page.getByLabel(`Select “${caption} a”`).check()
      await page.getByLabel(`Select “${caption} b”`).check()
      await page.getByRole('button', { name: en.bulk.label, exact: true }).click()
      const menu = page.getByRole('dialog', { name: en.bulk.label })
      await menu.getByRole('searchbox').fill('Spring menu')
      await page.keyboard.press('Enter')
      for (const post of posts) await expect.poll(() => labelsOf(post)).toEqual(['Spring menu'])
      await menu.getByRole('checkbox', { name: 'Spring menu', checked: true }).waitFor()
      await page.keyboard.press('Escape')
      expect(posts.map(({ version }) => version)).toEqual([
        (await stored(posts[0]!)).version,
        (await stored(posts[1]!)).version,
      ])

      await page.getByRole('button', { name: en.posts.label, exact: true }).click()
      await page.getByRole('dialog', { name: en.posts.label }).getByRole('checkbox', { name: 'Spring menu' }).check()
      await chip(`${caption} c`).waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      expect(
        await page
          .getByRole('listitem')
          .filter({ has: chip(`${caption} a`) })
          .textContent(),
      ).toContain('Spring menu')
    },
  )

  test.runIf(long)('filters are saved as a view, and labels are set before saving, changed and deleted', async () => {
    const date = addDays(SPRING, -52)
    const posts = [await scheduled(`${date}T10:00`, `${caption} a`), await scheduled(`${date}T12:00`, `${caption} b`)]
    await scheduled(`${date}T14:00`, `${caption} c`)
    const { data: labels } = await hana.must<{ data: { id: string; name: string }[] }>('GET', '/labels')
    const { id } = labels.find(({ name }) => name === 'Spring menu')!
    for (const post of posts) await hana.must('PATCH', `/posts/${post.id}`, { labels: [id] })
    await openList(caption)
    await page.getByRole('button', { name: en.posts.label, exact: true }).click()
    await page.getByRole('dialog', { name: en.posts.label }).getByRole('checkbox', { name: 'Spring menu' }).check()
    await chip(`${caption} c`).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')

    // The view shows the same posts again.
    await page.getByRole('button', { name: en.views.title, exact: true }).click()
    await page.getByRole('menuitem', { name: en.views.save }).click()
    await page.getByLabel(en.views.name).fill('Spring')
    await page.getByLabel(en.views.share).check()
    await page.getByRole('dialog').getByRole('button', { name: en.common.save }).click()
    await page.getByRole('button', { name: `${en.views.title}: Spring` }).waitFor()
    await openList('')
    await chip(`${caption} c`).waitFor()
    await page.getByRole('button', { name: en.views.title, exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'Spring' }).click()
    await chip(`${caption} c`).waitFor({ state: 'detached' })
    await chip(`${caption} a`).waitFor()
    const { data } = await hana.must<{ data: SavedView[] }>('GET', '/views')
    expect(data).toMatchObject([{ name: 'Spring', shared: true, filters: { text: caption } }])
    const views = page.getByRole('button', { name: `${en.views.title}: Spring` })
    await views.click()
    await page.getByRole('menuitem', { name: en.views.delete.replace('{name}', 'Spring') }).click()
    await undo('“Spring” deleted')
    await views.waitFor()

    // The current filters replace the view, which can be undone.
    const kept = async () => (await hana.must<{ data: SavedView[] }>('GET', '/views')).data[0]?.filters.text
    await page.getByLabel('Search posts').fill(`${caption} b`)
    await views.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: en.views.title, exact: true }).click()
    await page.getByRole('group', { name: en.views.replace }).getByRole('menuitem', { name: 'Spring' }).click()
    await views.waitFor()
    expect(await kept()).toBe(`${caption} b`)
    await undo(en.views.replaced.replace('{name}', 'Spring'))
    await expect.poll(kept).toBe(caption)

    // A new post can have labels before it is saved.
    await visit(page, `/app/w/${hana.workspaceId}/compose`)
    await page.getByLabel(en.composer.text, { exact: true }).fill('Labelled from the start')
    await page.getByRole('button', { name: en.labels.add }).click()
    await page.getByRole('checkbox', { name: 'Spring menu' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'Spring menu' }).waitFor({ state: 'hidden' })
    const named = page.getByRole('group', { name: en.labels.title }).getByText('Spring menu')
    await expect.poll(() => named.count()).toBe(1)
    await page.getByRole('button', { name: en.composer.saveDraft }).click()
    await page.waitForURL(/\/posts\/[0-9a-f-]{36}$/)
    const early = (await hana.must<{ data: Post[] }>('GET', '/posts?text=Labelled')).data[0]!
    expect(await labelsOf(early)).toEqual(['Spring menu'])

    // A label can be removed on the page of its post, and from all posts by deleting it.
    await visit(page, `/app/w/${hana.workspaceId}/posts/${posts[0]!.id}`)
    await page.getByRole('button', { name: en.labels.add }).click()
    await page.getByRole('checkbox', { name: 'Spring menu' }).click()
    await expect.poll(() => labelsOf(posts[0]!)).toEqual([])
    await visit(page, `/app/w/${hana.workspaceId}/settings/labels`)
    await page.getByRole('button', { name: en.labels.edit.replace('{name}', 'Spring menu') }).click()
    await page.getByLabel(en.labels.name).fill('Summer menu')
    await page.getByRole('radio', { name: en.labels.colors.red }).check({ force: true })
    await page.getByRole('dialog').getByRole('button', { name: en.common.save }).click()
    await expect.poll(() => labelsOf(posts[1]!)).toEqual(['Summer menu'])
    await page.getByRole('button', { name: en.labels.deleteThis.replace('{name}', 'Summer menu') }).click()
    await page.getByRole('dialog').getByText(en.labels.deleteBody).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: en.labels.delete }).click()
    await page.getByRole('heading', { name: en.labels.none }).waitFor()
    expect(await labelsOf(posts[1]!)).toEqual([])
  })

  test('the pages reported no errors', () => {
    expect(faults).toEqual([])
  })
})
