import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { MediaFile } from '../../src/publishing/media/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { sized } from '../tier.ts'
import {
  confirmEmail,
  connectPages,
  eventually,
  mailTo,
  newPerson,
  type Person,
  picture,
  uploadPicture,
} from '../world.ts'
import { hasBrowser, useBrowser, openPage } from './browser.ts'
import { signIn, visit } from './story.ts'

// User text stays text wherever it is shown: payloads in every kind of name, and none of them runs.

/** Each of them would call `hit`. Most also fit into the 100 characters of a name. */
const ALL = [
  '<script>hit(1)</script>',
  '<img src=x onerror=hit(2)>',
  '<svg onload=hit(3)>',
  '"><script>hit(4)</script>',
  "'><img src=x onerror='hit(5)'>",
  '<iframe srcdoc="<script>parent.hit(6)</script>"></iframe>',
  '<a href="javascript:hit(7)">press</a>',
  'javascript:hit(8)',
  '<body onload=hit(9)>',
  '<input autofocus onfocus=hit(10)>',
  '<details open ontoggle=hit(11)>',
  '<math><mtext><img src=x onerror=hit(12)></mtext></math>',
  '</title><script>hit(13)</script>',
  '</textarea><script>hit(14)</script>',
  '<style>@import "javascript:hit(15)"</style>',
  '{{constructor.constructor("hit(16)")()}}',
  '${hit(17)}',
  '<b>{name}</b><img src=x onerror=hit(18)>',
  '<scr<script>ipt>hit(19)</scr</script>ipt>',
  '\u202e<img/src=x/onerror=hit(20)>',
]
/**
 * A usual run takes one of each kind: an element, a handler, the end of an attribute, a document of its own, a link, the
 * end of a field, a template, and a direction mark.
 */
const PAYLOADS = sized(
  [0, 1, 2, 3, 4, 5, 6, 13, 15, 19].map((index) => ALL[index]!),
  ALL,
)

describe.skipIf(!hasBrowser)('markup in names', () => {
  const { product, sql } = useProduct({ env: FAST })
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  const hits: string[] = []
  const dialogs: string[] = []

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await confirmEmail(hana)
    const [account] = (await connectPages(hana)) as [SocialAccount]
    const file = await uploadPicture(hana, await picture())
    for (const [index, text] of PAYLOADS.entries()) {
      const named = await hana.must<MediaFile>('PATCH', `/media/${file.id}`, {
        fileName: text,
        altText: text,
        tags: [text.slice(0, 50)],
      })
      expect(named.fileName).toBe(text)
      await hana.must<Post>('POST', '/posts', {
        caption: text,
        cta: text,
        hashtags: [text],
        captionOverrides: { NET_PAGE: text },
        targets: [account.id],
        media: [file.id],
        // Within the month that the calendar shows.
        scheduledAt: new Date(Date.now() + (index + 2) * 60_000).toISOString(),
      })
      const guest = await newPerson(product.url, 'Guest')
      await guest.must('PATCH', '/api/v1/auth/me', { name: text })
      await guest.must('PATCH', `/workspaces/${guest.workspaceId}`, { name: text })
      // Each person joins the other's workspace.
      await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR'), ($3, $4, 'ADMIN')`, [
        hana.workspaceId,
        guest.session.user.id,
        guest.workspaceId,
        hana.session.user.id,
      ])
    }
    const all = PAYLOADS.join(' ')
    await sql.query('update social_account set name = $1, username = $1 where workspace_id = $2', [
      all,
      hana.workspaceId,
    ])
    await hana.must('PATCH', `/workspaces/${hana.workspaceId}`, {
      name: PAYLOADS[1],
      publishing: { paused: true, reason: PAYLOADS[2] },
    })
    await hana.must('PATCH', '/api/v1/auth/me', { name: PAYLOADS[4] })

    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' })
    await context.exposeFunction('hit', (which: unknown) => void hits.push(String(which)))
    ;({ page, faults } = await openPage(context))
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await signIn(page, hana)
  })

  /** Waits for markup that would run immediately, and expects no link that would run when clicked. */
  async function settle() {
    // A broken picture added last: when its error event fires, the events of earlier pictures have fired too.
    await page.evaluate(
      () =>
        new Promise((done) => {
          const last = new Image()
          last.addEventListener('error', done)
          last.src = '/app/no-such-picture'
        }),
    )
    expect(await page.locator('a[href^="javascript:" i], iframe, [onerror], [onload], [onfocus]').count()).toBe(0)
  }

  test('runs on no screen', async () => {
    const { data: posts } = await hana.must<{ data: Post[] }>('GET', '/posts')
    const ws = `${product.url}/app/w/${hana.workspaceId}`
    const screens = [
      `${ws}/calendar`,
      `${ws}/posts`,
      `${ws}/accounts`,
      `${ws}/settings`,
      `${ws}/settings/members`,
      `${product.url}/app/me`,
      ...posts.slice(0, PAYLOADS.length).map(({ id }) => `${ws}/posts/${id}`),
    ]
    let shown = ''
    for (const screen of screens) {
      await visit(page, screen)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await settle()
      shown += await page.locator('body').innerText()
      shown += (
        await page.locator('input, textarea').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
      ).join('\n')
    }
    // The payloads were visible, as plain text.
    for (const text of PAYLOADS) expect(shown, text).toContain(text.replace('\u202e', ''))
    expect(hits).toEqual([])
    expect(dialogs).toEqual([])
    expect(faults).toEqual([])
  })

  test('runs in no mail and on no page of the sandbox', async () => {
    await hana.must('POST', `/workspaces/${hana.workspaceId}/members`, { email: 'guest@example.test', role: 'VIEWER' })
    await eventually(async () => (await mailTo(product.url, 'guest@example.test')).length > 0)
    for (const path of ['/sandbox', '/sandbox/mail']) {
      await page.goto(product.url + path)
      await settle()
    }
    expect(hits).toEqual([])
  })

  test('would be noticed if it ran', async () => {
    await page.goto(`${product.url}/app`)
    await page.evaluate(() => (window as unknown as { hit(which: number): Promise<void> }).hit(0))
    expect(hits).toEqual(['0'])
  })
})
