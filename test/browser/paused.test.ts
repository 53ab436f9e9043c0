import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import type { Workspace } from '../../src/team/workspaces/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { connectPages, newPerson } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, useTheme, violations, WAYS } from './browser.ts'
import { publishNow, signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('a paused workspace', () => {
  const { product, database } = useProduct()
  const browser = useBrowser()

  test.runIf(long).each([
    { width: 1440, theme: 'light' },
    { width: 320, theme: 'dark' },
  ] as const)(
    'says on every screen that nothing is published, and can be resumed ($width px)',
    async ({ width, theme }) => {
      const ann = await newPerson(product.url)
      const path = `/workspaces/${ann.workspaceId}`
      await ann.must('PATCH', path, { publishing: { paused: true, reason: 'restored_from_backup' } })
      const context = await browser.newContext({ viewport: { width, height: 900 } })
      await useTheme(context, theme)
      const { page, faults } = await openPage(context)
      await signIn(page, ann)
      await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts`)
      const bar = page.getByText(en.shell.publishingPaused)
      await bar.waitFor()
      await page.getByRole('link', { name: en.shell.publishingPausedWhy, exact: true }).click()
      await page.getByText(en.settings.pausedByRestore).waitFor()
      expect([await violations(page), await overflows(page), await smallTargets(page, width < 600 ? 44 : 24)]).toEqual([
        [],
        [],
        [],
      ])
      await page.getByRole('button', { name: en.settings.resumePublishing }).click()
      const dialog = page.getByRole('dialog', { name: en.settings.resumeTitle })
      await dialog.getByText(en.settings.pausedByRestore).waitFor()
      await dialog.getByRole('button', { name: en.common.cancel }).click()
      await dialog.waitFor({ state: 'detached' })
      expect((await ann.must<Workspace>('GET', path)).publishing.paused).toBe(true)
      await page.getByRole('button', { name: en.settings.resumePublishing }).click()
      await dialog.getByRole('button', { name: en.settings.resumePublishing }).click()
      await bar.waitFor({ state: 'detached' })
      expect((await ann.must<Workspace>('GET', path)).publishing).toEqual({
        paused: false,
        reason: null,
        onResume: 'send',
        due: 0,
      })
      expect(faults).toEqual([])
      await context.close()
    },
  )

  test.runIf(long).each([1440, 390])(
    'shows its bars together with the screen, without moving it (%i px)',
    async (width) => {
      const ann = await newPerson(product.url)
      await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { publishing: { paused: true } })
      const { page } = await openPage(await browser.newContext({ viewport: { width, height: 900 } }))
      await signIn(page, ann)
      // Each bar arrives only once the screen has its code and its data, and the page has nothing left to do.
      const screen = Promise.all(
        [/\/settings\.index-[^/]*\.js$/, new RegExp(`/workspaces/${ann.workspaceId}$`)].map(async (url) =>
          (await page.waitForResponse(url)).finished(),
        ),
      )
      await page.route(/\/(paused-bar|confirm-bar)-[^/]*\.js$/, async (route) => {
        await screen
        const idle = page.evaluate(() =>
          fetch('/api/v1/health/live').then(() => new Promise((done) => requestIdleCallback(done))),
        )
        // A navigation can end this wait. Then the bar belongs to a page that is gone.
        await idle.catch(() => undefined)
        await route.continue()
      })
      // The page itself notes which bars are visible when the screen first is.
      await page.addInitScript(
        ([resume, paused, confirm]) => {
          const visible = (selector: string, text = '') =>
            [...document.querySelectorAll(selector)].some(
              (one) => one.textContent.includes(text) && one.checkVisibility(),
            )
          new MutationObserver((_, observer) => {
            if (!visible('main button', resume)) return
            observer.disconnect()
            Object.assign(window, { bars: [visible('p', paused), visible(`[aria-label="${confirm}"]`)] })
          }).observe(document, { subtree: true, childList: true, attributes: true })
        },
        [en.settings.resumePublishing, en.shell.publishingPaused, en.codes.confirmTitle],
      )
      await page.goto(`${product.url}/app/w/${ann.workspaceId}/settings`)
      await page.getByRole('button', { name: en.settings.resumePublishing }).waitFor()
      expect(await page.evaluate(() => Reflect.get(window, 'bars') as unknown)).toEqual([true, true])
    },
  )

  test.runIf(long).each([
    { width: 1440, theme: 'light', language: 'en', words: en, dueWords: '2 posts missed their scheduled time.' },
    { width: 390, theme: 'dark', language: 'ar', words: ar, dueWords: 'فات موعد منشورين.' },
  ] as const)(
    'asks before resuming what happens to due posts, and its notice links each draft ($language)',
    async ({ width, theme, language, words, dueWords }) => {
      const [ann, bob] = [await newPerson(product.url), await newPerson(product.url, 'Bob')]
      const path = `/workspaces/${ann.workspaceId}`
      const [account] = await connectPages(ann)
      await ann.must('PATCH', path, { publishing: { paused: true } })
      const sql = new pg.Client({ connectionString: database.url })
      await sql.connect()
      await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'ADMIN')`, [
        ann.workspaceId,
        bob.session.user.id,
      ])
      const captions = ['Fresh beans today', 'Open until ten']
      for (const caption of captions) {
        const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
        const { id } = await ann.must<Post>('POST', '/posts', { caption, targets: [account?.id], scheduledAt })
        await sql.query(`update post set scheduled_at = now() - interval '1 hour' where id = $1`, [id])
      }
      await sql.end()
      const context = await browser.newContext({ viewport: { width, height: 900 }, locale: language })
      await useTheme(context, theme)
      const { page, faults } = await openPage(context)
      await bob.must('PATCH', '/api/v1/auth/me', { language })
      await signIn(page, bob)
      await page.goto(`${product.url}/app/w/${ann.workspaceId}/calendar`)
      await page.getByRole('button', { name: words.shell.resume }).click()
      const dialog = page.getByRole('dialog', { name: words.settings.resumeTitle })
      await dialog.getByText(dueWords).waitFor()
      expect(await dialog.getByLabel(words.settings.onResumeSend).isChecked()).toBe(true)
      await dialog.getByLabel(words.settings.onResumeDraft).check()
      expect([await violations(page), await overflows(page), await smallTargets(page, width < 600 ? 44 : 24)]).toEqual([
        [],
        [],
        [],
      ])
      if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/resume-${language}.png` })
      await dialog.getByRole('button', { name: words.settings.resumePublishing }).click()
      await page.getByText(words.shell.publishingPaused).waitFor({ state: 'detached' })
      for (const { status } of (await ann.must<{ data: Post[] }>('GET', '/posts')).data) expect(status).toBe('DRAFT')
      expect(faults).toEqual([])
      await context.close()
      // Everyone else in the workspace can see which posts these are.
      const other = await browser.newContext({ viewport: { width, height: 900 }, locale: language })
      await useTheme(other, theme)
      const { page: told, faults: more } = await openPage(other)
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      await signIn(told, ann)
      await told.goto(`${product.url}/app/notifications`)
      await told.getByRole('link', { name: captions[1]!, exact: true }).waitFor()
      expect([await violations(told), await overflows(told), await smallTargets(told, width < 600 ? 44 : 24)]).toEqual([
        [],
        [],
        [],
      ])
      if (process.env['SHOTS']) await told.screenshot({ path: `${process.env['SHOTS']}/drafted-${language}.png` })
      await told.getByRole('link', { name: captions[0]!, exact: true }).click()
      await told.waitForURL(/\/posts\/[0-9a-f-]{36}/)
      expect(more).toEqual([])
      await other.close()
    },
  )

  test.runIf(long).each(WAYS)(
    'says that a sent or due post waits until it is resumed, and who can resume it ($language)',
    async ({ width, theme, language, words }) => {
      const [ann, eve] = [await newPerson(product.url), await newPerson(product.url, 'Eve')]
      const [account] = await connectPages(ann)
      await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { publishing: { paused: true } })
      const create = (caption: string, more?: object) =>
        ann.must<Post>('POST', '/posts', { caption, targets: [account?.id], ...more })
      const sent = await create(`Sent ${language}`)
      const due = await create(`Due ${language}`, { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() })
      const later = await create(`Later ${language}`, { scheduledAt: new Date(Date.now() + 7_200_000).toISOString() })
      const sql = new pg.Client({ connectionString: database.url })
      await sql.connect()
      await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
        ann.workspaceId,
        eve.session.user.id,
      ])
      await sql.query(`update post set scheduled_at = now() - interval '5 minutes' where id = $1`, [due.id])
      await sql.end()
      for (const [person, manages] of [
        [ann, true],
        [eve, false],
      ] as const) {
        await person.must('PATCH', '/api/v1/auth/me', { language })
        const context = await browser.newContext({ viewport: { width, height: 900 }, locale: language })
        await useTheme(context, theme)
        const { page, faults } = await openPage(context)
        await signIn(page, person)
        const open = ({ id }: Post) => visit(page, `${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
        const told = async () => {
          await page.getByText(words.post.paused.waits).waitFor()
          await (
            manages
              ? page.getByRole('link', { name: words.post.paused.resume })
              : page.getByText(words.post.paused.others)
          ).waitFor()
        }
        await open(sent)
        if (manages) {
          await publishNow(page, words)
          await page.getByText(words.composer.waitsForPause).waitFor()
        }
        await told()
        await page.getByText(words.post.waits.publishing_paused).waitFor()
        expect(await page.getByText(words.post.underWay).count()).toBe(0)
        expect([
          await violations(page),
          await overflows(page),
          await smallTargets(page, width < 600 ? 44 : 24),
        ]).toEqual([[], [], []])
        if (process.env['SHOTS'])
          await page.screenshot({ path: `${process.env['SHOTS']}/waits-${language}-${manages}.png` })
        await open(due)
        await told()
        expect([
          await violations(page),
          await overflows(page),
          await smallTargets(page, width < 600 ? 44 : 24),
        ]).toEqual([[], [], []])
        if (process.env['SHOTS'])
          await page.screenshot({ path: `${process.env['SHOTS']}/due-${language}-${manages}.png` })
        await open(later)
        await page.getByText(words.post.showInCalendar).waitFor()
        expect(await page.getByText(words.post.paused.waits).count()).toBe(0)
        expect(faults).toEqual([])
        await context.close()
      }
    },
  )

  test('is paused with one switch, with a choice for due posts and their number', async () => {
    const ann = await newPerson(product.url)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'ar' })
    await useTheme(context, 'dark')
    const { page, faults } = await openPage(context)
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/settings`)
    await page.getByLabel(ar.settings.pauseReason).fill('أزمة')
    await page.getByLabel(ar.settings.onResumeDraft).check()
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/pause.png`, fullPage: true })
    await page.getByRole('button', { name: ar.settings.pauseNow }).click()
    await page.getByText('لم يفت موعد أي منشور.').waitFor()
    const path = `/workspaces/${ann.workspaceId}`
    expect(await ann.must<Workspace>('GET', path)).toMatchObject({
      publishing: { paused: true, reason: 'أزمة', onResume: 'draft' },
      bot: { paused: true, reason: 'أزمة' },
    })
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/paused.png`, fullPage: true })
    expect([await violations(page), await overflows(page), await smallTargets(page, 24)]).toEqual([[], [], []])
    await page.getByRole('button', { name: ar.settings.resumePublishing }).click()
    const dialog = page.getByRole('dialog', { name: ar.settings.resumeTitle })
    const resumed = page.waitForRequest((request) => request.method() === 'PATCH' && request.url().endsWith(path))
    await dialog.getByRole('button', { name: ar.settings.resumePublishing }).click()
    // The choice made at the pause is the choice of the resumption.
    expect((await resumed).postDataJSON()).toMatchObject({ publishing: { paused: false, onResume: 'draft' } })
    await page.getByRole('button', { name: ar.settings.pauseNow, exact: true }).waitFor()
    expect(await ann.must<Workspace>('GET', path)).toMatchObject({
      publishing: { paused: false },
      bot: { paused: false },
    })
    expect(faults).toEqual([])
    await context.close()
  })
})
