import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../src/channels/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { addDays, instantOf, wallTime } from '../../src/publishing/scheduler/rules.ts'
import { cutAt, piecesOf } from '../../web/features/publishing/composer/preview/text.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { connect, newPerson, type Person, picture, untilStatus, uploadPicture, ZONE } from '../world.ts'
import { expectSound, hasBrowser, openPage, useBrowser, useTheme } from './browser.ts'
import { choose, openProblems, openSettings, pick, publishNow, signIn, takeWay, visit } from './story.ts'

const LONG =
  'Bloom, wait, pour. Thirty seconds of our morning pour-over with the new Guji lot from Ethiopia. #pourover\nCome by for a cup with @northside: https://northside.example/guji. We open at 7, and the first ten cups of the morning are on the house.'

describe('the text of a preview', () => {
  test('is cut where the network cuts it: by length, between words, and by lines', () => {
    expect(cutAt('Short enough', { signs: 20, lines: 2 })).toBe('Short enough')
    expect(cutAt('Cut between two words', { signs: 15, lines: 2 })).toBe('Cut between')
    expect(cutAt('Unbreakablelongword', { signs: 8, lines: 2 })).toBe('Unbreaka')
    expect(cutAt('One\ntwo\nthree', { signs: 99, lines: 2 })).toBe('One\ntwo')
    expect(cutAt('🍂🍂🍂🍂', { signs: 2, lines: 2 })).toBe('🍂🍂')
  })

  test('has its links, hashtags and mentions marked, in every script, and nothing else', () => {
    const marked = (text: string) => piecesOf(text).flatMap((piece) => (piece.marked ? [piece.text] : []))
    expect(marked(LONG)).toEqual(['#pourover', '@northside', 'https://northside.example/guji'])
    expect(marked('قهوة #قهوة_مختصة الآن')).toEqual(['#قهوة_مختصة'])
    expect(marked('C# and me@example.com, 5 # 3')).toEqual([])
    expect(
      piecesOf(LONG)
        .map(({ text }) => text)
        .join(''),
    ).toBe(LONG)
  })
})

