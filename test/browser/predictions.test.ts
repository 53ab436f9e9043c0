import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Predictions } from '../../src/insights/predictions/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { connectWithPast, passTime, readFigures } from '../history.ts'
import { confirmEmail, eventually, newPerson, type Person, untilStatus } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn } from './story.ts'

describe.skipIf(!hasBrowser)('predictions in the composer', () => {
  const { product, sql, sandbox } = useProduct({ own: true, env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' } })
  const browser = useBrowser()
  let ann: Person
  let old: SocialAccount
  let young: SocialAccount

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    const texts = (count: number) =>
      Array.from({ length: count }, (_, post) => (post % 2 === 0 ? `Which bread today, ${post}?` : `Bread ${post}`))
    old = await connectWithPast({ sql, sandbox }, ann, 'u6201', texts(40))
    young = await connectWithPast({ sql, sandbox }, ann, 'u6202', texts(12))
  })

  const draft = (targets: SocialAccount[]) =>
    ann.must<Post>('POST', '/posts', { caption: 'Which cake would you like?', targets: targets.map(({ id }) => id) })

  async function at(way: (typeof WAYS)[number], person = ann) {
    await person.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, person)
    return opened
  }
  const addressOf = ({ id }: Post) => `${product.url}/app/w/${ann.workspaceId}/posts/${id}`

  test.runIf(long).each(WAYS)(
    'appear below the time of a draft, with what a young account still lacks ($language)',
    async (way) => {
      const { predictions: words } = way.words
      const post = await draft([old, young])
      const { page, faults } = await at(way)
      await page.goto(addressOf(post))
      const panel = page.getByRole('region', { name: words.title })
      await panel.getByText(words.needed.replace('{have}', '12').replace('{need}', '20')).waitFor()
      const made = await eventually(async () => {
        const { data } = await ann.must<Predictions>('GET', `/posts/${post.id}/predictions`)
        return data.find((one) => one.verdict === 'predicted')
      })
      if (made.verdict !== 'predicted') throw new Error('It was not predicted')
      const number = (value: number) => value.toLocaleString('en')
      await panel.getByText(words.middle.replace('{value}', number(made.middle)), { exact: true }).waitFor()
      expect(await panel.innerText()).toContain(number(made.low))
      expect(await panel.innerText()).toContain(number(made.high))
      await panel.getByText(words.noOutcomes).waitFor()
      await expectSound(page, `predictions-${way.language}`)
      // They never block: the post can be scheduled.
      await page.getByRole('button', { name: way.words.composer.schedule, exact: true }).click()
      const times = page.getByRole('dialog').getByRole('region', { name: words.bestTimes })
      await times.getByText(words.needed.replace('{have}', '12').replace('{need}', '30')).waitFor()
      await expectSound(page, `best-times-${way.language}`)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('name times with better results, and one click chooses the next of them', async () => {
    const [way] = WAYS
    const { predictions: words } = way.words
    await sql.query(
      `update post_metric m set likes = m.likes * 8 from measured_post p where p.id = m.post_id and p.account_id = $1
        and extract(hour from p.published_at at time zone 'Europe/Berlin') >= 20
        and extract(isodow from p.published_at at time zone 'Europe/Berlin') < 6`,
      [old.id],
    )
    const { page, faults } = await at(way)
    await page.goto(addressOf(await draft([old])))
    await page.getByRole('button', { name: way.words.composer.schedule, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Weekdays, 8:00\sPM to 12:00\sAM\s×/ }).click()
    await expect.poll(() => dialog.getByLabel(way.words.schedule.when).inputValue()).toMatch(/20:00$/)
    await expectSound(page, 'best-times-named')
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/settings/queue`)
    await page
      .getByRole('region', { name: words.bestTimes })
      .getByText(/^Weekdays, 8:00\sPM to 12:00\sAM/)
      .waitFor()
    await expectSound(page, 'best-times-queue')
    expect(faults).toEqual([])
  })

  test.runIf(long)('show how many came true, and name the feature if the plan lacks it', async () => {
    const [way] = WAYS
    const { predictions: words } = way.words
    const live = await draft([old])
    await ann.must('POST', `/posts/${live.id}/predictions`, {})
    await ann.must('POST', `/posts/${live.id}/publish`, {})
    await untilStatus(ann, live.id, ['PUBLISHED'])
    await sql.query(`update engagement_prediction set low = 0, high = 1000000 where post_id = $1`, [live.id])
    for (const hours of [24, 7 * 24]) {
      await passTime({ sql, sandbox }, hours)
      await readFigures({ sql }, ann.workspaceId, old.id, async () => {
        const { rows } = await sql.query(
          `select from post_metric m join measured_post p on p.id = m.post_id join delivery d on d.id = p.delivery_id
            where d.post_id = $1 and m.age_hours >= $2`,
          [live.id, hours],
        )
        return rows.length > 0
      })
    }
    const { page, faults } = await at(way)
    await page.goto(addressOf(await draft([old])))
    const panel = page.getByRole('region', { name: words.title })
    await panel.getByText('1 of the last 1 result fell within the predicted range.').waitFor()
    await sql.query(`delete from plan_feature where feature_id = 'predictions'`)
    await page.reload()
    await panel.getByText('Not in your plan: Predictions').waitFor()
    await expectSound(page, 'predictions-not-in-plan')
    expect(faults).toEqual([])
  })
})
