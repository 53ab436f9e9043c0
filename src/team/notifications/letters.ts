import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import type { Json } from '../../core/platform/scope.ts'
import type { Notice } from './api.ts'

/** The kinds that are told by a letter from here; every other has one of its own. */
type Mailed = Exclude<Notice, 'security' | 'invitation_received' | 'ownership_transferred'>

interface Words {
  hello(name: string): string
  /** The subject, and a sentence for each notice. */
  kinds: Record<Mailed, [subject: (workspace: string) => string, sentence: (data: Json, workspace: string) => string]>
  more: string
  button: string
  choose: string
}

/** So many sentences stand in one letter; the app shows the rest. */
const SENTENCES = 20

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

/** Who stopped all that did not go out; '' where that is not why. */
const stopped = ({ stoppedBy }: Json) => (Array.isArray(stoppedBy) ? stoppedBy.map(text).join(', ') : '')
const named = (names: Record<string, string>, value: unknown) => names[text(value)] ?? text(value)

const enRoles = { OWNER: 'Owner', ADMIN: 'Admin', EDITOR: 'Editor', VIEWER: 'Viewer', CLIENT: 'Client' }
const enQuotas = {
  posts: 'posts of this month',
  ai_credits: 'AI credits of this month',
  ai_generations: 'AI generations of this month',
  social_accounts: 'connected accounts',
  members: 'members',
  media_bytes: 'storage',
}
const enPost = ({ excerpt }: Json) => (text(excerpt) ? `The post “${text(excerpt)}”` : 'A post without text')

const en: Words = {
  hello: (name) => (name ? `Hello ${name},` : 'Hello,'),
  kinds: {
    invitation_accepted: [
      (workspace) => `Somebody joined ${workspace}`,
      ({ name, role }, workspace) =>
        `${text(name)} accepted the invitation to “${workspace}”: ${named(enRoles, role)}.`,
    ],
    role_changed: [
      (workspace) => `Your role in ${workspace} was changed`,
      ({ from, to }, workspace) =>
        `Your role in “${workspace}” is now ${named(enRoles, to)}. It was ${named(enRoles, from)}.`,
    ],
    member_removed: [
      (workspace) => `You no longer belong to ${workspace}`,
      (_, workspace) => `You were removed from the workspace “${workspace}”. What you wrote stays there.`,
    ],
    approval_requested: [
      (workspace) => `A post of ${workspace} waits for approval`,
      (data) =>
        typeof data['days'] === 'number'
          ? `${enPost(data)} still waits for approval (${data['days']} days).`
          : `${enPost(data)} waits for approval.`,
    ],
    approval_decided: [
      (workspace) => `A post of ${workspace} was decided on`,
      (data) =>
        data['state'] === 'REJECTED'
          ? `${enPost(data)} was not approved${text(data['by']) ? ` by ${text(data['by'])}` : ''}: ${text(data['reason'])}`
          : `${enPost(data)} was approved${text(data['by']) ? ` by ${text(data['by'])}` : ''}${
              data['timePassed']
                ? ', but its time has passed. Choose a new time.'
                : data['status'] === 'DRAFT'
                  ? '. It is still a draft: choose a time.'
                  : '.'
            }`,
    ],
    comment_mention: [
      (workspace) => `You were mentioned in ${workspace}`,
      ({ by, excerpt }) => `${text(by)} mentioned you: “${text(excerpt)}”`,
    ],
    comment_added: [
      (workspace) => `A comment on your post in ${workspace}`,
      ({ by, excerpt }) => `${text(by)} commented on your post: “${text(excerpt)}”`,
    ],
    post_at_risk: [
      (workspace) => `Something stands in the way of posts in ${workspace}`,
      (data) =>
        Number(data['count']) > 1
          ? `${text(data['count'])} scheduled posts will not go out as they are: look at what stands in the way.`
          : `${enPost(data)} will not go out as it is: ${text(data['message'])}`,
    ],
    post_delayed: [
      (workspace) => `A post of ${workspace} is delayed`,
      (data) =>
        `${enPost(data)} has not gone out yet: the network keeps failing. Parley tries again; you can retry it now or stop it.`,
    ],
    post_failed: [
      (workspace) => `Not published in ${workspace}`,
      (data) =>
        stopped(data)
          ? `${stopped(data)} stopped ${enPost(data)}${data['status'] === 'PARTIALLY_PUBLISHED' ? ' on some accounts. It is live on the others.' : ' before it was sent.'}`
          : data['status'] === 'PARTIALLY_PUBLISHED'
            ? `${enPost(data)} was published on some accounts, but not on all.`
            : data['status'] === 'COMMENT_FAILED'
              ? `${enPost(data)} is live, but its first comment is not known to be there.`
              : `${enPost(data)} was not published.`,
    ],
    outcome_unknown: [
      (workspace) => `Publication status of a post in ${workspace}`,
      (data) =>
        data['found']
          ? `${enPost(data)} was live already: the network shows it, and it was not sent again.`
          : `${enPost(data)} may be live or not: the network gave no clear answer. Look there and tell us what you see; until then it is not sent again.`,
    ],
    account_reconnect: [
      (workspace) => `An account of ${workspace} must be connected again`,
      ({ name }) =>
        `The network no longer accepts the connection of “${text(name)}”. Its posts wait until it is renewed.`,
    ],
    publishing_paused: [
      (workspace) => `Publishing of ${workspace} was paused or resumed`,
      ({ paused, reason, count }, workspace) =>
        paused
          ? `Publishing of “${workspace}” is paused${text(reason) ? `: ${text(reason)}` : ''}. Nothing goes out until it is resumed.`
          : `“${workspace}” publishes again.${Number(count) > 0 ? ` Posts that were due meanwhile are drafts again: ${figure('en', '', count)}.` : ''}`,
    ],
    quota_near: [
      (workspace) => `${workspace} has used most of its plan`,
      ({ quota, used, limit }) =>
        `Used of the plan’s ${named(enQuotas, quota)}: ${figure('en', quota, used)} of ${figure('en', quota, limit)}.`,
    ],
    quota_reached: [
      (workspace) => `${workspace} has used up its plan`,
      ({ quota, limit }) => `The plan’s ${named(enQuotas, quota)} are used up: ${figure('en', quota, limit)}.`,
    ],
  },
  more: 'There is more: the app shows all of it.',
  button: 'Open Parley',
  choose: 'In your profile you choose what you are told of by mail.',
}