describe.skipIf(!hasBrowser)('the composer', () => {
  const { product } = useProduct({ env: { PRIVATE_LINKS: 'on' } })
  const browser = useBrowser()
  const accounts = {} as Record<SocialAccount['platform'], SocialAccount>
  let hana: Person
  let context: BrowserContext
  let page: Page
  let faults: string[]

  const place = () => `${product.url}/app/w/${hana.workspaceId}`
  const text = () => page.getByLabel(en.composer.text, { exact: true })
  const tab = (name: string) => page.getByRole('tab', { name: new RegExp(name) })
  const begin = async (caption: string, networks = ['Facebook', 'Instagram', 'TikTok']) => {
    // Discard what an earlier test has written.
    await visit(page, `${product.url}/app/nowhere`)
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('parley.draft.')) localStorage.removeItem(key)
    })
    await visit(page, `${place()}/compose`)
    for (const network of networks) await choose(page, network)
    await text().fill(caption)
  }

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    for (const network of ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const)
      accounts[network] = (await connect(hana, network, 'u1'))[0] as SocialAccount
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  test('counts the problems in its bar, and each of them leads to the field that fixes it', async () => {
    await begin('Written for three networks')
    const list = await openProblems(page)
    // The first action has the focus, and the arrow keys reach the others.
    const acts = list.getByRole('listitem').getByRole('button')
    await acts.first().and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowDown')
    await acts.nth(1).and(page.locator(':focus')).waitFor()
    await expectSound(page, 'composer-problems')
    await list.getByRole('button', { name: /Choose who can see this video/ }).click()
    await page.locator('#field-NET_VIDEO-privacyLevel:focus').waitFor()
    expect(await tab('TikTok').getAttribute('aria-selected')).toBe('true')
    expect(await list.count()).toBe(0)
    if (long) await expectSound(page, 'composer-settings')
  })

  test.runIf(long)('opens the list of problems if they prevent the pressed action', async () => {
    await begin('Written for three networks')
    const main = page.getByRole('button', { name: en.composer.schedule, exact: true })
    expect(await main.getAttribute('aria-disabled')).toBe(null)
    await main.click()
    await page.getByRole('group', { name: en.composer.checks }).getByText('Choose who can see this video.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Escape')
    // Nothing prevents the action for another post.
    await begin('For one network only', ['Facebook'])
    await page.getByText(en.composer.ready).waitFor()
    await main.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
  })

  test.runIf(long)('lets a person choose the time despite problems, and keeps it until they are fixed', async () => {
    await begin('Written for three networks')
    await page.getByRole('button', { name: en.composer.chooseTime }).click()
    const dialog = page.getByRole('dialog', { name: en.schedule.title })
    await dialog.getByText(/To schedule the post, first fix its/).waitFor()
    await dialog.getByLabel(en.schedule.when).fill('2031-03-05 09:15')
    await expectSound(page, 'composer-time-first')
    await dialog.getByRole('button', { name: en.schedule.keep }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL(/\/posts\//)
    const post = await hana.must<Post>('GET', `/posts/${new URL(page.url()).pathname.split('/').at(-1)}`)
    expect(post).toMatchObject({ status: 'DRAFT', scheduledAt: instantOf('2031-03-05T09:15', ZONE).toISOString() })
    await page.getByRole('button', { name: /Wed, Mar 5, 2031, 9:15/ }).waitFor()
    // The action itself shows the list, and the time is kept until nothing prevents the action.
    const main = page.getByRole('button', { name: en.composer.schedule, exact: true })
    await main.click()
    await page.getByRole('group', { name: en.composer.checks }).getByText('Choose who can see this video.').waitFor()
    await page.keyboard.press('Escape')
    for (const network of ['TikTok', 'Instagram'])
      await page
        .getByRole('group', { name: en.composer.postTo })
        .getByRole('checkbox', { name: network, checked: true })
        .uncheck()
    await page.getByText(en.composer.ready).waitFor()
    await main.click()
    expect(await dialog.getByLabel(en.schedule.when).inputValue()).toBe('2031-03-05 09:15')
    await dialog.getByRole('button', { name: en.schedule.schedule, exact: true }).click()
    await untilStatus(hana, post.id, ['SCHEDULED'])
  })

  test.runIf(long)('keeps its bar in view, and takes at most one and a half screens for three networks', async () => {
    await begin(LONG)
    await page.locator('input[type=file]').setInputFiles([
      { name: 'cup.jpg', mimeType: 'image/jpeg', buffer: await picture(1080, 1350) },
      { name: 'bar.jpg', mimeType: 'image/jpeg', buffer: await picture(1080, 1350, '#0f766e') },
    ])
    await page.getByRole('img', { name: /^Picture 2 of 2/ }).waitFor()
    await tab('TikTok').click()
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1200)
    await page.mouse.wheel(0, 2000)
    const bar = page.getByRole('button', { name: en.composer.schedule, exact: true })
    await expect.poll(async () => (await bar.boundingBox())?.y ?? -1).toBeLessThan(48)
    expect((await bar.boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await expectSound(page, 'composer')
  })

  test.runIf(long)(
    'shows the card of a link where the network would, and only the host if the page says nothing',
    async () => {
      const png = await picture(1200, 630)
      const site = createServer(({ url }, response) => {
        if (url === '/guji.png') response.writeHead(200, { 'content-type': 'image/png' }).end(png)
        else if (url === '/guji')
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(
              '<title>Guji, natural</title><meta name="description" content="Blueberry and jasmine."><meta property="og:image" content="/guji.png">',
            )
        else response.writeHead(404).end()
      })
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
      try {
        const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
        await begin(`New beans: http://${host}/guji.`, ['Facebook'])
        const card = page.locator('[data-link-card]')
        await card.getByText('Guji, natural').waitFor()
        await card.getByText('Blueberry and jasmine.').waitFor()
        expect(await card.getByRole('presentation').evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(640)
        await expectSound(page, 'composer-link')
        await text().fill(`Gone: http://${host}/gone`)
        await expect.poll(() => card.innerText()).toBe(`${host.toUpperCase()}\n${host}`)
        await page.locator('input[type=file]').setInputFiles([{ name: 'cup.jpg', mimeType: 'image/jpeg', buffer: png }])
        await expect.poll(() => card.count()).toBe(0)
      } finally {
        site.closeAllConnections()
        site.close()
      }
    },
  )

  test.runIf(long)('summarizes a folded part: first what is missing, then what is chosen', async () => {
    await begin('From green to brown')
    await tab('TikTok').click()
    const settings = page.getByRole('region', { name: en.options.title.replace('{network}', 'TikTok') })
    const missing = settings.getByText(en.options.missing.both)
    await missing.waitFor()
    expect(await settings.innerText()).toMatch(
      new RegExp(`${en.options.missing.both}\\s+·\\s+${en.options.summary.commentsOff}`),
    )
    await openSettings(page, 'TikTok')
    await pick(page.getByLabel(en.options.privacy), en.options.levels.PUBLIC_TO_EVERYONE)
    await page.getByLabel(en.options.allowComment).check()
    await page.getByText(en.options.consent.replace('{network}', 'TikTok')).click()
    await settings.getByRole('button', { expanded: true }).click()
    await settings.getByText(`${en.options.levels.PUBLIC_TO_EVERYONE} · ${en.options.summary.commentsOn}`).waitFor()
    expect(await missing.count()).toBe(0)
    await tab('Facebook').click()
    await page.getByRole('region', { name: en.options.firstComment }).getByText(en.options.none).waitFor()
  })

  test('shows one preview at a time, which follows the text, cut and coloured as on the network', async () => {
    await begin(LONG)
    const figures = page.getByRole('figure')
    const more = figures.getByRole('button', { name: en.composer.more, exact: true })
    await tab('Instagram').click()
    await page
      .getByRole('figure', { name: en.composer.preview.replace('{network}', 'Instagram') })
      .getByText('Bloom, wait, pour.')
      .waitFor()
    expect(await figures.count()).toBe(1)
    expect(await figures.innerText()).not.toContain('on the house')
    const colours = () =>
      figures
        .locator('[data-marked]')
        .evaluateAll((all) => all.map((one) => [one.textContent, getComputedStyle(one).color]))
    const plain = await figures
      .locator('p')
      .first()
      .evaluate((one) => getComputedStyle(one).color)
    await more.click()
    await figures.getByText(/on the house/).waitFor()
    expect((await colours()).map(([piece]) => piece)).toEqual([
      '#pourover',
      '@northside',
      'https://northside.example/guji',
    ])
    expect((await colours()).filter(([, colour]) => colour === plain)).toEqual([])
    // The preview never shows made-up figures.
    expect(await figures.innerText()).not.toMatch(/\d+ (likes|comments|shares)/i)
    // Choosing a network next to the preview also changes the tab of the text.
    const beside = page.getByRole('group', { name: en.composer.previewed })
    await beside.getByRole('button', { name: en.composer.showPreview.replace('{network}', 'TikTok') }).click()
    await page.getByRole('figure', { name: en.composer.preview.replace('{network}', 'TikTok') }).waitFor()
    expect(await tab('TikTok').getAttribute('aria-selected')).toBe('true')
    if (long) await expectSound(page, 'composer-preview-video')
    await tab(en.composer.allNetworks).click()
    await beside.getByRole('button', { name: en.composer.showPreview.replace('{network}', 'Facebook') }).click()
    await page.getByRole('figure', { name: /Facebook/ }).waitFor()
    expect(await tab(en.composer.allNetworks).getAttribute('aria-selected')).toBe('true')
  })

  test.runIf(long)('steps through the pictures of a post, in the shape of the first', async () => {
    const files = [
      await uploadPicture(hana, await picture(1080, 1350)),
      await uploadPicture(hana, await picture(900, 900)),
    ]
    const { id } = await hana.must<Post>('POST', '/posts', {
      caption: 'Two pictures',
      targets: [accounts.NET_PHOTO.id],
      media: files.map((file, sortOrder) => ({ mediaFileId: file.id, sortOrder })),
    })
    await visit(page, `${place()}/posts/${id}`)
    await tab('Instagram').click()
    const figure = page.getByRole('figure')
    await figure.getByText('1/2').waitFor()
    const shape = async () => {
      const box = await figure.locator('img[width]').first().boundingBox()
      return box ? box.width / box.height : 0
    }
    expect(await shape()).toBeCloseTo(0.8, 1)
    await figure.getByRole('button', { name: en.composer.nextPicture }).click()
    await figure.getByText('2/2').waitFor()
    expect(await shape()).toBeCloseTo(0.8, 1)
    await expectSound(page, 'composer-preview-gallery')
  })

  test('stops suggesting when the caret leaves the word, and keeps the text after it', async () => {
    await hana.must('POST', '/hashtag-sets', { name: 'Brewing', hashtags: ['#brewbar'] })
    await begin('First  and the rest', ['Facebook'])
    await text().evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 6))
    await page.keyboard.type('#brew')
    const list = page.getByRole('listbox', { name: en.composer.offered })
    await list.waitFor()
    await page.keyboard.press('End')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    expect(await text().inputValue()).toBe('First #brew and the rest\n')
  })

  test.runIf(long)('suggests hashtags of own sets and of recent posts while typing', async () => {
    await hana.must('POST', '/hashtag-sets', { name: 'Coffee', hashtags: ['#pourover', '#v60'] })
    await hana.must('POST', '/posts', { caption: 'Used before', hashtags: ['#poursteadily'] })
    await begin('', ['Facebook'])
    await text().pressSequentially('Slowly #pour')
    const list = page.getByRole('listbox', { name: en.composer.offered })
    await expect.poll(() => list.getByRole('option').allTextContents()).toEqual(['#pouroverCoffee', '#poursteadily'])
    await expectSound(page, 'composer-suggestions')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await text().inputValue()).toBe('Slowly #poursteadily ')
    await list.waitFor({ state: 'detached' })
    // Escape leaves the typed text unchanged.
    await page.keyboard.type('#v')
    await list.waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    expect(await text().inputValue()).toBe('Slowly #poursteadily #v')
  })

  test.runIf(long)(
    'offers days and times in the zone of the workspace, and shows planned posts and free slots',
    async () => {
      await hana.must('PATCH', `/workspaces/${hana.workspaceId}`, { timezone: 'Europe/Berlin' })
      const wall = `${addDays(wallTime(new Date(), 'Europe/Berlin').slice(0, 10), 1)}T09:30`
      const { id } = await hana.must<Post>('POST', '/posts', {
        caption: 'Planned before',
        targets: [accounts.NET_PAGE.id],
        scheduledAt: instantOf(wall, 'Europe/Berlin').toISOString(),
      })
      await begin('Planned after it', ['Facebook'])
      await page.getByRole('button', { name: en.composer.chooseTime }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/CES?T/).first().waitFor()
      const chosen = dialog.getByRole('gridcell', { selected: true }).getByRole('button')
      // The suggestion is nine o'clock tomorrow. A post planned for that day is named.
      await dialog.getByText('Planned before').waitFor()
      expect(await chosen.getAttribute('aria-label')).toContain('1 post')
      await expectSound(page, 'composer-time')
      const field = dialog.getByLabel(en.schedule.when)
      const first = (await field.inputValue()).slice(0, 10)
      await chosen.focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      expect(await field.inputValue()).toBe(`${addDays(first, 7)} 09:00`)
      await page.keyboard.press('PageDown')
      await page.keyboard.press('PageUp')
      await page.keyboard.press('Enter')
      expect(await field.inputValue()).toBe(`${addDays(first, 7)} 09:00`)
      await dialog
        .getByRole('group', { name: en.schedule.time })
        .getByRole('button', { name: /^(6:30 PM|18:30)/ })
        .click()
      expect(await field.inputValue()).toBe(`${addDays(first, 7)} 18:30`)
      await dialog.getByRole('button', { name: en.schedule.schedule, exact: true }).click()
      await page.waitForURL(/\/posts\/[^/]+$/)
      const made = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      const { scheduledAt } = await hana.must<Post>('GET', `/posts/${made}`)
      expect(wallTime(new Date(scheduledAt!), 'Europe/Berlin')).toBe(`${addDays(first, 7)}T18:30`)
      for (const post of [id, made]) await hana.must('DELETE', `/posts/${post}`)
    },
  )

  test.runIf(long)('accepts a picture pasted into the text', async () => {
    await begin('Pasted', ['Facebook'])
    const bytes = [...(await picture(400, 300))]
    await text().evaluate((field, data) => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([new Uint8Array(data)], 'pasted.jpg', { type: 'image/jpeg' }))
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, bytes)
    await page.getByRole('img', { name: /pasted\.jpg/ }).waitFor()
    expect(await text().inputValue()).toBe('Pasted')
  })

  test.runIf(long)('offers the last used action first, per workspace, but never publishing now', async () => {
    await begin('Out at once', ['Facebook'])
    await publishNow(page)
    await page.waitForURL(/\/posts\/[^/]+$/)
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await untilStatus(hana, id, ['PUBLISHED'])
    // A live post shows the time since it was published.
    const figure = page.getByRole('figure')
    await page.getByRole('heading', { level: 1 }).getByText(en.status.PUBLISHED, { exact: true }).waitFor()
    await expect.poll(() => figure.getByText(en.composer.justNow).count()).toBe(0)
    await page.goto(`${place()}/compose`)
    await choose(page, 'Facebook')
    await text().fill('Back on the schedule')
    const main = page.locator(`div:has(> button[aria-label="${en.composer.ways}"]) > button`).first()
    await expect.poll(() => main.textContent()).toContain(en.composer.schedule)
    // The actions name their shortcuts.
    const keysOf = async (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('title')
    expect(await keysOf(en.composer.saveDraft)).toBe(`${en.composer.saveDraft} (Ctrl S)`)
    await expect.poll(() => keysOf(en.composer.schedule)).toBe(`${en.composer.schedule} (Ctrl ↵)`)
    await takeWay(page, en.approvals.submit)
    await page.getByRole('dialog').waitFor()
    await page.reload()
    await expect.poll(() => main.textContent()).toContain(en.approvals.submit)
  })

  test.runIf(long)('has its actions at the bottom of a phone, and a switch between text and preview', async () => {
    const small = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await useTheme(small, 'dark')
    const { page: phone, faults: wrong } = await openPage(small)
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    await signIn(phone, hana)
    await phone.goto(`${place()}/compose`)
    await choose(phone, 'Instagram', ar.composer.postTo)
    await phone.getByLabel(ar.composer.text, { exact: true }).fill(LONG)
    const main = phone.getByRole('button', { name: ar.composer.schedule, exact: true })
    const box = await main.boundingBox()
    expect(box!.y + box!.height).toBeGreaterThan(844 - 32)
    expect(await phone.getByRole('navigation').count()).toBe(0)
    await expectSound(phone, 'composer-phone-ar')
    const preview = phone.getByRole('button', { name: ar.composer.previewTitle, exact: true })
    await preview.click()
    const figure = phone.getByRole('figure')
    await figure.waitFor()
    expect(await preview.getAttribute('aria-pressed')).toBe('true')
    expect(await phone.getByLabel(ar.composer.text, { exact: true }).isVisible()).toBe(false)
    // The layout is that of the network for Arabic readers, while the text keeps its own direction.
    expect(
      await figure
        .locator('div')
        .first()
        .evaluate((shown) => getComputedStyle(shown).direction),
    ).toBe('rtl')
    expect(await figure.locator('p[dir=auto]').first().isVisible()).toBe(true)
    await expectSound(phone, 'composer-phone-preview-ar')
    await phone.getByRole('button', { name: ar.composer.editView, exact: true }).click()
    await (await openProblems(phone, ar)).getByRole('button').nth(1).click()
    await phone.locator('#field-media :focus').waitFor()
    // A message appears above the actions.
    await phone.keyboard.press('Control+s')
    await phone.getByText(ar.composer.draftSaved).waitFor()
    const toast = phone.locator('[data-sonner-toast]').first()
    await expect
      .poll(async () => {
        const [above, below] = [await toast.boundingBox(), await main.boundingBox()]
        return above && below && above.y + above.height <= below.y
      })
      .toBe(true)
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    expect([...faults, ...wrong]).toEqual([])
  })

  test('is saved by its keys wherever the focus is, and the keys of a comment do not send the post', async () => {
    await begin('Saved from the bar', ['Facebook'])
    const save = page.getByRole('button', { name: en.composer.saveDraft })
    await save.focus()
    const isFree = await save.evaluate((button) =>
      button.dispatchEvent(
        new KeyboardEvent('keydown', { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true, cancelable: true }),
      ),
    )
    expect(isFree).toBe(false)
    await page.waitForURL(/\/posts\//)
    await page.getByRole('button', { name: en.composer.panels.comments }).click()
    const beside = page.getByRole('complementary', { name: en.composer.beside })
    await beside.getByRole('textbox').fill('Is it right?')
    await beside.getByRole('textbox').press('Control+Enter')
    await beside.getByRole('listitem').filter({ hasText: 'Is it right?' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await text().press('Control+Enter')
    await page.getByRole('dialog', { name: en.schedule.title }).waitFor()
  })

  test('is sent by its keys from a field and from the page, but not from another control or behind a popup', async () => {
    await begin('Sent by its keys', ['Facebook'])
    await page.getByText(en.composer.ready).waitFor()
    const dialog = page.getByRole('dialog', { name: en.schedule.title })
    /** Whether the keys send the post while this element has the focus. */
    const sends = async (target: Locator) => {
      const isFree = await target.evaluate((element) => {
        element.focus()
        return element.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
        )
      })
      if (isFree) return false
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      return true
    }
    const body = page.locator('body')
    const emoji = page.getByRole('button', { name: en.emoji.title })
    expect(await sends(text())).toBe(true)
    expect(await sends(body)).toBe(true)
    expect(await sends(page.getByRole('checkbox', { name: /Facebook/ }).first())).toBe(true)
    // This button has the keys in its tooltip.
    expect(await sends(page.getByRole('button', { name: en.composer.schedule, exact: true }))).toBe(true)
    expect(await sends(emoji)).toBe(false)
    expect(await sends(page.getByRole('button', { name: en.composer.saveDraft }))).toBe(false)
    await page.getByRole('button', { name: en.composer.ways }).click()
    await page.getByRole('menu').waitFor()
    expect(await sends(body)).toBe(false)
    await page.keyboard.press('Escape')
  })

  test('is saved by its keys on an Arabic keyboard, and with Caps Lock, but not with Shift', async () => {
    await begin('Not saved')
    const isFree = (init: { key: string; code: string; ctrlKey: boolean; shiftKey: boolean }) =>
      text().evaluate(
        (field, keys) =>
          field.dispatchEvent(new KeyboardEvent('keydown', { ...keys, bubbles: true, cancelable: true })),
        init,
      )
    expect(await isFree({ key: 'S', code: 'KeyS', ctrlKey: true, shiftKey: true })).toBe(true)
    for (const key of ['س', 'S']) {
      await begin(`Saved with ${key}`)
      await text().dispatchEvent('keydown', { key, code: 'KeyS', ctrlKey: true })
      await page.waitForURL(/\/posts\//)
    }
  })

  test('and the calendar work without storage', async () => {
    const { page: bare, faults: wrong } = await openPage(context)
    await bare.addInitScript(() =>
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('Blocked', 'SecurityError')
        },
      }),
    )
    await bare.goto(`${place()}/calendar`)
    await bare.getByRole('link', { name: en.calendar.previousWeeks, exact: true }).waitFor()
    await visit(bare, `${place()}/compose`)
    await bare
      .locator('input[type=file]')
      .setInputFiles({ name: 'cup.png', mimeType: 'image/png', buffer: await picture() })
    await bare.getByRole('img', { name: 'Picture 1 of 1: cup.png' }).waitFor()
    await bare.close()
    expect(wrong).toEqual([])
  })

  test('the pages reported no errors', () => {
    expect(faults).toEqual([])
  })
})
