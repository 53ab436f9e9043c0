import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { EscalationRule } from '../../src/conversations/escalation/api.ts'
import type { SavedReply } from '../../src/conversations/replies/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { openInbox, type OpenedInbox, threadOf } from '../inbox.ts'
import { confirmEmail, eventually, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { pick, signIn, visit } from './story.ts'

// The inbox settings of a team: the rules that escalate messages, and the saved replies.

describe.skipIf(!hasBrowser)('the settings of the inbox', () => {
  const { product, sandbox } = useProduct()
  const browser = useBrowser()
  let ann: Person
  let shop: OpenedInbox
  const faultsOf: string[][] = []

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
    shop = await openInbox(ann, sandbox.url, 'u1801')
  })

  async function at(person: Person, width = 1440, theme: Theme = 'light'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    faultsOf.push(faults)
    await signIn(page, person)
    return page
  }

  const home = (path: string) => `${product.url}/app/w/${ann.workspaceId}/settings/${path}`
  const rules = async () => (await ann.must<{ data: EscalationRule[] }>('GET', '/ice/escalation-rules')).data

  describe('escalation rules', () => {
    const text = en.rules

    test("a rule is created, escalates a customer's message, is changed, and can be restored after it was deleted", async () => {
      const page = await at(ann)
      await visit(page, home('labels'))
      await page.getByRole('link', { name: en.settings.rules }).click()
      await page.getByText(text.none).waitFor()
      if (long) await expectSound(page, 'rules-none')
      await page.getByRole('button', { name: text.new }).click()
      const dialog = page.getByRole('dialog', { name: text.new })
      await dialog.getByRole('button', { name: en.common.save }).click()
      await dialog.getByText(text.empty).waitFor()
      await dialog.getByRole('textbox', { name: text.keywords }).fill('refund, money back,')
      await dialog.getByRole('textbox', { name: text.keywords }).fill('lawyer')
      await pick(dialog.getByLabel(text.assign), en.states.roles.OWNER)
      await dialog.getByLabel(en.states.roles.EDITOR, { exact: true }).check()
      await expectSound(page, 'rules-new')
      // A word that is still in the field counts too.
      await dialog.getByRole('button', { name: en.common.save }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await rules()).toMatchObject([
        { keywords: ['refund', 'money back', 'lawyer'], assignToRole: 'OWNER', notifyRoles: ['EDITOR'], urgency: null },
      ])
      await shop.play({ kind: 'comment', postId: shop.postId, from: { name: 'Cross' }, text: 'I want my MONEY back' })
      const thread = await eventually(async () => {
        const now = await threadOf(ann, 'Cross')
        return now.status === 'ESCALATED' && now
      })
      expect(thread.assignee?.name).toBe('Ann')

      await page.getByRole('button', { name: text.edit.replace('{place, number}', '1') }).click()
      const change = page.getByRole('dialog', { name: text.editTitle })
      await pick(change.getByLabel(text.urgency), text.atLeast.replace('{urgency}', en.inbox.urgencies.HIGH))
      await change.getByRole('button', { name: en.common.removeNamed.replace('{name}', 'lawyer') }).click()
      await change.getByRole('button', { name: en.common.save }).click()
      await page.getByText(text.urgent.replace('{urgency}', en.inbox.urgencies.HIGH)).waitFor()
      expect(await rules()).toMatchObject([{ keywords: ['refund', 'money back'], urgency: 'HIGH', version: 2 }])

      await page.getByRole('button', { name: text.delete.replace('{place, number}', '1') }).click()
      await page.getByText(text.none).waitFor()
      expect(await rules()).toEqual([])
      await page.getByRole('button', { name: text.undo }).click()
      await page.getByText('money back').waitFor()
      expect(await rules()).toMatchObject([{ keywords: ['refund', 'money back'], urgency: 'HIGH' }])
    })

    test('a dialog with a changed field asks before it closes, and closes at once without one', async () => {
      const page = await at(ann)
      await visit(page, home('rules'))
      const dialog = page.getByRole('dialog', { name: text.new })
      const question = page.getByRole('dialog', { name: en.common.discarding.title })
      const field = dialog.getByRole('textbox', { name: text.keywords })
      const begin = () => page.getByRole('button', { name: text.new }).click()
      const pressBeside = () => page.mouse.click(5, 400)
      for (const close of [pressBeside, () => page.keyboard.press('Escape')]) {
        await begin()
        await field.click()
        await close()
        await dialog.waitFor({ state: 'detached' })
      }
      await begin()
      await field.fill('refund')
      await pressBeside()
      await page.keyboard.press('Escape')
      await question.getByRole('button', { name: en.common.discarding.stay }).click()
      await question.waitFor({ state: 'detached' })
      // Leaving the field has made it a word of the list, which is a change too.
      await dialog.getByRole('button', { name: en.common.removeNamed.replace('{name}', 'refund') }).waitFor()
      await dialog.getByRole('button', { name: en.common.cancel }).click()
      if (long) await expectSound(page, 'discard-question')
      await question.getByRole('button', { name: en.common.discarding.discard }).click()
      await dialog.waitFor({ state: 'detached' })
    })

    test.runIf(long)(
      'rules can be reordered, and keep their order; a colleague sees it at once, but cannot change it',
      async () => {
        await ann.must('POST', '/ice/escalation-rules', { keywords: ['angry'], notifyRoles: ['OWNER', 'ADMIN'] })
        const vic = await join(ann, 'Vic', 'VIEWER')
        const [hers, his] = [await at(ann), await at(vic, 390, 'dark')]
        await visit(hers, home('rules'))
        await visit(his, home('rules'))
        const order = (page: Page) =>
          page
            .getByRole('list', { name: text.title })
            .locator('bdi')
            .filter({ hasText: /^(refund|angry)$/ })
            .allInnerTexts()
        await expect.poll(() => order(his)).toEqual(['refund', 'angry'])
        await hers.getByRole('button', { name: text.up.replace('{place, number}', '2') }).click()
        await expect.poll(() => order(his)).toEqual(['angry', 'refund'])
        await expect.poll(async () => (await rules()).map(({ keywords }) => keywords[0])).toEqual(['angry', 'refund'])
        await his.getByText(text.readOnly).waitFor()
        expect(await his.getByRole('main').getByRole('list').getByRole('button').count()).toBe(0)
        await expectSound(his, 'rules-read')
        await expectSound(hers, 'rules')
      },
    )

    test.runIf(long)('a client sees that rules are not for them; in Arabic they fit a small phone', async () => {
      const clara = await join(ann, 'Clara', 'CLIENT')
      const page = await at(clara)
      await visit(page, home('rules'))
      await page.getByText(en.states.role).waitFor()
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const phone = await at(ann, 320, 'dark')
      await visit(phone, home('rules'))
      await phone.getByText('refund').waitFor()
      await expectSound(phone, 'rules-phone')
      await phone.getByRole('button', { name: ar.rules.edit.replace('{place, number}', '1') }).click()
      await phone.getByRole('dialog', { name: ar.rules.editTitle }).waitFor()
      await expectSound(phone, 'rules-phone-edit')
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    })
  })

  describe('saved replies', () => {
    const text = en.inbox.saved
    const replies = async () => (await ann.must<{ data: SavedReply[] }>('GET', '/saved-replies')).data

    test.runIf(long)(
      'a reply is created with placeholders and a preview, changed, and can be restored after it was deleted',
      async () => {
        const page = await at(ann)
        await visit(page, home('replies'))
        await page.getByText(text.noneYet).waitFor()
        await expectSound(page, 'replies-none')
        await page.getByRole('button', { name: text.new }).click()
        const dialog = page.getByRole('dialog', { name: text.new })
        await dialog.getByLabel(text.name).fill('Shipping')
        await dialog.getByLabel(text.text, { exact: true }).fill('Hi , we ship within two days. {{who}}')
        await dialog.getByText(text.unknown.replace('{place}', '{{who}}')).waitFor()
        await dialog.getByRole('button', { name: en.common.save }).click()
        expect(await replies()).toEqual([])
        const field = dialog.getByLabel(text.text, { exact: true })
        await field.fill('Hi , we ship within two days.')
        await field.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(3, 3))
        await dialog.getByRole('button', { name: text.placeNames.first_name }).click()
        expect(await field.inputValue()).toBe('Hi {{first_name}}, we ship within two days.')
        await dialog
          .getByRole('region', { name: text.preview })
          .getByText('Hi Dana, we ship within two days.')
          .waitFor()
        await expectSound(page, 'replies-new')
        await dialog.getByRole('button', { name: en.common.save }).click()
        await page.getByText('Hi Dana, we ship within two days.').waitFor()
        await page.getByRole('button', { name: text.change.replace('{name}', 'Shipping') }).click()
        const change = page.getByRole('dialog', { name: text.edit })
        await change.getByLabel(text.name).fill('Delivery')
        await change.getByRole('button', { name: en.common.save }).click()
        const remove = page.getByRole('button', { name: text.deleteThis.replace('{name}', 'Delivery') })
        await remove.click()
        await page.getByText(text.noneYet).waitFor()
        await page.getByRole('button', { name: text.undo }).click()
        await remove.waitFor()
        expect(await replies()).toMatchObject([
          { name: 'Delivery', text: 'Hi {{first_name}}, we ship within two days.' },
        ])
      },
    )

    test.runIf(long)(
      'replies are found by name and text, here and in a conversation; viewers only read them, also in Arabic',
      async () => {
        for (const [name, said] of [
          ['Opening hours', 'We are open from 8 to 18.'],
          ['Thanks', 'Thank you, {{first_name|friend}}! See you in the roastery.'],
        ])
          await ann.must('POST', '/saved-replies', { name, text: said })
        const page = await at(ann)
        await visit(page, home('replies'))
        await page.getByLabel(text.search).fill('roastery')
        await page.getByText('Thank you, Dana! See you in the roastery.').waitFor()
        await page.getByText('Opening hours').waitFor({ state: 'detached' })
        await page.getByLabel(text.search).fill('zzz')
        await page.getByText(text.noMatch).waitFor()
        await page.getByRole('button', { name: text.clear }).click()
        await page.getByText('Opening hours').waitFor()
        await expectSound(page, 'replies')

        await shop.play({ kind: 'comment', postId: shop.postId, from: { name: 'Ines Rocha' }, text: 'Until when?' })
        const { id } = await threadOf(ann, 'Ines Rocha')
        await visit(page, home('').replace('settings/', `inbox?id=${id}`))
        const reply = page.getByLabel(en.inbox.replyTo.replace('{name}', 'Ines Rocha'))
        await reply.fill('Hello , Ines')
        await reply.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 6))
        await page.getByRole('button', { name: en.emoji.title }).click()
        const emoji = page.getByRole('group', { name: en.emoji.title })
        await emoji.getByLabel(en.emoji.search).fill('nothingofthekind')
        await emoji.getByText(en.emoji.none).waitFor()
        // The search is inside the form of the reply, which Enter must not send.
        await page.keyboard.press('Enter')
        await emoji.getByLabel(en.emoji.search).fill('hot beverage')
        await emoji.getByRole('gridcell').first().waitFor()
        await page.keyboard.press('Enter')
        await expect.poll(() => reply.inputValue()).toMatch(/^Hello ☕\uFE0F?, Ines$/)
        await page.getByRole('button', { name: text.title }).click()
        await page.getByRole('link', { name: text.manage }).click()
        await page.waitForURL(/settings\/replies/)

        const vera = await join(ann, 'Vera', 'VIEWER')
        await vera.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
        const phone = await at(vera, 320, 'dark')
        await visit(phone, home('replies'))
        await phone.getByText(ar.inbox.saved.readOnly).waitFor()
        expect(await phone.getByRole('button', { name: ar.inbox.saved.new }).count()).toBe(0)
        await expectSound(phone, 'replies-phone')
      },
    )
  })

  test('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})
