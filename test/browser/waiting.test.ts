import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { wallTime } from '../../web/time.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import {
  addFault,
  asPerson,
  call,
  confirmEmail,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  untilStatus,
  uploadPicture,
  ZONE,
} from '../world.ts'
import { hasBrowser, openPage, type Theme, useBrowser, useTheme, expectSound, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

// A target that waits after a transient failure: when its next try is, and what a person can do until then.

describe.skipIf(!hasBrowser)('a post that waits for its next try', () => {
  const { product, sandbox, sql } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let account: SocialAccount
  let picture: string

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Hana')
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    account = (await connectPages(ann, 'u6107'))[0]!
    picture = (await uploadPicture(ann)).id
  })

  beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

  const windows = new Map<string, { page: Page; faults: string[] }>()
  /** Returns the page of a person, which stays open across the tests. */
  async function at(person: Person, width: number, theme: Theme = 'light') {
    const name = [person.session.user.id, width, theme].join(' ')
    const open = windows.get(name)
    if (open) return open
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const opened = await openPage(context)
    windows.set(name, opened)
    await signIn(opened.page, person)
    return opened
  }

  /** Publishes a post that waits after its first failure: the network is down, and the next try is an hour away. */
  async function waiting(caption: string): Promise<Post> {
    await addFault(sandbox.url, { match: { path: '/photos' }, do: { status: 503, body: 'down' } })
    const post = await ann.must<Post>('POST', '/posts', {
      caption,
      media: [picture],
      targets: [account.id],
      action: 'publish',
    })
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `update publication set next_at = app_now() + interval '1 hour' where post_id = $1 and state = 'PENDING'
         and wait_reason = 'backoff' and lease_until is null and turn is null and next_at is not null returning id`,
        [post.id],
      )
      return rowCount === 1
    })
    return post
  }

  const pageOf = ({ id }: Post) => `${product.url}/app/w/${ann.workspaceId}/posts/${id}`
  const live = async () => ((await liveOn(sandbox.url)).get(account.externalId) ?? []).map(({ message }) => message)

  test('shows the time of the next try; once the network is back, "Retry now" sends it at once', async () => {
    const post = await waiting('Sent by hand')
    const { page, faults } = await at(ann, 1440)
    await visit(page, pageOf(post))
    await page.getByText(/Next attempt: /).waitFor()
    await page.getByRole('button', { name: en.post.stop, exact: true }).waitFor()
    // Next to the Stop button, the page must not say that nothing can be stopped.
    await page.getByText(en.post.underWayWaits).waitFor()
    await expectSound(page, 'waiting')
    await call(sandbox.url, 'DELETE', '/faults')
    await page.getByRole('button', { name: en.post.retryNow }).click()
    await page.getByText(en.post.retryingNow).waitFor()
    await page.getByRole('link', { name: /View on Facebook Page/ }).waitFor({ timeout: 20_000 })
    expect(await page.getByRole('button', { name: en.post.retryNow }).count()).toBe(0)
    expect(await live()).toEqual(['Sent by hand'])
    expect(faults).toEqual([])
  })

  test.runIf(long)('is ended by "Stop", says so, and can be retried (phone, Arabic)', async () => {
    const post = await waiting('أُوقف باليد')
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const { page, faults } = await at(ann, 390, 'dark')
    await visit(page, pageOf(post))
    await page.getByRole('button', { name: ar.post.retryNow }).waitFor()
    await expectSound(page, 'waiting-ar')
    await page.getByRole('button', { name: ar.post.stop, exact: true }).click()
    await page.getByRole('status').filter({ hasText: ar.post.states.STOPPED }).last().waitFor()
    // A person's own stop is described in their language only, and nothing in the post needs a fix.
    expect(await page.getByText('A team member stopped the post').count()).toBe(0)
    const edits = page.getByRole('button', { name: ar.post.fix.split('{')[0] })
    expect(await edits.count()).toBe(0)
    await expectSound(page, 'stopped-ar')
    await page.getByText(ar.post.stoppedBy.replace('{name}', '\u2068Hana\u2069')).waitFor()
    expect((await ann.must<Post>('GET', `/posts/${post.id}`)).status).toBe('FAILED')
    await call(sandbox.url, 'DELETE', '/faults')
    await page.getByRole('button', { name: ar.post.retry, exact: true }).click()
    await untilStatus(ann, post.id, ['PUBLISHED'])
    expect(await live()).toContain(post.caption)
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    expect(faults).toEqual([])
  })

  test.runIf(long).each(WAYS)(
    'is shown everywhere as stopped by a colleague, with their name ($language)',
    async ({ width, theme, language, words }) => {
      const noor = await newPerson(product.url, 'Noor')
      await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'ADMIN')`, [
        ann.workspaceId,
        noor.session.user.id,
      ])
      const post = await waiting(`Held back ${language}`)
      const colleague = asPerson(product.url, noor.session, ann.workspaceId)
      await colleague.must('POST', `/posts/${post.id}/publications/${post.publications[0]?.id}/stop`)
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      const { page, faults } = await at(ann, width, theme)
      const name = '\u2068Noor\u2069'
      const go = (path: string) => visit(page, `${product.url}/app/w/${ann.workspaceId}/${path}`)

      await go(`posts?q=${encodeURIComponent(post.caption)}`)
      const row = page.getByRole('listitem').filter({ hasText: post.caption })
      await row.getByText(words.status.STOPPED, { exact: true }).filter({ visible: true }).waitFor()
      expect(await row.getByText(words.status.FAILED, { exact: true }).count()).toBe(0)
      await expectSound(page, `stopped-list-${language}`)
      const { happensAt } = await ann.must<Post>('GET', `/posts/${post.id}`)
      await go(`calendar?view=agenda&date=${wallTime(new Date(happensAt), ZONE).slice(0, 10)}`)
      await row.getByText(words.status.STOPPED, { exact: true }).waitFor()
      await go(`posts/${post.id}`)
      await page.getByText(words.post.stoppedBy.replace('{name}', name)).waitFor()
      await expectSound(page, `stopped-post-${language}`)
      await go('settings/audit')
      const line = page.getByRole('listitem').filter({ hasText: post.caption }).first()
      await line.getByText(words.audit.actions.publication.stopped).waitFor()
      await line.getByText('Noor').waitFor()
      await line.getByText(`${account.name} · Facebook Page`).waitFor()
      expect(await page.getByText(words.audit.actions.publication.failed).count()).toBe(0)
      await expectSound(page, `stopped-audit-${language}`)
      await visit(page, '/app/notifications')
      const [before, after] = words.notices.says.post_stopped.replace('{by}', name).split('{post}')
      const notice = page.getByRole('listitem').filter({ hasText: post.caption }).first()
      expect((await notice.textContent()) ?? '').toContain(before)
      expect((await notice.textContent()) ?? '').toContain(after)
      await expectSound(page, `stopped-notice-${language}`)
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('shows a VIEWER the time of the next try, without buttons', async () => {
    const post = await waiting('Looked at')
    const { session } = await newPerson(product.url, 'Vic')
    const viewer = asPerson(product.url, session, ann.workspaceId)
    await confirmEmail(viewer)
    await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'VIEWER')`, [
      ann.workspaceId,
      session.user.id,
    ])
    const { page, faults } = await at(viewer, 1440)
    await visit(page, pageOf(post))
    await page.getByText(/Next attempt: /).waitFor()
    for (const name of [en.post.retryNow, en.post.stop, en.post.retry])
      expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
    expect(faults).toEqual([])
  })

  test.runIf(long)('cannot be stopped while it is being sent, says so, and shows its present state', async () => {
    const post = await waiting('Too late')
    const { page } = await at(ann, 1440)
    await visit(page, pageOf(post))
    await page.getByRole('button', { name: en.post.stop, exact: true }).waitFor()
    // A worker claims it before this page is updated.
    await sql.query(
      `update publication set state = 'PREPARING', fence = fence + 1, wait_reason = null,
         lease_until = app_now() + interval '1 hour', next_at = app_now() + interval '1 hour' where post_id = $1`,
      [post.id],
    )
    await page.getByRole('button', { name: en.post.stop, exact: true }).click()
    await page.getByText(en.post.tooLate).waitFor()
    await page.getByRole('status').filter({ hasText: en.post.states.PREPARING }).waitFor()
    expect(await page.getByRole('button', { name: en.post.stop, exact: true }).count()).toBe(0)
    await expectSound(page, 'too-late')
  })
})