const arRoles = { OWNER: 'مالك', ADMIN: 'مدير', EDITOR: 'محرّر', VIEWER: 'مطّلع', CLIENT: 'عميل' }
const arQuotas = {
  posts: 'منشورات هذا الشهر',
  ai_credits: 'أرصدة الذكاء الاصطناعي لهذا الشهر',
  ai_generations: 'عمليات التوليد لهذا الشهر',
  social_accounts: 'الحسابات المربوطة',
  members: 'الأعضاء',
  media_bytes: 'مساحة التخزين',
}
const arPost = ({ excerpt }: Json) => (text(excerpt) ? `المنشور «${text(excerpt)}»` : 'منشور بلا نص')

const ar: Words = {
  hello: (name) => (name ? `مرحبًا ${name}،` : 'مرحبًا،'),
  kinds: {
    invitation_accepted: [
      (workspace) => `انضم شخص إلى ${workspace}`,
      ({ name, role }, workspace) => `قبل ${text(name)} الدعوة إلى «${workspace}»، بدور: ${named(arRoles, role)}.`,
    ],
    role_changed: [
      (workspace) => `تغيّر دورك في ${workspace}`,
      ({ from, to }, workspace) => `دورك في «${workspace}» الآن: ${named(arRoles, to)}. وكان: ${named(arRoles, from)}.`,
    ],
    member_removed: [
      (workspace) => `لم تعد عضوًا في ${workspace}`,
      (_, workspace) => `أُزلت من مساحة العمل «${workspace}». ويبقى فيها ما كتبته.`,
    ],
    approval_requested: [
      (workspace) => `منشور في ${workspace} بانتظار الموافقة`,
      (data) =>
        typeof data['days'] === 'number'
          ? `${arPost(data)} ما زال بانتظار الموافقة (الأيام: ${data['days']}).`
          : `${arPost(data)} بانتظار الموافقة.`,
    ],
    approval_decided: [
      (workspace) => `صدر قرار بشأن منشور في ${workspace}`,
      (data) =>
        data['state'] === 'REJECTED'
          ? `${arPost(data)}: لم تُمنح الموافقة${text(data['by']) ? ` (${text(data['by'])})` : ''}: ${text(data['reason'])}`
          : data['timePassed']
            ? `${arPost(data)}: مُنحت الموافقة${text(data['by']) ? ` (${text(data['by'])})` : ''} بعد فوات موعده. اختر موعدًا جديدًا.`
            : `${arPost(data)}: مُنحت الموافقة${text(data['by']) ? ` (${text(data['by'])})` : ''}.${data['status'] === 'DRAFT' ? ' وهو مسودة بعد: اختر وقتًا.' : ''}`,
    ],
    comment_mention: [
      (workspace) => `أشير إليك في ${workspace}`,
      ({ by, excerpt }) => `أشار إليك ${text(by)}: «${text(excerpt)}»`,
    ],
    comment_added: [
      (workspace) => `تعليق على منشورك في ${workspace}`,
      ({ by, excerpt }) => `علّق ${text(by)} على منشورك: «${text(excerpt)}»`,
    ],
    post_at_risk: [
      (workspace) => `أمر يعترض منشورات في ${workspace}`,
      (data) =>
        Number(data['count']) > 1
          ? `منشورات مجدولة لن تُنشر على حالها، وعددها ${text(data['count'])}: انظر ما يعترضها.`
          : `${arPost(data)}: لن يُنشر على حاله. انظر ما يعترضه.`,
    ],
    post_delayed: [
      (workspace) => `تأخّر نشر منشور في ${workspace}`,
      (data) =>
        `${arPost(data)}: لم يُنشر بعد بسبب خلل متكرر لدى الشبكة. تتواصل المحاولات تلقائيًا، ويمكن إعادة المحاولة الآن أو الإيقاف.`,
    ],
    post_failed: [
      (workspace) => `لم يُنشر في ${workspace}`,
      (data) =>
        stopped(data)
          ? `${arPost(data)}: أوقف ${stopped(data)} ${data['status'] === 'PARTIALLY_PUBLISHED' ? 'نشره على بعض الحسابات، ونُشر على غيرها.' : 'نشره قبل إرساله.'}`
          : data['status'] === 'PARTIALLY_PUBLISHED'
            ? `${arPost(data)}: نُشر على بعض الحسابات لا كلها.`
            : data['status'] === 'COMMENT_FAILED'
              ? `${arPost(data)}: نُشر، لكن لا يُعلم أن تعليقه الأول هناك.`
              : `${arPost(data)}: لم يُنشر.`,
    ],
    outcome_unknown: [
      (workspace) => `هل نُشر منشور في ${workspace}؟`,
      (data) =>
        data['found']
          ? `${arPost(data)}: كان منشورًا من قبل؛ فالشبكة تعرضه ولم يُرسل مرة أخرى.`
          : `${arPost(data)}: قد يكون منشورًا وقد لا يكون، فالشبكة لم تعطِ جوابًا واضحًا. انظر هناك وأخبرنا بما تراه؛ ولن يُرسل مرة أخرى قبل ذلك.`,
    ],
    account_reconnect: [
      (workspace) => `يجب ربط حساب في ${workspace} من جديد`,
      ({ name }) => `لم تعد الشبكة تقبل ربط «${text(name)}». تنتظر منشوراته حتى يُجدَّد الربط.`,
    ],
    publishing_paused: [
      (workspace) => `أُوقف النشر في ${workspace} أو استؤنف`,
      ({ paused, reason, count }, workspace) =>
        paused
          ? `النشر في «${workspace}» متوقف مؤقتًا${text(reason) ? `: ${text(reason)}` : ''}. لا يُنشر شيء حتى يُستأنف.`
          : `عاد النشر في «${workspace}».${Number(count) > 0 ? ` منشورات حان وقتها في الأثناء عادت مسودات: ${figure('ar', '', count)}.` : ''}`,
    ],
    quota_near: [
      (workspace) => `استهلكت ${workspace} معظم باقتها`,
      ({ quota, used, limit }) =>
        `المستهلك من ${named(arQuotas, quota)} في الباقة: ${figure('ar', quota, used)} من ${figure('ar', quota, limit)}.`,
    ],
    quota_reached: [
      (workspace) => `استنفدت ${workspace} باقتها`,
      ({ quota, limit }) => `بلغ استهلاك ${named(arQuotas, quota)} حدّ الباقة: ${figure('ar', quota, limit)}.`,
    ],
  },
  more: 'هناك المزيد: يعرضه التطبيق كله.',
  button: 'افتح Parley',
  choose: 'تختار في ملفك الشخصي ما تُخبَر به بالبريد.',
}

