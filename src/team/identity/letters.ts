import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import type { Language } from './api.ts'

/** Who a letter is for. */
interface Reader {
  name: string
  language: string
  timezone: string
}

interface Words {
  hello(name: string): string
  resetSubject: string
  reset: string
  resetButton: string
  resetEnd: string
  codeSubject(code: string): string
  code: Record<'login' | 'verify', string>
  codeEnd: string
  codeText(code: string): string
  /** An account has the address but never proved it. */
  startsAccount: string
  /** What has changed, as a subject and as a sentence; `name` is the provider's. */
  changes: Record<CredentialChange, [subject: string, sentence: (at: string, name: string) => string]>
  /** What else still opens the account. */
  others(ways: string): string
  phoneWay(digits: string): string
  phoneText: string
  notYou: string
  notYouButton: string
  undo: string
  undoButton: string
  /** For an address that was replaced within days of its own arrival. */
  notLong: string
  undoText(url: string): string
}

/** What can change about the ways into an account. */
export type CredentialChange =
  | 'password'
  | 'email'
  | 'email_added'
  | 'email_lost'
  | 'phone'
  | 'phone_added'
  | 'phone_lost'
  | 'phone_removed'
  | 'provider_joined'
  | 'provider_removed'
  | 'session_reuse'

/** Something that opens an account: a provider with the address there, or a phone by its last digits. */
export interface WayIn {
  /** `phone`, or the id of an identity. */
  id: string
  way: string
  detail: string | null
}

const en: Words = {
  hello: (name) => (name ? `Hello ${name},` : 'Hello,'),
  resetSubject: 'Choose a new password for Parley',
  reset: 'Somebody, most likely you, asked for a new password for your Parley account.',
  resetButton: 'Choose a new password',
  resetEnd: 'The link works once, for 30 minutes. If you did not ask for it, do nothing: your password stays as it is.',
  codeSubject: (code) => `${code} is your Parley code`,
  code: {
    login: 'With this code you sign in to Parley:',
    verify: 'With this code you confirm your e-mail address for Parley:',
  },
  codeEnd:
    'It works once, for 5 minutes. Give it to nobody: we never ask for it. If you did not ask for it, do nothing.',
  startsAccount:
    'An account with this address exists, but its owner never confirmed the address. This message opens a new, empty account. If the other account is yours, sign in with its password instead and confirm the address.',
  codeText: (code) => `${code} is your Parley code. It works for 5 minutes. Give it to nobody.`,
  changes: {
    password: [
      'Your Parley password was changed',
      (at) => `The password of your Parley account was changed on ${at}. Other devices were signed out.`,
    ],
    email: [
      'The e-mail address of your Parley account was changed',
      (at) => `Your Parley account got another e-mail address on ${at}. This address no longer signs in to it.`,
    ],
    phone: [
      'The phone number of your Parley account was changed',
      (at) => `The phone number that signs in to your Parley account was changed on ${at}.`,
    ],
    email_added: [
      'An e-mail address was added to your Parley account',
      (at) => `Since ${at} this address belongs to your Parley account and signs in to it by a code.`,
    ],
    email_lost: [
      'Your Parley account has no e-mail address any more',
      (at) => `On ${at} somebody else confirmed the address of your Parley account, which you had not confirmed.`,
    ],
    phone_added: [
      'A phone number was added to your Parley account',
      (at) => `Since ${at} a phone number signs in to your Parley account by a code.`,
    ],
    phone_lost: [
      'Your Parley account has no phone number any more',
      (at) => `On ${at} somebody else confirmed the number of your Parley account, which you had not confirmed.`,
    ],
    phone_removed: [
      'The phone number of your Parley account was removed',
      (at) => `Since ${at} no phone number signs in to your Parley account.`,
    ],
    provider_joined: [
      'A new way to sign in to Parley',
      (at, name) => `Since ${at}, ${name} signs in to your Parley account.`,
    ],
    provider_removed: [
      'A way to sign in to Parley was removed',
      (at, name) => `Since ${at}, ${name} no longer signs in to your Parley account.`,
    ],
    session_reuse: [
      'We ended a session of your Parley account',
      (at) =>
        `On ${at} somebody used an old copy of a sign-in to your Parley account. It may have been stolen, so that device was signed out.`,
    ],
  },
  others: (ways) =>
    `Besides the password these still open your account: ${ways}. If one of them is not yours, take it away in your profile.`,
  phoneWay: (digits) => `the phone number that ends in ${digits}`,
  phoneText:
    'This number no longer signs in to your Parley account: it was replaced. If this was not you, sign in another way now, or ask whoever runs the service.',
  notYou:
    'If this was not you, choose a new password now: that ends every session. Then look at the ways to sign in in your profile and take away what is not yours: a new password alone does not.',
  notYouButton: 'Choose a new password',
  undo: 'If this was not you, undo it within 7 days. That restores the ways into your account as they were before, removes the password and signs everybody out. Then choose a new password.',
  undoButton: 'Undo this change',
  notLong:
    'This address had belonged to the account for less than 7 days, so it can’t undo the change. If the account is yours, use the link in the message that we sent to the address or number before it.',
  undoText: (url) =>
    `The ways to sign in to your Parley account have changed. If this was not you, undo it within 7 days: ${url}`,
}

