import type { Fault } from '../../../core/errors.ts'
import { type BotConfig, type BotConfigChange, LARGEST_KNOWLEDGE, LONGEST_FAQ } from './api.ts'

/** The fields that a person may change. */
export const WRITABLE = [
  'isEnabled',
  'autoReplyComments',
  'autoReplyDMs',
  'commentToDmEnabled',
  'maxAutoRepliesPerThread',
  'replyDelaySeconds',
  'workingHoursOnly',
  'workingHoursStart',
  'workingHoursEnd',
  'workingTimezone',
  'brandVoiceId',
  'maxConfidenceForAuto',
  'blockedTopics',
  'escalateKeywords',
  'knowledgeBase',
  'faqEntries',
  'abTestingEnabled',
  'handoffText',
  'disclosureText',
  'draftsOnlyUntil',
] as const satisfies readonly (keyof BotConfig)[]

/** Returns the size of a knowledge base in bytes of its JSON. */
const sizeOfKnowledge = (knowledgeBase: BotConfig['knowledgeBase']): number =>
  new TextEncoder().encode(JSON.stringify(knowledgeBase)).length

/** Returns the number of characters of all questions and answers. */
const lengthOfFaq = (entries: BotConfig['faqEntries']): number =>
  entries.reduce((sum, { question, answer }) => sum + question.length + answer.length, 0)

/** Returns what is wrong with the hours of a configuration as a whole, beyond single fields. */
export function configFaults(config: Pick<BotConfig, (typeof WRITABLE)[number]>): Fault[] {
  const { workingHoursOnly, workingHoursStart: start, workingHoursEnd: end, workingTimezone: zone } = config
  const faults: Fault[] = []
  const missing = { workingHoursStart: start, workingHoursEnd: end, workingTimezone: zone }
  if (workingHoursOnly) {
    for (const [field, value] of Object.entries(missing)) {
      if (value === null)
        faults.push({
          path: `/${field}`,
          code: 'required',
          message: 'Required if the bot replies only during working hours.',
        })
    }
  }
  if (start !== null && start === end) {
    faults.push({ path: '/workingHoursEnd', code: 'equal', message: 'The end time must differ from the start time.' })
  }
  return faults
}

/** Returns which parts of the knowledge are too long. `under` is where they are in the body of the request. */
export function knowledgeFaults(
  { faqEntries = [], knowledgeBase = {} }: Pick<BotConfigChange, 'faqEntries' | 'knowledgeBase'>,
  under = '',
): Fault[] {
  const faults: Fault[] = []
  if (sizeOfKnowledge(knowledgeBase) > LARGEST_KNOWLEDGE) {
    faults.push({
      path: `${under}/knowledgeBase`,
      code: 'too_long',
      message: 'The knowledge base is too large. Shorten or remove some entries.',
      limit: LARGEST_KNOWLEDGE,
    })
  }
  if (lengthOfFaq(faqEntries) > LONGEST_FAQ) {
    faults.push({
      path: `${under}/faqEntries`,
      code: 'faq_too_long',
      message: `The questions and answers have more than ${LONGEST_FAQ.toLocaleString('en')} characters together. Shorten or delete some.`,
      limit: LONGEST_FAQ,
    })
  }
  return faults
}