const tables: Record<string, Words> = { en, ar }

/** Of storage it is bytes, told in gigabytes. */
function figure(language: string, quota: unknown, value: unknown): string {
  const locale = `${language}-u-nu-latn`
  if (quota !== 'media_bytes') return new Intl.NumberFormat(locale).format(Number(value))
  const style = { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, style).format(Number(value) / 2 ** 30)
}

/** Where in a workspace one acts on a notice. */
const screens: Record<Mailed, string> = {
  invitation_accepted: 'settings/members',
  role_changed: 'settings/members',
  member_removed: '',
  approval_requested: 'approvals',
  approval_decided: 'posts',
  comment_mention: 'posts',
  comment_added: 'posts',
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

/** One letter for all notices of a kind in a workspace. Its button leads to where one acts. */
export function noticeLetter(
  reader: { name: string; language: string },
  kind: Notice,
  { notices, workspaceId, workspace, publicUrl }: What,
): Letter {
  const language = reader.language in tables ? reader.language : 'en'
  const words = tables[language] ?? en
  const [subject, sentence] = words.kinds[kind as Mailed]
  const screen = screens[kind as Mailed]
  const posts = new Set(notices.map(({ postId }) => text(postId)))
  const place = posts.size === 1 && !posts.has('') ? `posts/${[...posts][0]}` : screen
  return writeLetter({
    language,
    subject: subject(workspace),
    before: [
      words.hello(reader.name),
      ...notices.slice(0, SENTENCES).map((data) => sentence(data, workspace)),
      ...(notices.length > SENTENCES ? [words.more] : []),
    ],
    button: { label: words.button, url: `${publicUrl}/app${screen ? `/w/${workspaceId}/${place}` : ''}` },
    after: [words.choose],
  })
}
