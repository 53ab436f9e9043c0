import type { FindingCode } from '../core/texts/findings/en.ts'
import type { AccountMetric, Metric } from './api.ts'

interface Range {
  min: number
  max: number
}

/** The limits of a network for one kind of post, from its published limits or else its answers. */
export interface Facts {
  /** The maximum length of caption, call to action and hashtags together, counted the network's way. */
  textLimit: number
  countedIn: 'utf16' | 'codepoints'
  hashtagLimit: number | null
  mentionLimit: number | null
  textOnly: boolean
  /** Whether pictures and videos may be mixed, up to the maximum of pictures. */
  mixed: boolean
  images: {
    mimeTypes: readonly string[]
    maxBytes: number
    max: number
    /** Width divided by height. */
    aspect: Range | null
    /** The width in pixels. */
    width: Range | null
  } | null
  video: {
    mimeTypes: readonly string[]
    codecs: readonly string[]
    maxBytes: number
    max: number
    seconds: Range
    framesPerSecond: Range | null
    /** In pixels. `side` limits both width and height. */
    width: Range | null
    height: Range | null
    side: Range | null
    aspect: Range | null
  } | null
  /**
   * The network's own limit on the calls that one connected user may cause in an hour, over all networks of the same
   * app. Null if the network counts none. Parley itself limits calls to the setting NETWORK_CALLS_PER_HOUR.
   */
  callsPerHour: number | null
  /**
   * The maximum number of posts of an account in 24 hours; null if the network publishes no number. That of ordinary
   * posts counts every kind. Where there is none, that of another kind counts this kind alone.
   */
  postsPerDay: number | null
}

export type ContentKind = 'post' | 'reel' | 'story' | 'pictures'

/** The options that several networks have. */
export interface SharedOptions {
  kind?: ContentKind | undefined
  firstComment?: string | undefined
  coverMs?: number | null | undefined
  shareToFeed?: boolean | undefined
}

/** A rendition of pictures for a network. */
export interface RenditionRules {
  /** The limits that the rendition meets. */
  facts: Facts
  /** The only kind of post that uses the rendition. Without it, every other kind does. */
  kind?: ContentKind
  /** Whether the picture fills the screen of a phone in portrait. */
  fillsPhone: boolean
  /** The rendition that can replace this one if this one needs no border. */
  sameAs?: string
}

export interface AnswerLimit {
  most: number
  in: 'characters' | 'bytes'
  /** Whether an answer can be a picture instead of text. */
  pictures: boolean
}

/**
 * The figures that a network reports, under its own names. Adapters request these names, and screens show them as the
 * source.
 */
export interface FiguresTold {
  /** The figures of each kind of post, which need a permission of the account. */
  insights: Readonly<Partial<Record<ContentKind, Readonly<Partial<Record<Metric, string>>>>>>
  /** The public counts of every post. */
  counts: Readonly<Partial<Record<Metric, string>>>
  /** The figures of an account by day. */
  account: Readonly<Partial<Record<AccountMetric, string>>>
  /** Whether the network reports figures by day. If not, they are the differences between readings. */
  hasDays: boolean
  /** The maximum delay of the figures, in hours. */
  delayHours: { posts: number; account: number }
}

/** The facts of a network on which code outside its folder may base decisions. */
export interface NetworkRules {
  /** Names for people, on screens and in tables. We use the first one. */
  called: readonly [string, ...string[]]
  /** The name for a language model. */
  knownAs: string
  /** The name of the network in statistics of opened links; null if links in its texts cannot be opened. */
  linkName: string | null
  /** The limits of ordinary posts. */
  post: Facts
  /** The limits of other kinds. */
  kinds: Readonly<Partial<Record<ContentKind, Facts>>>
  /** The kind of a post with only pictures, if its media decide the kind; null if the author chooses. */
  ofPictures: ContentKind | null
  renditions: Readonly<Record<string, RenditionRules>>
  /** The ratio of pictures that AI makes for the network. */
  drawnRatio: '1:1' | '4:5'
  /** The maximum length of the account's own first comment; null if the network has none. */
  commentLimit: number | null
  /** The hosts of files that people send in messages, including subdomains. Files of any other host are not fetched. */
  fileHosts: readonly string[]
  /** The maximum lengths of answers to comments and to direct messages; null if the network accepts none. */
  answers: Readonly<Record<'comment' | 'message', AnswerLimit>> | null
  /** Whether an app may look up accounts of others. */
  showsOthers: boolean
  /** Whether an app may delete a live post of the account. */
  removesPosts: boolean
  /** Whether the author can choose the cover frame of a video. */
  covers: boolean
  /** Whether the author decides if a reel is shown in the feed too. */
  reelsInFeed: boolean
  /** The kinds of media that can be marked as made by AI. */
  marksAi: readonly ('IMAGE' | 'VIDEO')[]
  /** Whether the network refuses a text that the account has just posted. */
  refusesSameText: boolean
  /** Whether only the text can identify a post of pictures without an id. */
  knowsPicturesByText: boolean
  /** Whether comments may name their account by an id that is not its own, so that its username identifies it. */
  knowsAuthorsByUsername: boolean
  /** Whether the owner of an account sets restrictions for posts at the network. */
  asksOwner: boolean
  /** Options that a person must choose again for each post. */
  chosenPerPost: readonly string[]
  figures: FiguresTold
  /** Returns the options that break the network's own rules, with the codes of the findings. */
  checkOptions?(options: SharedOptions): { option: string; code: FindingCode }[]
}
