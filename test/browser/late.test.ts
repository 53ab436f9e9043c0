import { beforeAll, describe, expect, test } from 'vitest'
import type { ReviewLink } from '../../src/publishing/approvals/api.ts'
import type { Role } from '../../src/core/http/endpoint.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { asPerson, confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, openPage, type Theme, useBrowser, useTheme, expectSound } from './browser.ts'
import { signIn, visit } from './story.ts'

// A post that is approved after its time: the approver, the author and the client are told what happens next.

const LATER = '2099-05-05T09:00'
describe.skipIf(!hasBrowser)('a post approved after its time', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  let owner: Person
  let editor: Person
  let account: string

  beforeAll(async () => {
    owner = await newPerson(product.url, 'Hana')
    await confirmEmail(owner)
    account = (await connectPages(owner))[0]!.id
    editor = await join_('Emil', 'EDITOR')
    await owner.must('PATCH', `/api/v1/workspaces/${owner.workspaceId}`, { approvalMode: 'required' })
  })

  async function join_(name: string, role: Role): Promise<Person> {
    const { session } = await newPerson(product.url, name)
    const person = asPerson(product.url, session, owner.workspaceId)
    await confirmEmail(person)
    await sql.query('insert into member (workspace_id, user_id, role) values ($1, $2, $3)', [
      owner.workspaceId,
      session.user.id,
      role,
    ])
    return person
  }

  async function at(person: Person | null, width: number, theme: Theme = 'light') {
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 1000 } })
    await useTheme(context, theme)
    const opened = await openPage(context)
    if (person) await signIn(opened.page, person)
    return opened
  }

  const home = (path = '') => `${product.url}/app/w/${owner.workspaceId}${path}`
  const get = (id: string) => owner.must<Post>('GET', `/posts/${id}`)
  async function submittedTooEarly(caption: string): Promise<Post> {
    const post = await editor.must<Post>('POST', '/posts', {
      caption,
      targets: [account],
      action: 'submit',
      scheduledAt: `${LATER}:00Z`,
    })
    await sql.query(`update post set scheduled_at = app_now() - interval '1 hour' where id = $1`, [post.id])
    return post
  }

  test.runIf(long)('says so to its approver and to its author, who reschedules it', async () => {
    const { id } = await submittedTooEarly('Friday is over')
    const { page, faults } = await at(owner, 1440)
    await visit(page, home(`/approvals?id=${id}`))
    const open = page.getByRole('region', { name: en.approvals.opened })
    await open.getByText(/Once approved, the post stays a draft until someone chooses a new time/).waitFor()
    await open.getByRole('button', { name: en.approvals.approve, exact: true }).click()
    await page.getByText(en.approvals.approvedLate).waitFor()
    await expectSound(page, 'late-decided')
    await page.getByRole('button', { name: en.schedule.newTime }).click()
    await page.waitForURL(`**/posts/${id}`)
    await page.getByRole('status').filter({ hasText: 'its scheduled time has passed' }).waitFor()
    await page.getByText(/^Approved by/).waitFor()
    // It says so only once, without a second note that it is still a draft.
    await expect.poll(() => page.getByText(en.approvals.approvedStill).count()).toBe(0)
    await expectSound(page, 'late-post')

    // The author gets a notice that leads to the post, and the list says it too.
    const desk = await at(editor, 1440)
    await desk.page.goto(`${product.url}/app/notifications`)
    await desk.page
      .getByRole('link', { name: /Hana.* approved .*Friday is over.*, but its scheduled time has passed/ })
      .click()
    await desk.page.waitForURL(`**/posts/${id}`)
    await desk.page.getByRole('button', { name: en.schedule.newTime }).waitFor()
    await visit(desk.page, home('/posts'))
    const row = desk.page.getByRole('listitem').filter({ hasText: 'Friday is over' })
    await row.getByText(en.posts.timePassed).waitFor()
    await row.getByRole('button', { name: en.schedule.newTime }).waitFor()
    await expectSound(desk.page, 'late-list')
    // It needs attention, and is counted there.
    await desk.page.getByRole('link', { name: `${en.posts.trouble} 1` }).click()
    const item = desk.page.getByRole('listitem').filter({ hasText: 'Friday is over' })
    await item.getByText(en.trouble.kinds.time_passed).waitFor()
    await item.getByRole('button', { name: en.schedule.newTime }).waitFor()
    await expectSound(desk.page, 'late-trouble')
    await visit(desk.page, home('/posts'))
    await row.getByRole('button', { name: en.schedule.newTime }).click()
    const dialog = desk.page.getByRole('dialog', { name: en.schedule.newTime })
    await dialog.getByLabel(en.schedule.when).fill(LATER)
    await expectSound(desk.page, 'late-dialog')
    await dialog.getByRole('button', { name: en.schedule.schedule, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await row.getByText(en.posts.timePassed).waitFor({ state: 'detached' })
    expect(await get(id)).toMatchObject({ status: 'SCHEDULED', approved: true, checks: [] })
    // The other screen is updated.
    await page.getByText('Approved, but its scheduled time has passed.', { exact: true }).waitFor({ state: 'detached' })
    expect([...faults, ...desk.faults]).toEqual([])
  })

  test.runIf(long)(
    'is rescheduled on its own page, on a phone in Arabic; of posts approved together, only the late one says so',
    async () => {
      const late = await submittedTooEarly('فات الموعد')
      const intime = await editor.must<Post>('POST', '/posts', {
        caption: 'In time',
        targets: [account],
        action: 'submit',
        scheduledAt: `${LATER}:00Z`,
      })
      await owner.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const { page, faults } = await at(owner, 390, 'dark')
      await visit(page, home('/approvals'))
      await page.getByLabel(ar.bulk.selectAll).check()
      await page.getByRole('button', { name: ar.approvals.approveMany.split('{')[0] ?? '' }).click()
      // The approved posts leave the queue, but their results stay visible.
      await page.getByText(ar.approvals.nothingWaits).waitFor()
      const results = page.getByRole('status').getByRole('listitem')
      await results.filter({ hasText: late.caption }).getByText(ar.approvals.approvedLate).waitFor()
      await results
        .filter({ hasText: intime.caption })
        .getByText(ar.approvals.states.APPROVED, { exact: true })
        .waitFor()
      await expectSound(page, 'late-bulk-ar')
      await visit(page, home('/posts'))
      await page.getByText(ar.posts.timePassed).waitFor()
      await page.getByRole('button', { name: ar.schedule.newTime }).waitFor()
      await expectSound(page, 'late-list-ar')
      await visit(page, home('/trouble'))
      await page.getByText(ar.trouble.kinds.time_passed).first().waitFor()
      await page.getByRole('button', { name: ar.schedule.newTime }).waitFor()
      await expectSound(page, 'late-trouble-ar')
      await visit(page, home(`/posts/${late.id}`))
      await page.getByRole('button', { name: ar.schedule.newTime }).click()
      const dialog = page.getByRole('dialog', { name: ar.schedule.newTime })
      await dialog.getByLabel(ar.schedule.when).fill(LATER)
      await expectSound(page, 'late-dialog-ar')
      await dialog.getByRole('button', { name: ar.schedule.schedule, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: ar.schedule.newTime }).waitFor({ state: 'detached' })
      expect(await get(late.id)).toMatchObject({ status: 'SCHEDULED', checks: [] })
      await owner.must('PATCH', '/api/v1/auth/me', { language: 'en' })
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)(
    'tells a client that the team will reschedule it, and a VIEWER sees it without a button',
    async () => {
      const { id } = await submittedTooEarly('By the link')
      const { url } = await owner.must<ReviewLink>('POST', `/posts/${id}/review-links`, { name: 'Nadia' })
      const { page, faults } = await at(null, 390, 'dark')
      await page.goto(url ?? '')
      await page.getByRole('button', { name: en.approvals.approve, exact: true }).click()
      await page.getByText(en.approvals.review.isApprovedLate).waitFor()
      await expectSound(page, 'late-review')
      const viewer = await at(await join_('Vic', 'VIEWER'), 1440)
      await visit(viewer.page, home(`/posts/${id}`))
      await viewer.page.getByRole('status').filter({ hasText: 'its scheduled time has passed' }).waitFor()
      expect(await viewer.page.getByRole('button', { name: en.schedule.newTime }).count()).toBe(0)
      await expectSound(viewer.page, 'late-viewer')
      expect([...faults, ...viewer.faults]).toEqual([])
    },
  )
})
