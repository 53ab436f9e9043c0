/** The links, mentions and phone numbers of a text. Each pattern reads a text once. */
export interface References {
  /** Without their scheme. */
  links: string[]
  mentions: string[]
  /** Digits only. */
  numbers: string[]
  /** The text without its links and mentions. */
  rest: string
}

/** Direction marks end a link just as a space does. */
export const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Normalizes a text to how people read it: full stops, punctuation and digits of other scripts become Latin ones. */
const asRead = (text: string) =>
  text
    .replaceAll(DIRECTION, ' ')
    .replaceAll(/[，、！？；（）「」『』【】《》“”„«»،؛؟…]/g, ' ')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    // A change of script without a space counts as a space.
    .replaceAll(/(?<=[a-z0-9])(?=(?!\p{Script=Latin})\p{L})|(?<=(?!\p{Script=Latin})\p{L})(?=[a-z0-9@])/giu, ' ')

const ADDRESS = /(?:\p{L}[\p{L}\p{N}+.-]{0,30})?:\/\/([^\s<>"'()。]+)|(?<![\p{L}\p{N}.-])(www\.[^\s<>"'()。]+)/giu
/** A word with a full stop in it, and the rest of the address. */
const DOTTED =
  /(?<![\p{L}\p{M}\p{N}.。-])([\p{L}\p{N}-][\p{L}\p{M}\p{N}-]*(?:[.。][\p{L}\p{N}-][\p{L}\p{M}\p{N}-]*)+)(:\d{1,5})?([/?#][^\s<>"'()。]*)?/gu
const MENTION = /(?<![\p{L}\p{M}\p{N}_])@[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.]*[\p{L}\p{M}\p{N}_])?/gu

const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
/** Top-level domains that belong to no country. Not all, but those to which people are sent. */
const OTHERS = new Set(
  `com net org info biz pro name mobi tel asia cat travel aero coop museum edu gov mil int eu su uk
  app dev page web site online website space store shop shopping market sale deals discount promo gift gifts bargains
  tech digital cloud host hosting email chat social network systems solutions services software agency company group team
  blog news media press live stream video tube film movie music games game play fun club party events tickets
  link click top xyz icu buzz vip win bid review download racing bet casino poker lotto date dating men cam sex porn adult
  cash bank finance loan loans credit money fund trade trading exchange insurance tax legal law
  health care clinic dental doctor fitness beauty hair style fashion shoes clothing jewelry
  cafe bar pub restaurant pizza coffee beer wine food kitchen recipes organic bio
  art design studio photo photos photography gallery pics house homes land estate rent hotel holiday tours flights taxi cars auto
  academy school university college education training guide help support wiki
  world global international city life today work works jobs zone one plus ink ltd inc llc gmbh
  london paris berlin tokyo nyc dubai abudhabi istanbul africa arab google youtube onion example test invalid local
  السعودية امارات مصر المغرب عمان قطر شبكة موقع рф рус онлайн сайт 中国 中國 公司 网络 網絡 在线 みんな 한국 ไทย भारत`.split(
    /\s+/,
  ),
)
const isEnd = (label: string) =>
  OTHERS.has(label) || (/^[a-z]{2}$/.test(label) && countries.of(label.toUpperCase()) !== undefined)

/**
 * Returns the address at the beginning of words joined by full stops, or undefined if they are sentences, times or
 * abbreviations. A sentence begins with a capital; an address has only capitals or none.
 */
function hostOf(run: string, path: string): string | undefined {
  const labels = run.split(/[.。]/)
  const isShouted = run === run.toUpperCase()
  const at = labels.findLastIndex((label, place) => {
    const before = labels[place - 1]
    if (before === undefined) return false
    const isOneCase = label === label.toLowerCase() || isShouted
    if (!isOneCase) return false
    // "10.am" is no address, and neither are file names next to each other, such as "Vue.js/Node.js".
    if (isEnd(label.toLowerCase())) return label.length > 2 || path !== '' || /\p{L}/u.test(before)
    return (
      place === labels.length - 1 && path.length > 1 && /^[a-z]{2,}$/i.test(label) && !/^(?:js|ts|css)$/i.test(label)
    )
  })
  return at < 0 ? undefined : labels.slice(0, at + 1).join('.')
}

const tidy = (link: string) => link.replace(/(?<!\p{P})\p{P}+$/u, '').toLowerCase()

// ---- numbers

/** Dates, times, years and amounts with as many digits as a phone number. */
const NO_CALL =
  /(?<![+\d]|\) ?)(?:\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2(?:\d{4}|\d{2})|\d{1,2}[:.]\d{2}(?:[:.]\d{2})?|(?:19|20)\d\d ?[-–/] ?(?:19|20)?\d\d|\d{1,3}(?:[.,' ]\d{3})+(?! ?\d))(?!\d)/g
const DIGITS = /(?<!\d)\d(?:[\s().\-–/]{0,2}\d){6,30}/g

export function referencesIn(text: string): References {
  const links: string[] = []
  const mentions: string[] = []
  const rest = asRead(text)
    .replaceAll(ADDRESS, (_all, after?: string, bare?: string) => {
      links.push(tidy(after ?? bare ?? ''))
      return ' '
    })
    .replaceAll(DOTTED, (all: string, run: string, _port?: string, path?: string) => {
      const host = hostOf(run, path ?? '')
      if (host === undefined) return all
      links.push(tidy(host.length === run.length ? all.replaceAll('。', '.') : host))
      return ' '
    })
    .replaceAll(MENTION, (mention) => {
      mentions.push(mention.toLowerCase())
      return ' '
    })
  const numbers = rest.replaceAll(NO_CALL, ' , ').match(DIGITS) ?? []
  return { links, mentions, numbers: numbers.map((number) => number.replaceAll(/\D/g, '')), rest }
}

/** Whether a text sends people somewhere that the typed text does not mention. */
export function isForeign(text: string, typed: References): boolean {
  const { links, mentions, numbers } = referencesIn(text)
  return (
    links.some((link) => !typed.links.includes(link)) ||
    mentions.some((mention) => !typed.mentions.includes(mention)) ||
    // A number is the same with or without its country code.
    numbers.some((number) => !typed.numbers.some((known) => known.includes(number.replace(/^0+/, ''))))
  )
}
