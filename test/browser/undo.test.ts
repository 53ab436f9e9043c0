import { expect, test } from 'vitest'
import { useProduct } from '../fixtures.ts'
import { inWay, long } from '../tier.ts'
import { asPerson, call, codeByMail, confirmEmail, eventually, mailTo, newPerson, PASSWORD } from '../world.ts'
import type { Session } from '../../src/team/identity/api.ts'
import { hasBrowser, openPage, useBrowser } from './browser.ts'

const { product, sql } = useProduct()
const browser = useBrowser()

const linkTo = (email: string, kind: string) =>
  eventually(async () => {
    const letters = await mailTo(product.url, email)
    return letters.map(({ text }) => new RegExp(`http\\S*/app/${kind}/[\\w-]+`).exec(text)?.[0]).find(Boolean)
  })

async function withWays() {
  const ann = await newPerson(product.url)
  await confirmEmail(ann)
  const email = ann.session.user.email as string
  await sql.query(`update session set created_at = app_now() - interval '16 minutes' where user_id = $1`, [
    ann.session.user.id,
  ])
  const { page, faults } = await openPage(await browser.newContext())
  await page.goto(`${product.url}/app/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/app\/(w\/|onboarding)/)
  return { ann, email, page, faults }
}

test.skipIf(!hasBrowser)(
  'a way to sign in is added with the password, undone by mail, and removed after a new password',
  async () => {
    const { ann, email, page, faults } = await withWays()
    await sql.query(`update session set created_at = app_now() - interval '16 minutes' where user_id = $1`, [
      ann.session.user.id,
    ])
    await page.goto(`${product.url}/app/me`)
    await page.getByRole('button', { name: 'Add Microsoft' }).click()
    const form = page.getByRole('form', { name: 'Add Microsoft' })
    await form.getByLabel('Current password').fill('not the password')
    await form.getByRole('button', { name: 'Add Microsoft' }).click()
    await form.getByText('This isn’t your current password.').waitFor()
    await form.getByLabel('Current password').fill(PASSWORD)
    await form.getByRole('button', { name: 'Add Microsoft' }).click()
    await page.waitForURL(/\/sandbox\/idp-b\//)
    await page.getByRole('button', { name: /Approve/ }).click()
    await page.getByText('You can now sign in with Microsoft.').waitFor()

    await page.goto(await linkTo(email, 'undo'))
    await page.getByRole('button', { name: 'Undo change' }).click()
    await page.getByRole('heading', { name: 'Change undone' }).waitFor()
    await page.goto(await linkTo(email, 'undo'))
    await page.getByRole('button', { name: 'Undo change' }).click()
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()

    await sql.query(`update app_user set phone = $2, phone_confirmed_at = now() where id = $1`, [
      ann.session.user.id,
      `+4917${String(Date.now()).slice(-8)}`,
    ])
    await call(product.url, 'POST', '/api/v1/auth/forgot-password', { email })
    await page.goto(await linkTo(email, 'reset'))
    await page.getByLabel('New password', { exact: true }).fill('a meadow after the rain')
    await page.getByRole('button', { name: 'Set new password' }).click()
    await page.getByRole('button', { name: /^Remove Phone number/ }).click()
    await page.getByText('Removed').waitFor()
    const { rows } = await sql.query('select phone from app_user where id = $1', [ann.session.user.id])
    expect(rows).toEqual([{ phone: null }])
    expect(faults).toEqual([])
  },
)

test.skipIf(!hasBrowser).each(
  inWay(0, [
    ['en', 'Undo change', 'because another account now uses it', 'Add email and password'],
    ['ar', 'التراجع عن التغيير', 'مستخدَم الآن في حساب آخر', 'إضافة عنوان وكلمة مرور'],
  ] as const),
)(
  'the undo link opens the restored account even if another account has since proved its address: %s',
  async (language, submit, words, go) => {
    const ann = await newPerson(product.url)
    await confirmEmail(ann)
    const email = ann.session.user.email as string
    const thief = `thief.${email}`
    await ann.must('POST', '/api/v1/auth/otp/send', { email: thief })
    await ann.must('POST', '/api/v1/auth/otp/verify', { email: thief, code: await codeByMail(product.url, thief) })
    const body = { email, password: PASSWORD, name: 'Ann' }
    const again = asPerson(product.url, (await call<Session>(product.url, 'POST', '/api/v1/auth/register', body)).body)
    await again.must('POST', '/api/v1/auth/otp/verify', { email, code: await codeByMail(product.url, email, 2) })

    const { page, faults } = await openPage(await browser.newContext({ locale: language }))
    await page.goto(await linkTo(email, 'undo'))
    await page.getByRole('button', { name: submit }).click()
    await page.getByText(words).waitFor()
    await page.getByRole('button', { name: go }).click()
    await page.waitForURL(/\/app\/(me|onboarding)/)
    expect(faults).toEqual([])
  },
)

test.skipIf(!hasBrowser || !long)(
  'removing a provider requires the password if the sign-in is not recent',
  async () => {
    const { ann, page, faults } = await withWays()
    const userId = ann.session.user.id
    await sql.query(
      `insert into user_identity (issuer, subject, id, provider, user_id) values ('x', $1, gen_random_uuid(), 'IDP_B', $2)`,
      [userId, userId],
    )
    await page.goto(`${product.url}/app/me`)
    await sql.query(`update session set created_at = app_now() - interval '16 minutes' where user_id = $1`, [userId])
    await page.getByRole('button', { name: 'Remove Microsoft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    const form = page.getByRole('form', { name: 'Remove Microsoft' })
    await form.getByLabel('Current password').fill('not the password')
    await form.getByRole('button', { name: 'Remove Microsoft' }).click()
    await form.getByText('This isn’t your current password.').waitFor()
    await form.getByLabel('Current password').fill(PASSWORD)
    await form.getByRole('button', { name: 'Remove Microsoft' }).click()
    await page.getByText('You can no longer sign in with Microsoft').waitFor()
    expect(faults).toEqual([])
  },
)
