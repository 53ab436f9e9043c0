import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, connectPages, newPerson, type Person } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { signIn } from './story.ts'

describe.skipIf(!hasBrowser)('an import of posts', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let page: SocialAccount

  beforeAll(async () => {
    ann = await newPerson(product.url)
    await confirmEmail(ann)
    await ann.must('POST', '/api/v1/auth/onboarding', {})
    page = (await connectPages(ann))[0]!
  })

  const posts = async () => (await ann.must<{ data: Post[] }>('GET', '/posts?limit=100')).data
  const next = new Date().getUTCFullYear() + 1

  /** 50 rows, five of them faulty. */
  const lines = () => {
    const day = (i: number) => `${next}-03-${String((i % 27) + 1).padStart(2, '0')} 09:${String(i).padStart(2, '0')}`
    const good = Array.from({ length: 45 }, (_, i) => `"Post ${i}, of the table",${day(i)},${page.name},`)
    const faulty = [
      `No time,someday,${page.name},`,
      `Nobody,${day(1)},Somebody else,`,
      `Late,2020-01-01 09:00,${page.name},`,
      `No file,${day(2)},${page.name},missing.jpg`,
      `,${day(3)},${page.name},`,
    ]
    return [...good.slice(0, 20), ...faulty, ...good.slice(20)]
  }
  const table = () => ['caption,scheduled at,accounts,media', ...lines()].join('\r\n')

  async function enter(context: Awaited<ReturnType<Browser['newContext']>>) {
    const opened = await openPage(context)
    await signIn(opened.page, ann)
    await opened.page.goto(`${product.url}/app`)
    return opened
  }
  const shot = async (view: Awaited<ReturnType<typeof openPage>>['page'], name: string) => {
    if (process.env['SHOTS'])
      await view.screenshot({ path: `${process.env['SHOTS']}/import-${name}.png`, fullPage: true })
  }

  test('that is no table of posts is refused with the limit and the next step, in the language of the reader', async () => {
    const own = await newPerson(product.url)
    await own.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await own.must('POST', '/api/v1/auth/onboarding', {})
    const { page: view } = await openPage(await browser.newContext())
    await signIn(view, own)
    await view.goto(`${product.url}/app/w/${own.workspaceId}/posts/import`)
    for (const [csv, text] of [
      ['caption', ar.refusals.only_heading],
      [`caption\n${'x\n'.repeat(501)}`, ar.refusals.too_many_rows.replace('{limit, number}', '500')],
    ] as const) {
      await view.getByLabel(ar.transfer.paste).fill(csv)
      await view.getByRole('button', { name: ar.transfer.look }).click()
      await view.getByText(text).waitFor()
    }
    await view.context().close()
  })

  test('with 50 rows and 5 faults is previewed, saved without the faulty rows, and undone', async () => {
    const { page: view, faults } = await enter(await browser.newContext({ viewport: { width: 1280, height: 900 } }))
    await view.getByRole('link', { name: 'Posts', exact: true }).first().click()
    await view.getByRole('link', { name: 'Import' }).click()
    await view.getByRole('heading', { name: 'Import posts' }).waitFor()
    await shot(view, 'choose')
    expect([await violations(view), await overflows(view)]).toEqual([[], []])
    await view
      .locator('input[type=file]')
      .setInputFiles({ name: 'posts.csv', mimeType: 'text/csv', buffer: Buffer.from(table()) })
    await view.getByText('50 rows. Nothing has been saved yet.').waitFor()
    await view.getByRole('button', { name: 'Error 5' }).click()
    await view.getByText('No connected account is called “Somebody else”.').waitFor()
    await view.getByText('Your media library has no file called “missing.jpg”.').waitFor()
    await view.getByText('“someday” isn’t a date and time').waitFor()
    await still(view)
    await shot(view, 'faults')
    expect([await violations(view), await overflows(view)]).toEqual([[], []])
    expect(await posts()).toEqual([])

    await view.getByRole('button', { name: 'Save 45 posts' }).click()
    await view.getByText('45 posts saved').waitFor()
    const saved = await posts()
    expect([saved.length, new Set(saved.map(({ status }) => status))]).toEqual([45, new Set(['SCHEDULED'])])
    const [file] = await Promise.all([
      view.waitForEvent('download'),
      view.getByRole('button', { name: 'Download 5 remaining rows' }).click(),
    ])
    const left = (await readFile(await file.path(), 'utf8')).trim().split('\n')
    expect([left.length, left[1]]).toEqual([6, expect.stringContaining('No time,someday')])
    await shot(view, 'saved')

    await view.getByRole('button', { name: 'Undo' }).click()
    await view.getByText('45 posts removed').waitFor()
    expect(await posts()).toEqual([])
    expect(faults).toEqual([])
  })

  test.runIf(long)(
    'is previewed on a phone, in Arabic and dark theme, and an export can be imported again',
    async () => {
      await ann.must('POST', '/posts', { caption: 'From before', targets: [page.id] })
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, acceptDownloads: true })
      await useTheme(context, 'dark')
      const { page: view, faults } = await enter(context)
      await view.goto(`${product.url}/app/w/${ann.workspaceId}/posts`)
      const [file] = await Promise.all([
        view.waitForEvent('download'),
        view.getByRole('button', { name: ar.posts.export }).click(),
      ])
      const csv = await readFile(await file.path(), 'utf8')
      const columns = csv.replace('\uFEFF', '').split(/\r?\n/, 1)[0]!.split(',')
      const row = (cells: Record<string, string>) => `${columns.map((name) => cells[name] ?? '').join(',')}\n`
      await view.getByRole('link', { name: ar.posts.import }).click()
      await view
        .getByLabel(ar.transfer.paste)
        .fill(
          csv +
            row({ caption: 'Late', 'scheduled at': '2020-01-01 09:00' }) +
            row({ caption: 'Odd', networks: 'Myspace', action: 'dance', 'NET_PAGE options': '"{""x"": 1}"' }),
        )
      await view.getByRole('button', { name: ar.transfer.look }).click()
      await view.getByText('From before').waitFor()
      await view.getByText(ar.transfer.faults.in_the_past).waitFor()
      for (const [code, value] of [
        ['invalid_networks', 'Myspace'],
        ['invalid_action', 'dance'],
        ['invalid_options', 'x'],
      ] as const)
        await view.getByText(ar.transfer.faults[code].replace('{value}', value)).waitFor()
      await view.getByText('Facebook options').waitFor()
      await still(view)
      await shot(view, 'arabic')
      expect([await violations(view), await overflows(view), await smallTargets(view, 44)]).toEqual([[], [], []])
      await view.getByRole('button', { name: 'حفظ منشور واحد' }).click()
      await view.getByText('حُفظ منشور واحد').waitFor()
      expect((await posts()).map(({ caption }) => caption)).toEqual(['From before', 'From before'])
      expect(faults).toEqual([])
    },
  )
})
