import { pipeline } from 'node:stream/promises'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { connectedAccounts } from '../../channels/accounts.ts'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { isZone, refuseUnknownZone } from '../../team/identity/identity.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { useQuotaAtCommit } from '../../team/plans/plans.ts'
import { type Check, NewPost, type Post } from '../posts/api.ts'
import { type PlannedPost, planPost, savePlanned } from '../posts/posts.ts'
import { listPosts } from '../posts/posts-read.ts'
import { textKeys } from '../posts/posts-content.ts'
import type { Ports } from '../../services.ts'
import {
  type ExportFilter,
  type ImportRequest,
  MOST_ROWS,
  type RowFault,
  type RowVerdict,
  type Verdicts,
} from './api.ts'
import { excessOf, limits } from './table-limits.ts'
import { createTaskQueue } from './task-queue.ts'
import {
  againstPost,
  byName,
  type Cells,
  columnAt,
  columnsOf,
  delimiterOf,
  filesAskedFor,
  heading,
  type Known,
  namesOfAccount,
  readRow,
  unescaped,
  unfit,
  writeRow,
} from './rules.ts'

type TransferPorts = Pick<Ports, 'networks' | 'settings'>

interface Line {
  /** As a person counts the rows of the table; the heading is 1. */
  line: number
  values: string[]
  cells: Cells
  tooLong: boolean
}

/**
 * Limits how many tables a process reads at the same time, one of each workspace, and how many wait. One of 500 posts
 * takes several seconds, since each line asks the database.
 */
const tasks = createTaskQueue({ atOnce: 2, waiting: 32, waitingOfOne: 3, retryAfter: 2 })

/** Runs `judgeTable` in turn. Throws `rate_limited` too, if too many tables wait. */
export const importPosts: typeof judgeTable = (scope, ...rest) =>
  tasks(scope.workspaceId, () => judgeTable(scope, ...rest))

/**
 * Judges each line of a table by the rules for new posts. With `save` it also creates posts of all lines, or of those
 * in `lines`: all or none. Throws `validation_failed` for a table that cannot be read, and for a line to be saved that
 * has a fault.
 */
async function judgeTable(
  scope: Scope,
  ports: TransferPorts,
  { csv, timezone, save = false, lines }: ImportRequest,
  role: Role | null,
): Promise<Verdicts> {
  if (timezone !== undefined) refuseUnknownZone(timezone)
  const { first, rows, unknownColumns } = await readTable(csv)
  const missing = lines?.find((line) => !rows.some((row) => row.line === line))
  if (missing !== undefined) {
    throw invalid({ path: '/lines', code: 'unknown_line', message: `The table has no row on line ${missing}.` })
  }
  const { known, accounts } = await knownTo(scope.beforeLast(), ports, rows, timezone)
  const pause = createPauses()
  const readRows: ReadLine[] = []
  for (const row of rows) {
    readRows.push(readLine(row, known))
    await pause()
  }
  const isChosen = ({ line }: { line: number }) => !lines || lines.includes(line)
  const rest = save
    ? await written(
        first,
        rows.filter((row) => !isChosen(row)),
      )
    : null
  // The transaction only asks the database. It decides again about the names: a file can be gone by then.
  const judgeAll = async (tx: Tx) => {
    const judged: { verdict: RowVerdict; planned: PlannedPost | null }[] = []
    const seen = new Map<string, number>()
    for (const row of readRows) judged.push(await judge(tx, ports, row, accounts, role, seen))
    const verdicts = judged.map(({ verdict }) => verdict)
    return { judged, told: { timezone: known.timezone, unknownColumns, rows: verdicts } }
  }
  if (!save) return scope.transaction(async (tx) => ({ saved: false, ...(await judgeAll(tx)).told, rest: null }))

  return useQuotaAtCommit(scope, 'posts', readRows.filter(isChosen).length, async (tx, use) => {
    const { judged, told } = await judgeAll(tx)
    const chosen = judged.filter(({ verdict }) => isChosen(verdict))
    const faults = chosen.filter(({ planned }) => !planned).flatMap(({ verdict }) => standing(verdict))
    if (faults.length > 0) throw invalid(...faults)
    for (const { verdict, planned } of chosen) verdict.postId = await savePlanned(tx, ports, planned as PlannedPost)
    await use()
    return { saved: true, ...told, rest }
  })
}

