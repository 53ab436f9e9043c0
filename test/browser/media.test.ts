import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { en } from '../../web/locales/en.ts'
import type { MediaFile } from '../../src/publishing/media/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { connectPages, newPerson, type Person, uploadPicture } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { choose, picture, signIn } from './story.ts'

describe.skipIf(!hasBrowser)('the library of files', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let page: Page
  let faults: string[]
  let hana: Person
  let ws: string

  beforeAll(async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    ;({ page, faults } = await openPage(context))
    hana = await newPerson(product.url, 'Hana')
    await connectPages(hana)
    await signIn(page, hana)
    ws = hana.workspaceId
  })

  const open = () => page.goto(`${product.url}/app/w/${ws}/media`)
  const tile = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })

  test('is empty at first; uploaded files appear, and can be described, tagged, and found', async () => {
    await open()
    await page.getByText('No files yet').waitFor()
    expect(await violations(page)).toEqual([])
    await page.locator('input[type=file]').setInputFiles([
      { name: 'beans.png', mimeType: 'image/png', buffer: await picture(600, 400) },
      { name: 'cup.png', mimeType: 'image/png', buffer: await picture(500, 500) },
    ])
    await tile('cup.png').waitFor()
    await tile('beans.png').waitFor()
    await tile('cup.png').click()
    const dialog = page.getByRole('dialog', { name: 'cup.png' })
    await dialog.getByText('Not used').waitFor()
    await dialog.getByLabel('Alt text').fill('A white cup')
    await dialog.getByLabel('Tags').fill('menu, spring')
    await dialog.getByLabel('Made with AI').check()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await tile('cup.png. A white cup').waitFor()
    const take = async (filter: string, choice: string) => {
      await page.getByRole('button', { name: new RegExp(`^${filter}`) }).click()
      await page.getByRole('menuitemradio', { name: choice, exact: true }).click()
    }
    await take('Show', 'No alt text')
    await tile('cup.png').waitFor({ state: 'detached' })
    await take('Show', 'All files')
    await page.getByLabel('Search by name or alt text').fill('white')
    await tile('beans.png').waitFor({ state: 'detached' })
    await tile('cup.png').waitFor()
    await page.getByLabel('Search by name or alt text').fill('nothing like it')
    await page.getByText('No matching files').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await tile('beans.png').waitFor()
    await take('Tag', 'spring')
    await tile('beans.png').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?tag=spring')
    expect(faults).toEqual([])
  })

  test('a file keeps what others change in it meanwhile, and the same field is not overwritten without a word', async () => {
    const { id } = await uploadPicture(hana, undefined, 'grinder.jpg')
    const stored = () => hana.must<MediaFile>('GET', `/media/${id}`)
    const theirs = async (altText: string) => {
      const refreshed = page.waitForResponse((answer) => answer.url().endsWith(`/media/${id}`))
      await hana.must('PATCH', `/media/${id}`, { altText })
      await refreshed
    }
    await open()
    const dialog = page.getByRole('dialog', { name: 'grinder.jpg' })
    const begin = async (label: string, value: string) => {
      await tile('grinder.jpg').click()
      await dialog.getByLabel(label).fill(value)
    }
    const save = dialog.getByRole('button', { name: 'Save' })
    await begin('Tags', 'mine')
    await theirs('Theirs')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ altText: 'Theirs', tags: ['mine'] })
    await begin('Alt text', 'Mine')
    await theirs('Theirs again')
    await save.click()
    await dialog.getByRole('alert').waitFor()
    expect((await stored()).altText).toBe('Theirs again')
    await dialog.getByText(en.common.stale).waitFor()
    expect(await dialog.getByLabel('Alt text').inputValue()).toBe('Mine')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect((await stored()).altText).toBe('Mine')
  })

  test('the alt text in a post is the latest, even if the post was opened before it changed', async () => {
    const { id } = await uploadPicture(hana, undefined, 'filter.jpg')
    const post = await hana.must<Post>('POST', '/posts', { caption: 'A filter', media: [{ mediaFileId: id }] })
    await page.goto(`${product.url}/app/w/${ws}/posts/${post.id}`)
    const describe = page.getByRole('button', { name: /alt text .* filter\.jpg/ })
    await describe.waitFor()
    await hana.must('PATCH', `/media/${id}`, { altText: 'Theirs' })
    await describe.click()
    const dialog = page.getByRole('dialog', { name: 'Alt text' })
    await dialog.getByLabel('Made with AI').check()
    expect(await dialog.getByLabel('Alt text').inputValue()).toBe('Theirs')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await hana.must<MediaFile>('GET', `/media/${id}`)).toMatchObject({ altText: 'Theirs', aiGenerated: true })
  })

  test('shows the posts that use a file with their states, such as in review', async () => {
    const { id } = await uploadPicture(hana, undefined, 'menu.jpg')
    await hana.must<Post>('POST', '/posts', {
      caption: 'Asked for approval, with a text that is longer than a line of the dialog on a phone',
      media: [{ mediaFileId: id }],
      action: 'submit',
      onApproval: 'draft',
    })
    await open()
    await tile('menu.jpg').click()
    const using = page.getByRole('dialog', { name: 'menu.jpg' }).getByRole('link', { name: /Asked for approval/ })
    await using.waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflows(page)).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await using.getByText('In review', { exact: true }).waitFor()
    expect(await using.getByText('Draft', { exact: true }).count()).toBe(0)
  })

  test.runIf(long)(
    'adds its files to a post, shows which posts use a file, and deletes only files that no unpublished post needs',
    async () => {
      await page.goto(`${product.url}/app/w/${ws}/compose`)
      await choose(page)
      await page.getByLabel('Text', { exact: true }).fill('Fresh from the roaster')
      await page.getByRole('button', { name: 'From library' }).click()
      const picker = page.getByRole('dialog', { name: 'From library' })
      await picker.getByRole('button', { name: /^beans\.png/ }).click()
      await picker.getByRole('button', { name: /^cup\.png/ }).click()
      expect(await violations(page)).toEqual([])
      await picker.getByRole('button', { name: 'Add 2 files' }).click()
      await page.getByRole('img', { name: 'A white cup' }).first().waitFor()
      await page.getByRole('button', { name: 'Remove cup.png' }).click()
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.waitForURL(/\/posts\//)

      await open()
      await tile('beans.png').waitFor()
      await page.getByRole('button', { name: /^beans\.png.*Used in 1 post/ }).click()
      const dialog = page.getByRole('dialog', { name: 'beans.png' })
      await dialog.getByRole('link', { name: /Fresh from the roaster/ }).waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete “beans.png”?' }).getByRole('button', { name: 'Delete' }).click()
      await dialog
        .getByRole('alert')
        .getByText(/^This file is used in posts that haven’t been published yet/)
        .waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await tile('cup.png').click()
      await page.getByRole('dialog', { name: 'cup.png' }).getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete “cup.png”?' }).getByRole('button', { name: 'Delete' }).click()
      await tile('cup.png').waitFor({ state: 'detached' })
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('works on a phone and in dark theme', async () => {
    await useTheme(page.context(), 'dark')
    await page.setViewportSize({ width: 320, height: 700 })
    await open()
    await tile('beans.png').waitFor()
    expect([await overflows(page), await smallTargets(page, 44)]).toEqual([[], []])
    expect(await violations(page)).toEqual([])
    await tile('beans.png').click()
    await page.getByRole('dialog').waitFor()
    await still(page)
    expect([await overflows(page), await smallTargets(page, 44)]).toEqual([[], []])
  })

  test.runIf(long).each([390, 320])(
    'is behind More on a phone of %i px, whose tab labels are not cut',
    async (width) => {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(`${product.url}/app/w/${ws}/calendar`)
      const tabs = page.getByRole('navigation', { name: 'Main' }).filter({ visible: true })
      await tabs.getByRole('button', { name: 'More' }).click()
      const cut = await tabs.evaluate((nav) =>
        [...nav.querySelectorAll('.truncate')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      )
      expect([
        await tabs.locator('a:not([role]), button[aria-haspopup]').filter({ visible: true }).count(),
        cut,
      ]).toEqual([5, []])
      expect(await violations(page)).toEqual([])
      expect(await smallTargets(page, 44)).toEqual([])
      await page.getByRole('menuitem', { name: 'Media' }).click()
      await page.waitForURL(/\/media$/)
      await page.setViewportSize({ width: 1440, height: 900 })
    },
  )
})
