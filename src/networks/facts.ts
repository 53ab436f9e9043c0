import type { FindingCode } from '../core/texts/findings/en.ts'

interface Range {
  min: number
  max: number
}

/** What a network takes of one kind of post. Sources: its published limits; where it publishes none, what its answers say. */
export interface Facts {
  /** Longest text, caption with call to action and hashtags, counted as the network counts. */
  textLimit: number
  countedIn: 'utf16' | 'codepoints'
  hashtagLimit: number | null
  mentionLimit: number | null
  textOnly: boolean
  /** Pictures and videos together, as many as there may be pictures. */
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
  /** Calls that one connected user may cause in an hour, over all networks of the same app. */
  callsPerHour: number | null
  /** Posts that one account takes in 24 hours; null where the network names no number. */
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

/** The copies of pictures that are kept for a network. */
export interface RenditionRules {
  /** Whose limits they fulfil. */
  facts: Facts
  /** The only kind of post that they are for; without it they are for every other kind. */
  kind?: ContentKind
  /** Whether such a picture fills a phone that is held upright. */
  fillsPhone: boolean
  /** The copies that serve as well, where these need no border. */
  sameAs?: string
}

/** Everything that code outside a network's folder decides by. */
export interface NetworkRules {
  /** How people call it, on the screens as in a table; the first is how we say it. */
  called: readonly [string, ...string[]]
  /** How a language model knows it. */
  knownAs: string
  /** What statistics call it as the place of an opened link; null where nobody can open one from a text. */
  linkName: string | null
  /** Of a usual post. */
  post: Facts
  /** Of the other kinds. */
  kinds: Readonly<Partial<Record<ContentKind, Facts>>>
  /** The kind of a post of pictures alone, where the media decide; null where the author chooses among the kinds. */
  ofPictures: ContentKind | null
  renditions: Readonly<Record<string, RenditionRules>>
  /** The ratio of a picture that is drawn for it. */
  drawnRatio: '1:1' | '4:5'
  /** The longest first comment by a post's own account; null where the network has none. */
  commentLimit: number | null
  /** Whether the author can choose the frame that stands for a video. */
  covers: boolean
  /** Whether the author chooses if a reel is shown in the feed too. */
  reelsInFeed: boolean
  /** What the network takes a mark for that it was made by a machine. */
  marksAi: readonly ('IMAGE' | 'VIDEO')[]
  /** Whether it refuses a text that the account has just posted. */
  refusesSameText: boolean
  /** Whether a post of pictures is told by its text alone while its id is not known. */
  knowsPicturesByText: boolean
  /** Whether the owner of an account decides there what a post may be. */
  asksOwner: boolean
  /** Options that a person chooses for every post again. */
  chosenAnew: readonly string[]
  /** What the options break of the network's own rules: codes of findings. */
  checkOptions?(options: SharedOptions): { option: string; code: FindingCode }[]
}
