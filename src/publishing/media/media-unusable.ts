/** A file that cannot be used, and why, in words for people. */
export class UnusableFile extends Error {
  readonly code:
    | 'unreadable'
    | 'truncated'
    | 'too_many_pixels'
    | 'too_many_parts'
    | 'no_pictures'
    | 'unknown_codec'
    | 'too_slow'
    | 'too_much_memory'

  constructor(code: UnusableFile['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
