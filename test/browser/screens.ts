import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
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
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { addressOf, choose, connect, PASSWORD, picture, publishNow, register } from './story.ts'

type Width = 1440 | 390 | 320
const THEMES: Theme[] = ['light', 'dark']

type Storage = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>

/**
 * Every screen in one language: by axe, without overflow, with targets that are large enough. It is opened at the first
 * width and its window changed to the others. Axe looks at the first width in `theme`, and in a long run at every width in
 * every theme: a colour is the same in either language, and at nearly every width.
 */
export function everyScreen(language: 'en' | 'ar', theme: Theme, widths: readonly Width[]) {
  const words: typeof en = { en, ar }[language]
  describe.skipIf(!hasBrowser)('every screen can be used by everybody', () => {
    const { product } = useProduct({ own: true })
    const browser = useBrowser()
    const email = addressOf('omar')
    let ws: string
    let live: string
    /** A post that waits for approval, and the link to it. */
    let waiting: string
    let review: string
    let draft: string
    let storage: Storage

    beforeAll(async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      ws = await register(page, product.url, email)
      await connect(page, product.url, ws)
      await connect(page, product.url, ws, 'TikTok')
      await page.goto(`${product.url}/app/w/${ws}/compose`)
      await choose(page)
      await page
        .getByLabel('Text', { exact: true })
        .fill('قهوة الخريف وصلت إلى المقهى · Averyverylongwordwithoutanyspaceinitatallisfine')
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: await picture(600, 400) })
      await page.getByText('Ready to go out').waitFor()
      await publishNow(page)
      await page.getByRole('link', { name: /View on Facebook Page/ }).waitFor()
      live = new URL(page.url()).pathname
      await page.goto(`${product.url}/app/w/${ws}/compose`)
      await choose(page)
      await page.getByLabel('Text', { exact: true }).fill('Planned for tomorrow')
      await page.getByRole('button', { name: 'Schedule', exact: true }).click()
      await page.getByRole('button', { name: /^Tomorrow (18|6):00/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }).click()
      await page.getByText('Show in the calendar').waitFor()
      await page.goto(`${product.url}/app/w/${ws}/compose`)
      await choose(page)
      await page.getByLabel('Text', { exact: true }).fill('A draft with a picture')
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: await picture(400, 600) })
      await page.getByText('Ready to go out').waitFor()
      const { accessToken } = await signIn(context)
      const headers = { authorization: `Bearer ${accessToken}`, 'x-workspace-id': ws }
      const listed = await context.request.get(`${product.url}/api/v1/social-accounts`, { headers })
      const { data: accounts } = (await listed.json()) as { data: { id: string; platform: string }[] }
      const targets = accounts.filter(({ platform }) => platform === 'NET_PAGE').map(({ id }) => id)
      const api = async (path: string, data: object) => {
        const answer = await context.request.post(`${product.url}/api/v1${path}`, { data, headers })
        expect(answer.status()).toBe(201)
        return (await answer.json()) as { id: string; url: string }
      }
      const scheduledAt = '2099-05-05T09:00:00Z'
      const submit = { targets, action: 'submit', scheduledAt }
      waiting = (await api('/posts', { caption: 'This waits for approval', ...submit, client: false })).id
      draft = (await api('/posts', { caption: 'This can be submitted', targets })).id
      const forClient = await api('/posts', { caption: 'This waits for a client', ...submit, client: true })
      review = (await api(`/posts/${forClient.id}/review-links`, { name: 'Nadia', days: 14 })).url
      // The texts that a browser keeps, without its session: each refresh replaces the token of the one before.
      storage = { ...(await context.storageState()), cookies: [] }
      await context.close()
    })

    async function signIn(context: BrowserContext): Promise<{ accessToken: string }> {
      const signedIn = await context.request.post(`${product.url}/api/v1/auth/login`, {
        data: { email, password: PASSWORD },
      })
      expect(signedIn.status()).toBe(200)
      return (await signedIn.json()) as { accessToken: string }
    }

    const settled = async (page: Page, answered: () => Promise<void>) => {
      await page.locator('h1').first().waitFor()
      await page.waitForFunction(() => document.querySelector('.skeleton') === null)
      await answered()
    }

    const screens: [name: string, open: (page: Page) => Promise<unknown>][] = [
      ['the calendar', (page) => page.goto(`${product.url}/app/w/${ws}/calendar`)],
      ['the calendar as a grid', (page) => page.goto(`${product.url}/app/w/${ws}/calendar?view=month`)],
      ['the calendar as a week', (page) => page.goto(`${product.url}/app/w/${ws}/calendar?view=week`)],
      [
        'a week with a missing hour',
        (page) => page.goto(`${product.url}/app/w/${ws}/calendar?view=week&date=2027-03-28`),
      ],
      ['a calendar in which nothing matches', (page) => page.goto(`${product.url}/app/w/${ws}/calendar?q=nothing`)],
      [
        'moving a post',
        async (page) => {
          const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
          await page.goto(`${product.url}/app/w/${ws}/calendar?date=${tomorrow}`)
          await page
            .getByRole('button', { name: words.calendar.moreFor.replace('{caption}', 'Planned for tomorrow') })
            .click()
          await page.getByRole('menuitem', { name: words.calendar.moveTo }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
      ['an empty month', (page) => page.goto(`${product.url}/app/w/${ws}/calendar?view=agenda&date=2020-01-01`)],
      ['the posts', (page) => page.goto(`${product.url}/app/w/${ws}/posts`)],
      [
        'several posts at once',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/posts`)
          await page.getByLabel(words.bulk.selectAll).check()
          await page.getByRole('button', { name: words.bulk.cancel }).click()
          await page.getByRole('alert').waitFor()
          await page.getByRole('button', { name: words.bulk.undo }).click()
          await page.getByText(/as it was|كما كان/).waitFor()
        },
      ],
      [
        'moving several posts',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/posts`)
          await page.getByLabel(words.bulk.selectAll).check()
          await page.getByRole('button', { name: words.bulk.move }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
      ['filters that match nothing', (page) => page.goto(`${product.url}/app/w/${ws}/posts?status=FAILED`)],
      ['what needs somebody', (page) => page.goto(`${product.url}/app/w/${ws}/trouble`)],
      ['importing posts', (page) => page.goto(`${product.url}/app/w/${ws}/posts/import`)],
      ['the accounts', (page) => page.goto(`${product.url}/app/w/${ws}/accounts`)],
      ['the library of files', (page) => page.goto(`${product.url}/app/w/${ws}/media`)],
      ['a refused connection', (page) => page.goto(`${product.url}/app/w/${ws}/accounts?error=access_denied`)],
      ['the composer', (page) => page.goto(`${product.url}/app/w/${ws}/compose`)],
      [
        'the composer with the assistant and what it wrote',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/compose`)
          await page.getByRole('button', { name: words.composer.assist }).click()
          await page.getByRole('tab', { name: words.assistant.modes.write, exact: true }).click()
          await page.getByLabel(words.assistant.topic).fill('Averylongwordwithoutanyspaceinitatallisfine · قهوة الخريف')
          await page.getByText(words.ai.moreWishes).click()
          await page.getByRole('button', { name: words.assistant.write, exact: true }).click()
          await page.getByRole('button', { name: words.assistant.use, exact: true }).first().waitFor()
        },
      ],
      ['ideas', (page) => page.goto(`${product.url}/app/w/${ws}/ideas`)],
      ['the voices of the brand', (page) => page.goto(`${product.url}/app/w/${ws}/settings/voices`)],
      [
        'a new voice of the brand',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/settings/voices?voice=new`)
          await page
            .getByRole('textbox', { name: words.voices.tone })
            .fill('warm, averylongwordwithoutanyspaceinitatallis,')
          await page.getByRole('button', { name: words.voices.addSample, exact: true }).click()
        },
      ],
      [
        'what was asked of the AI',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/settings/ai`)
          await page.getByRole('button', { name: words.aiHistory.open, exact: true }).first().click()
        },
      ],
      [
        'choosing a time',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/compose`)
          await page.getByRole('button', { name: words.composer.schedule, exact: true }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
      [
        'the composer with the settings of a network',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/compose`)
          await choose(page, 'TikTok', words.composer.postTo)
          await page.getByText(words.options.consent.replace('{network}', 'TikTok')).waitFor()
          await page.getByText(words.options.offByOwner).or(page.getByText('Alex Example').last()).first().waitFor()
        },
      ],
      ['a post that is live', (page) => page.goto(product.url + live)],
      [
        'an open menu',
        async (page) => {
          await page.goto(product.url + live)
          await page.getByRole('button', { name: words.post.more, exact: true }).click()
          await page.getByRole('menu', { name: words.post.more }).waitFor()
        },
      ],
      ['what waits for approval', (page) => page.goto(`${product.url}/app/w/${ws}/approvals`)],
      [
        'a request that is open',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/approvals?id=${waiting}`)
          await page.getByRole('button', { name: words.approvals.approve, exact: true }).waitFor()
        },
      ],
      ['requests of which there are none', (page) => page.goto(`${product.url}/app/w/${ws}/approvals?state=REJECTED`)],
      [
        'asking for changes',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/posts/${waiting}`)
          await page.getByRole('button', { name: words.approvals.reject }).click()
          await page.getByRole('dialog').waitFor()
        },
      ],
      [
        'comments and versions',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/posts/${waiting}`)
          await page.getByRole('button', { name: words.approvals.history }).click()
          await page.getByText(words.approvals.firstVersion).waitFor()
        },
      ],
      [
        'review links',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/posts/${waiting}`)
          await page.getByRole('button', { name: words.approvals.links.title }).click()
          await page.getByLabel(words.approvals.links.name).waitFor()
        },
      ],
      [
        'submitting a post',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/posts/${draft}`)
          await page.getByRole('button', { name: words.approvals.submit }).click()
          await page.getByRole('dialog').getByLabel(words.approvals.clientToo).waitFor()
        },
      ],
      ['a post by a link', (page) => page.goto(review)],
      ['a link that shows nothing', (page) => page.goto(`${product.url}/app/review/some-token`)],
      ['the settings', (page) => page.goto(`${product.url}/app/w/${ws}/settings`)],
      ['the members', (page) => page.goto(`${product.url}/app/w/${ws}/settings/members`)],
      ['plan and usage', (page) => page.goto(`${product.url}/app/w/${ws}/settings/plan`)],
      ['what was done', (page) => page.goto(`${product.url}/app/w/${ws}/settings/audit`)],
      [
        'what was done, of which nothing matches',
        async (page) => {
          await page.goto(`${product.url}/app/w/${ws}/settings/audit`)
          await page.getByLabel(words.audit.what, { exact: true }).selectOption('subscription')
          await page.getByText(words.audit.noneMatch).waitFor()
        },
      ],
      ['an invitation that is not there', (page) => page.goto(`${product.url}/app/invite/some-token`)],
      ['the profile', (page) => page.goto(`${product.url}/app/me`)],
      ['a post that is not there', (page) => page.goto(`${product.url}/app/w/${ws}/posts/nothing`)],
      [
        'another workspace',
        async (page) => {
          await page.goto(`${product.url}/app/me`)
          await page
            .getByRole('button', { name: new RegExp(`^${words.shell.switchWorkspace}`) })
            .filter({ visible: true })
            .click()
          await page.getByRole('menuitem', { name: words.shell.newWorkspace }).click()
          await page.getByRole('dialog').getByLabel(words.settings.name).waitFor()
        },
      ],
      ['the first questions', (page) => page.goto(`${product.url}/app/onboarding`)],
      ['a forgotten password', (page) => page.goto(`${product.url}/app/forgot`)],
      [
        'a link that is on its way',
        async (page) => {
          await page.goto(`${product.url}/app/forgot`)
          await page
            .getByLabel(words.auth.email)
            .fill(`averylongaddresswithoutanyspaceinit-${Math.random()}@example.com`)
          await page.getByRole('button', { name: words.auth.forgotSubmit }).click()
          await page.getByRole('heading', { name: words.auth.forgotSent }).waitFor()
        },
      ],
      ['a new password', (page) => page.goto(`${product.url}/app/reset/some-token`)],
      ['undoing a change', (page) => page.goto(`${product.url}/app/undo/some-token`)],
      [
        'a link that no longer works',
        async (page) => {
          await page.goto(`${product.url}/app/reset/some-token`)
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

    test('at each width, in either theme', { timeout: 1_200_000 }, async () => {
      const context = await browser.newContext({
        viewport: sized(widths[0]!),
        storageState: storage,
        colorScheme: theme,
        reducedMotion: 'reduce',
      })
      const { accessToken } = await signIn(context)
      const chosen = await context.request.patch(`${product.url}/api/v1/auth/me`, {
        data: { language },
        headers: { authorization: `Bearer ${accessToken}` },
      })
      expect(chosen.status()).toBe(200)
      const { page, faults } = await openPage(context)
      const answered = watchAnswers(page)
      const wrong: string[] = []
      const look = async (name: string, wide: number, looked: readonly Theme[]) => {
        await page.setViewportSize(sized(wide))
        await settled(page, answered).catch((error: unknown) => wrong.push(`${name}: ${String(error).slice(0, 200)}`))
        const at = `${name} at ${wide} px`
        for (const theme of looked) {
          await changeTheme(page, theme)
          for (const found of await violations(page)) wrong.push(`${at}, ${theme}: ${found}`)
        }
        for (const found of await overflows(page)) wrong.push(`${at}: ${found}`)
        for (const found of await smallTargets(page, wide < 600 ? 44 : 24)) wrong.push(`${at}: too small ${found}`)
      }
      await page.goto(`${product.url}/app/me`)
      await page.locator(`html[lang=${language}][dir=${language === 'ar' ? 'rtl' : 'ltr'}]`).waitFor()
      for (const [name, open] of screens) {
        await page.setViewportSize(sized(widths[0]!))
        await open(page)
        for (const [index, width] of widths.entries())
          await look(name, width, long ? THEMES : index === 0 ? [theme] : [])
      }
      await context.close()
      expect(wrong).toEqual([])
      expect(faults).toEqual([])
    })
  })
}

/** A phone is high enough for everything, so that the bar at its bottom lies over nothing. */
const sized = (width: number) => ({ width, height: width > 600 ? 900 : 2400 })

/** Has the system ask for a theme, and waits until every colour has changed. */
async function changeTheme(page: Page, theme: Theme) {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
  await still(page)
}
