import { describe, expect, test } from 'vitest'
import { en } from '../../web/locales/en.ts'
import { useProduct } from '../fixtures.ts'
import { confirmEmail, join, newPerson, type Person } from '../world.ts'
import { hasBrowser, openPage, useBrowser } from './browser.ts'
import { signIn } from './story.ts'

// Several people may use one browser.

describe.skipIf(!hasBrowser)('an unsaved new post', () => {
  const { product } = useProduct()
  const browser = useBrowser()

  test('is kept for the person who wrote it, and forgotten when another member signs in', async () => {
    const ann = await newPerson(product.url)
    await confirmEmail(ann)
    const ben = await join(ann, 'Ben', 'EDITOR')
    const { page, faults } = await openPage(await browser.newContext())
    const text = page.getByLabel(en.composer.text, { exact: true })
    const enter = async (person: Person) => {
      await page.context().clearCookies()
      await signIn(page, person)
      await page.goto(`${product.url}/app/w/${ann.workspaceId}/compose`)
      await text.waitFor()
    }
    await enter(ann)
    await text.fill('Only for Ann')
    await page.getByText(en.composer.keptHere).waitFor()
    await enter(ann)
    expect(await text.inputValue()).toBe('Only for Ann')
    await enter(ben)
    expect(await text.inputValue()).toBe('')
    expect(faults).toEqual([])
  })
})
