import type { Post } from '../../../../src/publishing/posts/api.ts'

export type BulkKind = 'move' | 'cancel' | 'retry' | 'remove'

export interface BulkRefusal {
  post: Post
  why: string
}

export interface BulkRun {
  kind: BulkKind | 'label' | 'undo'
  done: number
  total: number
  running: boolean
  refused: BulkRefusal[]
  /** The ids of the posts that stay selected once it has finished. */
  stay: string[]
}
