import { describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import { wallTime } from '../../web/time.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { connectPages, newPerson, untilStatus, ZONE } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, useTheme, violations, WAYS } from './browser.ts'
import { choose, signIn, takeWay } from './story.ts'

const shots = process.env['SHOTS']

describe.skipIf(!hasBrowser)('a post that will probably fail', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  async function begin({ width, theme, language }: (typeof WAYS)[number]) {
    const ann = await newPerson(product.url)
    await ann.must('PATCH', '/api/v1/auth/me', { language })
    const [account] = await connectPages(ann)
    const context = await browser.newContext({ viewport: { width, height: 900 }, locale: language })
    await useTheme(context, theme)
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    const good = async () =>
      expect([
        await violations(opened.page),
        await overflows(opened.page),
        await smallTargets(opened.page, width < 600 ? 44 : 24),
      ]).toEqual([[], [], []])
    const create = (body: object) => ann.must<Post>('POST', '/posts', { targets: [account!.id], ...body })
    return { ...opened, ann, account: account!, context, good, create }
  }

  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

  test.each(inWay(0, WAYS))('is published only after a warning about the reason ($language)', async (way) => {
    const { words, language } = way
    const { page, faults, ann, context, good, create } = await begin(way)
    const caption = `Fresh beans ${language}`
    await create({ caption, scheduledAt: inHours(1) })
    const publish = () => takeWay(page, words.composer.publishNow, words)
    const dialog = page.getByRole('dialog', { name: words.composer.riskTitle })
    const drafts = async () =>
      (await ann.must<{ data: Post[] }>('GET', '/posts?status=PUBLISHING,PUBLISHED,FAILED')).data.length

    // A new post, published before the page has checked it on its own.
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/compose`)
    await choose(page, 'Facebook', words.composer.postTo)
    await page.getByLabel(words.composer.text, { exact: true }).fill(caption)
    await publish()
    await dialog.getByText(language === 'en' ? /rejects duplicates/ : /المنشورات المكررة/).waitFor()
    await good()
    if (shots) await page.screenshot({ path: `${shots}/risk-${language}.png` })
    await dialog.getByRole('button', { name: words.common.cancel }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await drafts()).toBe(0)

    // A stored post that becomes risky after it was opened.
    const { id } = await create({ caption: `Later ${language}` })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${id}`)
    await page.getByText(words.composer.ready).waitFor()
    await create({ caption: `Later ${language}`, scheduledAt: inHours(2) })
    await publish()
    await dialog.getByRole('button', { name: words.composer.publishAnyway }).click()
    await untilStatus(ann, id, ['PUBLISHED', 'FAILED'])
    expect(faults).toEqual([])
    await context.close()
  })

  test.runIf(long).each(WAYS)('asks for confirmation without a warning if it has no risks ($language)', async (way) => {
    const { words, language } = way
    const { page, faults, ann, account, context, good, create } = await begin(way)
    const publish = () => takeWay(page, words.composer.publishNow, words)
    // The post does not count as its own duplicate.
    const calm = await create({ caption: `Calm ${language}`, scheduledAt: inHours(3) })
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/posts/${calm.id}`)
    await publish()
    const question = page.getByRole('dialog', { name: words.composer.publishTitle })
    // The question names the accounts and their networks.
    const named = question.getByRole('listitem')
    await named.first().waitFor()
    expect(await named.allTextContents()).toEqual([expect.stringMatching(new RegExp(`${account.name}.*Facebook Page`))])
    if (shots) await page.screenshot({ path: `${shots}/publish-now-${language}.png` })
    await good()
    await question.getByRole('button', { name: words.common.cancel }).click()
    expect((await ann.must<Post>('GET', `/posts/${calm.id}`)).status).toBe('SCHEDULED')
    await publish()
    await question.getByRole('button', { name: words.composer.publishNow }).click()
    await untilStatus(ann, calm.id, ['PUBLISHED'])
    expect(faults).toEqual([])
    await context.close()
  })

  test.runIf(long).each(WAYS)(
    'is marked in the list, the calendar and the agenda as soon as it is saved ($language)',
    async (way) => {
      const { language, width } = way
      const { page, faults, ann, context, good, create } = await begin(way)
      const caption = `Twice ${language}`
      await create({ caption, scheduledAt: inHours(48) })
      await create({ caption: 'Nothing against this', scheduledAt: inHours(48) })
      const at = inHours(49)
      const { id } = await create({ caption, scheduledAt: at })
      const said = language === 'en' ? '1 problem' : 'مشكلة واحدة'
      const on = (path: string) => `${product.url}/app/w/${ann.workspaceId}/${path}`
      await page.goto(on('posts?status=SCHEDULED'))
      const row = page.getByRole('listitem').filter({ has: page.locator(`a[href*="${id}"]`) })
      await row.getByText(said).waitFor()
      const calm = page.getByRole('listitem').filter({ hasText: 'Nothing against this' })
      expect(await calm.getByText(said).count()).toBe(0)
      await good()
      if (shots) await page.screenshot({ path: `${shots}/risk-list-${language}.png` })
      const date = wallTime(new Date(at), ZONE).slice(0, 10)
      await page.goto(on(`calendar?view=agenda&date=${date}`))
      await row.getByText(said).waitFor()
      expect(await calm.getByText(said).count()).toBe(0)
      await good()
      if (shots) await page.screenshot({ path: `${shots}/risk-agenda-${language}.png` })
      if (width > 768) {
        await page.goto(on(`calendar?view=month&date=${date}`))
        await page.locator(`[data-post="${id}"]`).getByLabel(said).waitFor()
        await good()
      }
      expect(faults).toEqual([])
      await context.close()
    },
  )
})
