import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { likeness } from '../../../assistant/ai/rules.ts'
import { invalid } from '../../../core/errors.ts'
import { type Page, pageOfKnown, type PageRequest } from '../../../core/platform/cursor.ts'
import { query } from '../../../core/platform/db.ts'
import type { Scope } from '../../../core/platform/scope.ts'
import { FaqEntry, MOST_FAQ } from '../config/api.ts'
import { getConfig, lockConfig, writeConfig } from '../config/config.ts'
import { knowledgeFaults } from '../config/rules.ts'
import { readRules } from '../facts.ts'
import { evidence, isGivenWhole, MOST_PASSAGES, passagesOf, retrieve, scoresOf, wordsAbout } from '../knowledge.ts'
import type { ImportFault, KnowledgeGap, KnowledgeImport } from './api.ts'
import {
  asksSomething,
  entriesOfMarkdown,
  entriesOfRows,
  faultOf,
  type Found,
  type FaqVerdict,
  group,
  growing,
} from './rules.ts'

/** The maximum number of entries in a file. */
const MOST_ROWS = 2_000

interface Verdict {
  line: number
  verdict: FaqVerdict | 'invalid'
  entry: FaqEntry | null
  fault: ImportFault | null
  message: string | null
}

const FAULTS: Readonly<Record<ImportFault, string>> = {
  question_missing: 'The question is missing.',
  question_long: 'The question has more than 500 characters.',
  answer_missing: 'The answer is missing.',
  answer_long: 'The answer has more than 4,000 characters.',
  tags: 'There are more than 20 tags, or a tag has more than 50 characters.',
}

