import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import type { Json } from '../../core/platform/json.ts'
import { fill } from '../../core/texts/fill.ts'
import { ar as arFindings } from '../../core/texts/findings/ar.ts'
import { lettersFor } from '../../core/texts/letters.ts'
import { ar } from '../../core/texts/notices/ar.ts'
import { en } from '../../core/texts/notices/en.ts'
import { roles } from '../../core/texts/roles.ts'
import type { Notice } from './api.ts'
import { sayingOf, stoppedBy } from './rules.ts'

/** The kinds with a letter from this module. Every other kind has a letter of its own. */
type Mailed = keyof typeof en.letter.subjects

const texts = { en: en.letter, ar: ar.letter }
type Language = keyof typeof texts

/** The maximum number of sentences in one letter. The app shows the rest. */
const SENTENCES = 20

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const named = (names: Record<string, string>, value: unknown) => names[text(value)] ?? text(value)

/** A number as text. Bytes are shown in gigabytes. */
function figure(language: Language, quota: unknown, value: unknown): string {
  const locale = `${language}-u-nu-latn`
  if (quota !== 'media_bytes') return new Intl.NumberFormat(locale).format(Number(value))
  const style = { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, style).format(Number(value) / 2 ** 30)
}

/** The obstacle of a post. The notice has the English text; Arabic has a text for its code. */
function findingIn(language: Language, { message, reason }: Json): string {
  const { code = '', ...values } = (reason ?? {}) as { code?: string }
  const known: Record<string, { message: string }> = language === 'ar' ? arFindings : {}
  return known[code] ? fill(known[code].message, values) : text(message)
}

/** The text of a notice. */
function sentence(language: Language, kind: Mailed, data: Json, workspace: string): string {
  const words = texts[language]
  const { excerpt, by, reason, name, quota } = data
  const saying = sayingOf(kind, data) as keyof typeof words.says
  return fill(words.says[saying], {
    ...data,
    workspace,
    post: text(excerpt) ? fill(words.post, { excerpt }) : words.postWithoutText,
    name: text(name),
    author: text(by),
    by: text(by) && fill(words.by, { name: by }),
    because: text(reason) && fill(words.because, { reason }),
    finding: findingIn(language, data),
    stoppedBy: stoppedBy(data).join(', '),
    role: named(roles[language], data['role']),
    from: named(roles[language], data['from']),
    to: named(roles[language], data['to']),
    drafts: Number(data['count']) > 0 ? fill(words.drafts, { count: figure(language, '', data['count']) }) : '',
    quota: named(words.quotas, quota),
    used: figure(language, quota, data['used']),
    limit: figure(language, quota, data['limit']),
  })
}

/** The screen for each kind, within the workspace. */
const screens: Record<Mailed, string> = {
  invitation_accepted: 'settings/members',
  role_changed: 'settings/members',
  member_removed: '',
  approval_requested: 'approvals',
  approval_decided: 'posts',
  comment_mention: 'posts',
  comment_added: 'posts',
  thread_mention: 'inbox',
  thread_assigned: 'inbox',
  thread_escalated: 'inbox',
  thread_waiting: 'inbox',
  reply_held: 'inbox',
  reply_failed: 'inbox',
  bot_no_credits: 'settings/plan',
  post_at_risk: 'posts',
  post_delayed: 'posts',
  post_failed: 'posts',
  outcome_unknown: 'posts',
  account_reconnect: 'accounts',
  publishing_paused: 'posts',
  quota_near: 'settings/plan',
  quota_reached: 'settings/plan',
}

interface What {
  notices: readonly Json[]
  workspaceId: string
  workspace: string
  publicUrl: string
}

/** One letter for all notices of a kind in a workspace. Its button leads to the screen where the reader can act. */
export function noticeLetter(
  reader: { name: string; language: string },
  notice: Notice,
  { notices, workspaceId, workspace, publicUrl }: What,
): Letter {
  const kind = notice as Mailed
  const { language, hello } = lettersFor(reader)
  const words = texts[language]
  const screen = screens[kind]
  const only = (key: string) => {
    const ids = new Set(notices.map((notice) => text(notice[key])))
    return ids.size === 1 ? [...ids][0] : ''
  }
  const [post, thread] = [only('postId'), only('threadId')]
  const place = post ? `posts/${post}` : thread ? `inbox/${thread}` : screen
  return writeLetter({
    language,
    subject: fill(words.subjects[kind], { workspace }),
    before: [
      hello,
      ...notices.slice(0, SENTENCES).map((data) => sentence(language, kind, data, workspace)),
      ...(notices.length > SENTENCES ? [words.more] : []),
    ],
    button: { label: words.button, url: `${publicUrl}/app${screen ? `/w/${workspaceId}/${place}` : ''}` },
    after: [words.choose],
  })
}