/** Milliseconds of work after which other work gets a turn. */
const LONGEST = 5

/** Returns a function to call between small pieces of work. It yields to other work once they have taken `LONGEST`. */
function createPauses(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < LONGEST) return
    await yieldToOthers()
    began = performance.now()
  }
}

/** Writes lines as a table, yielding to other work. Returns null if there are none. */
async function written(first: string[], left: readonly Line[]): Promise<string | null> {
  if (left.length === 0) return null
  const { stringify } = await import('csv-stringify/sync')
  const pause = createPauses()
  let table = stringify([first], { bom: true })
  for (const { values } of left) {
    table += stringify([values])
    await pause()
  }
  return table
}

/** Returns the faults and errors of a line as faults of the request. */
function standing({ line, faults, checks }: RowVerdict): Fault[] {
  const found = checks.filter(({ severity }) => severity === 'error')
  return [...faults, ...found.map(({ field, ...check }) => ({ ...check, column: columnAt(field) }))].map(
    ({ column, code, message }) => ({
      path: `/lines/${line}${column ? `/${column}` : ''}`,
      code,
      message: `Row ${line}: ${message}`,
    }),
  )
}

/** Parses a table into lines by our column names, without empty ones. Throws `validation_failed`. */
export async function readTable(csv: string): Promise<{ first: string[]; rows: Line[]; unknownColumns: string[] }> {
  const delimiter = delimiterOf(csv)
  const excess = await excessOf(csv, delimiter)
  if (excess) throw invalid({ path: '/csv', limit: excess === 'rows' ? MOST_ROWS : limits[excess], ...beyond[excess] })
  const [first = [], ...rest] = await parse(csv, delimiter)
  const columns = columnsOf(first)
  if (!columns.some((name) => name === 'caption' || name === 'media')) {
    const message = 'The first row must name the columns, at least caption or media.'
    throw invalid({ path: '/csv', code: 'no_heading', message })
  }
  const twice = columns.find((name, index) => name !== null && columns.indexOf(name) !== index)
  if (twice)
    throw invalid({
      path: '/csv',
      code: 'duplicate',
      message: `The column ${twice} appears twice. Remove one of them.`,
    })
  const pause = createPauses()
  const rows: Line[] = []
  for (const [index, values] of rest.entries()) {
    await pause()
    if (values.every((value) => value.trim() === '')) continue
    const cells = Object.fromEntries(columns.flatMap((name, i) => (name ? [[name, unescaped(values[i] ?? '')]] : [])))
    const tooLong = values.slice(columns.length).some((value) => value.trim() !== '')
    rows.push({ line: index + 2, values, cells, tooLong })
  }
  if (rows.length === 0) {
    throw invalid({ path: '/csv', code: 'only_heading', message: 'The table has only a header. Add at least one row.' })
  }
  if (rows.length > MOST_ROWS) {
    const message = `The table has ${rows.length} rows, and at most ${MOST_ROWS} can be imported at once. Split it.`
    throw invalid({ path: '/csv', code: 'too_many_rows', message, limit: MOST_ROWS })
  }
  return { first, rows, unknownColumns: first.filter((name, i) => columns[i] === null && name.trim() !== '') }
}

const beyond: Record<keyof typeof limits, { code: string; message: string }> = {
  rows: {
    code: 'too_many_rows',
    message: `The table has more than the ${MOST_ROWS} rows that can be imported at once. Split it.`,
  },
  columns: { code: 'too_many_columns', message: `A row has more than ${limits.columns} columns.` },
  lines: {
    code: 'too_many_lines',
    message: `The table has more than ${limits.lines} lines, including empty ones. Split it.`,
  },
  cells: { code: 'too_many_cells', message: `The table has more than ${limits.cells} cells. Split it.` },
  characters: { code: 'too_long', message: `A cell has more than ${limits.characters} characters. Shorten it.` },
}

