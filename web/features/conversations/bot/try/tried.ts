import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { same, type BotFields } from '../settings/fields.ts'

/** The settings that a test can try unsaved. */
const TRIED = [
  'maxConfidenceForAuto',
  'brandVoiceId',
  'blockedTopics',
  'escalateKeywords',
  'knowledgeBase',
  'faqEntries',
  'disclosureText',
] as const

export type Tried = Partial<Pick<BotFields, (typeof TRIED)[number]>>

/** The unsaved settings for a test; undefined if there are none. */
export function triedOf(now: BotFields, saved: BotFields): Tried | undefined {
  const changed = TRIED.filter((field) => !same(now[field], saved[field]))
  if (changed.length === 0) return undefined
  return Object.fromEntries(
    changed.map((field) => [field, field === 'disclosureText' ? now[field]?.trim() || null : now[field]]),
  )
}

export const VERDICTS = ['SENT', 'HELD', 'ESCALATED', 'IGNORED'] as const
export type TriedOutcome = (typeof VERDICTS)[number]

/** The outcome for a message, reduced to four kinds. */
export const outcomeOf = ({ verdict }: Pick<Decision, 'verdict'>): TriedOutcome =>
  verdict === 'SENT' || verdict === 'HELD' || verdict === 'ESCALATED' ? verdict : 'IGNORED'

/** A question with its decisions under the saved and the unsaved settings. */
export interface Compared {
  text: string
  saved: Decision | undefined
  tried: Decision | undefined
  differs: boolean
}

const said = ({ verdict, hold, reply }: Decision) => JSON.stringify([verdict, hold, reply])

/** Pairs questions with their decisions, differences first. */
export function compared(texts: string[], saved: Decision[], tried: Decision[]): Compared[] {
  return texts
    .map((text, at): Compared => {
      const [a, b] = [saved[at], tried[at]]
      const both = a?.state === 'DONE' && b?.state === 'DONE'
      return { text, saved: a, tried: b, differs: both && said(a) !== said(b) }
    })
    .toSorted((a, b) => Number(b.differs) - Number(a.differs))
}

/** The questions in a pasted text: one per line, without repeats, at most `most`. */
export const questionsIn = (text: string, most: number) =>
  [
    ...new Set(
      text
        .split('\n')
        .map((line) => line.trim().slice(0, 4_000))
        .filter(Boolean),
    ),
  ].slice(0, most)
