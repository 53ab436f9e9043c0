import type { Platform } from '../../../../../src/networks/api.ts'
import type { PostMedia } from '../../../../../src/publishing/posts/api.ts'
import type { Cut } from './text.ts'

/** A post as a network shows it. */
export interface ShownPost {
  platform: Platform
  name: string
  avatarUrl: string | null | undefined
  age: string
  text: string
  /** The first link of the text, without tracking parameters. */
  link: string | null
  fold: Cut
  comment: string
  media: PostMedia[]
  /** The original files. */
  whole: readonly PostMedia[]
  /** Whether the network labels AI-made pictures. */
  marksAi: boolean
}
