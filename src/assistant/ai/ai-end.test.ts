import { describe, expect, test } from 'vitest'
import { AppError } from '../../core/errors.ts'
import { endInPost } from './ai-end.ts'

/** Ends a generation with these failures in turn, and returns what each call of `end` was told to apply. */
async function applied(...failures: (Error | null)[]): Promise<(boolean | 'thrown')[]> {
  const calls: (boolean | 'thrown')[] = []
  const end = async (wanted: boolean) => {
    const failure = failures[calls.length]
    calls.push(wanted)
    if (failure) throw failure
  }
  await endInPost(end).catch((error: unknown) => {
    expect(failures).toContain(error)
    calls.push('thrown')
  })
  return calls
}

describe('the end of a generation in a post', () => {
  const lost = new AppError('unavailable')
  const refused = new AppError('not_found')

  test('is tried once more after a failure of the database', async () => {
    expect(await applied()).toEqual([true])
    expect(await applied(lost)).toEqual([true, true])
  })

  test('keeps the result without the edit after a refusal, also of the second try, and after two failures', async () => {
    expect(await applied(refused)).toEqual([true, false])
    expect(await applied(lost, refused)).toEqual([true, true, false])
    expect(await applied(lost, lost)).toEqual([true, true, false])
  })

  test('fails with any other error', async () => {
    expect(await applied(new Error('broken'))).toEqual([true, 'thrown'])
    expect(await applied(new AppError('quota_exceeded'))).toEqual([true, 'thrown'])
    expect(await applied(lost, new AppError('ai_cancelled'))).toEqual([true, true, 'thrown'])
    expect(await applied(lost, lost, lost)).toEqual([true, true, false, 'thrown'])
  })
})
