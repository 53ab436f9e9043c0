import type { Locator, Page } from 'playwright-core'
import { Temporal } from 'temporal-polyfill'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import type { Session } from '../../src/team/identity/api.ts'
import { DEMO_PASSWORD } from '../../web/features/shell/demo/visitor.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { call, eventually, liveOn } from '../world.ts'
import { hasBrowser, useBrowser, openPage } from './browser.ts'
import { visit } from './story.ts'

describe.skipIf(!hasBrowser)('a visitor of the demo', () => {
  const { product, sql } = useProduct({ env: { TIME_SCALE: '10' } })
  const browser = useBrowser()
  let page: Page
  let faults: string[]
  let ws: string
  /** A visitor whose browser is in Arabic. The stories of their demo run while the other demo does. */
  let inArabic: Awaited<ReturnType<typeof openPage>>

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
  })

  async function lookInArabic() {
    inArabic = await openPage(await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'ar' }))
    await inArabic.page.goto(`${product.url}/app/login`)
    await inArabic.page.getByRole('button', { name: ar.demo.look }).click()
  }

  const hasRunningTest = async () => {
    await visit(page, `/app/w/${ws}/ab-tests`)
    const main = page.getByRole('main')
    await main.getByText('Running', { exact: true }).waitFor()
    await main.getByRole('link', { name: 'Do questions get more engagement?' }).click()
    await main.getByText('Complete pairs: 3 of 8').waitFor()
    // The draw of each pair decides which of its posts asks the question, and which makes the statement.
    await main.getByText(/^Which brewer do you use at home\?/).waitFor()
    await main.getByText(/^Tell us which brewer you use at home/).waitFor()
  }

  const list = async () => {
    await visit(page, `/app/w/${ws}/posts`)
    await page.getByText('How we pour. Slowly').first().waitFor()
  }

  test('learns what failed while the demo was made, and goes on without making anything twice', async () => {
    const visitors = async () => {
      const { rows } = await sql.query<{ count: number }>(
        `select count(*)::int from app_user where email like '%@demo.invalid'`,
      )
      return rows[0]!.count
    }
    const before = await visitors()
    await call(product.url, 'POST', '/sandbox/faults', { match: { network: 'NET_VIDEO' }, do: { status: 500 } })
    await page.goto(`${product.url}/app/login`)
    await page.getByRole('button', { name: 'Explore the demo' }).click()
    const alert = page.getByRole('alert')
    await alert.filter({ hasText: 'TikTok returned an error, so its accounts aren’t connected.' }).waitFor()
    await call(product.url, 'DELETE', '/sandbox/faults')
    // The answer to the first post is lost.
    await page.route(
      '**/api/v1/posts',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    const goOn = page.getByRole('button', { name: 'Continue', exact: true })
    await goOn.click()
    await alert.filter({ hasText: 'Some posts couldn’t be created. Can’t reach Parley.' }).waitFor()
    await goOn.click()
    await page.waitForURL(/\/app\/w\/[^/]+\/today/)
    ws = new URL(page.url()).pathname.split('/')[3] ?? ''
    const { rows } = await sql.query(
      `select (select count(*)::int from member where workspace_id = $1) as members,
        (select count(*)::int from social_account where workspace_id = $1) as accounts,
        (select count(*)::int from post where workspace_id = $1) as posts,
        (select count(*)::int from media_file where workspace_id = $1) as files`,
      [ws],
    )
    expect(rows).toEqual([{ members: 5, accounts: 4, posts: 27, files: 5 }])
    expect((await visitors()) - before).toBe(5)
    expect(faults).toEqual([])
    if (long) await lookInArabic()
  })

  test('finds a workspace with posts and accounts, and on each screen that it is a demo', async () => {
    const bar = page.getByText('This is a demo with made-up data.')
    for (const path of ['/app/notifications', '/app/me', '/app/overview', `/app/w/${ws}/today`]) {
      await visit(page, path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await bar.waitFor()
      expect(await bar.count()).toBe(1)
    }
    await page.getByRole('complementary').getByText('Northside Coffee').waitFor()
    await list()
    expect(await page.getByText('Scheduled', { exact: true }).count()).toBeGreaterThanOrEqual(4)
    const accounts = (await liveOn(`${product.url}/sandbox`)).keys()
    expect([...accounts].length).toBeGreaterThanOrEqual(4)
  })

  test(
    'finds guests of the café in the inbox: waiting, escalated, answered and closed',
    { timeout: 600_000 },
    async () => {
      await visit(page, `/app/w/${ws}/inbox?filter=all`)
      const list = page.getByRole('region', { name: 'Conversations' })
      await expect.poll(() => list.getByRole('link').count(), { timeout: 120_000 }).toBeGreaterThanOrEqual(20)
      // The last guest writes to the bot. Leaving the page earlier would stop the demo.
      await list.getByText('Theo').first().waitFor({ timeout: 480_000 })
      await list.getByText('Escalated').first().waitFor()
      await list.getByText('Closed').first().waitFor()
      await list.getByText('هل تشحنون إلى الأردن؟').waitFor()
      // The guests wrote during the day and the days before. The most urgent ones come first, and another one waits too
      // long.
      const rows = await list.getByRole('listitem').allInnerTexts()
      expect(rows[0]).toMatch(/Dana/)
      expect(rows.filter((row) => /\b\d+ (?:hr|min|days?)\b/.test(row)).length).toBeGreaterThanOrEqual(10)
      await list.getByRole('img', { name: 'Waiting too long' }).first().waitFor()
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('finds a video with comments of guests, as one conversation', { timeout: 600_000 }, async () => {
    const { rows } = await sql.query<{ id: string }>(
      `select id from social_account where workspace_id = $1 and platform = 'NET_VIDEO'`,
      [ws],
    )
    const [{ id }] = rows as [{ id: string }]
    const list = page.getByRole('region', { name: 'Conversations' })
    const data = JSON.stringify({ workspaceId: ws, data: { accountId: id } })
    await eventually(
      async () => {
        // Read now, without waiting a quarter of an hour for the next reading.
        await sql.query(`select graphile_worker.add_job('inbox-reading', $1::json, job_key => $2)`, [
          data,
          `reading:${id}`,
        ])
        return (await list.getByText('3 new comments').count()) > 0
      },
      480_000,
      1_000,
    )
    expect(faults).toEqual([])
  })

  test(
    'finds a bot that has replied, holds a reply for the team, and has handed one guest over',
    { timeout: 600_000 },
    async () => {
      const list = page.getByRole('region', { name: 'Conversations' })
      await visit(page, `/app/w/${ws}/inbox?filter=review`)
      await list.getByText('Mara').first().waitFor({ timeout: 480_000 })
      await visit(page, `/app/w/${ws}/inbox?filter=escalated`)
      await list.getByText('Theo').first().waitFor({ timeout: 120_000 })
      await visit(page, `/app/w/${ws}/inbox?filter=all&sort=newest`)
      await list.getByText('نعم، نقدّم كل مشروب مع حليب الشوفان لمن يرغب.').first().waitFor({ timeout: 120_000 })
      const pictures = process.env['PICTURES']
      const main = page.getByRole('main')
      await visit(page, `/app/w/${ws}/settings/replies`)
      for (const name of ['Opening hours', 'Order number', 'Thank you'])
        await main.getByText(name, { exact: true }).waitFor()
      if (pictures) await page.screenshot({ path: `${pictures}/demo-replies.png` })
      await visit(page, `/app/w/${ws}/settings/experiments`)
      await main.getByText('Brief or warm replies?').waitFor()
      await main.getByText(en.bot.experiments.states.RUNNING, { exact: true }).waitFor()
      if (pictures) await page.screenshot({ path: `${pictures}/demo-experiment.png` })
      expect(faults).toEqual([])
    },
  )

  test('finds one business: its name on every account, past weeks in the calendar, approvals and ideas to decide on', async () => {
    await visit(page, `/app/w/${ws}/accounts`)
    await page.getByText('Northside Roastery').first().waitFor()
    expect(await page.getByText('Northside Coffee', { exact: true }).count()).toBeGreaterThanOrEqual(3)
    expect(await page.getByText('Example').count()).toBe(0)

    await visit(page, `/app/w/${ws}/posts?status=PUBLISHED`)
    await page.getByText(/^Our autumn hours start/).waitFor()
    const weekAgo = Temporal.Now.plainDateISO().subtract({ days: 8 })
    await visit(page, `/app/w/${ws}/calendar?view=agenda&date=${weekAgo.toString()}`)
    await page.getByText(/^It is jumper weather/).waitFor()

    await visit(page, `/app/w/${ws}/approvals`)
    await page
      .getByText(/^Tomorrow is cinnamon bun day/)
      .first()
      .waitFor()
    await page
      .getByText(/^Cupping night/)
      .first()
      .waitFor()
    await visit(page, `/app/w/${ws}/approvals?state=REJECTED`)
    await page.getByText('An hour at most, please', { exact: false }).first().waitFor()
    await visit(page, `/app/w/${ws}/ideas`)
    await page
      .getByRole('link', { name: /^Create post/ })
      .first()
      .waitFor()
    const pictures = process.env['PICTURES']
    if (pictures) await page.screenshot({ path: `${pictures}/demo-ideas.png`, fullPage: true })
    // No day with posts is called empty, and the ideas quote earlier posts.
    const titles = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
    const inSixDays = Temporal.Now.plainDateISO().add({ days: 6 })
    for (const day of Array.from({ length: 6 }, (_, back) => inSixDays.subtract({ days: back }))) {
      const name = day.toLocaleString('en', { weekday: 'long', day: 'numeric', month: 'long' })
      expect(titles.filter((title) => title === `Nothing is planned for ${name}`)).toEqual([])
    }
    expect(titles.filter((title) => /“.+”/.test(title)).length).toBeGreaterThanOrEqual(3)
    if (pictures) {
      await visit(page, `/app/w/${ws}/calendar`)
      await page.getByText('How we pour').first().waitFor()
      await page.screenshot({ path: `${pictures}/demo-calendar.png`, fullPage: true })
    }
  })

  test(
    'finds metrics of past weeks: read from the networks, by post, topic and hour',
    { timeout: 600_000 },
    async () => {
      const open = async (search: string) => {
        await visit(page, `/app/w/${ws}/analytics?${search}`)
        return page.getByRole('main')
      }
      const main = await open('tab=posts&range=90d')
      // The accounts are read while the visitor looks around.
      await main.getByRole('link').filter({ hasText: '#' }).nth(10).waitFor({ timeout: 480_000 })
      const isShown = async (search: string, find: () => Locator) => {
        await open(search)
        const shown = find().first()
        return shown.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        )
      }
      const roasting = () => main.getByText('roasting', { exact: true })
      await expect.poll(() => isShown('tab=topics&range=90d', roasting), { timeout: 120_000 }).toBe(true)
      await main.getByText('regulars', { exact: true }).waitFor()
      expect(await main.getByText(/\p{Script=Arabic}/u).count()).toBe(0)
      const pictures = process.env['PICTURES']
      const look = async (name: string) => {
        if (pictures) await page.screenshot({ path: `${pictures}/demo-${name}.png`, fullPage: true })
      }
      await look('topics')
      // There are enough posts for a verdict, whatever it is.
      const verdict = () =>
        main.getByRole('region', { name: 'Times with more engagement' }).getByText(/no time stands out yet|×/)
      await expect.poll(() => isShown('tab=hours&range=90d', verdict), { timeout: 120_000 }).toBe(true)
      await look('hours')
      await look('posts')
      // A report, a segment of guests and another café are prepared, each on its page.
      for (const [path, text] of [
        ['analytics/reports', 'The month on our networks'],
        ['audience/segments', 'Guests of this week'],
        ['competitors', 'Cedar Tea Room'],
      ] as const) {
        await visit(page, `/app/w/${ws}/${path}`)
        await main.getByText(text).first().waitFor()
        await look(path.replace('/', '-'))
      }
      await hasRunningTest()
      if (pictures) {
        await open('range=28d&net=NET_PAGE')
        await main.getByRole('slider').waitFor()
        await look('overview')
      }
      expect(faults).toEqual([])
    },
  )

  /** Signs in with the address and the password that the demo shows for a role. */
  const signInAgain = async (role: string) => {
    const shown = page.getByRole('dialog', { name: 'Sign in to this demo again' })
    await page.getByRole('button', { name: 'How to sign in' }).click()
    await shown.getByRole('button', { name: /^Copy email address: .*Wren.* · Editor$/ }).waitFor()
    const people = await shown.getByRole('term').allTextContents()
    expect(people.map((text) => text.replaceAll(/[\u2068\u2069]/g, ''))).toEqual(
      expect.arrayContaining(['Visitor · Owner', 'Juno · Admin', 'Wren · Editor', 'Sol · Viewer', 'Marlow · Client']),
    )
    const address = shown.getByText(new RegExp(`^${role.toLowerCase()}-\\S+@demo.invalid$`))
    const email = await address.textContent()
    const password = await shown.getByText('Shared password').locator('xpath=following-sibling::dd[1]').innerText()
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
    return (await call<Session>(product.url, 'POST', '/api/v1/auth/login', { email, password })).body
  }

  test.each(inWay(0, ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT']))(
    'learns how to sign in again as the %s',
    async (role) => {
      const { workspaces } = await signInAgain(role)
      expect(workspaces).toEqual([expect.objectContaining({ id: ws, role, name: 'Northside Coffee' })])
    },
  )

  test('finds a post live on two networks and refused by the third, with the reason and the fix one click away', async () => {
    await list()
    await page
      .getByRole('link', { name: /From green to brown/ })
      .first()
      .click()
    await page.getByText('This account can only post videos up to 60 seconds long.').waitFor()
    await page.getByRole('link', { name: /View on Facebook Page/ }).waitFor()
    await page.getByRole('link', { name: /View on Instagram/ }).waitFor()
    await page.getByRole('button', { name: 'Edit for TikTok' }).click()
    await page.getByRole('button', { name: /^Trim/ }).and(page.locator(':focus')).waitFor()

    await page.getByText('This post is already live elsewhere and won’t change there.').waitFor()
    expect(await page.getByRole('tab').allTextContents()).toEqual([expect.stringContaining('TikTok')])
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    // The live targets stay as they are: the trimmed video is used for this network alone.
    await page.getByRole('button', { name: '1 problem' }).click()
    await page.getByRole('button', { name: /^Trim: The video is 75 seconds long/ }).click()
    const trimming = page.getByRole('dialog', { name: /roast\.mp4/ })
    await trimming.getByText(/^Length: 60(\.0)? s/).waitFor()
    await trimming.getByRole('button', { name: 'Trim video' }).click()
    await trimming.waitFor({ state: 'detached' })
    expect(
      await page
        .getByRole('checkbox', { name: 'On TikTok' })
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked)),
    ).toEqual([false, true])
    await page.getByText('Ready to publish').waitFor()
    await page.getByRole('button', { name: 'Retry on TikTok' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Published', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: /View on/ }).count()).toBeGreaterThanOrEqual(2)
  })

  test.runIf(long)('starts over with one click, and everything is as it was at first', async () => {
    const { accessToken } = await signInAgain('OWNER')
    await list()
    let ended: string | null = null
    // The A/B test ends after starting over has read the list, and before it stops the test.
    await page.route(
      /\/ab-tests\?/,
      async (route) => {
        const answer = await route.fetch()
        const { data } = (await answer.json()) as { data: { id: string; state: string }[] }
        const [running] = data.filter(({ state }) => state === 'running')
        const headers = { authorization: `Bearer ${accessToken}`, 'x-workspace-id': ws }
        if (running) await call(product.url, 'POST', `/api/v1/ab-tests/${running.id}/stop`, undefined, headers)
        ended = running?.id ?? null
        await route.fulfill({ response: answer })
      },
      { times: 1 },
    )
    const before = await page
      .getByRole('listitem')
      .filter({ hasText: /Scheduled|Publish|published|Draft/ })
      .count()
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start over' }).click()
    await page.getByText('Demo restarted').waitFor()
    expect(ended).not.toBeNull()
    await list()
    expect(
      await page
        .getByRole('listitem')
        .filter({ hasText: /Scheduled|Publish|published|Draft/ })
        .count(),
    ).toBe(before)
    await page
      .getByRole('link', { name: /From green to brown/ })
      .first()
      .click()
    await page.getByText('This account can only post videos up to 60 seconds long.').waitFor()
    await hasRunningTest()
    // Guests write again, and the café handles them in the same way.
    await visit(page, `/app/w/${ws}/inbox?filter=escalated`)
    await page.getByRole('region', { name: 'Conversations' }).getByText('Dana').first().waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)(
    'gets an Arabic café if the screens are in Arabic: its posts, guests, bot and A/B test',
    { timeout: 600_000 },
    async () => {
      const { page, faults } = inArabic
      await page.waitForURL(/\/app\/w\/[^/]+\/today/)
      const ws = new URL(page.url()).pathname.split('/')[3] ?? ''
      const main = page.getByRole('main')
      await visit(page, `/app/w/${ws}/settings/members`)
      const email = await page
        .getByText(/^admin-\S+@demo.invalid$/)
        .first()
        .textContent()
      const login = await call<Session>(product.url, 'POST', '/api/v1/auth/login', { email, password: DEMO_PASSWORD })
      const headers = { authorization: `Bearer ${login.body.accessToken}`, 'x-workspace-id': ws }
      const read = async (path: string, field: string) => {
        const { body } = await call<{ data: Record<string, unknown>[] }>(
          product.url,
          'GET',
          `/api/v1/${path}`,
          undefined,
          headers,
        )
        return body.data.map((one) => String(one[field]))
      }
      for (const [path, field, count] of [
        ['posts?limit=100', 'caption', 27],
        ['media', 'altText', 5],
        ['social-accounts', 'name', 4],
        ['labels', 'name', 4],
        ['templates', 'caption', 2],
        ['hashtag-sets', 'hashtags', 2],
        ['brand-voices', 'writingStyle', 1],
        ['audience/segments', 'name', 1],
        ['analytics/reports', 'name', 1],
        ['saved-replies', 'name', 3],
        ['ice/experiments', 'name', 1],
      ] as const) {
        // Some of the data arrives a moment later.
        await expect
          .poll(async () => (await read(path, field)).length, { timeout: 120_000 })
          .toBeGreaterThanOrEqual(count)
        const texts = await read(path, field)
        expect(
          texts.filter((text) => !/\p{Script=Arabic}/u.test(text) || /[a-z]/i.test(text)),
          path,
        ).toEqual([])
      }
      // The bot has handed one guest over, holds a reply to another, and has replied to known questions.
      for (const [filter, guest] of [
        ['escalated', 'طارق'],
        ['review', 'مها'],
        ['all&sort=newest', 'نعم، لدينا جلسات خارجية للعائلات في الفناء الخلفي.'],
      ]) {
        await visit(page, `/app/w/${ws}/inbox?filter=${filter}`)
        await main.getByText(guest!).first().waitFor({ timeout: 480_000 })
      }
      await visit(page, `/app/w/${ws}/ab-tests`)
      await main.getByText(ar.abTests.states.running, { exact: true }).waitFor()
      await main.getByRole('link', { name: 'هل تزيد الأسئلة التفاعل؟' }).waitFor()
      expect(faults).toEqual([])
    },
  )
})
