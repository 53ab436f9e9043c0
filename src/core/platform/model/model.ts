import type * as z from 'zod'

/** A picture for the model to look at. */
export interface ShownPicture {
  bytes: Uint8Array
  mimeType: 'image/jpeg'
}

/** One call for a list of items. */
export interface Ask<T> {
  system: string
  /** Data as JSON, never instructions. */
  prompt: string
  picture?: ShownPicture | undefined
  item: z.ZodType<T>
  /** Further items are skipped. */
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

export interface Model {
  /** Whether a provider is configured. */
  readonly configured: boolean
  /**
   * Calls `onItem` for each item as the model writes it, and returns the tokens used. Skips an item that does not
   * match. Throws `ModelError`; items before the error stay valid.
   */
  items<T>(ask: Ask<T>, onItem: (item: T) => void): Promise<Use>
  image(ask: ImageAsk): Promise<Picture>
}

/** A failure with its kind. The message contains nothing of the request or the answer. */
export class ModelError extends Error {
  readonly kind: 'not_configured' | 'refused' | 'busy' | 'failed' | 'timeout' | 'aborted'

  constructor(kind: ModelError['kind'], message: string) {
    super(message)
    this.name = 'ModelError'
    this.kind = kind
  }
}
