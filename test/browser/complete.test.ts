import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Post } from '../../src/publishing/posts/api.ts'
import { en } from '../../web/locales/en.ts'
import { FAST, useProduct } from '../fixtures.ts'
import { addFault, connect, liveOn, newPerson, untilStatus } from '../world.ts'
import { hasBrowser, useBrowser, openPage, still, useTheme, violations } from './browser.ts'
import { choose, openReviewLinks, openSettings, pick, picture, publishNow, signIn, visit } from './story.ts'

// The purpose of the product in one go: a post is written once for three networks, approved by a client on a phone,
// moved, published, fixed where a network refused it, and finally live exactly once on each.

describe.skipIf(!hasBrowser)('one post', () => {
  const { product } = useProduct({ env: FAST })
  const browser = useBrowser()
  const opened: { page: Page; faults: string[] }[] = []

  async function at(width: number, height: number, theme: 'light' | 'dark'): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      viewport: { width, height },
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
    })
    await useTheme(context, theme)
    const one = await openPage(context)
    opened.push(one)
    return one.page
  }
  const shot = async (page: Page, name: string) => {
    await still(page)
    if (process.env['SHOTS'])
      await page.screenshot({ path: `${process.env['SHOTS']}/complete-${name}.png`, fullPage: true })
    expect([name, await violations(page)]).toEqual([name, []])
  }
  const live = async () =>
    [...(await liveOn(`${product.url}/sandbox`)).values()]
      .flat()
      .map(({ message }) => message)
      .toSorted()

  test('is written for three networks, approved by a client through a link, moved, published, fixed and retried', async () => {
    const desk = await at(1440, 1000, 'light')
    const hana = await newPerson(product.url, 'Hana')
    const ws = hana.workspaceId
    for (const network of ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const) await connect(hana, network, 'u1')
    await signIn(desk, hana)
    await hana.must('PATCH', `/workspaces/${ws}`, { approvalMode: 'required' })

    // The post is written once, with a separate text for one network.
    await desk.goto(`${product.url}/app/w/${ws}/compose`)
    for (const network of ['Facebook', 'Instagram', 'TikTok']) await choose(desk, network)
    await desk.getByLabel(en.composer.text, { exact: true }).fill('Autumn in a cup')
    await desk
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'cup.png', mimeType: 'image/png', buffer: await picture() })
    await openSettings(desk, 'TikTok')
    await pick(desk.getByLabel(en.options.privacy), en.options.levels.PUBLIC_TO_EVERYONE)
    await desk.getByText(en.options.consent.replace('{network}', 'TikTok')).click()
    await desk.getByRole('tab', { name: /Instagram/ }).click()
    await desk.getByLabel(en.composer.textFor.replace('{network}', 'Instagram')).fill('Autumn, photographed')
    await desk.getByRole('tab', { name: en.composer.allNetworks }).click()
    await desk.getByText(en.composer.ready).waitFor()
    await shot(desk, 'written')

    // The client gets a link, and approves on a phone.
    await desk.getByRole('button', { name: en.approvals.submit }).click()
    const dialog = desk.getByRole('dialog')
    const day = (ahead: number) =>
      new Date(Date.now() + ahead * 86_400_000).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
    await dialog.getByLabel(en.schedule.when).fill(`${day(2)}T09:00`)
    // No client can be reached yet, since their link is created afterwards.
    // The option is checked and disabled until it is known whether a client can be reached.
    const client = dialog.getByLabel(en.approvals.clientToo)
    await expect.poll(() => client.isEnabled()).toBe(true)
    await client.check()
    await dialog.getByRole('button', { name: en.approvals.submit }).click()
    await desk.waitForURL(/\/posts\/[0-9a-f-]{36}$/)
    const id = new URL(desk.url()).pathname.split('/').at(-1) ?? ''
    await openReviewLinks(desk)
    await desk.getByLabel(en.approvals.links.name).fill('Nadia of Shore & Co')
    await desk.getByRole('button', { name: en.approvals.links.make }).click()
    const link = await desk.getByLabel(en.approvals.links.address).inputValue()
    await desk.keyboard.press('Escape')
    const phone = await at(390, 844, 'dark')
    await phone.goto(link)
    await phone.getByText('Autumn in a cup').first().waitFor()
    await shot(phone, 'client')
    await phone.getByRole('button', { name: en.approvals.approve }).click()
    await phone.getByText(en.approvals.review.isApprovedStill).waitFor()

    // The post is dragged to the next day.
    await visit(desk, `/app/w/${ws}/calendar?date=${day(2)}`)
    const chip = desk.getByRole('link', { name: /Autumn in a cup/ }).first()
    await chip.waitFor()
    await chip.dragTo(desk.locator(`td[data-date="${day(3)}"]`).first())
    await desk
      .getByText(new RegExp(en.calendar.movedTo.split('{')[0]!.trim()))
      .first()
      .waitFor()
    expect(await hana.must<Post>('GET', `/posts/${id}`)).toMatchObject({ status: 'SCHEDULED', approved: true })
    await shot(desk, 'moved')

    // One network refuses the post.
    await addFault(`${product.url}/sandbox`, {
      match: { network: 'NET_PHOTO', method: 'POST', path: '/media$' },
      do: {
        status: 400,
        body: {
          error: {
            message: 'Caption has words that are not allowed',
            type: 'OAuthException',
            code: 100,
            error_subcode: 2207010,
          },
        },
      },
      times: 1,
    })
    await visit(desk, `/app/w/${ws}/posts/${id}`)
    await publishNow(desk)
    await desk.getByRole('heading', { level: 1 }).getByText(en.status.PARTIALLY_PUBLISHED).waitFor()
    await shot(desk, 'refused')

    // The text for that network is changed, and only this network is retried.
    await desk.getByRole('button', { name: en.post.fix.replace('{network}', 'Instagram') }).click()
    await desk.getByLabel(en.composer.textFor.replace('{network}', 'Instagram')).fill('Autumn, fixed')
    await desk.getByRole('button', { name: en.composer.saveChanges }).click()
    await desk.getByText(/^Saved /).waitFor()
    await desk.locator('[aria-disabled=true]', { hasText: en.composer.saveChanges }).waitFor()
    await desk.getByRole('button', { name: 'Retry on Instagram' }).click()
    await untilStatus(hana, id, ['PUBLISHED'])
    await desk.getByRole('heading', { level: 1 }).getByText(en.status.PUBLISHED, { exact: true }).waitFor()
    await shot(desk, 'live')
    expect(await live()).toEqual(['Autumn in a cup', 'Autumn in a cup', 'Autumn, fixed'])
    expect(opened.flatMap(({ faults }) => faults)).toEqual([])
  })
})
