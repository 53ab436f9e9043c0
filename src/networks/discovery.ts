import type { MetricsPlace } from './metrics.ts'

// Accounts of others, to the extent that a network shows them to applications.

/** A live post with its public counts, which are null if the account hides them. */
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
  /** Newest first. */
  posts: DiscoveredPost[]
}

/** Looks up accounts of others. */
export interface Discovery {
  /** The required permission. */
  readonly scope: string
  /** The maximum number of calls that `find` makes. */
  readonly cost: number
  /** Returns null if the network has no such account or does not show it. Throws the network's error. */
  find(place: MetricsPlace, username: string): Promise<DiscoveredAccount | null>
}
