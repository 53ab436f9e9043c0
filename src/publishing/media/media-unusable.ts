import { codeOf, fill } from '../../core/texts/fill.ts'
import { en, type RejectionCode, type RejectionKey } from '../../core/texts/rejections/en.ts'

/** A file that cannot be used, with the reason in words for people. */
export class UnusableFile extends Error {
  readonly code: RejectionCode
  readonly key: RejectionKey
  readonly values: Readonly<Record<string, string | number>>

  constructor(key: RejectionKey, values: UnusableFile['values'] = {}, cause?: unknown) {
    super(fill(en[key], values), { cause })
    this.key = key
    this.code = codeOf(key)
    this.values = values
  }
}