const ar: Words = {
  hello: (name) => (name ? `مرحبًا ${name}،` : 'مرحبًا،'),
  resetSubject: 'اختر كلمة مرور جديدة لـ Parley',
  reset: 'طلب شخص ما، والأرجح أنه أنت، كلمة مرور جديدة لحسابك في Parley.',
  resetButton: 'اختر كلمة مرور جديدة',
  codeSubject: (code) => `${code} هو رمزك في Parley`,
  code: {
    login: 'بهذا الرمز تسجّل الدخول إلى Parley:',
    verify: 'بهذا الرمز تؤكّد عنوان بريدك الإلكتروني في Parley:',
  },
  codeEnd: 'يعمل الرمز مرة واحدة، لمدة 5 دقائق. لا تعطه لأحد: فنحن لا نسأل عنه أبدًا. إن لم تطلبه فلا تفعل شيئًا.',
  startsAccount:
    'يوجد حساب بهذا العنوان لكن العنوان لم يُؤكَّد فيه قط. ستحصل بهذه الرسالة على حساب جديد فارغ. إن كان الحساب الآخر لك فسجّل الدخول بكلمة مروره وأكّد العنوان.',
  codeText: (code) => `${code} هو رمزك في Parley. يعمل لمدة 5 دقائق. لا تعطه لأحد.`,
  resetEnd: 'يعمل الرابط مرة واحدة خلال 30 دقيقة. إن لم تطلبه فلا تفعل شيئًا: تبقى كلمة مرورك كما هي.',
  changes: {
    password: ['غُيّرت كلمة مرورك في Parley', (at) => `غُيّرت كلمة مرور حسابك في Parley في ${at}. وسُجّل خروج الأجهزة الأخرى.`],
    email: [
      'غُيّر عنوان البريد الإلكتروني لحسابك في Parley',
      (at) => `صار لحسابك في Parley عنوان بريد إلكتروني آخر في ${at}. لم يعد هذا العنوان يفتح الحساب.`,
    ],
    phone: ['غُيّر رقم هاتف حسابك في Parley', (at) => `غُيّر رقم الهاتف الذي تسجّل به الدخول إلى حسابك في Parley في ${at}.`],
    email_added: [
      'أُضيف عنوان بريد إلكتروني إلى حسابك في Parley',
      (at) => `منذ ${at} صار هذا العنوان لحسابك في Parley ويمكن تسجيل الدخول به برمز.`,
    ],
    email_lost: [
      'لم يعد لحسابك في Parley عنوان بريد إلكتروني',
      (at) => `في ${at} أكّد شخص آخر عنوان حسابك في Parley، ولم تكن قد أكّدته.`,
    ],
    phone_added: [
      'أُضيف رقم هاتف إلى حسابك في Parley',
      (at) => `منذ ${at} يمكن تسجيل الدخول إلى حسابك في Parley برمز يُرسل إلى رقم هاتف.`,
    ],
    phone_lost: [
      'لم يعد لحسابك في Parley رقم هاتف',
      (at) => `في ${at} أكّد شخص آخر رقم حسابك في Parley، ولم تكن قد أكّدته.`,
    ],
    phone_removed: [
      'أُزيل رقم هاتف حسابك في Parley',
      (at) => `منذ ${at} لم يعد ممكنًا تسجيل الدخول إلى حسابك في Parley برقم هاتف.`,
    ],
    provider_joined: [
      'طريقة جديدة لتسجيل الدخول إلى Parley',
      (at, name) => `منذ ${at} يمكن تسجيل الدخول إلى حسابك في Parley عبر ${name}.`,
    ],
    provider_removed: [
      'أُزيلت طريقة لتسجيل الدخول إلى Parley',
      (at, name) => `منذ ${at} لم يعد ممكنًا تسجيل الدخول إلى حسابك في Parley عبر ${name}.`,
    ],
    session_reuse: [
      'أنهينا جلسة من جلسات حسابك في Parley',
      (at) => `في ${at} استخدم شخص ما نسخة قديمة من تسجيل دخولك إلى Parley. ربما سُرقت، لذلك سُجّل خروج ذلك الجهاز.`,
    ],
  },
  others: (ways) => `إلى جانب كلمة المرور ما زال يفتح حسابك: ${ways}. إن لم يكن أحدها لك فأزله من ملفك الشخصي.`,
  phoneWay: (digits) => `رقم الهاتف المنتهي بـ ${digits}`,
  phoneText:
    'لم يعد هذا الرقم يفتح حسابك في Parley فقد حلّ محله رقم آخر. إن لم تكن أنت من فعل ذلك فسجّل الدخول بطريقة أخرى الآن أو اطلب المساعدة ممن يدير الخدمة.',
  notYou:
    'إن لم تكن أنت من فعل ذلك فاختر كلمة مرور جديدة الآن: فهذا ينهي كل الجلسات. ثم راجع طرق تسجيل الدخول في ملفك الشخصي وأزل ما ليس لك: فكلمة المرور الجديدة وحدها لا تزيله.',
  notYouButton: 'اختر كلمة مرور جديدة',
  undo: 'إن لم تكن أنت من فعل ذلك فتراجع عن التغيير خلال 7 أيام. يعيد التراجع طرق الدخول إلى حسابك كما كانت ويزيل كلمة المرور ويسجّل خروج الجميع. ثم اختر كلمة مرور جديدة.',
  undoButton: 'التراجع عن هذا التغيير',
  notLong:
    'لم يمضِ على ارتباط هذا العنوان بالحساب 7 أيام، لذلك لا يمكن التراجع عن التغيير منه. إن كان الحساب لك فاستخدم الرابط في الرسالة التي أرسلناها إلى العنوان أو الرقم السابق له.',
  undoText: (url) => `تغيّرت طرق تسجيل الدخول إلى حسابك في Parley. إن لم تكن أنت من فعل ذلك فتراجع خلال 7 أيام: ${url}`,
}

