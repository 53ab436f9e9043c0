import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'

/** The fields that people may change. */
export type BotFields = Omit<BotConfig, 'paused' | 'answeredElsewhere' | 'version' | 'updatedAt' | 'updatedBy'>
export type Field = keyof BotFields

/** Fields that people see as one setting. */
const ONE: { [F in Field]?: Field } = {
  draftsOnlyUntil: 'isEnabled',
  workingHoursStart: 'workingHoursOnly',
  workingHoursEnd: 'workingHoursOnly',
  workingTimezone: 'workingHoursOnly',
}

export const settingOf = (field: Field): Field => ONE[field] ?? field

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The changed fields that differ from the stored values. */
export const changedIn = (changes: Partial<BotFields>, base: BotFields): Field[] =>
  (Object.keys(changes) as Field[]).filter((field) => !same(changes[field], base[field]))

export type BotMode = 'off' | 'drafts' | 'on'

/** The end of a dry run that never ends. */
export const FOREVER = '9999-12-31T00:00:00.000Z'
export const isForever = (until: string) => until >= '9000'

export function modeOf({ isEnabled, draftsOnlyUntil }: BotFields, now = new Date()): BotMode {
  if (!isEnabled) return 'off'
  return draftsOnlyUntil !== null && Date.parse(draftsOnlyUntil) > now.getTime() ? 'drafts' : 'on'
}
