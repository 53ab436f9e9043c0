import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { addFault, call, confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, useTheme, violations } from './browser.ts'
import { signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('the doctor of an account', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let pages: SocialAccount[]

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    pages = await connectPages(ann)
  })

  async function enter(context: BrowserContext) {
    const { page, faults } = await openPage(context)
    await signIn(page, ann)
    await page.goto(`${product.url}/app/w/${ann.workspaceId}/accounts`)
    return { page, faults }
  }
  const shoot = async (page: Page, name: string) => {
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true })
  }

  test('says that all is well, marks checks as unknown while the network is down, and fixes what it can', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    await useTheme(context, 'light')
    const { page, faults } = await enter(context)
    const card = page.getByRole('listitem').filter({ hasText: pages[0]!.name })
    const open = async () => {
      await card.getByRole('button', { name: `More actions for ${pages[0]!.name}` }).click()
      await page.getByRole('menuitem', { name: 'Check connection' }).click()
    }
    await open()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('Parley has access to this account.').waitFor()
    expect(await sheet.getByText('Not working').count()).toBe(0)
    await addFault(`${product.url}/sandbox`, { match: { network: 'NET_PAGE' }, do: { status: 503 } })
    await sheet.getByRole('button', { name: 'Check again' }).click()
    await sheet.getByText('The network had a temporary problem.').waitFor()
    await sheet.getByText('Unknown').first().waitFor()
    await call(`${product.url}/sandbox`, 'DELETE', '/faults')
    await ann.must('PATCH', `/social-accounts/${pages[0]!.id}`, { paused: true })
    await sheet.getByRole('button', { name: 'Check again' }).click()
    await sheet.getByText('The account is paused').waitFor()
    await shoot(page, 'doctor-light')
    expect([await violations(page), await overflows(page)]).toEqual([[], []])
    await page.reload()
    await open()
    await sheet.getByRole('button', { name: 'Resume account' }).click()
    await page.getByText(`“${pages[0]!.name}” resumed`).waitFor()
    expect(faults).toEqual([])
  })

  test.runIf(long)('works in Arabic on a phone, with a way to reconnect', async () => {
    await call(`${product.url}/sandbox`, 'POST', '/accounts', { id: pages[1]!.externalId, do: 'revoke' })
    await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'ar' })
    await useTheme(context, 'dark')
    const { page, faults } = await enter(context)
    const card = page.getByRole('listitem').filter({ hasText: pages[1]!.name })
    await card.locator('button[aria-haspopup]').click()
    await page.getByRole('menuitem', { name: 'فحص الاتصال' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('غيّر الشخص الذي ربط الحساب كلمة مروره على الشبكة.').waitFor()
    // One cause has one finding. Dependent checks refer to it, and have no action.
    expect(await sheet.getByText('لا يعمل', { exact: true }).count()).toBe(1)
    expect(await sheet.getByText('لا يمكن إجراء هذا الفحص قبل استعادة الوصول.').count()).toBe(4)
    await shoot(page, 'doctor-arabic')
    expect([await violations(page), await overflows(page), await smallTargets(page, 24)]).toEqual([[], [], []])
    await sheet.getByRole('button', { name: 'إعادة الربط' }).click()
    await page.waitForURL(/\/sandbox\//)
    expect(faults).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the accounts of a workspace', () => {
  const { product, sql } = useProduct()
  const browser = useBrowser()
  const ways = [
    { language: 'en', width: 1440, theme: 'light', words: en },
    { language: 'ar', width: 390, theme: 'dark', words: ar },
  ] as const

  async function begin({ language, width, theme }: (typeof ways)[number]) {
    const ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('PATCH', '/api/v1/auth/me', { language })
    const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    await signIn(page, ann)
    const go = (path: string) => visit(page, `${product.url}/app/w/${ann.workspaceId}/${path}`)
    const sound = async (name: string) => {
      const pictures = process.env['PICTURES']
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${language}.png` })
      expect([name, await violations(page), await overflows(page)]).toEqual([name, [], []])
      expect([name, await smallTargets(page, width < 600 ? 44 : 24)]).toEqual([name, []])
    }
    return { ann, page, faults, go, sound }
  }

  test.runIf(long).each(ways)('link to the plan if a full plan refuses another one ($language)', async (way) => {
    const { words, language } = way
    const { ann, page, faults, go, sound } = await begin(way)
    await ann.must('PUT', '/billing/subscription', { plan: 'free' })
    await connectPages(ann) // three pages, and the free plan has room for three
    await go('accounts')
    await page.getByRole('button', { name: words.accounts.connectAny }).click()
    await page.getByRole('menuitem', { name: 'Facebook Page' }).click()
    const refused = page.getByRole('alert').filter({ hasText: words.accounts.errors.quota_exceeded })
    await refused.getByRole('link', { name: words.states.seePlan }).waitFor()
    const { pro, business } = words.states.plans
    const names = new Intl.ListFormat(language).format([pro, business])
    await refused.getByText(words.states.largerPlans.replace('{plans}', names)).waitFor()
    await sound('accounts-full')
    // A person who returns from the network's page sees the same.
    await go('accounts?error=quota_exceeded')
    await refused.getByRole('link', { name: words.states.seePlan }).click()
    await page.waitForURL(/\/settings\/plan/)
    expect(faults.filter((fault) => !fault.includes('402'))).toEqual([])
  })

  test.runIf(long).each(ways)('are all listed, however many pages the service returns ($language)', async (way) => {
    const { words } = way
    const { ann, page, faults, go, sound } = await begin(way)
    // More than the hundred that one request returns.
    const count = 230
    await sql.query(
      `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
        select $1, gen_random_uuid(), 'NET_PAGE', gen_random_uuid(), 'u1', 'Shop ' || n || '.', 'CONNECTED', app_now()
        from generate_series(1, $2) as n`,
      [ann.workspaceId, count],
    )
    const names = Array.from({ length: count }, (_, at) => `Shop ${at + 1}.`).toSorted()
    const first = await ann.must<{ data: unknown[]; nextCursor: string | null }>('GET', '/social-accounts')
    expect([first.data.length, first.nextCursor === null]).toEqual([25, false])
    await go('accounts')
    const main = page.getByRole('main')
    await main.getByText(`Shop ${count}.`, { exact: true }).waitFor()
    const shown = async (texts: string[]) => texts.flatMap((text) => /Shop \d+\./.exec(text)?.[0] ?? []).toSorted()
    expect(await shown(await main.getByText(/^Shop \d+\.$/).allTextContents())).toEqual(names)
    await sound('accounts-many')
    await go('compose')
    const chosen = page.getByRole('group', { name: words.composer.postTo })
    await chosen.getByText(`Shop ${count}.`).first().waitFor()
    expect(new Set(await shown(await chosen.getByText(/Shop \d+\./).allTextContents()))).toEqual(new Set(names))
    expect(faults).toEqual([])
  })
})
