import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { holdReadings, inDays, tellDays, tellPost } from '../insights.ts'
import { confirmEmail, connect, join, newPerson, type Person, untilStatus } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { isEven } from '../../web/features/insights/analytics/rules.ts'
import { signIn } from './story.ts'

test('a mean by day is told only beside a total that it explains', () => {
  const even = (value: number, perDay: number, days: number) => isEven({ value, perDay, days }, 28)
  expect(even(28 * 200, 200, 28)).toBe(true)
  // One account has reported ten days, and the screen says so.
  expect(even(10 * 200, 200, 10)).toBe(true)
  // Of two accounts, one lacks a day, or has only three.
  expect(even(27 * 100 + 28 * 100, 200, 27)).toBe(true)
  expect(even(3 * 1_700 + 28 * 200, 1_900, 28)).toBe(false)
})

/** A shop's last eight weeks on a page and a photo account with two missing days, and a new video account. */
describe.skipIf(!hasBrowser)('analytics', () => {
  const { product, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  let page: SocialAccount
  let photo: SocialAccount
  let best: string
  let unread: string
  let single: string

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    ;[page] = (await connect(ann, 'NET_PAGE', 'u6501')) as [SocialAccount]
    photo = (await connect(ann, 'NET_PHOTO', 'u6502')).find(({ platform }) => platform === 'NET_PHOTO')!
    const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts?limit=100')
    for (const { id } of data) if (id !== page.id && id !== photo.id) await ann.must('DELETE', `/social-accounts/${id}`)
    await holdReadings(sql, ann.workspaceId)
    const place = (account: SocialAccount) => ({
      workspaceId: ann.workspaceId,
      accountId: account.id,
      from: inDays(-56),
    })
    const days = (one: (index: number) => object | null) => Array.from({ length: 56 }, (_, index) => one(index))
    await tellDays(
      sql,
      place(page),
      days((index) => ({
        impressions: (index < 28 ? 1000 : 1300) + (index % 7) * 90,
        engagement: 60 + index,
        reach: 700 + index,
        followers: 9000 + 5 * index,
      })),
    )
    await tellDays(
      sql,
      place(photo),
      days((index) =>
        index === 42 || index === 43
          ? null
          : { impressions: 900 + (index % 5) * 40, engagement: 40, reach: 500, followers: 3100 + index },
      ),
    )
    await sql.query('update account_sync set gaps = $2 where account_id = $1', [
      photo.id,
      JSON.stringify(
        [42, 43].flatMap((index) =>
          ['impressions', 'engagement', 'reach', 'followers'].map((metric) => ({
            day: inDays(index - 56),
            metric,
            reason: 'network_error',
          })),
        ),
      ),
    ])
    const at = (back: number, hour = 9) => new Date(Date.parse(`${inDays(-back)}T00:00Z`) + hour * 3_600_000)
    const values = (views: number) => ({
      impressions: views,
      reach: Math.round(views * 0.8),
      likes: Math.round(views / 20),
      comments: 4,
      shares: 3,
    })
    for (let index = 0; index < 8; index += 1)
      await tellPost(sql, place(photo), {
        kind: 'reel',
        topic: 'latte art',
        caption: `Rosetta practice, day ${index + 33}`,
        publishedAt: at(12 + index),
        readings: { 25: values(900 + index), 49: values(1300 + index), 170: values(2000 + index) },
      })
    best = await tellPost(sql, place(photo), {
      kind: 'reel',
      topic: 'brewing',
      caption: 'How we pour: the slow V60, step by step',
      publishedAt: at(11),
      readings: { 25: { ...values(3000), shares: 60 }, 50: values(4400), 170: { ...values(9840), shares: 90 } },
    })
    single = await tellPost(sql, place(page), {
      caption: 'Late light on Northside',
      publishedAt: at(3, 17),
      readings: { 25: values(760) },
    })
    unread = await tellPost(sql, place(page), { caption: 'Just out', publishedAt: new Date(), readings: {} })
    await sql.query(`update measured_post set next_read_at = now() + interval '15 minutes' where id = $1`, [unread])
  })

  async function at(way: (typeof WAYS)[number], person = ann) {
    await person.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, person)
    return opened
  }
  const address = (rest = '', ws = ann.workspaceId) => `${product.url}/app/w/${ws}/analytics${rest}`

  test.each(inWay(0, WAYS))('answers each question within the promised number of clicks ($language)', async (way) => {
    const { analytics: words, figures } = way.words
    const { page: screen, faults } = await at(way)
    // Are we growing, and is it better than before? No click.
    await screen.goto(address())
    const keys = screen.getByRole('group', { name: words.keyFigures })
    await keys.getByText(/%/).first().waitFor()
    const curve = screen.getByRole('slider')
    await curve.waitFor()
    expect(await curve.getAttribute('aria-label')).toContain(figures.keys)
    await curve.focus()
    await screen.keyboard.press('Home')
    const first = await curve.getAttribute('aria-valuetext')
    await screen.keyboard.press('ArrowRight')
    await expect.poll(() => curve.getAttribute('aria-valuetext')).not.toBe(first)
    // The missing days show their reason.
    await screen.getByRole('list', { name: words.missingDays }).waitFor()
    await expectSound(screen, `analytics-${way.language}`)
    // Is this number right? One click.
    await screen
      .getByRole('button', { name: words.about.open.replace('{name}', words.figures.impressions), exact: true })
      .first()
      .click()
    const about = screen.getByRole('dialog', { name: words.about.open.replace('{name}', words.figures.impressions) })
    await about.getByText(way.words.metricWords.activity.impressions).waitFor()
    await about.getByText('page_media_view').waitFor()
    await screen.keyboard.press('Escape')
    // The same data as a table: a gap shows its reason instead of 0.
    await screen.getByRole('button', { name: figures.asTable }).click()
    const rows = await screen.getByRole('row').allTextContents()
    const gap = rows.find((row) => row.includes(photo.name))
    expect(gap).toContain(figures.none)
    // Which network, post and hour? One click each.
    const tabs = screen.getByRole('navigation', { name: words.views })
    await tabs.getByRole('link', { name: words.tabs.networks, exact: true }).click()
    await screen.getByText(words.networksNote).waitFor()
    await screen.getByText(photo.name, { exact: true }).last().waitFor()
    await expectSound(screen, `analytics-networks-${way.language}`)
    await tabs.getByRole('link', { name: words.tabs.posts, exact: true }).click()
    const post = screen.getByRole('link', { name: /How we pour/ })
    await post.waitFor()
    await expectSound(screen, `analytics-posts-${way.language}`)
    await tabs.getByRole('link', { name: words.tabs.hours, exact: true }).click()
    await screen.getByRole('table').waitFor()
    await expectSound(screen, `analytics-hours-${way.language}`)
    await screen.getByText(way.words.predictions.needed.replace('{have}', '9').replace('{need}', '30')).waitFor()
    await tabs.getByRole('link', { name: words.tabs.topics, exact: true }).click()
    await screen.getByText('latte art', { exact: true }).waitFor()
    expect(await screen.getByRole('listitem').or(screen.getByRole('row')).filter({ hasText: 'brewing' }).count()).toBe(
      1,
    )
    await expectSound(screen, `analytics-topics-${way.language}`)
    // Why was this post good? Two clicks.
    await tabs.getByRole('link', { name: words.tabs.posts, exact: true }).click()
    await post.click()
    await screen.getByRole('heading', { name: words.whyTitle }).waitFor()
    await screen.getByRole('slider').waitFor()
    await screen.getByText(/4\.9×/).first().waitFor()
    await expectSound(screen, `analytics-post-${way.language}`)
    expect(faults).toEqual([])
  })

  test.runIf(long)('keeps its filters in the address, and compares posts at the chosen age', async () => {
    const [way] = WAYS
    const { analytics: words } = way.words
    const { page: screen, faults } = await at(way)
    await screen.goto(address(`?tab=posts&net=NET_PAGE`))
    await screen.getByRole('link', { name: /Late light/ }).waitFor()
    await screen.getByRole('button', { name: words.age, exact: true }).click()
    await screen.getByRole('menuitemradio', { name: words.ages['7d'] }).click()
    await screen.getByText(words.noPosts, { exact: true }).waitFor()
    expect(new URL(screen.url()).searchParams.get('at')).toBe('7d')
    await screen.goto(address(`?range=365d`))
    await screen.getByText(words.notEnough).first().waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)('compares posts by topic, and says if no post has the chosen dimension', async () => {
    const [way] = WAYS
    const { analytics: words } = way.words
    const { page: screen, faults } = await at(way)
    await screen.goto(address('?tab=topics'))
    const row = (text: string) => screen.getByRole('row').filter({ hasText: text })
    await row('latte art').waitFor()
    // Groups with few posts come last and are grey.
    expect(await screen.getByRole('rowheader').allTextContents()).toEqual(['latte art', 'brewing'])
    expect(await row('brewing').getAttribute('class')).toContain('text-muted')
    expect(await row('latte art').getAttribute('class')).not.toContain('text-muted')
    await screen.getByRole('button', { name: words.by }).click()
    await screen.getByRole('menuitemradio', { name: words.dimensions.label }).click()
    await screen.getByText('No posts in this period have a label').waitFor()
    expect(new URL(screen.url()).searchParams.get('by')).toBe('label')
    expect(faults).toEqual([])
  })

  test.runIf(long).each(WAYS)(
    'accepts custom dates, in a sheet on phones, and keeps them in the address ($language)',
    async (way) => {
      const { analytics: words } = way.words
      const { page: screen, faults } = await at(way)
      await screen.goto(address(`?from=${inDays(-20)}&to=${inDays(-10)}`))
      await screen.getByText(words.figures.impressions).first().waitFor()
      expect(await screen.getByRole('slider').getAttribute('aria-label')).toBeTruthy()
      const isPhone = way.width < 640
      if (isPhone) {
        await screen.getByRole('button', { name: words.filters }).click()
      } else {
        await screen.getByRole('button', { name: words.period }).click()
        await screen.getByRole('menuitemradio', { name: words.ownDates }).click()
      }
      const sheet = screen.getByRole('dialog', { name: isPhone ? words.filters : words.ownDates })
      await sheet.getByText(words.firstDay, { exact: true }).waitFor()
      await expectSound(screen, `analytics-dates-${way.language}`)
      await sheet.getByRole('button', { name: words.apply }).click()
      await sheet.waitFor({ state: 'detached' })
      expect(new URL(screen.url()).searchParams.get('from')).toBe(inDays(-20))
      // An impossible period is ignored.
      await screen.goto(address(`?from=${inDays(-10)}&to=${inDays(-20)}`))
      await screen.getByText(words.figures.impressions).first().waitFor()
      expect(faults).toEqual([])
    },
  )

  const parts = {
    en: { total: 'Views: 3,100 in total.', compared: 'Comparing 1 of 2 accounts', from: 'is included starting' },
    ar: { total: 'المشاهدات: الإجمالي 3,100.', compared: 'تشمل المقارنة حسابًا واحدًا من أصل 2', from: 'تُحتسب أرقام' },
  }

  test.runIf(long).each(WAYS)(
    'shows from which day an account counts in a sum, and compares only the other one ($language)',
    async (way) => {
      const { analytics: words } = way.words
      const said = parts[way.language]
      const nora = await newPerson(product.url, 'Nora')
      await nora.must('POST', '/api/v1/auth/onboarding', {})
      const [old] = (await connect(nora, 'NET_PAGE', `u651${way.width % 7}`)) as [SocialAccount]
      const young = (await connect(nora, 'NET_PHOTO', `u652${way.width % 7}`)).find(
        ({ platform }) => platform === 'NET_PHOTO',
      )!
      await holdReadings(sql, nora.workspaceId)
      const told = (account: SocialAccount, days: number) =>
        tellDays(
          sql,
          { workspaceId: nora.workspaceId, accountId: account.id, from: inDays(-days) },
          Array.from({ length: days }, () => ({ impressions: 100, engagement: 10, followers: 500 })),
        )
      await told(old, 56)
      await told(young, 3)
      const { page: screen, faults } = await at(way, nora)
      await screen.goto(address('', nora.workspaceId))
      const keys = screen.getByRole('group', { name: words.keyFigures })
      // A mean by day, which differs between the accounts, would contradict the total.
      await keys.getByText(words.partDays).first().waitFor()
      await screen.getByText(said.total).waitFor()
      await keys.getByText(said.compared).first().waitFor()
      await screen.getByText(said.from).filter({ hasText: young.name }).waitFor()
      // Earlier days are hatched, and name the missing account.
      await screen.getByRole('slider').press('Home')
      expect(await screen.getByRole('slider').getAttribute('aria-valuetext')).toContain(
        words.without.replace('{accounts}', `\u2068${young.name} (Instagram)\u2069`),
      )
      await expectSound(screen, `analytics-few-days-${way.language}`)
      await screen.getByRole('link', { name: words.eachNetwork }).click()
      await screen.getByText(words.networksNote).waitFor()
      // The sum of a single account waits for no other.
      await screen.goto(address('?net=NET_PHOTO', nora.workspaceId))
      await screen.getByText(words.notEnough).first().waitFor()
      expect(await screen.getByText(said.from).count()).toBe(0)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long).each(WAYS)(
    'names an account without data beside the sum that leaves it out ($language)',
    async (way) => {
      const { analytics: words } = way.words
      const olga = await newPerson(product.url, 'Olga')
      await olga.must('POST', '/api/v1/auth/onboarding', {})
      const [told] = (await connect(olga, 'NET_PAGE', `u653${way.width % 7}`)) as [SocialAccount]
      const silent = (await connect(olga, 'NET_PHOTO', `u654${way.width % 7}`)).find(
        ({ platform }) => platform === 'NET_PHOTO',
      )!
      const video = (await connect(olga, 'NET_VIDEO', `u655${way.width % 7}`)).find(
        ({ platform }) => platform === 'NET_VIDEO',
      )!
      const { data } = await olga.must<{ data: SocialAccount[] }>('GET', '/social-accounts?limit=100')
      for (const { id } of data)
        if (![told.id, silent.id, video.id].includes(id)) await olga.must('DELETE', `/social-accounts/${id}`)
      await holdReadings(sql, olga.workspaceId)
      const days = Array.from({ length: 28 }, () => ({ impressions: 100, engagement: 10, followers: 500 }))
      await tellDays(sql, { workspaceId: olga.workspaceId, accountId: told.id, from: inDays(-28) }, days)
      const { page: screen, faults } = await at(way, olga)
      await screen.goto(address('', olga.workspaceId))
      const sentence = { en: 'isn’t included because it has no data', ar: 'لعدم توفّر بيانات عنه' }[way.language]
      await screen.getByText(sentence).filter({ hasText: silent.name }).waitFor()
      // A network that has posts but no days is no contradiction to the list of posts below.
      const byPost = { en: 'TikTok reports totals by post, not by day', ar: 'توفّر إجماليات المنشورات لا أرقام الأيام' }
      await screen.getByText(byPost[way.language]).filter({ hasText: video.name }).waitFor()
      await expectSound(screen, `analytics-absent-${way.language}`)
      // Alone, an account has no sum to be left out of.
      await screen.goto(address('?net=NET_PHOTO', olga.workspaceId))
      await screen.getByText(words.figures.impressions).first().waitFor()
      expect(await screen.getByText(sentence).count()).toBe(0)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('says from when today’s posts count', async () => {
    const [way] = WAYS
    const { page: screen, faults } = await at(way)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'Our first',
      targets: [page.id],
      action: 'publish',
    })
    await untilStatus(ann, id, ['PUBLISHED'])
    await screen.goto(address(`?from=${inDays(-1)}&to=${inDays(0)}`))
    await screen.getByText(way.words.analytics.fromTomorrow).waitFor()
    await screen.goto(address(`?from=${inDays(-2)}&to=${inDays(-1)}`))
    await screen.getByText(way.words.analytics.noPosts).waitFor()
    expect(await screen.getByText(way.words.analytics.fromTomorrow).count()).toBe(0)
    expect(faults).toEqual([])
  })

  test.runIf(long)('draws a single reading as a point, and no line before the first reading', async () => {
    const [way] = WAYS
    const { page: screen, faults } = await at(way)
    const curve = screen.getByRole('slider')
    await screen.goto(address(`/posts/${single}`))
    await screen.getByText(way.words.figures.oneReading).waitFor()
    expect(await curve.getAttribute('aria-valuemax')).toBe('1')
    await expectSound(screen, 'analytics-post-one-reading')
    // The first reading is of the second day. Before it, only the median is shown.
    await screen.goto(address(`/posts/${best}`))
    await curve.focus()
    await screen.keyboard.press('Home')
    const first = () => curve.getAttribute('aria-valuetext')
    await expect.poll(first).toContain(way.words.analytics.legendMedian)
    expect(await first()).not.toContain(way.words.analytics.legendPost)
    expect(faults).toEqual([])
  })

  test.runIf(long)(
    'shows when the first reading of a post is due, and when a network no longer has a post',
    async () => {
      const [way] = WAYS
      const { page: screen } = await at(way)
      await screen.goto(address(`/posts/${unread}`))
      await screen.getByText(/^First metrics: /).waitFor()
      await sql.query(`update measured_post set published_at = now() - interval '6 days' where id = $1`, [unread])
      await screen.reload()
      await screen.getByText(/^Not updated yet\. Next update: /).waitFor()
      await sql.query('update measured_post set published_at = now() where id = $1', [unread])
      await sql.query('update measured_post set gone_at = now() where id = $1', [best])
      try {
        await screen.goto(address(`/posts/${best}`))
        await screen.getByText(way.words.figures.gone.replace('{network}', 'Instagram')).waitFor()
      } finally {
        await sql.query('update measured_post set gone_at = null where id = $1', [best])
      }
      await sql.query('update measured_post set unmeasurable = true where id = $1', [best])
      try {
        await screen.reload()
        await screen.getByText(way.words.figures.unmeasurable.replace('{network}', 'Instagram')).waitFor()
      } finally {
        await sql.query('update measured_post set unmeasurable = false where id = $1', [best])
      }
    },
  )

  test.runIf(long)(
    'shows an error if the service fails, the time of stale figures, and that there is no connection',
    async () => {
      const [way] = WAYS
      const { analytics: words, states } = way.words
      const { page: screen } = await at(way)
      const fail = () =>
        screen.route('**/api/v1/analytics/**', (route) =>
          route.fulfill({
            status: 500,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              type: 'about:blank',
              title: 'Internal',
              status: 500,
              code: 'internal',
              detail: 'Broken',
            }),
          }),
        )
      const work = () => screen.unroute('**/api/v1/analytics/**')
      const key = screen.getByRole('group', { name: words.keyFigures })
      await fail()
      await screen.goto(address())
      await screen.getByText(states.failed).first().waitFor()
      expect(await key.count()).toBe(0)
      await work()
      await screen.getByRole('button', { name: states.retry }).first().click()
      await key.waitFor()
      // Stale figures stay, with their time.
      await fail()
      await screen.evaluate(() =>
        window.__TSR_ROUTER__!.options.context.client.refetchQueries({
          queryKey: [location.pathname.split('/')[3], 'analytics'],
        }),
      )
      await screen
        .getByText(new RegExp(`^${states.stale.split('{time}')[0]}`))
        .first()
        .waitFor()
      expect(await key.count()).toBe(1)
      await work()
      await screen.goto(address('?tab=posts'))
      await screen.getByRole('link', { name: /How we pour/ }).waitFor()
      await screen.context().setOffline(true)
      await screen.getByRole('button', { name: words.age, exact: true }).click()
      await screen.getByRole('menuitemradio', { name: words.ages['30d'] }).click()
      await screen.getByText(states.offline).first().waitFor()
      await screen.context().setOffline(false)
    },
  )

  test.runIf(long)('names the accounts without new figures, and the progress of a first reading', async () => {
    const [way] = WAYS
    const { analytics: words } = way.words
    const { page: screen, faults } = await at(way)
    await sql.query(`update account_sync set failures = 2, error = 'transient' where account_id = $1`, [page.id])
    await sql.query(`update account_sync set found_at = null, found_after = 'x' where account_id = $1`, [photo.id])
    try {
      await screen.goto(address())
      await screen.getByText(words.failing.replace('{account}', page.name)).waitFor()
      await screen.getByText(words.reading).waitFor()
      await screen.getByText(/^Posts imported back to /).waitFor()
      const meter = screen.getByRole('meter', { name: words.readingOf.replace('{account}', photo.name) })
      expect(Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(0.5)
      await sql.query(`update social_account set status = 'RECONNECT_NEEDED' where id = $1`, [page.id])
      await screen.reload()
      await screen.getByText(words.notConnected.replace('{account}', page.name)).waitFor()
      await screen.getByRole('link', { name: words.toAccounts }).waitFor()
      expect(faults).toEqual([])
    } finally {
      await sql.query(
        `update account_sync set failures = 0, error = null, found_at = now(), found_after = null where workspace_id = $1`,
        [ann.workspaceId],
      )
      await sql.query(`update social_account set status = 'CONNECTED' where id = $1`, [page.id])
    }
  })

  test.runIf(long)(
    'explains a missing account, an unfinished first reading, and a plan without analytics',
    async () => {
      const [way] = WAYS
      const { analytics: words, states } = way.words
      const bea = await newPerson(product.url, 'Bea')
      await bea.must('POST', '/api/v1/auth/onboarding', {})
      const { page: screen } = await at(way, bea)
      await screen.goto(address('', bea.workspaceId))
      await screen.getByText(words.noAccount).waitFor()
      await screen.getByRole('link', { name: way.words.shell.connectAccount }).waitFor()
      await connect(bea, 'NET_PAGE', 'u6503')
      await holdReadings(sql, bea.workspaceId, 'new')
      await screen.reload()
      await screen.getByText(words.reading).waitFor()
      await sql.query(`delete from plan_feature where plan_id = 'business' and feature_id = 'analytics'`)
      try {
        await screen.reload()
        await screen.getByText(states.feature.replace('{feature}', states.features.analytics)).waitFor()
      } finally {
        await sql.query(`insert into plan_feature values ('business', 'analytics')`)
      }
    },
  )

  test('offers only the accounts of a chosen network', async () => {
    const [way] = WAYS
    const { page: screen, faults } = await at(way)
    await screen.goto(address('?net=NET_PHOTO'))
    await screen.getByRole('button', { name: way.words.posts.account, exact: true }).click()
    const offered = screen.getByRole('menuitemradio')
    await offered.filter({ hasText: photo.name }).waitFor()
    expect(await offered.filter({ hasText: 'Facebook' }).count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('shows a CLIENT the totals alone, and the link to reports', async () => {
    const [way] = WAYS
    const { analytics: words } = way.words
    const client = await join(ann, 'Client', 'CLIENT')
    const { page: screen, faults } = await at(way, client)
    await screen.goto(address())
    await screen.getByRole('group', { name: words.keyFigures }).waitFor()
    const tabs = screen.getByRole('navigation', { name: words.views }).getByRole('link')
    expect(await tabs.allTextContents()).toEqual([words.tabs.overview, words.tabs.reports])
    expect(await screen.getByText(words.bestPosts).count()).toBe(0)
    // The link of a colleague names a filter, which a client has not.
    await screen.goto(address(`?net=NET_PAGE&account=${page.id}`))
    await screen.getByRole('group', { name: words.keyFigures }).waitFor()
    await screen.goto(address(`/posts/${best}`))
    await screen.getByText(way.words.states.role).waitFor()
    expect(faults).toEqual([])
  })
})
