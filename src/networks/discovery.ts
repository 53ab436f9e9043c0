import type { MetricsPlace } from './metrics.ts'

// Accounts of others, as far as a network shows them to applications.

/** A live post with its public counts. Null: the account hides them. */
export interface DiscoveredPost {
  externalId: string
  publishedAt: Date
  text: string
  permalink: string | null
  likes: number | null
  comments: number | null
}

export interface DiscoveredAccount {
  externalId: string
  username: string
  name: string
  followers: number | null
  mediaCount: number | null
  /** The newest first. */
  posts: DiscoveredPost[]
}

/** Looking up accounts of others. */
export interface Discovery {
  /** The permission for it. */
  readonly scope: string
  /** Calls that `find` makes at most. */
  readonly cost: number
  /** Null: the network has no such account, or does not show it. Throws the network's error. */
  find(place: MetricsPlace, username: string): Promise<DiscoveredAccount | null>
}
