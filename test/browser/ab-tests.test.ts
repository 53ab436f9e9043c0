import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { ABTest } from '../../src/insights/ab-tests/api.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

const DAY = 86_400_000

describe.skipIf(!hasBrowser)('A/B tests of posts', () => {
  const { product, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', { timezone: 'UTC' })
  })

  async function at(way: (typeof WAYS)[number]) {
    await ann.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    return opened
  }
  const address = (path = '') => `${product.url}/app/w/${ann.workspaceId}/ab-tests${path}`

  test('show what they can detect, are filled with scheduled posts, started and stopped', async () => {
    const [way] = WAYS
    const { abTests: words } = way.words
    const { page, faults } = await at(way)
    await visit(page, address())
    await page.getByText(words.noAccount).waitFor()
    if (long) await expectSound(page, 'ab-tests-no-account')
    const [account] = (await connectPages(ann)) as [SocialAccount]
    const monday = (Math.floor(Date.now() / DAY) - ((Math.floor(Date.now() / DAY) + 3) % 7) + 14) * DAY
    for (const [caption, day] of [
      ['Is your coffee ready?', 0],
      ['Your coffee is ready.', 7],
      ['Two weeks later', 14],
    ] as const)
      await ann.must('POST', '/posts', {
        caption,
        targets: [account.id],
        action: 'schedule',
        scheduledAt: new Date(monday + day * DAY + 9 * 3_600_000).toISOString(),
      })
    const ofAccounts = /\/social-accounts\b/
    await page.route(ofAccounts, (route) => route.fulfill({ status: 404, json: {} }))
    await page.goto(address())
    await page.getByRole('main').getByRole('alert').waitFor()
    await page.unroute(ofAccounts)
    await visit(page, address())
    await page.getByText(words.none).waitFor()
    if (long) await expectSound(page, 'ab-tests-none')
    await page.getByRole('main').getByRole('button', { name: words.new }).last().click()
    const form = page.getByRole('dialog')
    await form
      .getByText(/^Detects a /)
      .first()
      .waitFor()
    await form.getByRole('button', { name: words.create }).click()
    await form.getByText(words.missing).waitFor()
    await expectSound(page, 'ab-tests-new')
    await form.getByLabel(words.name, { exact: true }).fill('Questions')
    await form.getByRole('button', { name: words.create }).click()

    const pick = async (place: string, post: RegExp, pair = 1) => {
      await page.getByRole('button', { name: `pair ${pair}, ${place}` }).click()
      await form.getByLabel(words.post, { exact: true }).click()
      await page.getByRole('option', { name: post }).click()
      await form.getByRole('button', { name: way.words.common.save }).click()
      await form.waitFor({ state: 'detached' })
    }
    await pick(words.first, /Is your coffee/)
    // Only posts of the following week are offered.
    await page.getByRole('button', { name: `pair 1, ${words.second}` }).click()
    await form.getByLabel(words.post, { exact: true }).click()
    await expect.poll(() => page.getByRole('option').count()).toBe(2)
    await page.keyboard.press('Escape')
    await form.getByRole('button', { name: way.words.common.cancel }).click()
    await pick(words.second, /Your coffee/)
    await page.getByText('Complete pairs: 1 of 8').waitFor()
    // If no post fits, a link leads to a new one.
    await pick(words.first, /Two weeks/, 2)
    await page.getByRole('button', { name: `pair 3, ${words.first}` }).click()
    await form.getByRole('link', { name: words.write }).waitFor()
    await form.getByRole('button', { name: way.words.common.cancel }).click()
    // A question warns about pairs without posts.
    await page.getByRole('button', { name: words.start }).click()
    await form.getByText(/^7 of 8 pairs/).waitFor()
    await form.getByRole('button', { name: words.start }).click()
    await page.getByText(words.states.running).waitFor()
    await expectSound(page, 'ab-test-running')
    await page.getByRole('button', { name: words.stop }).click()
    await form.getByText(words.stopBody).waitFor()
    await form.getByRole('button', { name: words.stop }).click()
    await page.getByText(words.waits.stopped).waitFor()
    // A test of reels offers no posts of another type.
    const { id } = await ann.must<ABTest>('POST', '/ab-tests', {
      name: 'Reels',
      accountId: account.id,
      kind: 'reel',
      slot: 'weekday-08',
      trait: 'question',
      a: 'A question',
      b: 'No question',
      blocks: 8,
    })
    await visit(page, address(`/${id}`))
    await page.getByRole('button', { name: `pair 1, ${words.first}` }).click()
    await form.getByText(words.noneFit).waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long).each(WAYS)(
    'name the better variant with its interval, and the pairs that do not count ($language)',
    async (way) => {
      const { abTests: words } = way.words
      const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
      await sql.query('delete from ab_test')
      const made = await ann.must<ABTest>('POST', '/ab-tests', {
        name: 'Links',
        accountId: data[0]!.id,
        kind: 'post',
        slot: 'weekday-08',
        trait: 'link',
        a: 'with a link',
        b: 'without a link',
        blocks: 8,
      })
      await sql.query(
        `update ab_test set state = 'done', ended_at = app_now(), started_at = app_now(),
        result = '{"verdict": "B", "n": 7, "ratio": 0.5, "low": 0.4, "high": 0.625, "p": 0.016}' where id = $1`,
        [made.id],
      )
      await sql.query(
        `update ab_block set ratio = case when n < 8 then 0.5 end, dropped = case when n = 8 then 'moved' end where test_id = $1`,
        [made.id],
      )
      const { page, faults } = await at(way)
      await visit(page, address())
      await page.getByRole('link', { name: 'Links' }).waitFor()
      await expectSound(page, `ab-tests-${way.language}`)
      await page.getByRole('link', { name: 'Links' }).click()
      await page.getByText(words.dropped.moved).waitFor()
      if (way.language === 'en') {
        await page
          .getByText(
            'The “without a link” posts get 2 times the engagement of the “with a link” posts. The true value is probably between 1.6 and 2.5. Based on 7 pairs.',
          )
          .waitFor()
      }
      await expectSound(page, `ab-test-${way.language}`)
      expect(faults).toEqual([])
    },
  )
})
