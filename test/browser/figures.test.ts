import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { MeasuredPost, PostMetric } from '../../src/insights/metrics/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long, sized } from '../tier.ts'
import { call, confirmEmail, connectPages, eventually, newPerson, type Person, untilStatus } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn } from './story.ts'

const HOUR = 3_600_000

describe.skipIf(!hasBrowser)('the figures of a post', () => {
  const { product, sql, sandbox } = useProduct({ own: true, env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' } })
  const browser = useBrowser()
  let ann: Person
  let account: SocialAccount
  let post: Post

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    ;[account] = (await connectPages(ann)) as [SocialAccount]
    post = await publish('Is your coffee ready for autumn?')
  })

  async function publish(caption: string): Promise<Post> {
    const { id } = await ann.must<Post>('POST', '/posts', { caption, targets: [account.id], action: 'publish' })
    return untilStatus(ann, id, ['PUBLISHED'])
  }
  async function pass(milliseconds: number) {
    await call(sandbox.url, 'POST', '/clock', { advanceMs: milliseconds })
    await sql.query('update app_clock set shift = shift + make_interval(secs => $1::float8 / 1000)', [milliseconds])
  }
  const metricsOf = ({ id }: Post) =>
    ann.must<{ data: PostMetric[]; posts: MeasuredPost[] }>('GET', `/posts/${id}/metrics`)
  /** Reads the account. A hint updates the open screens. */
  async function read(isThere: (found: Awaited<ReturnType<typeof metricsOf>>) => boolean) {
    await sql.query(`select graphile_worker.add_job('analytics-sync', $1::json, job_key => $2)`, [
      JSON.stringify({ workspaceId: ann.workspaceId, data: { accountId: account.id } }),
      `sync:${account.id}`,
    ])
    await eventually(async () => isThere(await metricsOf(post)))
  }

  async function at(way: (typeof WAYS)[number]) {
    await ann.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    return opened
  }
  const address = () => `${product.url}/app/w/${ann.workspaceId}/posts/${post.id}`

  test('show when the first reading is due, and appear with it on the open screen', async () => {
    const [way] = WAYS
    const { figures: words } = way.words
    await read(({ posts }) => posts.length === 1)
    const { page, faults } = await at(way)
    await page.goto(address())
    const section = page.getByRole('region', { name: words.title })
    await section.getByText(/^First metrics: /).waitFor()
    await pass(HOUR)
    await read(({ data }) => data.length === 1)
    const { posts } = await metricsOf(post)
    await section
      .getByRole('button', { name: `${words.metrics.reach} ${posts[0]!.reach!.toLocaleString('en')}` })
      .waitFor()
    await section.getByText(words.oneReading).waitFor()
    expect(faults).toEqual([])
  })

  describe('after two weeks', () => {
    beforeAll(async () => {
      let age = 1
      // After its first week, a post is read with its account, which takes less than a day.
      for (const hours of sized([24, 360], [24, 48, 72, 96, 120, 144, 168, 264, 360])) {
        await pass((hours - age) * HOUR)
        age = hours
        const { data } = await metricsOf(post)
        const last = data.at(-1)?.readAt
        await read(({ posts }) => posts[0]!.readAt !== last)
      }
    })

    test.each(inWay(0, WAYS))('are a sentence, an accessible curve, and a table ($language)', async (way) => {
      const { figures: words } = way.words
      const { data, posts } = await metricsOf(post)
      const { page, faults } = await at(way)
      await page.goto(address())
      const section = page.getByRole('region', { name: words.title })
      const curve = section.getByRole('slider')
      await curve.waitFor()
      const number = (value: number) => value.toLocaleString(way.language === 'ar' ? 'ar-u-nu-latn' : 'en')
      expect(await curve.getAttribute('aria-label')).toContain(number(posts[0]!.reach!))
      await curve.focus()
      await page.keyboard.press('Home')
      await expect.poll(() => curve.getAttribute('aria-valuetext')).toContain(number(data[0]!.reach!))
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => curve.getAttribute('aria-valuetext')).toContain(number(data[1]!.reach!))
      await expectSound(page, `figures-${way.language}`)

      await section.getByRole('button', { name: new RegExp(`^${words.metrics.likes}`) }).click()
      await section.getByRole('button', { name: words.asTable }).click()
      const rows = await section.getByRole('row').allTextContents()
      expect(rows.slice(1).map((row) => row.match(/[\d,]+/g)?.join(' '))).toHaveLength(data.length)
      data.toReversed().forEach(({ likes }, index) => expect(rows[index + 1]).toContain(number(likes!)))
      // The network reports no saves. A note says so, instead of a 0.
      await section.getByText(new RegExp(words.metrics.saves)).waitFor()
      if (long) await expectSound(page, `figures-table-${way.language}`)
      expect(faults).toEqual([])
    })

    test.runIf(long)('say that a network no longer has the post, and keep the last values', async () => {
      await sql.query(`update measured_post set gone_at = app_now(), next_read_at = null where account_id = $1`, [
        account.id,
      ])
      const [way] = WAYS
      const { page, faults } = await at(way)
      await page.goto(address())
      const section = page.getByRole('region', { name: way.words.figures.title })
      await section.getByText(way.words.figures.gone.replace('{network}', 'Facebook')).waitFor()
      const { posts } = await metricsOf(post)
      await section.getByText(posts[0]!.reach!.toLocaleString('en'), { exact: true }).waitFor()
      expect(faults).toEqual([])
    })
  })
})
