import type { Page } from 'playwright-core'
import { createTranslator } from 'use-intl/core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import {
  addFault,
  call,
  confirmEmail,
  connectPages,
  join,
  newPerson,
  type Person,
  untilStatus,
  uploadPicture,
  graphError,
} from '../world.ts'
import { hasBrowser, openPage, overflows, smallTargets, useBrowser, useTheme, violations, WAYS } from './browser.ts'
import { signIn, visit } from './story.ts'

const DAY = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

describe.skipIf(!hasBrowser)('Today', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  const open = async (person: Person, width = 1440) => {
    const context = await browser.newContext({ viewport: { width, height: width < 640 ? 844 : 900 } })
    const { page, faults } = await openPage(context)
    await signIn(page, person)
    return { context, page, faults }
  }
  const picture = async (page: Page, name: string) => {
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/${name}.png` })
  }

  describe.each(inWay(0, WAYS))('in $language at $width px', ({ width, theme, language, words }) => {
    const t = createTranslator({ locale: language === 'ar' ? 'ar-u-nu-latn' : 'en', messages: words })
    let ann: Person
    let pages: SocialAccount[]
    let page: Page
    let faults: string[]
    const needs = (count: number) => page.getByRole('heading', { level: 2, name: t('today.headline.needs', { count }) })

    beforeAll(async () => {
      ann = await newPerson(product.url)
      await confirmEmail(ann)
      await ann.must('POST', '/api/v1/auth/onboarding', {})
      await ann.must('PATCH', '/api/v1/auth/me', { language })
      pages = await connectPages(ann)
      await addFault(`${product.url}/sandbox`, {
        match: { method: 'POST', path: '/feed' },
        do: { status: 400, body: graphError({ message: 'Blocked for now', code: 368 }) },
        times: 1,
      })
      const post = (caption: string, more: object) => ann.must<Post>('POST', '/posts', { caption, ...more })
      const targets = [pages[0]!.id]
      const refused = await post('Refused for now', { targets, action: 'publish' })
      await untilStatus(ann, refused.id, ['FAILED'])
      const media = [(await uploadPicture(ann)).id]
      const live = await post('Guji is back on the shelf', { targets, media, action: 'publish' })
      await untilStatus(ann, live.id, ['PUBLISHED'])
      await post('Bloom, wait, pour', { targets, media, scheduledAt: inDays(1), action: 'schedule' })
      await post('We open at 7 from now on', {
        targets,
        scheduledAt: inDays(3),
        action: 'submit',
        client: false,
      })
      const context = await browser.newContext({ viewport: { width, height: width < 640 ? 844 : 900 } })
      await useTheme(context, theme)
      ;({ page, faults } = await openPage(context))
      await signIn(page, ann)
      await page.goto(`${product.url}/app/`)
      await page.waitForURL(/\/w\/[^/]+\/today$/)
    })

    test('shows how many items need attention, and when the next post goes out', async () => {
      await needs(2).waitFor()
      const headline = await needs(2).textContent()
      expect(headline).toContain(language === 'en' ? 'goes out tomorrow at' : 'غدًا الساعة')
      await page.getByText('Bloom, wait, pour').waitFor()
      await page.getByText('Guji is back on the shelf').waitFor()
      await picture(page, `today-${language}-${width}`)
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      expect(await smallTargets(page, width < 640 ? 44 : 24)).toEqual([])
    })

    test('links a day without a post to a new post on that day', async () => {
      const add = page.getByRole('link', { name: t('today.addOn', { day: '' }).trim() }).first()
      expect(await add.getAttribute('href')).toMatch(/compose\?at=\d{4}-\d\d-\d\dT09/)
    })

    test.runIf(long)('its actions reduce the count, and the one for an approval opens the request', async () => {
      await page.getByRole('button', { name: words.today.acts.retry }).click()
      await needs(1).waitFor()
      await page.getByRole('link', { name: words.today.approval.act }).click()
      await page.waitForURL(/\/approvals\?id=/)
      expect(faults).toEqual([])
    })

    test.runIf(long)('customers who wait for a reply are one more item, which opens the inbox', async () => {
      for (const name of ['Mia', 'Noor']) {
        const act = { kind: 'dm', from: { name }, text: 'Are you open on Sunday?' }
        const who = { network: 'NET_PAGE', accountId: pages[0]!.externalId }
        const { status } = await call(`${product.url}/sandbox`, 'POST', '/inbound', { ...who, ...act })
        expect(status).toBe(201)
      }
      await visit(page, `/app/w/${ann.workspaceId}/today`)
      await page.getByText(t('today.inbox.title', { count: 2 })).waitFor()
      await needs(2).waitFor()
      await picture(page, `today-inbox-${language}-${width}`)
      await page.getByRole('link', { name: words.today.inbox.act }).click()
      await page.waitForURL(/\/inbox\?filter=unanswered/)
      expect(faults).toEqual([])
    })

    test('the pages reported no errors', () => {
      expect(faults).toEqual([])
    })
  })

  test.runIf(long)(
    'a new workspace gets a checklist for its first week, which updates itself and can be hidden',
    async () => {
      const ben = await newPerson(product.url, 'Ben')
      await confirmEmail(ben)
      await ben.must('POST', '/api/v1/auth/onboarding', {})
      const { page, faults } = await open(ben)
      await page.goto(`${product.url}/app/w/${ben.workspaceId}/today`)
      await page.getByRole('heading', { name: 'You’re all caught up. Nothing is scheduled.' }).waitFor()
      const week = page.getByRole('region', { name: 'Your first week' })
      await week.getByText('0 of 5').waitFor()
      await picture(page, 'today-empty')
      expect([await violations(page), await overflows(page)]).toEqual([[], []])
      await connectPages(ben)
      await week.getByText('1 of 5').waitFor()
      await week.getByRole('link', { name: 'Write' }).waitFor()
      await week.getByRole('button', { name: 'Hide' }).click()
      await page.reload()
      await page.getByRole('heading', { name: /^You’re all caught up/ }).waitFor()
      await page.getByText('Upcoming posts').waitFor()
      expect(await week.count()).toBe(0)
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('data that could not be read says so, and can be retried', async () => {
    const cleo = await newPerson(product.url, 'Cleo')
    await cleo.must('POST', '/api/v1/auth/onboarding', {})
    const { page } = await open(cleo)
    await page.route('**/scheduler/calendar*', (route) => route.abort())
    await page.goto(`${product.url}/app/w/${cleo.workspaceId}/today`)
    await page.getByRole('alert').waitFor()
    await page.unroute('**/scheduler/calendar*')
    await page.getByRole('alert').getByRole('button', { name: en.states.retry }).click()
    await page.getByRole('heading', { name: /^You’re all caught up/ }).waitFor()
  })

  test('a client starts with what waits for them, and may not open the page', async () => {
    const dora = await newPerson(product.url, 'Dora')
    await confirmEmail(dora)
    await dora.must('POST', '/api/v1/auth/onboarding', {})
    const nadia = await join(dora, 'Nadia', 'CLIENT')
    const { page } = await open(nadia)
    await page.goto(`${product.url}/app/w/${dora.workspaceId}`)
    await page.waitForURL(/\/(approvals|calendar)$/)
    expect(await page.getByRole('link', { name: 'Today' }).count()).toBe(0)
    await page.goto(`${product.url}/app/w/${dora.workspaceId}/today`)
    await page.getByRole('alert').waitFor()
  })
})
