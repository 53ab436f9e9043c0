import type { SocialAccount } from '../../channels/api.ts'
import type { Platform } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import type { Fault } from '../../core/errors.ts'
import type { Post } from '../posts/api.ts'
import { instantsOf } from '../scheduler/rules.ts'
import type { RowFault } from './api.ts'

// The columns of a table of posts, for import and export.

const PLATFORMS = Object.keys(networks) as Platform[]
const nameOf = (platform: Platform) => networks[platform].called[0]
const NAMES = PLATFORMS.map(nameOf)
  .join(', ')
  .replace(/, (?!.*, )/, ' or ')

const OWN = [
  'caption',
  'hashtags',
  'cta',
  'scheduled at',
  'time zone',
  'accounts',
  'networks',
  'media',
  'crops',
  'labels',
  'link tracking',
  'campaign',
  'action',
] as const
const OF_EACH = ['caption', 'cta', 'hashtags', 'options'] as const
/** Columns that an export writes and an import ignores. */
const TOLD = ['status', 'published at', 'links', 'id'] as const

/** Every column that an import understands, named as in an export. */
export const COLUMNS: readonly string[] = [
  ...OWN,
  ...PLATFORMS.flatMap((platform) => OF_EACH.map((name) => `${platform} ${name}`)),
]
const HEADING: readonly string[] = [...COLUMNS, ...TOLD]

/** Marks a value as deliberately empty. An empty cell inherits the value of the post. */
const NONE = '(none)'
const SEPARATOR = /[|\n]/
/** Whether a name in a list of names is read as it is written. */
const isPlainName = (name: string) => !SEPARATOR.test(name) && name === name.trim()

export type Cells = Readonly<Record<string, string>>

type Account = Pick<SocialAccount, 'id' | 'name' | 'username' | 'platform'>
interface Named {
  id: string
  name: string
}
/** Objects by their ID and each of their names, in lower case. */
type ByName<T> = ReadonlyMap<string, readonly T[]>

/** The objects of the workspace that the names in a table can refer to. */
export interface Known {
  timezone: string
  isZone(name: string): boolean
  accounts: ByName<Account>
  files: ByName<Named>
  labels: ByName<Named>
}

/** Groups objects by the names that a table can use for them. */
export function byName<T extends Named>(
  objects: readonly T[],
  namesOf: (object: T) => readonly string[] = ({ name }) => [name],
): ByName<T> {
  const found = new Map<string, T[]>()
  for (const object of objects) {
    for (const name of new Set([object.id, ...namesOf(object)].map((each) => each.toLowerCase()))) {
      const same = found.get(name)
      if (same) same.push(object)
      else found.set(name, [object])
    }
  }
  return found
}

/** Returns the names that a table can use for an account. */
export const namesOfAccount = ({ name, username, platform }: Account): string[] => [
  name,
  ...(username ? [username, `@${username}`] : []),
  ...[platform, ...networks[platform].called].map((on) => `${on}: ${name}`),
]

const plain = (heading: string) => heading.toLowerCase().replace(/[\s_-]/g, '')
const columnOf = new Map([
  ...HEADING.map((name) => [plain(name), name] as const),
  ...PLATFORMS.flatMap((platform) =>
    networks[platform].called.flatMap((called) =>
      OF_EACH.map((name) => [plain(called + name), `${platform} ${name}`] as const),
    ),
  ),
])
const platformOf = (name: string) =>
  PLATFORMS.find((platform) => [platform, ...networks[platform].called].some((each) => plain(each) === plain(name)))

/** Returns the name of a column with the network's name for people. */
export const calledColumn = (column: string) => column.replace(/^NET_\w+/, (platform) => nameOf(platform as Platform))

/** Maps the names in a heading to our columns; null for an unknown column. Spaces, case, - and _ make no difference. */
export const columnsOf = (heading: readonly string[]): (string | null)[] =>
  heading.map((name) => columnOf.get(plain(name)) ?? null)

/** The number of characters from which the delimiter of a table is determined. */
const TELLING = 10_000

