import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { LANGUAGES } from '../../web/languages.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { openInbox, threadOf } from '../inbox.ts'
import { connect, connectPages, newPerson, type Person, untilStatus, uploadPicture } from '../world.ts'
import {
  hasBrowser,
  openPage,
  overflows,
  smallTargets,
  still,
  type Theme,
  useBrowser,
  violations,
  watchAnswers,
} from './browser.ts'
import { choose, openReviewLinks, openSettings, pick, picture, signIn, takeWay, visit } from './story.ts'

const THEMES: Theme[] = ['light', 'dark']

interface Reader {
  language: 'en' | 'ar'
  words: typeof en
  theme: Theme
  widths: readonly number[]
}
const READERS: readonly [Reader, Reader] = [
  { language: 'en', words: en, theme: 'light', widths: long ? [1440, 390, 320] : [1440] },
  { language: 'ar', words: ar, theme: 'dark', widths: long ? [320, 390, 1440] : [320] },
]

/**
 * States of screens that differ from the usual state by a message or a choice. A usual run reads them in English.
 */
const STATES = new Set([
  'the calendar as a grid',
  'a week with a missing hour',
  'a calendar without a match',
  'an empty month',
  'moving several posts',
  'posts without a match',
  'a refused connection',
  'choosing a time',
  'an inbox without a match',
  'an audience without a match',
  'approvals without a match',
  'the audit log without a match',
  'a request that is open',
  'asking for changes',
  'an unknown review link',
  'a report by an unknown link',
  'an unknown invitation',
  'an unknown post',
  'a password link that was sent',
  'a link that no longer works',
])

/**
 * Examines every screen in both languages: with axe, for overflow, and for the size of its targets. One reader opens a
 * screen, which then changes to the language and the theme of the other. A usual run examines one width and theme per reader,
 * because colours hardly depend on language or width. A long run examines all of them.
 */
