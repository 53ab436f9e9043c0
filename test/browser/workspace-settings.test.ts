import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Workspace } from '../../src/team/workspaces/api.ts'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { newPerson, type Person } from '../world.ts'
import { hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn, visit } from './story.ts'

describe.skipIf(!hasBrowser)('the settings of a workspace', () => {
  const { product } = useProduct()
  const browser = useBrowser()
  let ida: Person
  let page: Page
  const change = (body: object) => ida.must<Workspace>('PATCH', `/workspaces/${ida.workspaceId}`, body)
  const stored = () => ida.must<Workspace>('GET', `/workspaces/${ida.workspaceId}`)

  beforeAll(async () => {
    ida = await newPerson(product.url, 'Ida')
    ;({ page } = await openPage(await browser.newContext({ viewport: { width: 1440, height: 900 } })))
    await signIn(page, ida)
    // What changes before the stream is open is not told.
    const isOpen = page.waitForResponse((answer) => answer.url().endsWith('/events'))
    await visit(page, `${product.url}/app/w/${ida.workspaceId}/settings`)
    await isOpen
  })

  test('what is typed stays while others change other settings, which appear, and is saved alone', async () => {
    const name = page.getByLabel(en.settings.name, { exact: true })
    const niche = page.getByLabel(en.settings.niche)
    await niche.fill('Coffee roasters')
    await change({ name: 'Changed elsewhere', publishing: { paused: true } })
    await expect.poll(() => name.inputValue()).toBe('Changed elsewhere')
    expect(await niche.inputValue()).toBe('Coffee roasters')
    await change({ publishing: { paused: false } })
    await page.getByRole('button', { name: en.common.save }).first().click()
    await expect.poll(async () => (await stored()).niche).toBe('Coffee roasters')
    expect(await stored()).toMatchObject({ name: 'Changed elsewhere' })
  })

  test('another change of the same setting is not overwritten without a word', async () => {
    const name = page.getByLabel(en.settings.name, { exact: true })
    const niche = page.getByLabel(en.settings.niche)
    await name.fill('Mine')
    await niche.fill('Tea')
    await change({ name: 'Theirs' })
    const save = page.getByRole('button', { name: en.common.save }).first()
    await save.click()
    await page.getByRole('alert').first().waitFor()
    expect((await stored()).name).toBe('Theirs')
    await expect.poll(() => name.inputValue()).toBe('Theirs')
    expect(await niche.inputValue()).toBe('Tea')
    await name.fill('Mine')
    await save.click()
    await expect.poll(async () => (await stored()).name).toBe('Mine')
    expect((await stored()).niche).toBe('Tea')
  })

  test('leaving with unsaved settings asks once, and saved ones are left at once', async () => {
    const { discarding, save } = en.common
    const question = page.getByRole('dialog', { name: discarding.title })
    const sections = page.getByRole('navigation', { name: en.settings.sections })
    const toLabels = () => sections.getByRole('link', { name: en.settings.labels }).click()
    const niche = page.getByLabel(en.settings.niche)
    const source = page.getByLabel(en.links.source)
    const before = await source.inputValue()
    await niche.fill('Cocoa')
    await source.fill('elsewhere')
    await toLabels()
    await question.getByRole('button', { name: discarding.stay }).click()
    await question.waitFor({ state: 'detached' })
    expect(await niche.inputValue()).toBe('Cocoa')
    await toLabels()
    await question.getByRole('button', { name: discarding.discard }).click()
    await page.waitForURL(/settings\/labels/)
    expect((await stored()).niche).toBe('Tea')
    await page.goBack()
    await expect.poll(() => niche.inputValue()).toBe('Tea')
    expect(await source.inputValue()).toBe(before)
    await niche.fill('Cocoa')
    await page.getByRole('button', { name: save }).first().click()
    await expect.poll(async () => (await stored()).niche).toBe('Cocoa')
    await toLabels()
    await page.waitForURL(/settings\/labels/)
  })
})
