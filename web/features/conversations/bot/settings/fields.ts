import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'

/** The fields that people may change. */
export type Settings = Omit<BotConfig, 'paused' | 'answeredElsewhere' | 'version' | 'updatedAt' | 'updatedBy'>
export type Field = keyof Settings

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
export const changedIn = (changes: Partial<Settings>, base: Settings): Field[] =>
  (Object.keys(changes) as Field[]).filter((field) => !same(changes[field], base[field]))

export type Mode = 'off' | 'drafts' | 'on'

/** The end of a dry run that never ends. */
export const FOREVER = '9999-12-31T00:00:00.000Z'
export const isForever = (until: string) => until >= '9000'

export function modeOf({ isEnabled, draftsOnlyUntil }: Settings, now = new Date()): Mode {
  if (!isEnabled) return 'off'
  return draftsOnlyUntil !== null && Date.parse(draftsOnlyUntil) > now.getTime() ? 'drafts' : 'on'
}
