import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createCrypto, hashKeyOf, hashSecret, newSecret, type CipherPlace } from './crypto.ts'

const newKey = () => randomBytes(32).toString('hex')
const key = newKey()
const crypto = createCrypto(key)
const place: CipherPlace = { table: 'social_account', column: 'access_token', workspaceId: 'w1', rowId: 'r1' }

describe('a sealed text', () => {
  test.each(['EAAB-token', '', 'ключ 🔑', 'x'.repeat(10_000)])('opens where it was sealed', (text) => {
    expect(crypto.open(crypto.seal(text, place), place)).toBe(text)
  })

  test('hides its content and is never the same twice', () => {
    const [one, another] = [crypto.seal('EAAB-token', place), crypto.seal('EAAB-token', place)]
    expect(one).not.toBe(another)
    expect(one).not.toContain('EAAB-token')
    expect(one).not.toContain(Buffer.from('EAAB-token').toString('base64url'))
  })

  test.each<Partial<Record<keyof CipherPlace, string>>>([
    { table: 'report_mail' },
    { column: 'user_token' },
    { workspaceId: 'w2' },
    { rowId: 'r2' },
  ])('does not open in another place: %o', (elsewhere) => {
    const sealed = crypto.seal('EAAB-token', place)
    expect(() => crypto.open(sealed, { ...place, ...elsewhere } as CipherPlace)).toThrow()
  })

  test.each(['version', 'key', 'nonce', 'text', 'tag'])('does not open after its %s was changed', (name) => {
    const parts = crypto.seal('EAAB-token', place).split('.')
    const index = ['version', 'key', 'nonce', 'text', 'tag'].indexOf(name)
    const part = parts[index] as string
    parts[index] = (part.startsWith('A') ? 'B' : 'A') + part.slice(1)
    expect(() => crypto.open(parts.join('.'), place)).toThrow()
  })

  test('does not open with a shortened tag', () => {
    const parts = crypto.seal('EAAB-token', place).split('.')
    parts[4] = Buffer.from(parts[4] as string, 'base64url')
      .subarray(0, 4)
      .toString('base64url')
    expect(() => crypto.open(parts.join('.'), place)).toThrow()
  })

  test.each(['', 'EAAB-token', 'v1.', 'v1.a.b.c.d'])(
    'that is malformed is refused with the name of its column',
    (text) => {
      expect(() => crypto.open(text, place)).toThrow('social_account.access_token cannot be opened')
    },
  )
})

describe('another key', () => {
  test('does not open the text, and the error contains neither text nor key', () => {
    const sealed = crypto.seal('EAAB-token', place)
    const stranger = createCrypto(newKey())
    expect(() => stranger.open(sealed, place)).toThrow(/its key is unknown$/)
  })

  test('opens texts of the previous key, and seals only with the new one', () => {
    const next = newKey()
    const both = createCrypto(next, [newKey(), key])
    expect(both.open(crypto.seal('old', place), place)).toBe('old')
    expect(createCrypto(next).open(both.seal('new', place), place)).toBe('new')
    expect(() => crypto.open(both.seal('new', place), place)).toThrow('its key is unknown')
  })
})

test('a keyed hash depends on the key of hashes only, which comes from the first key', () => {
  const next = createCrypto(newKey(), [key], hashKeyOf(key))
  expect(next.keyedHash('person 5')).toBe(crypto.keyedHash('person 5'))
  expect(createCrypto(newKey(), [key]).keyedHash('person 5')).not.toBe(crypto.keyedHash('person 5'))
})

test('a new secret has 256 bits and is unique, and its hash is stable', () => {
  const [one, another] = [newSecret(), newSecret()]
  expect(Buffer.from(one, 'base64url')).toHaveLength(32)
  expect(one).not.toBe(another)
  expect(hashSecret(one)).toBe(hashSecret(one))
  expect(hashSecret(one)).not.toBe(hashSecret(another))
})