/** Returns the delimiter that the first line has most often, since spreadsheets use that of their locale. */
export function delimiterOf(csv: string): string {
  const start = csv.slice(0, TELLING)
  const [first = ''] = start.replace(/"[^"]*"/g, '').split('\n', 1)
  const count = (sign: string) => first.split(sign).length
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

/** Returns the intended text of a cell: exports put an apostrophe before a text that would begin a formula. */
export const unescaped = (cell: string) => (/^'+[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell).trim()

/** Puts a further apostrophe before a text that begins like an escaped formula. */
const escaped = (cell: string) => (/^'+[=+\-@\t\r＝＋－＠]/.test(cell) ? `'${cell}` : cell)

/** The maximum number of names in a cell. No list of a post is longer, except that of its hashtags. */
const MOST_NAMES = 50
/** The number of hashtags that are read from a cell. A post can have fewer, so its rules refuse such a cell. */
const TAGS_READ = 300
/** The maximum number of faults that reading a line reports. */
const MOST_FAULTS = 20

/** Returns the names in a cell without empty ones, or undefined if there are too many. */
function listOf(cell: string): string[] | undefined {
  const names: string[] = []
  for (const [piece] of cell.matchAll(/[^|\n]+/g)) {
    const name = piece.trim()
    if (name !== '') names.push(name)
    if (names.length > MOST_NAMES) return undefined
  }
  return names
}

/** Returns the hashtags in a cell. One in quotation marks can contain spaces, commas and semicolons. */
function tagsOf(cell: string): string[] {
  const tags: string[] = []
  for (const [word, quoted] of cell.matchAll(/(?<![^\s,;])(?:"((?:[^"]|"")*)"(?![^\s,;])|[^\s,;]+)/g)) {
    const tag = quoted === undefined ? word : quoted.replaceAll('""', '"').trim()
    if (tag !== '') tags.push(tag)
    if (tags.length === TAGS_READ) break
  }
  return tags
}

/** Writes hashtags so that `tagsOf` reads them. */
const writeTags = (tags: readonly string[]) =>
  tags.map((tag) => (/[\s,;]|^"/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(' ')

/**
 * Returns the new post that a line describes, before its checks, and the faults of the cells that cannot be understood.
 */
export function readRow(
  cells: Cells,
  known: Known,
): { input: Record<string, unknown>; at: Date | undefined; faults: RowFault[] } {
  const faults: RowFault[] = []
  const fault: Blame = (column, code, message, value = null) => {
    if (faults.length < MOST_FAULTS) faults.push({ column, code, value, message })
    return undefined
  }
  const cell = (column: string) => cells[column] ?? ''
  const names = (column: string) => namesIn(column, cell(column), fault)
  const input: Record<string, unknown> = {}

  for (const column of ['caption', 'cta'] as const) if (cell(column)) input[column] = cell(column)
  if (cell('hashtags')) input['hashtags'] = tagsOf(cell('hashtags'))
  const action = cell('action').toLowerCase()
  if (action) input['action'] = action

  const time = timeOf(cell('scheduled at'), cell('time zone'), known, fault)
  if (time) input['scheduledAt'] = time.toISOString()
  if (cell('accounts')) {
    input['targets'] = names('accounts').flatMap((name) => accountOf(name, known, fault))
  }
  if (cell('networks')) input['platforms'] = platformsOf('networks', cell('networks'), fault)
  if (cell('media')) input['media'] = names('media').flatMap((name) => fileOf(name, known, fault))
  if (cell('crops')) input['media'] = withCrops(cell('crops'), (input['media'] ?? []) as object[], fault)
  if (cell('labels')) input['labels'] = names('labels').flatMap((name) => labelOf(name, known, fault))

  const linkTags = linkTagsOf(cell('link tracking'), cell('campaign'), fault)
  if (linkTags) input['linkTags'] = linkTags

  return { input: { ...input, ...variantsOf(cell, fault) }, at: time, faults }
}

/** Adds the crops of a JSON list, which has an entry for each file of the line. */
function withCrops(text: string, media: readonly object[], fault: Blame): object[] {
  const crops = jsonOf(text)
  if (Array.isArray(crops)) return media.map((file, index) => ({ ...file, crops: (crops[index] as unknown) ?? null }))
  fault('crops', 'malformed_json', 'This isn’t a JSON list with an entry for each file.')
  return [...media]
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function linkTagsOf(tracking: string, campaign: string, fault: Blame) {
  if (!tracking && !campaign) return undefined
  const word = tracking.toLowerCase()
  if (!['', 'on', 'off'].includes(word))
    fault('link tracking', 'invalid', 'Write on or off, or leave it empty for the workspace’s setting.', tracking)
  return { on: word === '' ? null : word === 'on', campaign: campaign || null }
}

function namesIn(column: string, text: string, fault: Blame): string[] {
  return listOf(text) ?? fault(column, 'too_many', `At most ${MOST_NAMES} are allowed.`) ?? []
}

function platformsOf(column: 'networks' | 'media', text: string, fault: Blame): Platform[] {
  const platforms = namesIn(column, text.replace(/[,;]/g, '|'), fault).flatMap((name) => {
    const platform = platformOf(name)
    if (!platform) fault(column, 'invalid', `There’s no network called ${name}. Use ${NAMES}.`, name)
    return platform ?? []
  })
  return [...new Set(platforms)]
}

type Blame = (column: string | null, code: string, message: string, value?: string | null) => undefined

/** Reads the columns of single networks. */
function variantsOf(cell: (column: string) => string, fault: Blame) {
  const captionOverrides: Record<string, { caption?: string; cta?: string }> = {}
  const hashtagOverrides: Record<string, string[]> = {}
  const platformOptions: Record<string, unknown> = {}
  for (const platform of PLATFORMS) {
    for (const name of ['caption', 'cta'] as const) {
      const text = cell(`${platform} ${name}`)
      if (text) captionOverrides[platform] = { ...captionOverrides[platform], [name]: text === NONE ? '' : text }
    }
    const tags = cell(`${platform} hashtags`)
    if (tags) hashtagOverrides[platform] = tags === NONE ? [] : tagsOf(tags)
    const options = cell(`${platform} options`)
    if (!options) continue
    platformOptions[platform] = jsonOf(options)
    if (platformOptions[platform] === undefined)
      fault(`${platform} options`, 'malformed_json', 'This isn’t valid JSON, such as {"kind": "reel"}.')
  }
  return { captionOverrides, hashtagOverrides, platformOptions }
}

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i
const WALL = /^(\d{4}-\d\d-\d\d)[T ](\d?\d:\d\d)(:\d\d)?$/
const WRITTEN = 'Write the time as 2026-12-01 09:30, or with a UTC offset as 2026-12-01T09:30+01:00.'

/** Parses a time with its offset, or a wall time of a zone. A wall time that clocks skip or show twice is a fault. */
function timeOf(text: string, zone: string, known: Known, fault: Blame): Date | undefined {
  if (zone && !known.isZone(zone))
    return fault('time zone', 'unknown_zone', `There’s no time zone called ${zone}.`, zone)
  if (!text) return undefined
  const column = 'scheduled at'
  if (INSTANT.test(text)) {
    const at = new Date(text.replace(' ', 'T').toUpperCase())
    return Number.isNaN(at.getTime()) ? fault(column, 'invalid_time', WRITTEN, text) : at
  }
  const [, date, clock] = WALL.exec(text) ?? []
  const wall = `${date}T${clock?.padStart(5, '0')}`
  if (!date || Number.isNaN(Date.parse(`${wall}Z`))) return fault(column, 'invalid_time', WRITTEN, text)
  const name = zone || known.timezone
  const { at } = instantsOf(wall, name)
  if (at.length === 1) return at[0]
  return at.length === 0
    ? fault(
        column,
        'time_skipped',
        `${text} doesn’t exist in ${name} because the clocks go forward. Choose another time.`,
        text,
      )
    : fault(column, 'time_twice', `${text} occurs twice in ${name} because the clocks go back. Add a UTC offset.`, text)
}

function accountOf(name: string, { accounts }: Known, fault: Blame): string[] {
  const found = accounts.get(name.toLowerCase()) ?? []
  if (found.length === 1) return [found[0]!.id]
  if (found.length === 0) {
    fault('accounts', 'unknown_account', `No connected account is called ${name}.`, name)
  } else {
    const choices = found.map((each) => `${nameOf(each.platform)}: ${each.name}`).join(', ')
    fault('accounts', 'ambiguous_target', `Several accounts are called ${name}. Write one of ${choices}.`, name)
  }
  return []
}

/** A file name, with the only networks that get the file in brackets. A number in brackets belongs to the name. */
const FILE = /^(.*?) \[([^[\]]+)\]$/su
function splitFile(text: string): { name: string; networks?: string | undefined } {
  const [, name, networks = ''] = FILE.exec(text) ?? []
  return name !== undefined && /\p{L}/u.test(networks) ? { name, networks } : { name: text }
}

function fileOf(text: string, { files }: Known, fault: Blame): object[] {
  const called = (name: string) => files.get(name.toLowerCase())
  const { name, networks } = called(text) ? { name: text } : splitFile(text)
  const found = called(name) ?? []
  // Earlier exports separated the keys of networks with spaces.
  const platforms = networks === undefined ? null : platformsOf('media', networks.replace(/ (?=NET_)/g, ','), fault)
  if (found.length === 1) return [{ mediaFileId: found[0]!.id, platforms }]
  if (found.length === 0) fault('media', 'unknown_file', `The media library has no file called ${name}.`, name)
  else fault('media', 'ambiguous_file', `Several files are called ${name}. Give each its own name.`, name)
  return []
}

function labelOf(name: string, { labels }: Known, fault: Blame): string[] {
  const [found] = labels.get(name.toLowerCase()) ?? []
  if (!found) fault('labels', 'unknown_label', `There’s no label called ${name}.`, name)
  return found ? [found.id] : []
}

/** Returns the names of the files that a line mentions, in lower case. */
export const filesAskedFor = (cells: Cells): string[] =>
  (listOf(cells['media'] ?? '') ?? []).flatMap((text) => [text.toLowerCase(), splitFile(text).name.toLowerCase()])

/** Returns the column for a path in a post, or null if there is none. */
export function columnAt(path: readonly PropertyKey[] | string): string | null {
  const [field, platform, part] = typeof path === 'string' ? path.split('/').slice(1) : path.map(String)
  switch (field) {
    case 'scheduledAt':
      return 'scheduled at'
    case 'targets':
      return 'accounts'
    case 'platforms':
      return 'networks'
    case 'media':
      return part === 'crops' ? 'crops' : 'media'
    case 'mediaIds':
      return 'media'
    case 'linkTags':
      return platform === 'on' ? 'link tracking' : 'campaign'
    case 'captionOverrides':
      return `${platform} ${part === 'cta' ? 'cta' : 'caption'}`
    case 'hashtagOverrides':
      return `${platform} hashtags`
    case 'platformOptions':
      return `${platform} options`
    default:
      return OWN.find((name) => name === field) ?? null
  }
}

/** A fault found by the schema of a new post. */
interface Issue {
  path: readonly PropertyKey[]
  values?: readonly unknown[]
  keys?: readonly string[]
  maximum?: number | bigint
  origin?: string
}

/** The maximum number of characters of a cell that a fault quotes. */
const TOLD_AGAIN = 100

/** Explains a schema fault in the words of people who fill in tables. */
export function unfit(issue: Issue, cells: Cells): RowFault {
  const column = columnAt(issue.path)
  const start = (cells[column ?? ''] ?? '').slice(0, 2 * TOLD_AGAIN)
  const written = Array.from(start).slice(0, TOLD_AGAIN)
  const value = issue.path[0] === 'platformOptions' ? optionOf(issue) : written.join('')
  return { column, code: 'invalid', value, message: whyUnfit(issue) }
}

/** Names the options at fault, with the allowed values if there is a list. */
function optionOf(issue: Issue): string {
  if (issue.keys) return issue.keys.join(', ')
  const name = issue.path.slice(2).join('.') || 'JSON'
  return issue.values ? `${name} (${issue.values.join(', ')})` : name
}

function whyUnfit({ path, values, keys, maximum, origin }: Issue): string {
  if (values) return `${String(path.at(-1))} must be one of ${values.join(', ')}.`
  if (keys) return `Unknown option ${keys.join(', ')}.`
  if (maximum === undefined) return 'This value isn’t allowed here.'
  return origin === 'string' ? `This is longer than ${maximum} characters.` : `At most ${maximum} are allowed.`
}

/** Turns a fault of a new post into a fault of a line, with the network's name for people. */
export function againstPost({ path, code, message }: Fault, platforms: readonly Platform[] = []): RowFault {
  const column = columnAt(path)
  const platform = column === 'networks' ? platforms[Number(path.split('/')[2])] : undefined
  if (!platform) return { column, code, value: null, message }
  const value = nameOf(platform)
  return code === 'ambiguous_target'
    ? { column, code, value, message: `Several ${value} accounts are connected. Name one in the accounts column.` }
    : { column, code, value, message: `No ${value} account is connected.` }
}

// ---- writing

/** Names that several accounts or files share, so that they identify none. */
export interface Shared {
  accounts: ReadonlySet<string>
  files: ReadonlySet<string>
}

export const heading = (): readonly string[] => HEADING

/** Writes a post as a line. Importing the line creates the same post. */
export function writeRow(post: Post, shared: Shared): string[] {
  const target = ({ accountId, accountName, platform }: Post['publications'][number]) =>
    isPlainName(accountName) && !shared.accounts.has(`${platform}${accountName}`.toLowerCase())
      ? `${platform}: ${accountName}`
      : accountId
  const counted = post.publications.filter(({ dropped }) => !dropped)
  const file = ({ mediaFileId, platforms, file: { fileName } }: Post['media'][number]) => {
    const isTold = isPlainName(fileName) && !fileName.endsWith(']') && !shared.files.has(fileName.toLowerCase())
    return `${isTold ? fileName : mediaFileId}${platforms ? ` [${platforms.map(nameOf).join(', ')}]` : ''}`
  }
  const crops = post.media.map((each) => each.crops)
  const emptied = (text: string | undefined) => (text === '' ? NONE : (text ?? ''))
  const values: Record<string, string> = {
    caption: post.caption,
    hashtags: writeTags(post.hashtags),
    cta: post.cta,
    'scheduled at': post.scheduledAt ?? '',
    accounts: counted.map(target).join(' | '),
    media: post.media.map(file).join(' | '),
    crops: crops.some((each) => Object.keys(each).length > 0) ? JSON.stringify(crops) : '',
    labels: post.labels.map(({ id, name }) => (isPlainName(name) ? name : id)).join(' | '),
    'link tracking': post.linkTags.on === null ? '' : post.linkTags.on ? 'on' : 'off',
    campaign: post.linkTags.campaign ?? '',
    action: post.status === 'SCHEDULED' ? 'schedule' : 'draft',
    status: post.status,
    'published at': post.publishedAt ?? '',
    links: counted.flatMap(({ permalink }) => permalink ?? []).join(' | '),
    id: post.id,
  }
  for (const platform of PLATFORMS) {
    const { caption, cta } = post.captionOverrides[platform] ?? {}
    const tags = post.hashtagOverrides[platform]
    const options = post.platformOptions[platform]
    values[`${platform} caption`] = emptied(caption)
    values[`${platform} cta`] = emptied(cta)
    values[`${platform} hashtags`] = tags ? writeTags(tags) || NONE : ''
    values[`${platform} options`] = options ? JSON.stringify(options) : ''
  }
  return HEADING.map((name) => escaped(values[name] ?? ''))
}
