import { readFileSync } from 'node:fs'
import type { Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from '../../src/core/platform/cursor.ts'
import type { AudienceNode } from '../../src/conversations/audience/api.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { openInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme, WAYS } from './browser.ts'
import { pick, signIn, visit } from './story.ts'

const refuse = (route: Route) => route.fulfill({ status: 400, json: { code: 'malformed_request' } })

describe.skipIf(!hasBrowser)('the audience', () => {
  const { product, sql, sandbox } = useProduct({ env: FAST })
  const browser = useBrowser()
  let ann: Person

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
  })

  async function at(way: (typeof WAYS)[number]) {
    await ann.must('PATCH', '/api/v1/auth/me', { language: way.language })
    const context = await browser.newContext({ viewport: { width: way.width, height: 844 }, locale: way.language })
    await useTheme(context, way.theme)
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    return opened
  }
  const address = (rest = '') => `${product.url}/app/w/${ann.workspaceId}/audience${rest}`
  const customers = async (query = '') => (await ann.must<Page<AudienceNode>>('GET', `/audience?${query}`)).data

  test('a manager finds the warmest customer, corrects, merges and undoes, creates a segment, exports and erases', async () => {
    const [way] = WAYS
    const { audience: words, common, states } = way.words
    const { page, faults } = await at(way)
    await visit(page, address())
    await page.getByText(words.none).waitFor()
    if (long) await expectSound(page, 'audience-none')

    const facebook = await openInbox(ann, sandbox.url, 'u6301')
    const photo = await openInbox(ann, sandbox.url, 'u6302', 'NET_PHOTO')
    const { postId } = facebook
    await facebook.play({ kind: 'comment', postId, from: { name: 'Bo Quiet' }, text: 'Nice' })
    for (const text of ['Hello', 'Is it open?', 'On Sunday too?'])
      await facebook.play({ kind: 'comment', postId, from: { id: '730000006301', name: 'Mona Berk' }, text })
    await photo.play({
      kind: 'comment',
      postId: photo.postId,
      from: { name: 'mona.berk' },
      text: 'Hi',
    })
    await threadOf(ann, 'mona.berk')
    await eventually(async () => (await customers()).length === 3 && (await customers())[0]!.engagement > 25)

    await visit(page, address())
    const rows = page
      .getByRole('list', { name: words.title, exact: true })
      .getByRole('listitem')
      .filter({ has: page.getByRole('link') })
    await rows.first().waitFor()
    expect(await rows.first().textContent()).toContain('Mona Berk')
    await expectSound(page, 'audience-list')
    await page.getByLabel(words.search).fill('nobody')
    await page.getByText(words.noMatch).waitFor()
    await page.getByRole('button', { name: words.clear }).click()

    await rows.first().getByRole('link').click()
    await page.getByText(words.scoreWhy).waitFor()
    await page.getByRole('button', { name: words.edit }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel(words.name, { exact: true }).fill('Mona Berg')
    await form.getByRole('textbox', { name: words.tags }).fill('VIP,')
    await form.getByRole('button', { name: common.save }).click()
    await page.getByRole('heading', { level: 1, name: 'Mona Berg' }).waitFor()

    // The username still resembles the earlier name, so the corrected name forms no pair.
    expect(await page.getByText(words.pairs.title).count()).toBe(0)
    // Only the changed field is sent, so that excess tags from earlier do not block the change.
    await sql.query(`update audience_node set tags = array(select 't' || n from generate_series(1, 21) n)
      where name = 'Mona Berg'`)
    await visit(page, page.url())
    await page.getByRole('button', { name: words.edit }).click()
    await form.getByLabel(words.name, { exact: true }).fill('Mona Berk')
    await form.getByRole('button', { name: common.save }).click()
    await page.getByRole('heading', { level: 1, name: 'Mona Berk' }).waitFor()
    const pairs = '**/audience/pairs*'
    await page.route(pairs, refuse)
    await visit(page, page.url())
    await page.getByText(words.pairs.notRead).waitFor()
    await visit(page, address())
    await page.getByText(words.pairs.notRead).waitFor()
    await page.unroute(pairs)
    await page.getByRole('button', { name: states.retry }).click()
    await page.getByText(words.pairs.found.replace(/.*one \{(.*?)\}.*/, '$1').replace('#', '1')).click()
    await page.getByText(words.pairs.reasons.name_like_username).waitFor()
    await expectSound(page, 'audience-pairs')
    await page.getByRole('button', { name: words.pairs.merge, exact: true }).click()
    const merge = page.getByRole('dialog').getByRole('button', { name: words.pairs.merge, exact: true })
    await merge.click()
    await page.getByText(way.words.faults.too_many_tags).waitFor()
    await sql.query(`update audience_node set tags = '{VIP}' where name = 'Mona Berk'`)
    await merge.click()
    await expect.poll(() => rows.count()).toBe(2)
    await rows.first().getByRole('link').click()
    await page.getByRole('button', { name: words.pairs.undo }).waitFor()
    if (long) await expectSound(page, 'audience-merged')
    await page.getByRole('button', { name: words.pairs.undo }).click()
    await page.getByText(words.pairs.undone).waitFor()
    expect(await customers()).toHaveLength(3)

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: words.export }).click()
    const file = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as { customer: AudienceNode }
    expect(file.customer.name).toBe('Mona Berk')

    await page.getByRole('button', { name: words.erase.title }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.erase.title }).click()
    await page.getByText(words.erase.wrong).waitFor()
    if (long) await expectSound(page, 'audience-erase')
    await page.getByRole('dialog').getByRole('textbox').fill('Mona Berk')
    await page.getByRole('dialog').getByRole('button', { name: words.erase.title }).click()
    await page.getByRole('list', { name: words.title, exact: true }).waitFor()
    await eventually(async () => (await customers()).length === 2)

    // Segments show their last count first, and are counted a few at a time.
    await sql.query(
      `insert into audience_segment (workspace_id, id, name, filter, count, counted_at)
        select $1, gen_random_uuid(), 'Old ' || n, '{"field":"name","op":"is","value":"nobody"}', 7, app_now() - interval '1 day'
        from generate_series(1, 9) n`,
      [ann.workspaceId],
    )
    const single = '**/api/v1/audience/segments/*'
    let [counting, most] = [0, 0]
    let open = () => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    await page.route(single, async (route) => {
      counting += 1
      most = Math.max(most, counting)
      await opened
      const response = await route.fetch()
      counting -= 1
      await route.fulfill({ response })
    })
    await visit(page, address('/segments'))
    await expect.poll(() => page.getByText('7 customers').count()).toBe(9)
    await expect.poll(() => counting).toBe(3)
    open()
    await expect.poll(() => page.getByText('No customers').count()).toBe(9)
    expect(most).toBe(3)
    await page.unroute(single)
    await sql.query(`update audience_segment set count = null, counted_at = null where workspace_id = $1`, [
      ann.workspaceId,
    ])
    await page.route(single, refuse)
    await visit(page, address('/segments'))
    await expect.poll(() => page.getByText(words.segments.notCounted).count()).toBe(9)
    if (long) await expectSound(page, 'audience-not-counted')
    await page.unroute(single)
    await page.getByRole('button', { name: states.retry }).first().click()
    await page.getByText('No customers').waitFor()
    expect(faults).toEqual([])
  })

  test.each(WAYS)('names in sentences are isolated from the text direction ($language)', ({ words }) => {
    expect(JSON.stringify(words.audience).match(/(?<!\u2068)\{(name|other|account)\}/g)).toBeNull()
  })

  test.runIf(long).each(WAYS)('segments are described in a sentence and counted ($language)', async (way) => {
    const { audience: words, common } = way.words
    const text = words.segments
    const own = [ann.workspaceId]
    await sql.query(
      `update audience_node set tags = '{VIP}', language = 'de' where workspace_id = $1 and erased_at is null`,
      own,
    )
    await sql.query('delete from audience_segment where workspace_id = $1', own)
    const { page, faults } = await at(way)
    await visit(page, address('/segments'))
    await page.getByText(text.noneBody).waitFor()
    await expectSound(page, `audience-no-segments-${way.language}`)
    await page.getByRole('button', { name: text.new }).click()
    const form = page.getByRole('dialog')
    // The initial condition matches both customers.
    const found = form.getByRole('status').getByText('2').or(form.getByText(/عميلان/)).first()
    await found.waitFor()
    await form.getByRole('button', { name: common.save }).click()
    await form.getByText(text.nameMissing).waitFor()
    await form.getByLabel(text.name, { exact: true }).fill('VIP')
    await pick(form.getByLabel(text.field), text.fields.tag)
    await form.getByLabel(text.value).fill('vip')
    await form.getByRole('button', { name: text.addGroup }).click()
    const inner = form.getByRole('group').last()
    await inner.getByLabel(text.value).fill('99')
    await found.waitFor({ state: 'detached' })
    await inner.getByLabel(text.value).fill('1')
    await found.waitFor()
    await expectSound(page, `audience-segment-form-${way.language}`)
    await form.getByRole('button', { name: common.save }).click()
    await form.waitFor({ state: 'detached' })
    const row = page.getByRole('listitem').filter({ hasText: 'VIP' }).first()
    await row.getByText(/vip/).waitFor()
    await page.getByText(text.countedAt.split('{')[0]!.trim()).first().waitFor()
    await expectSound(page, `audience-segments-${way.language}`)
    await row.getByRole('link').click()
    await page.getByRole('link', { name: words.all }).waitFor()
    await expectSound(page, `audience-segment-${way.language}`)
    const first = page.getByRole('list', { name: words.title, exact: true }).getByRole('link').first()
    await first.click()
    await page.getByText(words.scoreWhy).waitFor()
    await expectSound(page, `audience-customer-${way.language}`)
    expect(faults).toEqual([])
  })
})
