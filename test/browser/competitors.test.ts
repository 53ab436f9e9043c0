import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { addFault, confirmEmail, connect, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('competitors', () => {
  const { product, sql, sandbox } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person
  /** The usernames of two photo accounts of another person. */
  let others: string[]

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    const bob = await newPerson(product.url)
    const names = async (user: string) =>
      (await connect(bob, 'NET_PHOTO', user)).flatMap(({ platform, username }) =>
        platform === 'NET_PHOTO' && username !== null ? [username] : [],
      )
    await names('u6110')
    others = await names('u6111')
  })

  async function at(way: (typeof WAYS)[number], who = ann) {
    await who.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, who)
    return opened
  }
  const address = () => `${product.url}/app/w/${ann.workspaceId}/competitors`

  test('require an account that can read them, then an account to compare with, which is added by username', async () => {
    const [way] = WAYS
    const { competitors: words } = way.words
    const { page, faults } = await at(way)
    await visit(page, address())
    await page.getByRole('link', { name: words.connect }).waitFor()
    if (long) await expectSound(page, 'competitors-no-account')
    await connect(ann, 'NET_PHOTO', 'u6112')
    await visit(page, address())
    await page.getByText(words.none).waitFor()
    // The screen belongs to analytics.
    const here = page.getByRole('navigation', { name: way.words.shell.nav }).locator('[aria-current=page]')
    expect(await here.allTextContents()).toEqual([way.words.states.features.analytics])
    if (long) await expectSound(page, 'competitors-none')

    await page.getByRole('main').getByRole('button', { name: words.add }).last().click()
    const form = page.getByRole('dialog')
    const add = async (name: string) => {
      await form.getByLabel(words.username).fill(name)
      await form.getByRole('button', { name: words.add }).click()
    }
    await add('')
    await form.getByText(words.usernameMissing).waitFor()
    await add('no name!')
    await form.getByText(way.words.refusals.username_format).waitFor()
    await add('nobody_6110')
    await form.getByText(way.words.faults.not_discoverable).waitFor()
    await expectSound(page, 'competitors-refused')
    await sql.query('update network_call set calls = 200')
    await add(others[0]!)
    await form.getByText(/^Instagram limits how often .+ Try again after .*\d/).waitFor()
    await sql.query('delete from network_call')
    await add(`@${others[0]}`)
    await form.waitFor({ state: 'detached' })
    await page.getByText(`@${others[0]}`).waitFor()
    // Our account has no posts yet, so no winner is named.
    await page.getByText(words.tooLittle).waitFor()
    await page.getByRole('button', { name: words.add }).click()
    await add(others[0]!)
    await form.getByText(words.taken).waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long).each(WAYS)(
    'are compared in a sentence and a table, with their newest posts ($language)',
    async (way) => {
      const { competitors: words } = way.words
      const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
      const account = data.find(({ platform }) => platform === 'NET_PHOTO')!
      for (const table of ['post_metric', 'measured_post'])
        await sql.query(`delete from ${table} where workspace_id = $1`, [ann.workspaceId])
      for (let day = 4; day < 10; day += 1)
        await sql.query(
          `insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, published_at, likes, comments, read_at)
         values ($1, $2, $3, $4, 'post', 'A post', app_now() - make_interval(days => $5), 400, 20, app_now())`,
          [ann.workspaceId, randomUUID(), account.id, `x${day}`, day],
        )
      await sql.query(
        `insert into account_metric (workspace_id, account_id, day, ends_at, followers, source, read_at)
       values ($1, $2, (app_now() - interval '3 days')::date, app_now(), 1000, 'network', app_now())
       on conflict (workspace_id, account_id, day) do update set followers = 1000`,
        [ann.workspaceId, account.id],
      )
      const { page, faults } = await at(way)
      await visit(page, address())
      const rows = page.locator('tbody tr')
      await page.getByText(`@${others[0]}`).waitFor()
      // 420 interactions per 1,000 followers are more than any account of the sandbox has.
      expect(await rows.nth(0).textContent()).toContain(words.yours)
      expect(await rows.nth(0).textContent()).toContain((420).toLocaleString('en'))
      await expectSound(page, `competitors-${way.language}`)
      await rows.nth(1).locator('th').getByRole('button').click()
      const dialog = page.getByRole('dialog')
      await expect.poll(() => dialog.getByRole('listitem').count()).toBe(25)
      await expectSound(page, `competitors-posts-${way.language}`)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('say why a reading failed, and are removed after a confirmation', async () => {
    const [way] = WAYS
    const { competitors: words } = way.words
    await addFault(sandbox.url, { match: { path: '/' }, do: { status: 500 } })
    await sql.query(
      `select graphile_worker.add_job('competitor-reading',
      json_build_object('workspaceId', workspace_id, 'data', json_build_object('competitorId', id)), job_key => 'competitor:' || id)
      from competitor where workspace_id = $1`,
      [ann.workspaceId],
    )
    await expect
      .poll(
        async () =>
          (await sql.query('select from competitor where error is not null and workspace_id = $1', [ann.workspaceId]))
            .rowCount,
        {
          timeout: 60_000,
        },
      )
      .toBe(1)
    const { page, faults } = await at(way)
    await visit(page, address())
    await page.getByText(new RegExp(words.errors.network.split('.')[0]!)).waitFor()
    await expectSound(page, 'competitors-failed')
    await page.getByRole('button', { name: /^Remove / }).click()
    await page.getByRole('dialog').getByText(words.removeBody).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: words.columns.remove }).click()
    await page.getByText(words.none).waitFor()
    expect(faults).toEqual([])
  })
})