/** The maximum number of bytes and cells in a piece, which parses in about a millisecond. */
const PIECE = { bytes: 16_384, cells: 500 }

/** Splits a table into pieces of about equal parsing time, and yields to other work after each. */
async function* pieces(bytes: Buffer, delimiter: string): AsyncGenerator<Buffer> {
  const ends = new Set(Buffer.from(`${delimiter}\n\r`))
  for (let start = 0; start < bytes.length;) {
    let at = start
    for (let cells = 0; cells < PIECE.cells && at < bytes.length && at - start < PIECE.bytes; at += 1)
      if (ends.has(bytes[at]!)) cells += 1
    yield bytes.subarray(start, at)
    start = at
    await yieldToOthers()
  }
}

/** Parses the lines of a table as they are, yielding to other work between pieces. Throws `validation_failed`. */
async function parse(csv: string, delimiter: string): Promise<string[][]> {
  const { parse: parser, CsvError } = await import('csv-parse')
  const lines = parser({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: false,
  })
  const table: string[][] = []
  try {
    await pipeline(pieces(Buffer.from(csv), delimiter), lines, async (records: AsyncIterable<string[]>) => {
      for await (const record of records) table.push(record)
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const message = /QUOTE/.test(error.code)
      ? `This isn’t valid CSV. Check the quotation marks on line ${String(error['lines'])}, and double any inside a text.`
      : `This isn’t valid CSV: ${error.message}.`
    throw invalid({ path: '/csv', code: 'not_csv', message })
  }
  return table
}

/** Returns what the names in a table can refer to, and the connected accounts. */
async function knownTo(scope: Scope, ports: TransferPorts, rows: Line[], timezone: string | undefined) {
  const names = new Set<string>()
  const pause = createPauses()
  for (const { cells } of rows) {
    for (const name of filesAskedFor(cells)) names.add(name)
    await pause()
  }
  const asked = [...names]
  return scope.transaction(async (tx) => {
    const [accounts, files, labels, { zone }] = await Promise.all([
      connectedAccounts(tx, ports),
      tx.run(query<{ id: string; name: string }>`select id, file_name as name from media_file
        where workspace_id = ${tx.workspaceId} and deleted_at is null
          and (lower(file_name) = any (${asked}::text[]) or id::text = any (${asked}::text[]))`),
      tx.run(query<{ id: string; name: string }>`select id, name from label where workspace_id = ${tx.workspaceId}`),
      tx.one(query<{ zone: string }>`select timezone as zone from workspace where id = ${tx.workspaceId}`, 'not_found'),
    ])
    const known: Known = {
      timezone: timezone ?? zone,
      isZone,
      accounts: byName(accounts, namesOfAccount),
      files: byName(files),
      labels: byName(labels),
    }
    return { known, accounts }
  })
}

/** A line as it reads, before the checks that ask the database. */
interface ReadLine {
  line: number
  caption: string
  input: NewPost
  at: Date | undefined
  faults: readonly RowFault[]
}

function readLine({ line, cells, tooLong }: Line, known: Known): ReadLine {
  const read = readRow(cells, known)
  const parsed = NewPost.safeParse(read.input)
  const faults = [...read.faults, ...(parsed.error?.issues ?? []).map((issue) => unfit(issue, cells))]
  if (tooLong) {
    const message = 'This row has more cells than the header. Put text with commas in quotation marks.'
    faults.push({ column: null, code: 'too_many_cells', value: null, message })
  }
  return { line, caption: cells['caption'] ?? '', input: parsed.data ?? {}, at: read.at, faults }
}

async function judge(
  tx: Tx,
  ports: TransferPorts,
  { line, caption, input, at, faults: readFaults }: ReadLine,
  accounts: readonly SocialAccount[],
  role: Role | null,
  seen: Map<string, number>,
): Promise<{ verdict: RowVerdict; planned: PlannedPost | null }> {
  const { planned, faults, checks } =
    readFaults.length > 0
      ? { planned: null, faults: [...readFaults], checks: [] }
      : await planLine(tx, ports, input, role)
  const warnings = planned ? sameInTable(planned, line, seen) : []
  const warned = warnings.length > 0 || checks.length > 0
  const platforms = accounts.filter(({ id }) => (planned?.content.targets ?? input.targets ?? []).includes(id))
  return {
    planned,
    verdict: {
      line,
      verdict: !planned ? 'error' : warned ? 'warning' : 'ok',
      action: planned?.action ?? input.action ?? (at ? 'schedule' : 'draft'),
      caption,
      scheduledAt: (planned?.at ?? at ?? null)?.toISOString() ?? null,
      platforms: [...new Set(platforms.map(({ platform }) => platform))],
      faults,
      warnings,
      checks,
      postId: null,
    },
  }
}

/** Plans the post of a line. An obstacle becomes a fault or a finding, and nothing is planned. */
async function planLine(
  tx: Tx,
  ports: TransferPorts,
  input: NewPost,
  role: Role | null,
): Promise<{ planned: PlannedPost | null; faults: RowFault[]; checks: Check[] }> {
  try {
    const planned = await planPost(tx, ports, input, role)
    return { planned, faults: [], checks: planned.checks }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const told = (error.more['errors'] ?? []) as Fault[]
    const faults: RowFault[] = []
    const checks: Check[] = []
    if (told.length === 0) faults.push({ column: 'action', code: error.code, value: null, message: error.message })
    for (const { path, ...fault } of told) {
      if ('severity' in fault) checks.push({ ...(fault as unknown as Omit<Check, 'field'>), field: path })
      else faults.push(againstPost({ path, ...fault }, input.platforms))
    }
    return { planned: null, faults, checks }
  }
}

/**
 * Two lines with the same text for the same account are seldom intended. Neither is saved, so the checks do not see it.
 */
function sameInTable({ content, accounts }: PlannedPost, line: number, seen: Map<string, number>): RowFault[] {
  const lines = new Set<number>()
  for (const { accountId, key } of textKeys(content, accounts)) {
    if (!key) continue
    const place = `${accountId} ${key}`
    const earlier = seen.get(place)
    if (earlier === undefined) seen.set(place, line)
    else lines.add(earlier)
  }
  return [...lines].map((earlier) => ({
    column: 'caption',
    code: 'same_in_table',
    value: String(earlier),
    message: `This row has the same text on the same account as row ${earlier}.`,
  }))
}

const BATCH = 100

/**
 * Yields posts as lines of CSV, newest first, in batches. No cell begins a formula, and an import restores the texts.
 */
export async function* exportPosts(
  scope: Scope,
  ports: TransferPorts,
  filter: ExportFilter,
  role: Role | null,
): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync')
  const lines = (rows: readonly (readonly string[])[], bom = false) =>
    stringify([...rows], { escape_formulas: true, bom })
  const [accounts, files] = await scope.read(
    query<{ name: string }>`select lower(platform || name) as name from social_account
      where workspace_id = ${scope.workspaceId} group by 1 having count(*) > 1`,
    query<{ name: string }>`select lower(file_name) as name from media_file
      where workspace_id = ${scope.workspaceId} and deleted_at is null group by 1 having count(*) > 1`,
  )
  const shared = { accounts: new Set(accounts.map((row) => row.name)), files: new Set(files.map((row) => row.name)) }
  yield lines([heading()], true)
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await listPosts(scope, ports, { ...filter, limit: BATCH, cursor }, role)
    const { data, nextCursor } = JSON.parse(page) as { data: Post[]; nextCursor: string | null }
    // A slow reader can take hours, so their permission is checked before each batch.
    await scope.confirm()
    yield lines(data.map((post) => writeRow(post, shared)))
    cursor = nextCursor
  }
}
