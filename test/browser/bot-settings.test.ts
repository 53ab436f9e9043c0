import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotConfig } from '../../src/conversations/bot/config/api.ts'
import type { Workspace } from '../../src/team/workspaces/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { addDays, dateIn } from '../../web/time.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, join, newPerson, type Person } from '../world.ts'
import { expectSound, hasBrowser, openPage, type Theme, useBrowser, useTheme } from './browser.ts'
import { pick, signIn, visit } from './story.ts'

// The bot is off until a person decides what it does. One sentence describes the settings, and nothing is lost if two
// people change them at once.

const text = en.bot

describe.skipIf(!hasBrowser)('the settings of the bot', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ann: Person
  const faultsOf: string[][] = []

  beforeAll(async () => {
    ann = await newPerson(product.url, 'Ann')
    await confirmEmail(ann)
  })

  async function at(person: Person, width = 1440, theme: Theme = 'light'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: width < 600 ? 844 : 900 } })
    await useTheme(context, theme)
    const { page, faults } = await openPage(context)
    faultsOf.push(faults)
    await signIn(page, person)
    return page
  }

  const home = () => `${product.url}/app/w/${ann.workspaceId}/settings/bot`
  const config = () => ann.must<BotConfig>('GET', '/ice/bot-config')
  const put = (change: object) => ann.must<BotConfig>('PUT', '/ice/bot-config', change)
  const card = (page: Page, title: string) => page.getByRole('region', { name: title })
  const save = (page: Page) => page.getByRole('button', { name: text.save, exact: true }).click()
  const says = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()

  test('the bot is off at first; a dry run with answers and blocked topics is set up, and saved with a key', async () => {
    const page = await at(ann)
    await visit(page, `${product.url}/app/w/${ann.workspaceId}/settings/replies`)
    await page.getByRole('link', { name: en.settings.bot, exact: true }).click()
    await says(page, /The bot is off/)
    if (long) await expectSound(page, 'bot-off')
    await page.getByRole('radio', { name: text.mode.drafts }).check()
    await says(page, text.onceSaved)
    await says(page, /The bot drafts replies to messages and comments/)
    await card(page, text.sure.title).getByRole('slider').focus()
    await page.keyboard.press('ArrowRight')
    await says(page, text.sure.body.replace('{degree}', '71%'))
    const never = card(page, text.never.title)
    await never.getByRole('textbox', { name: text.never.blocked }).fill('refund, wholesale, Refund,')
    await never.getByRole('textbox', { name: text.never.escalate }).fill('lawyer')
    await card(page, text.know.title).getByRole('button', { name: text.know.add }).click()
    const dialog = page.getByRole('dialog', { name: text.know.new })
    await dialog.getByRole('button', { name: text.know.add }).click()
    await dialog.getByText(text.know.textMissing).waitFor()
    if (long) await expectSound(page, 'bot-new-answer')
    await dialog.getByLabel(text.know.title_.answer, { exact: true }).fill('Do you ship to Austria?')
    await dialog.getByLabel(text.know.text_.answer, { exact: true }).fill('Yes, within four days.')
    await dialog.getByRole('button', { name: text.know.add }).click()
    await dialog.waitFor({ state: 'detached' })
    await card(page, text.voice.title).getByLabel(text.voice.handoff).fill('A colleague will answer you.')
    expect(await config()).toMatchObject({ isEnabled: false, updatedAt: null })
    await page.keyboard.press('Control+s')
    await says(page, text.saved)
    const until = dateIn(new Date(), 'Europe/Berlin')
    const stored = await config()
    expect(stored).toMatchObject({
      isEnabled: true,
      maxConfidenceForAuto: 0.71,
      blockedTopics: ['refund', 'wholesale'],
      escalateKeywords: ['lawyer'],
      faqEntries: [{ question: 'Do you ship to Austria?', answer: 'Yes, within four days.' }],
      handoffText: 'A colleague will answer you.',
    })
    expect(dateIn(new Date(stored.draftsOnlyUntil!), 'Europe/Berlin')).toBe(addDays(until, 7))
    await expectSound(page, 'bot-drafts')
  })

  test.runIf(long)('a refused field shows its error, and its text stays', async () => {
    const page = await at(ann)
    await visit(page, home())
    const when = card(page, text.when.title)
    await pick(when.getByRole('combobox', { name: text.when.title }), text.when.hours)
    await when.getByLabel(text.when.to, { exact: true }).fill('9:00 AM')
    await page.keyboard.press('Tab')
    await save(page)
    await when.getByText(en.faults.equal).waitFor()
    await says(page, text.faulty)
    await expectSound(page, 'bot-faulty')
    // The hours extend past midnight.
    await when.getByLabel(text.when.to, { exact: true }).fill('2:00 AM')
    await when.getByText(text.when.nextDay).waitFor()
    await save(page)
    await says(page, text.saved)
    expect(await config()).toMatchObject({
      workingHoursOnly: true,
      workingHoursStart: '09:00',
      workingHoursEnd: '02:00',
    })
  })

  test.runIf(long)(
    'two people who change different settings lose nothing; changing the same one asks a question',
    async () => {
      const page = await at(ann)
      await visit(page, home())
      await page.getByRole('checkbox', { name: text.mode.commentToDmEnabled }).check()
      await put({ replyDelaySeconds: 60 })
      await save(page)
      await says(page, text.saved)
      expect(await config()).toMatchObject({ commentToDmEnabled: true, replyDelaySeconds: 60 })
      const slider = card(page, text.sure.title).getByRole('slider')
      await slider.fill('0.9')
      await put({ maxConfidenceForAuto: 0.5 })
      await save(page)
      const question = page.getByRole('alert').filter({ hasText: text.theirs.body })
      await question.waitFor()
      await expectSound(page, 'bot-theirs')
      expect(await config()).toMatchObject({ maxConfidenceForAuto: 0.5 })
      await question.getByRole('button', { name: text.theirs.keep }).click()
      await question.waitFor({ state: 'detached' })
      expect(await config()).toMatchObject({ maxConfidenceForAuto: 0.9 })
      await slider.fill('0.8')
      await put({ maxConfidenceForAuto: 0.4 })
      await save(page)
      await question.getByRole('button', { name: text.theirs.take }).click()
      await expect.poll(() => slider.inputValue()).toBe('0.4')
      expect(await config()).toMatchObject({ maxConfidenceForAuto: 0.4 })
    },
  )

  test.runIf(long)(
    'leaving with unsaved changes asks a question; hundreds of answers can be searched, changed and deleted',
    async () => {
      const entries = Array.from({ length: 400 }, (_, at) => ({ question: `Question ${at}?`, answer: `Answer ${at}` }))
      await put({ faqEntries: entries, knowledgeBase: { Grinds: 'Fine for espresso.', Shops: { Berlin: ['Mitte'] } } })
      const page = await at(ann)
      await visit(page, home())
      const know = card(page, text.know.title)
      await know.getByRole('button', { name: text.know.all.replace('{count, number}', '402') }).waitFor()
      await know.getByRole('searchbox', { name: text.know.search }).fill('answer 371')
      await know.getByRole('button', { name: text.know.editThis.replace('{name}', 'Question 371?') }).click()
      const dialog = page.getByRole('dialog', { name: text.know.edit })
      await dialog.getByLabel(text.know.text_.answer, { exact: true }).fill('Another answer')
      await dialog.getByRole('button', { name: text.know.apply }).click()
      await know.getByRole('searchbox', { name: text.know.search }).fill('shops')
      await know.getByRole('button', { name: /^Shops/ }).click()
      await page.getByRole('dialog').getByText(text.know.byApi).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: en.common.close }).first().click()
      await know.getByRole('button', { name: text.know.removeThis.replace('{name}', 'Shops') }).click()
      const sections = page.getByRole('navigation', { name: en.settings.sections })
      await sections.getByRole('link', { name: en.settings.rules }).click()
      const leave = page.getByRole('dialog', { name: en.common.discarding.title })
      await leave.getByRole('button', { name: en.common.discarding.stay }).click()
      await save(page)
      await says(page, text.saved)
      const { faqEntries, knowledgeBase } = await config()
      expect(faqEntries).toHaveLength(400)
      expect(faqEntries[371]).toEqual({ question: 'Question 371?', answer: 'Another answer' })
      expect(knowledgeBase).toEqual({ Grinds: 'Fine for espresso.' })
    },
  )

  test('discarded changes can be restored, and a number of replies that is wrong is not saved', async () => {
    await put({ isEnabled: true, draftsOnlyUntil: null, maxAutoRepliesPerThread: 3 })
    const page = await at(ann)
    await visit(page, home())
    const cap = page.getByLabel(text.when.cap)
    const discard = page.getByRole('button', { name: text.discard, exact: true })
    await cap.fill('7')
    await discard.click()
    await discard.waitFor({ state: 'detached' })
    expect(await cap.inputValue()).toBe('3')
    await says(page, text.discarded)
    await page.getByRole('button', { name: text.undo, exact: true }).click()
    await expect.poll(() => cap.inputValue()).toBe('7')

    for (const [wrong, why] of [
      ['', en.faults.required],
      ['51', en.common.fault.most.replace('{most, number}', '50')],
    ] as const) {
      await cap.fill(wrong)
      await says(page, why)
      const refused = page.waitForResponse((answer) => answer.request().method() === 'PUT')
      await save(page)
      expect([wrong, (await refused).status(), await cap.inputValue()]).toEqual([wrong, 422, wrong])
    }
    expect((await config()).maxAutoRepliesPerThread).toBe(3)
    await discard.click()
  })

  test('an admin pauses the bot at once, without pausing publishing, and resumes it', async () => {
    await put({ isEnabled: true, draftsOnlyUntil: null })
    const page = await at(ann)
    await visit(page, home())
    await page.getByRole('button', { name: text.pause.pause }).click()
    await says(page, text.pause.isPaused)
    const workspace = () => ann.must<Workspace>('GET', `/workspaces/${ann.workspaceId}`)
    expect(await workspace()).toMatchObject({ bot: { paused: true }, publishing: { paused: false } })
    if (long) await expectSound(page, 'bot-paused')
    await page.getByRole('button', { name: text.pause.resume }).click()
    await page.getByText(text.pause.isPaused).waitFor({ state: 'detached' })
    expect(await workspace()).toMatchObject({ bot: { paused: false } })
  })

  test('a change by a colleague is shown at once', async () => {
    await put({ isEnabled: true })
    const page = await at(ann)
    const opened = page.waitForResponse((response) => response.url().endsWith('/events'))
    await visit(page, home())
    await opened
    await page.getByRole('radio', { name: text.mode.off, checked: false }).waitFor()
    await put({ isEnabled: false })
    // The settings are loaded again each minute anyway.
    await page.getByRole('radio', { name: text.mode.off, checked: true }).waitFor({ timeout: 30_000 })
  })

  test.runIf(long)(
    'a viewer can read the settings, also in Arabic on a small phone; a client sees that they are not for them',
    async () => {
      const vic = await join(ann, 'Vic', 'VIEWER')
      const clara = await join(ann, 'Clara', 'CLIENT')
      const page = await at(vic)
      await visit(page, home())
      await says(page, text.readOnly)
      expect(await page.getByRole('button', { name: text.save }).count()).toBe(0)
      expect(await page.getByRole('radio', { name: text.mode.off }).isDisabled()).toBe(true)
      await expectSound(page, 'bot-read')
      await vic.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
      const phone = await at(ann, 320, 'dark')
      await visit(phone, home())
      await phone.getByRole('radio', { name: ar.bot.mode.off }).check()
      await phone
        .getByText(/البوت متوقف/)
        .first()
        .waitFor()
      await expectSound(phone, 'bot-phone')
      await phone.getByRole('button', { name: ar.bot.discard, exact: true }).click()
      await ann.must('PATCH', '/api/v1/auth/me', { language: 'en' })
      const hers = await at(clara)
      await visit(hers, home())
      await hers.getByText(en.states.role).waitFor()
      expect(await hers.getByRole('link', { name: en.settings.bot, exact: true }).count()).toBe(0)
    },
  )

  test('no page reported an error', () => {
    expect(faultsOf.flat()).toEqual([])
  })
})
