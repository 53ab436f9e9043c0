import { useFormatter, useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { useMaybe } from '../../../../i18n.tsx'
import { useMoment } from '../../../shell/moment.ts'
import { useDegree } from '../degree.ts'
import { factsOf } from './facts.ts'

type Entry = Decision['decisionLog'][number]

interface StepWords {
  text: string
  /** A figure at the end of the line. */
  value?: string
}

const record = (input: unknown) =>
  input !== null && typeof input === 'object' ? (input as Record<string, unknown>) : {}

/** Steps that people see only if they come last, because a later step shows their effect. */
const SILENT = new Set(['blocked_words', 'credits'])

/**
 * The steps that people see. Leaves out steps that were only requested, whose result follows, erased steps, which have
 * no outcome, and a delay of zero seconds.
 */
export const shownSteps = ({ decisionLog }: Pick<Decision, 'decisionLog'>): Entry[] =>
  decisionLog.filter(
    ({ step, input, outcome }, at) =>
      outcome !== 'needed' &&
      outcome !== '' &&
      (!SILENT.has(step) || at === decisionLog.length - 1) &&
      !(step === 'delay' && record(input)['seconds'] === 0 && outcome === 'over'),
  )

const listed = (outcome: string) => outcome.replace(/^(?:found|passages): /, '')

/** Returns a step of a decision as text. */
export function useStepWords() {
  const t = useTranslations('why.steps')
  const maybe = useMaybe()
  const format = useFormatter()
  const degree = useDegree()
  const moment = useMoment()
  const vetoes = useVetoWords()
  return ({ step, input, outcome }: Entry, { contextSnapshot }: Pick<Decision, 'contextSnapshot'>): StepWords => {
    const given = record(input)
    const plain = (key: string) => maybe(`why.steps.${step}.${key}`, `${step}: ${outcome}`)
    const classification = record(factsOf(contextSnapshot)?.classification)
    switch (step) {
      case 'channel_enabled': {
        const channel = given['kind'] === 'COMMENT' ? 'COMMENT' : 'DM'
        return { text: t(outcome === 'on' ? `channel_enabled.${channel}` : `channel_enabled.off.${channel}`) }
      }
      case 'escalation_keyword':
      case 'blocked_words':
      case 'blocked_topic':
        return { text: outcome === 'none' ? plain('none') : t(`${step}.found`, { words: listed(outcome) }) }
      case 'thread_state':
        return { text: plain(outcome.replace(' ', '_')) }
      case 'classify': {
        if (outcome.startsWith('failed'))
          return { text: t(outcome === 'failed: limited' ? 'classify.limited' : 'classify.failed') }
        const sure = classification['confidence']
        const intent = maybe(`why.intents.${outcome.replaceAll(' ', '_')}`, outcome)
        return { text: t('classify.is', { intent }), ...(typeof sure === 'number' && { value: degree(sure) }) }
      }
      case 'escalation_rules':
        return {
          text: outcome === 'none' ? t('escalation_rules.none') : plain(outcome.startsWith('rule') ? 'rule' : 'person'),
        }
      case 'cap': {
        const [streak, most] = [Number(given['streak'] ?? 0), Number(given['most'] ?? 0)]
        return outcome === 'below'
          ? { text: t('cap.below'), value: t('cap.of', { count: streak + 1, most }) }
          : { text: t('cap.reached', { most }) }
      }
      case 'working_hours':
      case 'delay':
        if (outcome.startsWith('opens ')) return { text: t('working_hours.opens', { time: moment(outcome.slice(6)) }) }
        if (outcome.startsWith('until ')) return { text: t('delay.until', { time: moment(outcome.slice(6)) }) }
        return { text: plain(outcome.replaceAll(' ', '_')) }
      case 'context': {
        const found = listed(outcome)
        return found === 'none'
          ? { text: t('context.none') }
          : { text: t('context.found'), value: format.number(found.split(',').length) }
      }
      case 'checks':
        return { text: outcome === 'passed' ? t('checks.passed') : vetoes(outcome.split(', ')).join(' ') }
      case 'confidence': {
        const part = (['evidence', 'classification', 'model'] as const).toSorted(
          (a, b) => Number(given[a] ?? 1) - Number(given[b] ?? 1),
        )[0]!
        const [value = 0] = outcome.split(' ').map(Number)
        const needed = Number(given['threshold'] ?? 0)
        const text = t(`confidence.${outcome.includes('<') ? part : 'enough'}`, { threshold: degree(needed) })
        return { text, value: degree(value, needed) }
      }
      case 'generate':
        return { text: plain(['reply', 'handoff'].includes(outcome) ? outcome : 'failed') }
      default:
        return { text: plain(outcome.toLowerCase().replaceAll(' ', '_')) }
    }
  }
}

/** Why a reply is not sent automatically: the findings of the checks. */
export function useVetoWords() {
  const maybe = useMaybe()
  return (vetoes: readonly string[]) => vetoes.map((veto) => maybe(`why.vetoes.${veto}`, veto))
}

/** Why a message waits for a person, as a sentence. */
export function useHoldWords() {
  const maybe = useMaybe()
  return (hold: string) => maybe(`why.holds.${hold}`, hold)
}
