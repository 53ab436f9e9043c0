import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Generation, OptionsAnswer, PostTags, Suggestion } from '../../src/assistant/ai/api.ts'
import type { BrandVoice } from '../../src/assistant/brand-voices/api.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { wallTime } from '../../src/publishing/scheduler/rules.ts'
import type { Workspace } from '../../src/team/workspaces/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { long } from '../tier.ts'
import { confirmEmail, connectPages, eventually, mailTo, newPerson, type Person, untilStatus } from '../world.ts'
import { hasBrowser, useBrowser, openPage, overflows, smallTargets, still, useTheme, violations } from './browser.ts'
import { signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('brand voices and ideas', () => {
  const t = en.voices
  const { product } = useProduct()
  const browser = useBrowser()
  let context: BrowserContext
  let page: Page
  let faults: string[]
  let hana: Person
  let place: string

  const look = async (of: Page, name: string) => {
    await still(of)
    if (process.env['PICTURES']) await of.screenshot({ path: `${process.env['PICTURES']}/${name}.png`, fullPage: true })
  }
  /** Expects that an empty field has the direction of its page, and a filled one that of its text. */
  const followsPage = async (small: Page) => {
    const field = small.getByLabel(ar.voices.style)
    const side = () => field.evaluate((one) => getComputedStyle(one).direction)
    expect(await side()).toBe('rtl')
    await field.fill('Short sentences.')
    expect(await side()).toBe('ltr')
    await field.fill('')
  }
  let phone: { page: Page; faults: string[] } | undefined
  /** Checks a screen on a phone, in Arabic and in dark theme, in a long run. */
  const onPhone = async (path: string, ready: (small: Page) => Promise<unknown>, name: string) => {
    if (!long) return
    await hana.must('PATCH', '/api/v1/auth/me', { language: 'ar' })
    if (!phone) {
      const opened = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
      await useTheme(opened, 'dark')
      phone = await openPage(opened)
      await signIn(phone.page, hana)
    }
    try {
      const { page: small, faults: theirs } = phone
      await visit(small, place + path)
      await ready(small)
      expect(await violations(small)).toEqual([])
      expect(await overflows(small)).toEqual([])
      expect(await smallTargets(small, 44)).toEqual([])
      await look(small, name)
      expect(theirs).toEqual([])
    } finally {
      await hana.must('PATCH', '/api/v1/auth/me', { language: 'en' })
    }
  }
  const voices = async () => (await hana.must<{ data: BrandVoice[] }>('GET', '/brand-voices')).data
  const form = () => page.getByRole('form')
  const save = () => form().getByRole('button', { name: en.common.save, exact: true })

  beforeAll(async () => {
    hana = await newPerson(product.url, 'Hana')
    await hana.must('POST', '/api/v1/auth/onboarding', {})
    place = `${product.url}/app/w/${hana.workspaceId}`
    context = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    ;({ page, faults } = await openPage(context))
    await signIn(page, hana)
  })

  test('a voice is written with the keyboard, the first one is the default, and a taken name is refused next to it', async () => {
    await visit(page, `${place}/settings/voices`)
    await page.getByText(t.none).waitFor()
    await look(page, 'voices-empty')
    await page.getByRole('link', { name: t.new }).click()
    await form().getByLabel(t.name, { exact: true }).fill('House voice')
    const tone = form().getByLabel(t.tone, { exact: true }).last()
    await tone.pressSequentially('warm,honest')
    await tone.press('Enter')
    await tone.press('Backspace')
    await tone.pressSequentially('plain')
    await tone.press('Enter')
    await form().getByLabel(t.avoid, { exact: true }).last().fill('cheap')
    await form().getByLabel(t.style).fill('Short sentences.')
    await save().click()
    await page.waitForURL(/voice=[0-9a-f-]{36}/)
    const [voice] = await voices()
    expect(voice).toMatchObject({
      name: 'House voice',
      toneAttributes: ['warm', 'plain'],
      vocabulary: { terms: [], phrases: [], avoid: ['cheap'] },
      isDefault: true,
    })
    expect(await violations(page)).toEqual([])
    await visit(page, `${place}/settings/voices?voice=new`)
    await form().getByLabel(t.name, { exact: true }).fill('HOUSE VOICE')
    await save().click()
    await form().getByText(en.problems.name_taken).waitFor()
    await form().getByLabel(t.name, { exact: true }).fill('Second')
    await save().click()
    await page.waitForURL(/voice=[0-9a-f-]{36}/)
  })

  test.runIf(long)('samples fill the form, and nothing is saved until a person saves', async () => {
    await form().getByRole('button', { name: t.addSample, exact: true }).click()
    await form()
      .getByRole('textbox', { name: t.sample.replace('{position, number}', '1') })
      .fill('We roast slowly and drink quickly. See you at the counter.')
    const avoid = form().getByLabel(t.avoid, { exact: true }).last()
    await avoid.fill('typed before')
    await avoid.press('Enter')
    await form().getByRole('button', { name: t.suggest }).click()
    const told = page.getByRole('listitem').filter({ hasText: t.suggested })
    await told.waitFor()
    const style = await form().getByLabel(t.style).inputValue()
    await avoid.fill('typed since')
    await avoid.press('Enter')
    await told.getByRole('button', { name: t.undo }).click()
    await expect.poll(() => form().getByLabel(t.style).inputValue()).not.toBe(style)
    for (const name of ['typed before', 'typed since'])
      await form()
        .getByRole('button', { name: en.common.removeNamed.replace('{name}', name) })
        .waitFor()
    await form().getByRole('button', { name: t.suggest }).click()
    await expect.poll(() => form().getByLabel(t.style).inputValue()).toBe(style)
    await form()
      .getByRole('button', { name: en.common.removeNamed.replace('{name}', 'typed before') })
      .waitFor()
    const second = (await voices()).find(({ name }) => name === 'Second')
    expect(second?.samplePosts).toEqual([])
    expect(await form().getByLabel(t.style).inputValue()).not.toBe('')
    expect(await violations(page)).toEqual([])
    await look(page, 'voices-form')
    await onPhone(
      `/settings/voices?voice=${second?.id}`,
      (small) => small.getByRole('heading', { name: 'Second' }).waitFor(),
      'voices-form-ar',
    )
  })

  test.runIf(long)('trying a voice saves it first, and uses it', async () => {
    await page.getByLabel(t.tryTopic).fill('The new roast')
    await page.getByRole('button', { name: t.saveAndTry }).click()
    const tried = page.getByRole('region', { name: t.try })
    await tried.locator('p[dir=auto]').first().waitFor()
    const second = (await voices()).find(({ name }) => name === 'Second')
    expect(second?.samplePosts).toHaveLength(1)
    const { data } = await hana.must<{ data: Generation[] }>('GET', '/ai/generations?kind=caption')
    expect(data[0]?.brandVoiceId).toBe(second?.id)
    await look(page, 'voices-try')
  })

  test('a colleague’s change is not overwritten, and the typed text can be brought back', async () => {
    const [house] = await voices()
    await visit(page, `${place}/settings/voices?voice=${house?.id}`)
    await form().getByLabel(t.style).fill('Mine.')
    await hana.must('PATCH', `/brand-voices/${house?.id}`, { writingStyle: 'Theirs.' })
    await save().click()
    await page.getByText(t.stale).waitFor()
    await expect.poll(() => form().getByLabel(t.style).inputValue()).toBe('Theirs.')
    await page.getByRole('button', { name: t.bringBack }).click()
    await expect.poll(() => form().getByLabel(t.style).inputValue()).toBe('Mine.')
    await save().click()
    await page.getByText(t.saved).first().waitFor()
    await expect.poll(async () => (await voices())[0]?.writingStyle).toBe('Mine.')
  })

  test.runIf(long)('another voice can become the default, and one is deleted after a confirmation', async () => {
    await visit(page, `${place}/settings/voices`)
    await page.getByRole('button', { name: t.makeDefaultNamed.replace('{name}', 'Second') }).click()
    await page.getByText(t.isDefaultNow.replace('{name}', 'Second')).waitFor()
    await look(page, 'voices-list')
    await onPhone(
      '/settings/voices',
      (small) => small.getByText(ar.voices.default, { exact: true }).waitFor(),
      'voices-list-ar',
    )
    await page.getByRole('button', { name: t.deleteNamed.replace('{name}', 'House voice') }).click()
    await page.getByRole('dialog').getByRole('button', { name: t.deleteNow }).click()
    await expect
      .poll(async () => (await voices()).map(({ name, isDefault }) => [name, isDefault]))
      .toEqual([['Second', true]])
    expect(faults).toEqual([])
  })

  test.runIf(long)('leaving unsaved changes asks first, and a word to use cannot be one to avoid', async () => {
    await visit(page, `${place}/settings/voices?voice=new`)
    const name = form().getByLabel(t.name, { exact: true })
    await name.fill('Left')
    const back = page.getByRole('link', { name: t.back })
    await back.click()
    await page.getByRole('dialog').getByRole('heading', { name: en.common.discarding.title }).waitFor()
    await look(page, 'voices-leave')
    await page.getByRole('button', { name: en.common.discarding.stay }).click()
    expect(await name.inputValue()).toBe('Left')
    for (const label of [t.terms, t.avoid]) {
      await form().getByLabel(label, { exact: true }).last().fill('guests')
      await form().getByLabel(label, { exact: true }).last().press('Enter')
    }
    await form().getByRole('alert').getByText('guests').waitFor()
    expect(await form().getByRole('button', { name: /^Save/ }).getAttribute('aria-disabled')).toBe('true')
    expect(await violations(page)).toEqual([])
    await back.click()
    await page.getByRole('dialog').getByRole('button', { name: en.common.discarding.discard }).click()
    await page.getByRole('link', { name: t.new }).waitFor()
    expect((await voices()).map((one) => one.name)).not.toContain('Left')
    await onPhone('/settings/voices?voice=new', followsPage, 'voice-new-ar')
  })

  test.runIf(long)('a person who may not change a voice can read it, without any actions', async () => {
    const viewer = await newPerson(product.url, 'Vera')
    await Promise.all([hana, viewer].map((one) => confirmEmail(one)))
    const email = viewer.session.user.email ?? ''
    await hana.must('POST', `/workspaces/${hana.workspaceId}/members`, { email, role: 'VIEWER' })
    const token = await eventually(async () =>
      (await mailTo(product.url, email)).flatMap(({ text: mail }) => /\/invite\/([\w-]+)/.exec(mail)?.[1] ?? []).at(0),
    )
    await viewer.must('POST', `/api/v1/invitations/${token}/accept`, {})
    const [voice] = await voices()
    const other = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    try {
      const { page: theirs } = await openPage(other)
      await signIn(theirs, viewer)
      await theirs.goto(`${place}/settings/voices?voice=${voice?.id}`)
      await theirs.getByText(t.readOnly).waitFor()
      const offered = theirs.getByRole('form').getByRole('button')
      expect(await offered.count()).toBe(0)
      expect(await theirs.getByRole('textbox', { name: t.tone }).count()).toBe(0)
      expect(await violations(theirs)).toEqual([])
      await look(theirs, 'voice-of-a-viewer')
    } finally {
      await other.close()
    }
  })

  test.runIf(long)(
    'ideas show that the plan lacks them; otherwise they can be refreshed, and start a post',
    async () => {
      const i = en.ideas
      await hana.must('PUT', '/billing/subscription', { plan: 'free' })
      await visit(page, `${place}/ideas`)
      await page.getByText(en.states.feature.replace('{feature}', en.states.features.ai_suggestions)).waitFor()
      await look(page, 'ideas-not-in-plan')
      await hana.must('PUT', '/billing/subscription', { plan: 'pro' })
      await page.reload()
      await page.getByRole('button', { name: i.refresh }).click()
      await page
        .getByRole('link', { name: new RegExp(i.startWith.split('{')[0]!) })
        .first()
        .waitFor()
      expect(await violations(page)).toEqual([])
      await look(page, 'ideas')
      await onPhone(
        '/ideas',
        (small) =>
          small
            .getByRole('link', { name: new RegExp(ar.ideas.start) })
            .first()
            .waitFor(),
        'ideas-ar',
      )
      const { data } = await hana.must<{ data: Suggestion[] }>('GET', '/ai/suggestions')
      const starts = (idea: Suggestion | undefined) =>
        page.getByRole('link', { name: i.startWith.replace('{title}', idea?.title ?? ''), exact: true })
      const { timezone } = await hana.must<Workspace>('GET', `/workspaces/${hana.workspaceId}`)
      const gap = data.find(({ kind }) => kind === 'gap')
      await starts(gap).click()
      await page.waitForURL(/compose\?.*idea=/)
      expect(new URL(page.url()).searchParams.get('at')).toBe(wallTime(new Date(gap?.scheduledAt ?? ''), timezone))
      await page.goBack()
      await starts(data.find(({ scheduledAt }) => scheduledAt === null)).click()
      await page.waitForURL(/compose\?.*idea=/)
      expect(new URL(page.url()).searchParams.has('at')).toBe(false)
      const topic = page.getByRole('region', { name: en.assistant.title }).getByLabel(en.assistant.topic)
      await expect.poll(() => topic.inputValue()).not.toBe('')
      expect(faults).toEqual([])
    },
  )

  test.runIf(long)('a live post made with AI shows its topic', async () => {
    const [account] = await connectPages(hana)
    const made = await hana.must<OptionsAnswer>('POST', '/ai/caption/generate', { topic: 'The new roast', count: 2 })
    const body = { caption: made.options[0]?.text, targets: [account?.id], action: 'publish' }
    const { id } = await hana.must<Post>('POST', '/posts', body)
    await hana.must('POST', `/ai/generations/${made.id}/accept`, { option: 0, postId: id })
    await untilStatus(hana, id, ['PUBLISHED'])
    const tags = async () => (await hana.must<{ data: PostTags | null }>('GET', `/posts/${id}/tags`)).data
    await expect.poll(tags).not.toBeNull()
    await visit(page, `${place}/posts/${id}`)
    await page.getByText(en.ai.aboutTopic.replace('{topic}', (await tags())?.topic ?? '')).waitFor()
    await page.getByText(en.ai.formats.text, { exact: true }).waitFor()
    expect(await violations(page)).toEqual([])
    await look(page, 'post-tags')
    await page.getByRole('button', { name: en.ai.correctTags }).click()
    await expect
      .poll(() => page.getByLabel(en.ai.tagTopic, { exact: true }).evaluate((one) => one === document.activeElement))
      .toBe(true)
    await page.getByLabel(en.ai.tagTopic, { exact: true }).fill('Coffee beans')
    await look(page, 'post-tags-form')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: en.common.save }).click()
    await page.getByText(en.ai.tagSources.person).waitFor()
    expect(await tags()).toMatchObject({ topic: 'Coffee beans', source: 'person' })
    await onPhone(
      `/posts/${id}`,
      async (small) => {
        await small.getByRole('button', { name: ar.ai.correctTags }).click()
        await small.getByText(ar.ai.correctionStays).waitFor()
      },
      'post-tags-form-ar',
    )
    expect(faults).toEqual([])
  })

  test('the pages reported no errors', () => {
    expect(faults).toEqual([])
  })
})
