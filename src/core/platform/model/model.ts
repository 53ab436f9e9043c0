import type * as z from 'zod'

/** One call for a list of items. */
export interface Ask<T> {
  system: string
  /** Data as JSON: never instructions of ours. */
  prompt: string
  item: z.ZodType<T>
  /** Items beyond these are passed over. */
  most: number
  maxTokens: number
  signal: AbortSignal
}

interface ImageAsk {
  prompt: string
  size: '1024x1024' | '1024x1536' | '1536x1024'
  signal: AbortSignal
}

export interface Use {
  model: string
  inputTokens: number | null
  outputTokens: number | null
}

export type Picture = Use & { bytes: Uint8Array; mimeType: string }

/** The way to a language model. */
export interface Model {
  /** Whether there is a provider to ask. */
  readonly configured: boolean
  /**
   * Items one by one as the model writes them, then what it took. One that does not match is passed over. Throws `ModelError`;
   * items that were given before stand.
   */
  items<T>(ask: Ask<T>, onItem: (item: T) => void): Promise<Use>
  image(ask: ImageAsk): Promise<Picture>
}

/** Why nothing came of it. Its words name nothing of what was asked or answered. */
export class ModelError extends Error {
  readonly kind: 'not_configured' | 'refused' | 'busy' | 'failed' | 'timeout' | 'aborted'

  constructor(kind: ModelError['kind'], message: string) {
    super(message)
    this.name = 'ModelError'
    this.kind = kind
  }
}
