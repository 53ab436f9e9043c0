import { createTranslator } from 'use-intl/core'
import { describe, expect, test } from 'vitest'
import type { DeliveryError } from '../src/delivery/api.ts'
import { endings, refusals } from '../src/core/texts/failures/en.ts'
import { en as findings } from '../src/core/texts/findings/en.ts'
import { errorFor, errorOfFailure, type Failure } from '../src/delivery/rules.ts'
import type { FailureCode } from '../src/networks/failures/rules.ts'
import { errorOf } from '../src/publishing/sending/post.ts'
import { failureWords } from '../web/failure-words.ts'
import { ar } from '../web/locales/ar.ts'
import { en } from '../web/locales/en.ts'

const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]
const codes = keysOf(refusals)

/** The words of a failure as a screen shows them. */
function shown(error: DeliveryError, locale: 'en' | 'ar') {
  const t = createTranslator({ locale, messages: locale === 'ar' ? ar : en })
  return failureWords(error, (key, fallback, values) => {
    const known = key as 'common.save'
    return t.has(known) ? t(known, values as never) : fallback
  })
}

function expectOurs(error: DeliveryError) {
  expect(error.who).toBeDefined()
  expect(shown(error, 'en')).toEqual({ message: error.message, fix: error.fix, original: null })
  const arabic = shown(error, 'ar')
  expect(arabic).toEqual({
    message: expect.stringMatching(/[\u0600-\u06ff]/),
    fix: expect.stringMatching(/[\u0600-\u06ff]/),
    original: null,
  })
}

const failure = (code: FailureCode, said: string | null): Failure => ({
  failure: code,
  committed: 'no',
  networkCode: 'some code',
  said,
  ...(code === 'video_over_limit' && { limit: 60 }),
})

describe('a failure that Parley found itself has only our words, in the language of the reader', () => {
  test.each(keysOf(endings))('%s', (key) => expectOurs(errorFor(key, { posts: 'https://network.test/1' })))

  test.each(keysOf(findings).filter((key) => !key.includes('/')))('the finding %s', (code) => {
    const { message, fix } = findings[code]
    const check = { severity: 'error', target: null, platform: null, field: '', code, limit: 1, value: 2 } as const
    const account = { platform: 'NET_PAGE', name: 'Bakery' } as Parameters<typeof errorOf>[1]
    expectOurs(errorOf({ ...check, message, fix }, account))
  })

  test.each(codes)('%s, without a message of the network', (code) => expectOurs(errorOfFailure(failure(code, null))))

  test('one of an older version, which names no text', () => {
    const { text: _, ...old } = errorFor('superseded')
    expectOurs(old)
  })
})

test.each(codes)('%s shows the message that the network wrote', (code) => {
  const error = errorOfFailure(failure(code, 'Written by the network'))
  expect(error).not.toHaveProperty('text')
  for (const locale of ['en', 'ar'] as const) {
    expect(shown(error, locale)).toMatchObject({
      message: expect.not.stringContaining('Written'),
      original: 'Written by the network',
    })
  }
})

test('the possible posts of an unknown outcome are named in each language', () => {
  const error = errorFor('outcome_unknown/several', { posts: 'https://network.test/1' })
  for (const locale of ['en', 'ar'] as const) expect(shown(error, locale).message).toContain('https://network.test/1')
})
