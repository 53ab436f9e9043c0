import type { CallOptions } from '../../../client.ts'

/** Where a code is sent. */
export type CodeTo = Pick<NonNullable<CallOptions<'sendCode'>['body']>, 'email' | 'phone'>