/** Reads the entries of a file. Throws `validation_failed` if it cannot be parsed. */
function entriesOf({ format, content }: KnowledgeImport): Found[] {
  if (format === 'markdown') return entriesOfMarkdown(content)
  try {
    const rows = parse(content, {
      bom: true,
      delimiter: [',', ';', '\t'],
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      to: MOST_ROWS + 1,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return entriesOfRows(rows.map(({ record, info }) => ({ line: info.lines, cells: record })))
  } catch (error) {
    const message = `The table can’t be read: ${error instanceof Error ? error.message : String(error)}`
    throw invalid({ path: '/content', code: 'unreadable', message })
  }
}

/**
 * Returns a verdict for each entry of a file. Without `dryRun`, also puts the new and changed entries into the FAQ, all
 * or none. Throws `validation_failed` for a file without entries, or with more than there is room for.
 */
export async function importKnowledge(
  scope: Scope,
  file: KnowledgeImport,
  userId: string,
): Promise<{ data: Verdict[]; imported: number }> {
  const found = entriesOf(file)
  if (found.length === 0) {
    throw invalid({ path: '/content', code: 'no_entries', message: 'The file has no questions with answers.' })
  }
  if (found.length > MOST_ROWS) {
    throw invalid({
      path: '/content',
      code: 'too_many_entries',
      message: 'The file has too many entries. Split it into smaller files.',
      limit: MOST_ROWS,
    })
  }
  const judge = ({ add }: ReturnType<typeof growing>): Verdict[] =>
    found.map(({ line, question, answer, tags }) => {
      const parsed = FaqEntry.safeParse({ question, answer, ...(tags.length > 0 && { tags }) })
      if (!parsed.success) {
        const fault = faultOf(parsed.error.issues[0]!)
        return { line, verdict: 'invalid', entry: null, fault, message: FAULTS[fault] }
      }
      return { line, verdict: add(parsed.data), entry: parsed.data, fault: null, message: null }
    })
  if (file.dryRun) return { data: judge(growing((await getConfig(scope)).faqEntries)), imported: 0 }
  return scope.transaction(async (tx) => {
    const current = await lockConfig(tx)
    const faq = growing(current.faqEntries)
    const data = judge(faq)
    if (faq.entries.length > MOST_FAQ) {
      throw invalid({
        path: '/content',
        code: 'faq_full',
        message: 'The FAQ doesn’t have room for this many entries. Delete some, then import again.',
        limit: MOST_FAQ,
      })
    }
    const tooLong = knowledgeFaults({ faqEntries: faq.entries })
    if (tooLong.length > 0) throw invalid(...tooLong.map((fault) => ({ ...fault, path: '/content' })))
    await writeConfig(tx, current, { faqEntries: faq.entries }, userId)
    return { data, imported: data.filter(({ verdict }) => verdict === 'new' || verdict === 'changed').length }
  })
}

// ---- gaps

/** How many decisions are searched for unanswered questions. */
const MOST_LOOKED_AT = 1_000
/** The likeness from which two questions ask the same. */
const ALIKE = 0.45
const ENOUGH = 0.5
/** How many characters of a question are compared, and how many questions before other work gets a turn. */
const COMPARED = 500
const PIECE = 20

interface Question {
  /** The id of the decision. */
  id: string
  text: string
  at: string
  threadId: string
  search: string[]
  intent: string
}

interface Compared extends Question {
  /** The beginning of the text. */
  asked: { text: string }
}

/**
 * Returns a page of the questions, complaints and requests of the last 30 days that the knowledge could not answer then
 * and cannot answer now, the most asked first, then the newest.
 */
export async function listGaps(scope: Scope, request: PageRequest): Promise<Page<KnowledgeGap>> {
  const [[questions], { rules }] = await Promise.all([
    scope.read(query<Question>`select d.id, m.text, iso(m.at) as at, d.thread_id,
        coalesce(d.facts -> 'classification' -> 'search', '[]') as search,
        coalesce(d.facts -> 'classification' ->> 'intent', '') as intent
      from decision d join message m on m.workspace_id = d.workspace_id and m.id = d.message_id and m.text is not null
      left join draft_reply r on r.workspace_id = d.workspace_id and r.decision_id = d.id
      where d.workspace_id = ${scope.workspaceId} and d.kind = 'bot' and d.state = 'DONE' and d.erased_at is null
        and d.ended_at > app_now() - interval '30 days'
        and (d.log @> '[{"step": "generate", "outcome": "handoff"}]' or (r.parts ->> 'evidence')::float8 < ${ENOUGH})
      order by d.id desc limit ${MOST_LOOKED_AT}`),
    readRules(scope),
  ])
  const passages = passagesOf(rules)
  const isOpen = ({ asked, text, search, intent }: Compared) =>
    asksSomething(text, intent) &&
    evidence(passages, retrieve(passages, asked.text, search).slice(0, 1), {
      question: asked.text,
      search,
      own: true,
    }) < ENOUGH
  const groups: Compared[][] = []
  for (const [at, question] of questions.entries()) {
    if (at % PIECE === PIECE - 1) await yieldToOthers()
    const compared = { ...question, asked: { text: question.text.slice(0, COMPARED) } }
    if (isOpen(compared)) group(groups, compared, (a, b) => likeness(a.asked, b.asked) >= ALIKE)
  }
  const types = ['bigint', 'timestamptz', 'uuid'] as const
  const { data, nextCursor } = pageOfKnown(groups, types, request, (alike) => [
    alike.length,
    alike[0]!.at,
    alike[0]!.id,
  ])
  return {
    data: data.map((alike) => ({
      question: alike[0]!.text,
      count: alike.length,
      lastAt: alike[0]!.at,
      conversations: [...new Set(alike.map(({ threadId }) => threadId))].slice(0, 10),
    })),
    nextCursor,
  }
}

/**
 * Returns the passages that share a word with a text, in the order in which the bot would get them, each with its score
 * and the number of replies that cited it. The search words that the model would add are unknown without asking it.
 */
export async function findPassages(scope: Scope, text: string) {
  // The rules of a decision share their passages, whose words are counted once.
  const passages = passagesOf((await readRules(scope)).rules)
  const found = scoresOf(passages, text, [])
    .filter(({ score }) => score > 0)
    .slice(0, MOST_PASSAGES)
  const asked = new Set(wordsAbout(text))
  const cited = await readCitations(
    scope,
    found.map(({ passage }) => passage.text),
  )
  return {
    data: found.map(({ passage, score }) => ({
      ...passage,
      given: true,
      score: Math.round(score * 100) / 100,
      words: wordsIn(passage.text).filter((word) => wordsAbout(word).some((stem) => asked.has(stem))),
      replies: cited.get(passage.text) ?? 0,
    })),
    whole: isGivenWhole(passages),
    passages: passages.length,
  }
}

const wordsIn = (text: string) => [...new Set(text.match(/[\p{L}\p{N}]+/gu) ?? [])]

/** Returns how many replies of the last 30 days cite each of these texts. */
async function readCitations(scope: Scope, texts: string[]): Promise<Map<string, number>> {
  if (texts.length === 0) return new Map()
  const [rows] = await scope.read(query<{ text: string; replies: number }>`
    select s ->> 'text' as text, count(distinct d.id)::int as replies
    from decision d cross join jsonb_array_elements(d.sources) s
    where d.workspace_id = ${scope.workspaceId} and d.kind <> 'simulate' and d.reply is not null
      and d.ended_at > app_now() - interval '30 days' and s ->> 'text' = any(${texts}) group by 1`)
  return new Map(rows.map((row) => [row.text, row.replies]))
}