describe.skipIf(!hasBrowser)('every screen is accessible', () => {
  const { product, sandbox } = useProduct()
  const browser = useBrowser()
  let omar: Person
  let ws: string
  let live: string
  /** A post that waits for approval. `review` is the link to one that waits for a client. */
  let waiting: string
  let review: string
  let draft: string
  let thread: string

  beforeAll(async () => {
    omar = await newPerson(product.url, 'Omar')
    await omar.must('POST', '/api/v1/auth/onboarding', {})
    ws = omar.workspaceId
    const targets = [(await connectPages(omar))[0]!.id]
    await connect(omar, 'NET_VIDEO', 'u1')
    const inbox = await openInbox(omar, sandbox.url, 'u1')
    const words = 'هل تشحنون إلى الأردن؟ · Averyverylongwordwithoutanyspaceinitatallisfine'
    await inbox.play({ kind: 'comment', postId: inbox.postId, from: { name: 'Noor' }, text: words })
    thread = (await threadOf(omar, 'Noor')).id
    await omar.must('POST', `/conversations/${thread}/messages`, { text: words })
    await omar.must('POST', `/conversations/${thread}/notes`, { text: words })
    await omar.must('POST', `/conversations/${thread}/escalate`, {})
    const post = (caption: string, more: object) => omar.must<Post>('POST', '/posts', { caption, targets, ...more })
    const long = 'قهوة الخريف وصلت إلى المقهى · Averyverylongwordwithoutanyspaceinitatallisfine'
    const { id } = await post(long, {
      media: [(await uploadPicture(omar)).id],
      action: 'publish',
    })
    await untilStatus(omar, id, ['PUBLISHED'])
    live = `/app/w/${ws}/posts/${id}`
    await post('Planned for tomorrow', {
      scheduledAt: `${tomorrow()}T16:00:00Z`,
      action: 'schedule',
    })
    const submit = { action: 'submit', scheduledAt: '2099-05-05T09:00:00Z' }
    waiting = (await post('This waits for approval', { ...submit, client: false })).id
    draft = (await post('This can be submitted', {})).id
    const forClient = await post('This waits for a client', {
      ...submit,
      client: true,
    })
    const link = await omar.must<{ url: string }>('POST', `/posts/${forClient.id}/review-links`, {
      name: 'Nadia',
      days: 14,
    })
    review = new URL(link.url).pathname
  })

  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

  /** Begins a post. The composer stores unsaved text in this browser. */
  async function begin(page: Page) {
    await page.goto(`${product.url}/app/w/${ws}/compose`)
    await choose(page)
    await page.getByLabel(en.composer.text, { exact: true }).fill('A draft with a picture')
    await page.locator('input[type=file]').setInputFiles({
      name: 'b.png',
      mimeType: 'image/png',
      buffer: await picture(400, 600),
    })
    await page.getByText(en.composer.ready).waitFor()
  }

  /** The reader of the screens so far. */
  let present: Reader | undefined

  /** Changes the language and the theme of an open screen, as the person or the system would. */
  async function readAs(page: Page, reader: Reader) {
    if (reader === present) return
    present = reader
    const { language, theme } = reader
    await changeTheme(page, theme)
    await omar.must('PATCH', '/api/v1/auth/me', { language })
    await page.evaluate(async (chosen) => {
      localStorage.setItem('parley.language', chosen)
      await window.__TSR_ROUTER__!.options.context.client.refetchQueries({ queryKey: ['me'] })
    }, language)
    const choice = page.getByRole('button', { name: LANGUAGES[language], exact: true })
    if ((await choice.count()) > 0) await choice.click()
    else if ((await page.getByRole('navigation').count()) === 0) await page.reload()
    await page.locator(`html[lang=${language}][dir=${language === 'ar' ? 'rtl' : 'ltr'}]`).waitFor()
  }

  const screens: [name: string, open: (page: Page, words: typeof en) => Promise<unknown>][] = [
    ['what today brings', (page) => visit(page, `/app/w/${ws}/today`)],
    ['the calendar', (page) => visit(page, `/app/w/${ws}/calendar`)],
    ['the calendar as a grid', (page) => visit(page, `/app/w/${ws}/calendar?view=month`)],
    ['the calendar as a week', (page) => visit(page, `/app/w/${ws}/calendar?view=week`)],
    ['a week with a missing hour', (page) => visit(page, `/app/w/${ws}/calendar?view=week&date=2027-03-28`)],
    ['a calendar without a match', (page) => visit(page, `/app/w/${ws}/calendar?q=nothing`)],
    [
      'moving a post',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/calendar?date=${tomorrow()}`)
        await page
          .getByRole('button', {
            name: words.calendar.moreFor.replace('{caption}', 'Planned for tomorrow'),
          })
          .click()
        await page.getByRole('menuitem', { name: words.calendar.moveTo }).click()
        await page.getByRole('dialog').waitFor()
      },
    ],
    ['an empty month', (page) => visit(page, `/app/w/${ws}/calendar?view=agenda&date=2020-01-01`)],
    ['the posts', (page) => visit(page, `/app/w/${ws}/posts`)],
    [
      'several posts at once',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/posts`)
        await page.getByLabel(words.bulk.selectAll).check()
        await page.getByRole('button', { name: words.bulk.cancel }).click()
        await page.getByRole('alert').waitFor()
        await page.getByRole('button', { name: words.bulk.undo }).click()
        await page.getByText(/restored|استُعيد/).waitFor()
      },
    ],
    [
      'moving several posts',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/posts`)
        await page.getByLabel(words.bulk.selectAll).check()
        await page.getByRole('button', { name: words.bulk.move }).click()
        await page.getByRole('dialog').waitFor()
      },
    ],
    ['posts without a match', (page) => visit(page, `/app/w/${ws}/posts?status=FAILED`)],
    ['posts that need attention', (page) => visit(page, `/app/w/${ws}/trouble`)],
    ['importing posts', (page) => visit(page, `/app/w/${ws}/posts/import`)],
    ['the accounts', (page) => visit(page, `/app/w/${ws}/accounts`)],
    ['the library of files', (page) => visit(page, `/app/w/${ws}/media`)],
    ['a refused connection', (page) => visit(page, `/app/w/${ws}/accounts?error=access_denied`)],
    ['the composer', (page) => visit(page, `/app/w/${ws}/compose`)],
    [
      'the composer with options from the assistant',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/compose`)
        await page.getByRole('button', { name: words.composer.assist }).click()
        await page.getByRole('tab', { name: words.assistant.modes.write, exact: true }).click()
        await page.getByLabel(words.assistant.topic).fill('Averylongwordwithoutanyspaceinitatallisfine · قهوة الخريف')
        await page.getByText(words.ai.moreWishes).click()
        await page.getByRole('button', { name: words.assistant.write, exact: true }).click()
        await page.getByRole('button', { name: words.assistant.use, exact: true }).first().waitFor()
      },
    ],
    ['ideas', (page) => visit(page, `/app/w/${ws}/ideas`)],
    ['the voices of the brand', (page) => visit(page, `/app/w/${ws}/settings/voices`)],
    [
      'a new voice of the brand',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/settings/voices?voice=new`)
        await page
          .getByRole('textbox', { name: words.voices.tone })
          .fill('warm, averylongwordwithoutanyspaceinitatallis,')
        await page.getByRole('button', { name: words.voices.addSample, exact: true }).click()
      },
    ],
    [
      'the log of AI calls',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/settings/ai`)
        await page.getByRole('button', { name: words.aiHistory.open, exact: true }).first().click()
      },
    ],
    [
      'choosing a time',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/compose`)
        await page.getByRole('button', { name: words.composer.schedule, exact: true }).click()
        await page.getByRole('dialog').waitFor()
      },
    ],
    [
      'the composer with the settings of a network',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/compose`)
        await choose(page, 'TikTok', words.composer.postTo)
        await openSettings(page, 'TikTok', words)
        await page.getByText(words.options.consent.replace('{network}', 'TikTok')).waitFor()
        const settings = page.getByRole('region', { name: words.options.title.replace('{network}', 'TikTok') })
        await settings.getByText('Alex Example').waitFor()
      },
    ],
    ['a post that is live', (page) => visit(page, live)],
    [
      'an open menu',
      async (page, words) => {
        await visit(page, live)
        await page.getByRole('button', { name: words.post.more, exact: true }).click()
        await page.getByRole('menu', { name: words.post.more }).waitFor()
      },
    ],
    ['the inbox', (page) => visit(page, `/app/w/${ws}/inbox?filter=all`)],
    ['an inbox without a match', (page) => visit(page, `/app/w/${ws}/inbox?q=nothing`)],
    ['a conversation', (page) => visit(page, `/app/w/${ws}/inbox?filter=all&id=${thread}`)],
    ['a customer', (page) => visit(page, `/app/w/${ws}/inbox?filter=all&id=${thread}&about=true`)],
    ['the audience', (page) => visit(page, `/app/w/${ws}/audience`)],
    ['an audience without a match', (page) => visit(page, `/app/w/${ws}/audience?text=nobody`)],
    [
      'a customer with all that is known',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/audience`)
        await page.getByRole('list', { name: words.audience.title, exact: true }).getByRole('link').first().click()
        await page.getByText(words.audience.scoreWhy).waitFor()
      },
    ],
    ['approvals', (page) => visit(page, `/app/w/${ws}/approvals`)],
    [
      'a request that is open',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/approvals?id=${waiting}`)
        await page.getByRole('button', { name: words.approvals.approve, exact: true }).waitFor()
      },
    ],
    ['approvals without a match', (page) => visit(page, `/app/w/${ws}/approvals?state=REJECTED`)],
    [
      'asking for changes',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/posts/${waiting}`)
        await page.getByRole('button', { name: words.approvals.reject }).click()
        await page.getByRole('dialog').waitFor()
      },
    ],
    [
      'comments and versions',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/posts/${waiting}`)
        await page.getByRole('button', { name: words.composer.panels.versions }).click()
        await page.getByText(words.approvals.firstVersion).waitFor()
      },
    ],
    [
      'review links',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/posts/${waiting}`)
        await openReviewLinks(page, words)
        await page.getByLabel(words.approvals.links.name).waitFor()
      },
    ],
    [
      'submitting a post',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/posts/${draft}`)
        await takeWay(page, words.approvals.submit, words)
        await page.getByRole('dialog').getByLabel(words.approvals.clientToo).waitFor()
      },
    ],
    ['a post by a link', (page) => visit(page, review)],
    ['an unknown review link', (page) => visit(page, `/app/review/some-token`)],
    [
      'analytics',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/analytics`)
        await page
          .getByRole('navigation', { name: words.analytics.views })
          .or(page.getByLabel(words.analytics.views))
          .first()
          .waitFor()
      },
    ],
    ['competitors', (page) => visit(page, `/app/w/${ws}/competitors`)],
    ['reports', (page) => visit(page, `/app/w/${ws}/analytics/reports`)],
    ['a report by an unknown link', (page) => visit(page, `/app/reports/some-token`)],
    ['tests of posts', (page) => visit(page, `/app/w/${ws}/ab-tests`)],
    ['the settings', (page) => visit(page, `/app/w/${ws}/settings`)],
    ['the queue', (page) => visit(page, `/app/w/${ws}/settings/queue`)],
    ['the labels', (page) => visit(page, `/app/w/${ws}/settings/labels`)],
    ['the saved replies', (page) => visit(page, `/app/w/${ws}/settings/replies`)],
    ['the bot', (page) => visit(page, `/app/w/${ws}/settings/bot`)],
    ['the reply experiments', (page) => visit(page, `/app/w/${ws}/settings/experiments`)],
    ['drafts to review', (page) => visit(page, `/app/w/${ws}/inbox/review`)],
    ['sent replies to check', (page) => visit(page, `/app/w/${ws}/inbox/sent`)],
    ['the escalation rules', (page) => visit(page, `/app/w/${ws}/settings/rules`)],
    ['the members', (page) => visit(page, `/app/w/${ws}/settings/members`)],
    ['plan and usage', (page) => visit(page, `/app/w/${ws}/settings/plan`)],
    ['the audit log', (page) => visit(page, `/app/w/${ws}/settings/audit`)],
    [
      'the audit log without a match',
      async (page, words) => {
        await visit(page, `/app/w/${ws}/settings/audit`)
        await pick(page.getByLabel(words.audit.what, { exact: true }), words.audit.groups.subscription)
        await page.getByText(words.audit.noneMatch).waitFor()
      },
    ],
    ['an unknown invitation', (page) => visit(page, `/app/invite/some-token`)],
    ['the profile', (page) => visit(page, `/app/me`)],
    ['the notifications', (page) => visit(page, `/app/notifications`)],
    ['an unknown post', (page) => visit(page, `/app/w/${ws}/posts/nothing`)],
    [
      'another workspace',
      async (page, words) => {
        await visit(page, `/app/me`)
        await page
          .getByRole('button', {
            name: new RegExp(`^${words.shell.switchWorkspace}`),
          })
          .filter({ visible: true })
          .click()
        await page.getByRole('menuitem', { name: words.shell.newWorkspace }).click()
        await page.getByRole('dialog').getByLabel(words.settings.name).waitFor()
      },
    ],
    ['onboarding', (page) => visit(page, `/app/onboarding`)],
    ['a forgotten password', (page) => visit(page, `/app/forgot`)],
    [
      'a password link that was sent',
      async (page, words) => {
        await visit(page, `/app/forgot`)
        await page.getByLabel(words.auth.email).fill(`averylongaddresswithoutanyspaceinit-${Math.random()}@example.com`)
        await page.getByRole('button', { name: words.auth.forgotSubmit }).click()
        await page.getByRole('heading', { name: words.auth.forgotSent }).waitFor()
      },
    ],
    ['a new password', (page) => visit(page, `/app/reset/some-token`)],
    ['undoing a change', (page) => visit(page, `/app/undo/some-token`)],
    [
      'a link that no longer works',
      async (page, words) => {
        await visit(page, `/app/reset/some-token`)
        await page.getByLabel(words.auth.newPassword, { exact: true }).fill('a meadow after the rain')
        await page.getByRole('button', { name: words.auth.resetSubmit }).click()
        await page.getByRole('heading', { name: words.auth.linkExpired }).waitFor()
      },
    ],
    [
      'signing in and up',
      async (page) => {
        await page.context().clearCookies()
        await page.goto(`${product.url}/app/register`)
      },
    ],
    ['signing in', (page) => page.goto(`${product.url}/app/login`)],
  ]

  test('in both languages and themes', { timeout: 1_200_000 }, async () => {
    const context = await browser.newContext({
      viewport: sized(1440),
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    const { page, faults } = await openPage(context)
    await signIn(page, omar)
    await begin(page)
    const answered = watchAnswers(page)
    const settled = async () => {
      await page.locator('h1').first().waitFor()
      await page.waitForFunction(() => document.querySelector('.skeleton') === null)
      await answered()
    }
    const wrong: string[] = []
    let opened = ''
    const look = async (at: string, wide: number, looked: readonly Theme[]) => {
      await page.setViewportSize(sized(wide))
      await settled().catch((error: unknown) => wrong.push(`${at}: ${String(error).slice(0, 200)}`))
      for (const theme of looked) {
        await changeTheme(page, theme)
        for (const found of await violations(page)) wrong.push(`${at}, ${theme}: ${found}`)
      }
      // A dialog may animate differently at another width.
      await still(page)
      for (const found of await overflows(page)) wrong.push(`${at}: ${found}`)
      for (const found of await smallTargets(page, wide < 600 ? 44 : 24)) wrong.push(`${at}: too small ${found}`)
    }
    for (const [name, open] of screens) {
      // The reader of the last screen opens the next one.
      const readers = present === READERS[1] ? READERS.toReversed() : READERS
      const brief = !long && STATES.has(name)
      for (const reader of brief ? [READERS[0]] : readers) {
        await readAs(page, reader)
        if (name !== opened) {
          opened = name
          await page.setViewportSize(sized(reader.widths[0]!))
          await open(page, reader.words).catch(async (error: unknown) => {
            const shown = (await page.locator('body').innerText()).slice(0, 1_000)
            throw new Error(`${name} (${reader.language}) did not open. The page shows: ${shown}`, { cause: error })
          })
        }
        for (const wide of reader.widths)
          await look(`${name} (${reader.language}) at ${wide} px`, wide, long ? THEMES : [reader.theme])
      }
    }
    await context.close()
    expect(wrong).toEqual([])
    expect(faults).toEqual([])
  })
})

/** The phone is high enough for a whole screen, so that the bar at its bottom covers nothing. */
const sized = (width: number) => ({ width, height: width > 600 ? 900 : 2400 })

/** Sets the theme of the system and waits until every colour has changed. */
async function changeTheme(page: Page, theme: Theme) {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
  await still(page)
}
