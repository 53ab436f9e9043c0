import { en as metrics } from '../../src/core/texts/metrics/en.ts'
import { refusals as failures } from '../../src/core/texts/failures/en.ts'
import { en as notices } from '../../src/core/texts/notices/en.ts'
import { screen as findings } from '../../src/core/texts/doctor/en.ts'
import { accounts, doctor } from './en/accounts.ts'
import { admin } from './en/admin.ts'
import { analytics, figures, predictions } from './en/analytics.ts'
import { approvals, links } from './en/approvals.ts'
import { ai, aiHistory, assistant, ideas, voices } from './en/assistant.ts'
import { audience } from './en/audience.ts'
import { audit } from './en/audit.ts'
import { bot } from './en/bot.ts'
import { calendar, slots } from './en/calendar.ts'
import { composer, conflict, crop, options, schedule, trim, writing } from './en/composer.ts'
import { rules } from './en/escalation.ts'
import { inbox } from './en/inbox.ts'
import { abTests, competitors, reports } from './en/insights.ts'
import { auth, ending, invite, members, plan, profile, sessions, settings } from './en/people.ts'
import { bulk, labels, library, post, posts, views } from './en/posts.ts'
import { commands, demo, keys, onboarding, overview, shell, today, trouble } from './en/shell.ts'
import { transfer } from './en/transfer.ts'
import { why } from './en/why.ts'
import { codes, common, emoji, faults, problems, refusals, states, status } from './en/words.ts'

export const en = {
  findings,
  notices: notices.screen,
  failures,
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
}
