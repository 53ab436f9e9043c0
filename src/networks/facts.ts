import type { FindingCode } from '../core/texts/findings/en.ts'
import type { AccountMetric, Metric } from './api.ts'

interface Range {
  min: number
  max: number
}

/** The limits of a network for one kind of post. Sources: its published limits, else its answers. */
export interface Facts {
  /** The longest text: caption, call to action and hashtags, counted as the network counts. */
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
    /** Pixels of the width. */
    width: Range | null
  } | null
  video: {
    mimeTypes: readonly string[]
    codecs: readonly string[]
    maxBytes: number
    max: number
    seconds: Range
    framesPerSecond: Range | null
    /** Pixels of the width, the height, and of each side. */
    width: Range | null
    height: Range | null
    side: Range | null
    aspect: Range | null
  } | null
  /**
   * The network's own limit: calls that one connected user may cause in an hour, over all networks of the same app. Null if it
   * counts none. Parley keeps the setting NETWORK_CALLS_PER_HOUR.
   */
  callsPerHour: number | null
  /** Posts of one account in 24 hours; null if the network publishes no number. */
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
  /** The limits that it fulfils. */
  facts: Facts
  /** The only kind of post that it is for; without it, it is for every other kind. */
  kind?: ContentKind
  /** Whether such a picture fills a phone that is held upright. */
  fillsPhone: boolean
  /** The rendition that can replace this one, if this one needs no border. */
  sameAs?: string
}

export interface AnswerLimit {
  most: number
  in: 'characters' | 'bytes'
  /** Whether it can be a picture instead of a text. */
  pictures: boolean
}

/** What a network tells in numbers, under its own names. Adapters ask by these names, and screens tell them as the source. */
export interface FiguresTold {
  /** Figures of each kind of post, for which an account grants a permission. */
  insights: Readonly<Partial<Record<ContentKind, Readonly<Partial<Record<Metric, string>>>>>>
  /** Public counts of every post. */
  counts: Readonly<Partial<Record<Metric, string>>>
  /** Figures of an account, by day. */
  account: Readonly<Partial<Record<AccountMetric, string>>>
  /** Whether it has figures by day; without them they are the differences of readings. */
  hasDays: boolean
  /** How long the network takes to tell them at most, in hours. */
  delayHours: { posts: number; account: number }
}

/** Everything that code outside a network's folder may decide by. */
export interface NetworkRules {
  /** Names for people, on screens and in tables; the first is the one that we use. */
  called: readonly [string, ...string[]]
  /** The name for a language model. */
  knownAs: string
  /** The name in statistics for links opened from it; null if nobody can open a link in its texts. */
  linkName: string | null
  /** The limits of an ordinary post. */
  post: Facts
  /** The limits of the other kinds. */
  kinds: Readonly<Partial<Record<ContentKind, Facts>>>
  /** The kind of a post with only pictures, if the media decide the kind; null if the author chooses. */
  ofPictures: ContentKind | null
  renditions: Readonly<Record<string, RenditionRules>>
  /** The ratio of a picture that AI makes for it. */
  drawnRatio: '1:1' | '4:5'
  /** The longest first comment by the account itself; null if the network has none. */
  commentLimit: number | null
  /** The hosts, with their subdomains, of files that people send in messages. No other address of theirs is fetched. */
  fileHosts: readonly string[]
  /** The longest answers to a comment and to a direct message; null if the network takes none. */
  answers: Readonly<Record<'comment' | 'message', AnswerLimit>> | null
  /** Whether an app may look up accounts of others. */
  showsOthers: boolean
  /** Whether an app may delete a live post of the account. */
  removesPosts: boolean
  /** Whether the author can choose the cover frame of a video. */
  covers: boolean
  /** Whether the author chooses if a reel is shown in the feed too. */
  reelsInFeed: boolean
  /** The kinds of media that can be marked as made by AI. */
  marksAi: readonly ('IMAGE' | 'VIDEO')[]
  /** Whether it refuses a text that the account has just posted. */
  refusesSameText: boolean
  /** Whether a post of pictures without an id is recognized only by its text. */
  knowsPicturesByText: boolean
  /** Whether the owner of an account restricts, at the network, what a post may be. */
  asksOwner: boolean
  /** Options that a person must choose for each post. */
  chosenAnew: readonly string[]
  figures: FiguresTold
  /** The network's own rules that the options break: codes of findings. */
  checkOptions?(options: SharedOptions): { option: string; code: FindingCode }[]
}
