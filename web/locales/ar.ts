import { ar as metrics } from '../../src/core/texts/metrics/ar.ts'
import { ar as failures } from '../../src/core/texts/failures/ar.ts'
import { ar as findings } from '../../src/core/texts/doctor/ar.ts'
import { ar as checks } from '../../src/core/texts/findings/ar.ts'
import { ar as rejections } from '../../src/core/texts/rejections/ar.ts'
import { ar as notices } from '../../src/core/texts/notices/ar.ts'
import type { en } from './en.ts'
import { accounts, doctor } from './ar/accounts.ts'
import { admin } from './ar/admin.ts'
import { analytics, figures, predictions } from './ar/analytics.ts'
import { approvals, links } from './ar/approvals.ts'
import { ai, aiHistory, assistant, ideas, voices } from './ar/assistant.ts'
import { audience } from './ar/audience.ts'
import { audit } from './ar/audit.ts'
import { bot } from './ar/bot.ts'
import { calendar, slots } from './ar/calendar.ts'
import { composer, conflict, crop, options, schedule, trim, writing } from './ar/composer.ts'
import { rules } from './ar/escalation.ts'
import { inbox } from './ar/inbox.ts'
import { abTests, competitors, reports } from './ar/insights.ts'
import { auth, ending, invite, members, plan, profile, sessions, settings } from './ar/people.ts'
import { bulk, labels, library, post, posts, views } from './ar/posts.ts'
import { commands, demo, keys, onboarding, overview, shell, today, trouble } from './ar/shell.ts'
import { transfer } from './ar/transfer.ts'
import { why } from './ar/why.ts'
import { codes, common, emoji, faults, problems, refusals, states, status } from './ar/words.ts'

type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> }

/** English comes with the service for these; other languages have their own words, by the same codes. */
interface FromService {
  checks: Record<string, { message: string; fix: string }>
  /** Of the account doctor: by code, then by what was found. */
  findings: Record<string, Record<string, { detail: string; fix?: string }>>
  rejections: Record<string, string>
  problems: Record<string, string>
  faults: Record<string, string>
  refusals: Record<string, string>
}

export const ar = {
  notices: notices.screen,
  checks,
  findings,
  failures,
  rejections,
  metricWords: metrics,
  common,
  emoji,
  status,
  problems,
  faults,
  refusals,
  codes,
  states,
  shell,
  keys,
  commands,
  today,
  overview,
  demo,
  onboarding,
  trouble,
  sessions,
  auth,
  settings,
  profile,
  members,
  invite,
  ending,
  plan,
  accounts,
  doctor,
  composer,
  options,
  schedule,
  conflict,
  crop,
  trim,
  writing,
  post,
  posts,
  bulk,
  labels,
  views,
  library,
  calendar,
  slots,
  approvals,
  links,
  transfer,
  ai,
  assistant,
  ideas,
  voices,
  aiHistory,
  inbox,
  rules,
  bot,
  why,
  audience,
  analytics,
  figures,
  predictions,
  reports,
  competitors,
  abTests,
  admin,
  audit,
} satisfies Texts<Omit<typeof en, 'findings'>> & FromService
