import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { en } from '../../web/locales/en.ts'
import { eventually, PASSWORD as MADE_PASSWORD, type Person } from '../world.ts'

/** Makes a real picture of this size: a gradient with noise. */
export const picture = (width = 640, height = 480): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      noise: { type: 'gaussian', mean: 140, sigma: 40 },
      background: '#a0522d',
    },
  })
    .png()
    .toBuffer()

export const PASSWORD = 'beans of the northern hills'

/** Returns a unique address, because files share a product. */
export const addressOf = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`

/** Signs up, up to the first questions. */
export async function signUp(page: Page, url: string, email: string) {
  await page.goto(`${url}/app/register`)
  await page.getByLabel('Your name').fill('Hana Weber')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create your account' }).click()
  await page.waitForURL(/\/app\/onboarding/)
  await page.getByRole('heading', { name: 'Set up your workspace' }).waitFor()
}

/** Signs a person in through the API. The next page of the browser has their session. */
export async function signIn(page: Page, { url, session }: Person) {
  const context = page.context()
  const data = { email: session.user.email, password: MADE_PASSWORD }
  const answer = await context.request.post(`${url}/api/v1/auth/login`, {
    data,
  })
  if (!answer.ok()) throw new Error(`login answered ${answer.status()}`)
  // The web app only uses the cookie in a browser where a person has signed in before.
  await context.addInitScript(() => localStorage.setItem('parley.known', '1'))
}

/** The path of an unknown screen inside the frame of the app. */
const NOWHERE = '/app/nowhere'

/**
 * Opens a screen as a link in the app would, without reloading the app. Unsaved changes are discarded without a
 * question, and the screen requests the person and its data again. If the screen is already open, `visit` goes through
 * an unknown address first, so that the screen starts without open menus and dialogs. Messages stay. The app is loaded
 * if it is not open yet, or if the open screen is outside its frame.
 */
export async function visit(page: Page, path: string) {
  const at = new URL(page.url())
  const to = new URL(path, at.protocol === 'about:' ? undefined : at)
  const again = to.pathname === at.pathname
  const inFrame = /^\/app\/(w|admin|me|notifications)\b/.test(at.pathname)
  if (to.origin !== at.origin || !at.pathname.startsWith('/app/') || (again && !inFrame)) {
    await page.goto(to.href)
    return
  }
  await page.evaluate(
    async (stops) => {
      const router = window.__TSR_ROUTER__!
      const { client } = router.options.context
      await client.refetchQueries({ queryKey: ['me'], type: 'active' })
      for (const href of stops) {
        client.removeQueries({ type: 'inactive' })
        await new Promise<void>((done, fail) => {
          const end = router.subscribe('onRendered', () => {
            end()
            done()
          })
          setTimeout(() => fail(new Error(`${href} did not open: is a sheet of the frame open?`)), 20_000)
          router.history.push(href, {}, { ignoreBlocker: true })
        })
      }
    },
    [...(again ? [NOWHERE] : []), to.pathname + to.search],
  )
}

/** Signs up, skips the questions and opens Today. Returns the id of the workspace. */
export async function register(page: Page, url: string, email = addressOf('hana')): Promise<string> {
  await signUp(page, url, email)
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await page.waitForURL(/\/app\/w\/[^/]+\/today/)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return new URL(page.url()).pathname.split('/')[3] ?? ''
}

/** Connects all accounts that the consent page of a network offers. */
export async function connect(page: Page, url: string, ws: string, network = 'Facebook Page') {
  await visit(page, `${url}/app/w/${ws}/accounts`)
  await page.getByRole('button', { name: 'Connect account' }).click()
  await page.getByRole('menuitem', { name: network }).click()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.waitForURL(/\/app\/w\/[^/]+\/accounts/)
  await page.getByText('Connected', { exact: true }).first().waitFor()
}

/** Chooses the first account of a network in the composer. */
export async function choose(page: Page, network = 'Facebook Page', postTo = 'Post to') {
  const first = page
    .getByRole('group', { name: postTo })
    .getByRole('checkbox', { name: new RegExp(network) })
    .first()
  // Content that arrives late at the top of the screen can move the checkbox away from the pointer.
  await eventually(async () => {
    if (!(await first.isChecked())) await first.click()
    return first.isChecked()
  })
}

/** On touch screens, a select is the browser's own. */
const isNative = (field: Locator) => field.evaluate((element) => element instanceof HTMLSelectElement)

/** Returns the chosen option of a select. */
export const picked = (field: Locator) =>
  field.evaluate((element) =>
    element instanceof HTMLSelectElement ? element.selectedOptions[0]?.text : element.textContent,
  )

/** Chooses an option of a select by its name. */
export async function pick(field: Locator, name: string) {
  if (await isNative(field)) return void (await field.selectOption({ label: name }))
  await field.click()
  await field.page().getByRole('option', { name, exact: true }).click()
}

type Words = Pick<typeof en, 'composer' | 'options' | 'post' | 'approvals'>

/** Chooses an action from the menu next to the composer's main action. */
export async function takeWay(page: Page, way: string, words: Words = en) {
  const item = page.getByRole('menuitem', { name: way, exact: true })
  // A page that is still loading can move the menu away from the pointer and so close it. A person would open it again.
  for (let tried = 1; tried <= 5; tried += 1) {
    if (!(await item.isVisible())) await page.getByRole('button', { name: words.composer.ways }).click()
    const isTaken = await item.click({ timeout: 10_000 }).then(
      () => true,
      () => false,
    )
    if (isTaken) return
  }
  throw new Error(`The menu closed before ${way} was taken`)
}

/** Publishes the post in the composer, and confirms the question. */
export async function publishNow(page: Page, words: Words = en) {
  const name = words.composer.publishNow
  await takeWay(page, name, words)
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}

/** Opens a folded part of the composer. */
export async function unfold(page: Page, title: string) {
  const fold = page.getByRole('button', { name: new RegExp(`^${title}`), expanded: false })
  const open = page.getByRole('button', { name: new RegExp(`^${title}`), expanded: true })
  await fold.or(open).first().waitFor()
  if (await fold.isVisible()) await fold.click()
}

/** Opens the settings of a network in its tab. */
export async function openSettings(page: Page, network: string, words: Words = en) {
  await page.getByRole('tab', { name: new RegExp(network) }).click()
  await unfold(page, words.options.title.replace('{network}', network))
}

/** Opens the list of problems of a post. */
export async function openProblems(page: Page, words: Words = en) {
  const list = page.getByRole('group', { name: words.composer.checks })
  if (await list.isVisible()) return list
  await page.locator('header button[aria-expanded]:has(+ [popover][role=group])').first().click()
  await list.waitFor()
  return list
}

/** Opens the review links of a post. */
export async function openReviewLinks(page: Page, words: Words = en) {
  await page.getByRole('main').getByRole('button', { name: words.post.more, exact: true }).click()
  await page.getByRole('menuitem', { name: words.approvals.links.title }).click()
}
