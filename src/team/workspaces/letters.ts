import type { Role } from '../../core/http/endpoint.ts'
import type { Language } from '../identity/api.ts'
import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'

interface Words {
  hello(name: string): string
  roles: Record<Role, string>
  /** What a role lets somebody do. */
  may: Record<Role, string>
  invitedSubject(workspace: string): string
  invited(by: string, workspace: string, role: string): string
  invitedButton: string
  invitedEnd: string
  ownerSubject(workspace: string): string
  nowOwner(workspace: string, before: string): string
  nowAdmin(workspace: string, after: string): string
  ownerNotYou: string
  ownerButton: string
  deletedSubject(workspace: string): string
  deleted(workspace: string, until: string): string
  deletedButton: string
}

const en: Words = {
  hello: (name) => (name ? `Hello ${name},` : 'Hello,'),
  roles: { OWNER: 'Owner', ADMIN: 'Admin', EDITOR: 'Editor', VIEWER: 'Viewer', CLIENT: 'Client' },
  may: {
    OWNER: 'You will own the workspace: everything in it, its plan, and who belongs to it.',
    ADMIN: 'You will manage people, accounts and settings, and write and publish.',
    EDITOR: 'You will write, schedule and publish posts.',
    VIEWER: 'You will see everything and change nothing.',
    CLIENT: 'You will review, approve and comment on posts.',
  },
  invitedSubject: (workspace) => `Join ${workspace} on Parley`,
  invited: (by, workspace, role) => `${by} invites you to the workspace “${workspace}” on Parley. Your role: ${role}.`,
  invitedButton: 'See the invitation',
  invitedEnd:
    'The link works once, for 7 days, and is for this address alone. If you did not expect it, do nothing: nobody joins without it.',
  ownerSubject: (workspace) => `The ownership of ${workspace} was transferred`,
  nowOwner: (workspace, before) =>
    `You are now the owner of the workspace “${workspace}”. ${before} is an admin there.`,
  nowAdmin: (workspace, after) => `${after} is now the owner of the workspace “${workspace}”. You are an admin there.`,
  ownerNotYou: 'If you did not want this, talk to each other: only the owner can give the ownership back.',
  ownerButton: 'See the members',
  deletedSubject: (workspace) => `${workspace} was deleted`,
  deleted: (workspace, until) =>
    `You deleted the workspace “${workspace}”. It publishes and answers nothing any more. Until ${until} you can restore it; then everything in it is erased.`,
  deletedButton: 'Restore it',
}

const ar: Words = {
  hello: (name) => (name ? `مرحبًا ${name}،` : 'مرحبًا،'),
  roles: { OWNER: 'مالك', ADMIN: 'مدير', EDITOR: 'محرّر', VIEWER: 'مطّلع', CLIENT: 'عميل' },
  may: {
    OWNER: 'ستملك مساحة العمل: كل ما فيها وخطتها ومن ينتمي إليها.',
    ADMIN: 'ستدير الأشخاص والحسابات والإعدادات، وتكتب وتنشر.',
    EDITOR: 'ستكتب المنشورات وتجدولها وتنشرها.',
    VIEWER: 'سترى كل شيء ولن تغيّر شيئًا.',
    CLIENT: 'ستراجع المنشورات وتعتمدها وتعلّق عليها.',
  },
  invitedSubject: (workspace) => `انضم إلى ${workspace} على Parley`,
  invited: (by, workspace, role) => `يدعوك ${by} إلى مساحة العمل «${workspace}» على Parley. دورك: ${role}.`,
  invitedButton: 'عرض الدعوة',
  invitedEnd:
    'يعمل الرابط مرة واحدة خلال 7 أيام، وهو لهذا العنوان وحده. إن لم تكن تتوقعه فلا تفعل شيئًا: لا ينضم أحد من دونه.',
  ownerSubject: (workspace) => `نُقلت ملكية ${workspace}`,
  nowOwner: (workspace, before) => `أنت الآن مالك مساحة العمل «${workspace}». وأصبح ${before} مديرًا فيها.`,
  nowAdmin: (workspace, after) => `${after} هو الآن مالك مساحة العمل «${workspace}». وأنت مدير فيها.`,
  ownerNotYou: 'إن لم ترد ذلك فتحدثا معًا: لا يستطيع إعادة الملكية إلا المالك.',
  ownerButton: 'عرض الأعضاء',
  deletedSubject: (workspace) => `حُذفت مساحة العمل ${workspace}`,
  deleted: (workspace, until) =>
    `حذفتَ مساحة العمل «${workspace}». لم تعد تنشر شيئًا ولا تجيب أحدًا. تستطيع استعادتها حتى ${until}، وبعد ذلك يُمحى كل ما فيها.`,
  deletedButton: 'استعادتها',
}

const tables: Record<Language, Words> = { en, ar }

function wordsFor(tag: string): { words: Words; language: Language } {
  const language = tag in tables ? (tag as Language) : 'en'
  return { words: tables[language], language }
}

/** The way into a workspace, in the workspace's language. */
export function invitationLetter(
  workspace: { name: string; language: string },
  { by, role }: { by: string; role: Role },
  url: string,
): Letter {
  const { words, language } = wordsFor(workspace.language)
  return writeLetter({
    language,
    subject: words.invitedSubject(workspace.name),
    before: [words.hello(''), words.invited(by, workspace.name, words.roles[role]), words.may[role]],
    button: { label: words.invitedButton, url },
    after: [words.invitedEnd],
  })
}

/** Tells the one who is the owner now, or the one who was, of the `other`. */
export function ownershipLetter(
  reader: { name: string; language: string },
  workspace: string,
  { owns, other }: { owns: boolean; other: string },
  url: string,
): Letter {
  const { words, language } = wordsFor(reader.language)
  return writeLetter({
    language,
    subject: words.ownerSubject(workspace),
    before: [words.hello(reader.name), (owns ? words.nowOwner : words.nowAdmin)(workspace, other), words.ownerNotYou],
    button: { label: words.ownerButton, url },
  })
}

/** Tells the owner until when a deleted workspace can be restored. */
export function deletionLetter(
  reader: { name: string; language: string; timezone: string },
  workspace: string,
  until: Date,
  url: string,
): Letter {
  const { words, language } = wordsFor(reader.language)
  const date = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { dateStyle: 'long', timeZone: reader.timezone })
  return writeLetter({
    language,
    subject: words.deletedSubject(workspace),
    before: [words.hello(reader.name), words.deleted(workspace, date.format(until))],
    button: { label: words.deletedButton, url },
  })
}
