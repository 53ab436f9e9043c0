import { describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { confirmEmail, eventually, mailTo, newPerson } from '../../../test/world.ts'
import { unlinked, writeLetter } from './letter.ts'

/** Texts that mail programs turn into links: an address with a scheme, or labels with dots between them. */
const LINK = /https?:\/\/|(?:[\p{L}\p{N}-]+[.\uff0e\u3002\uff61])+[\p{L}\p{N}]{2,}/giu

describe('a name with a web address', () => {
  test.each([
    'evil.example',
    'https://evil.example/app/login',
    'Win now: www.evil.example!',
    'HTTP://1.2.3.4/a',
    'evil\u3002example',
    'evil\uff0eexample',
    'пример.рф',
    'https:\\\\evil.example',
    'x@evil.example',
  ])('%s is no link and reads the same', (name) => {
    const shown = unlinked(name)
    expect(shown.match(LINK)).toBeNull()
    expect(shown.replaceAll('\u2060', '')).toBe(name)
  })

  test.each(['Shore & Co. Ltd', 'At 9:30: rye bread… and more.', 'A/B', 'Ready?'])('%s stays unchanged', (name) =>
    expect(unlinked(name)).toBe(name),
  )

  test('is broken up in every part of a letter except its button', () => {
    const { subject, text, html } = writeLetter({
      language: 'en',
      subject: 'Join evil.example',
      before: ['Join evil.example'],
      button: { label: 'See it', url: 'https://parley.test/app/invite/x' },
      after: ['Or evil.example'],
    })
    expect(subject.match(LINK)).toBeNull()
    expect(text.match(LINK)).toEqual(['https://', 'parley.test'])
    expect(html).not.toContain('evil.example')
    expect(html).toContain('href="https://parley.test/app/invite/x"')
  })
})

const { product } = useProduct()

test('a workspace or person named like an address sends no link but ours', async () => {
  const ann = await newPerson(product.url)
  await confirmEmail(ann)
  await ann.must('PATCH', '/api/v1/auth/me', { name: 'https://evil.example/prize' })
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { name: 'evil.example' })
  const email = `bea-${ann.workspaceId}@example.test`
  await ann.must('POST', `/workspaces/${ann.workspaceId}/members`, { email, role: 'EDITOR' })
  const letter = await eventually(async () => (await mailTo(product.url, email))[0])
  for (const part of [letter.subject, letter.text, letter.html]) expect(part).not.toContain('evil.example')
  const shown = letter.text.replaceAll('\u2060', '')
  expect(shown).toContain('https://evil.example/prize invited you to the workspace “evil.example”')
  expect(letter.text.match(/https?:\/\/\S+/g)).toEqual([expect.stringContaining('/app/invite/')])
})