const tables: Record<Language, Words> = { en, ar }

function wordsFor({ language }: Pick<Reader, 'language'>): { words: Words; language: Language } {
  const known = language in tables ? (language as Language) : 'en'
  return { words: tables[known], language: known }
}

/** A letter whose reader gets a new account, since the one with the address never proved it. */
interface ForNewcomer {
  startsAccount: boolean
}

export function resetLetter(reader: Reader, url: string, { startsAccount }: ForNewcomer): Letter {
  const { words, language } = wordsFor(reader)
  return writeLetter({
    language,
    subject: words.resetSubject,
    before: [words.hello(reader.name), words.reset, ...(startsAccount ? [words.startsAccount] : [])],
    button: { label: words.resetButton, url },
    after: [words.resetEnd],
  })
}

export function codeLetter(
  reader: Reader,
  code: string,
  purpose: 'login' | 'verify',
  { startsAccount }: ForNewcomer,
): Letter {
  const { words, language } = wordsFor(reader)
  return writeLetter({
    language,
    subject: words.codeSubject(code),
    before: [
      words.hello(reader.name),
      words.code[purpose],
      code,
      words.codeEnd,
      ...(startsAccount ? [words.startsAccount] : []),
    ],
  })
}

export const codeText = (reader: Reader, code: string): string => wordsFor(reader).words.codeText(code)

/** What people call the identity providers. */
const PROVIDERS: Readonly<Record<string, string>> = { IDP_A: 'Google', IDP_B: 'Microsoft' }

/** Tells a number that it was replaced. */
export const changedPhoneText = (language: string): string => wordsFor({ language }).words.phoneText

/** Tells a number that the ways into its account have changed, with the link that undoes it. */
export const undoPhoneText = (reader: Pick<Reader, 'language'>, url: string): string =>
  wordsFor(reader).words.undoText(url)

/** The page that undoes a change. */
export const undoAddress = (publicUrl: string, token: string): string => `${publicUrl}/app/undo/${token}`

/** Tells of a change; `provider` is the name of the one that was joined or removed, `others` open the account besides the password. */
export function changedLetter(
  reader: Reader,
  change: CredentialChange,
  at: Date,
  publicUrl: string,
  {
    provider = '',
    others,
    undoToken,
  }: { provider?: string | undefined; others: readonly WayIn[]; undoToken?: string | undefined },
): Letter {
  const { words, language } = wordsFor(reader)
  const [subject, sentence] = words.changes[change]
  const isReplaced = change === 'email'
  const style = { dateStyle: 'long', timeStyle: 'short' } as const
  const time = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { ...style, timeZone: reader.timezone }).format(at)
  const ways = others.map(({ way, detail }) =>
    way === 'phone' ? words.phoneWay(detail ?? '') : `${PROVIDERS[way] ?? way}${detail ? ` (${detail})` : ''}`,
  )
  return writeLetter({
    language,
    subject,
    before: [
      words.hello(reader.name),
      sentence(`${time} (${reader.timezone})`, PROVIDERS[provider] ?? provider),
      ...(ways.length > 0 ? [words.others(ways.join(language === 'ar' ? '، ' : ', '))] : []),
      undoToken !== undefined ? words.undo : isReplaced ? words.notLong : words.notYou,
    ],
    ...(undoToken !== undefined && { button: { label: words.undoButton, url: undoAddress(publicUrl, undoToken) } }),
    ...(undoToken === undefined &&
      !isReplaced && { button: { label: words.notYouButton, url: `${publicUrl}/app/forgot` } }),
  })
}
