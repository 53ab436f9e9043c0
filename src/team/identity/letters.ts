import { writeLetter } from '../../core/platform/letter.ts'
import { fill } from '../../core/texts/fill.ts'
import { lettersFor } from '../../core/texts/letters.ts'
import type { en } from '../../core/texts/letters/en.ts'
import type { Letter } from '../../core/platform/mail.ts'

/** The recipient of a letter. */
interface Reader {
  name: string
  language: string
  timezone: string
}

/** The changes to the ways into an account. */
export type CredentialChange = keyof typeof en.changes

/** A way into an account: a provider with the address there, or a phone by its last digits. */
export interface WayIn {
  /** `phone`, or the id of an identity. */
  id: string
  way: string
  detail: string | null
}

/** A letter to a reader who gets a new account, since the account with the address never proved it. */
interface ForNewcomer {
  startsAccount: boolean
}

export function resetLetter(reader: Reader, url: string, { startsAccount }: ForNewcomer): Letter {
  const { words, language, hello } = lettersFor(reader)
  return writeLetter({
    language,
    subject: words.resetSubject,
    before: [hello, words.reset, ...(startsAccount ? [words.startsAccount] : [])],
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
  const { words, language, hello } = lettersFor(reader)
  return writeLetter({
    language,
    subject: fill(words.codeSubject, { code }),
    before: [hello, words.code[purpose], code, words.codeEnd, ...(startsAccount ? [words.startsAccount] : [])],
  })
}

export const codeText = (reader: Reader, code: string): string => fill(lettersFor(reader).words.codeText, { code })

/** The names of the identity providers. */
const PROVIDERS: Readonly<Record<string, string>> = { IDP_A: 'Google', IDP_B: 'Microsoft' }

/** The text to a number that was replaced. */
export const changedPhoneText = (language: string): string => lettersFor({ language }).words.phoneText

/** The text to a number about a change of the ways into its account, with the link that undoes it. */
export const undoPhoneText = (reader: Pick<Reader, 'language'>, url: string): string =>
  fill(lettersFor(reader).words.undoText, { url })

/** The page that undoes a change. */
export const undoAddress = (publicUrl: string, token: string): string => `${publicUrl}/app/undo/${token}`

/**
 * The letter about a change. `provider` names the provider that was joined or removed; `others` also open the account,
 * besides the password.
 */
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
  const { words, language, hello } = lettersFor(reader)
  const { subject, sentence } = words.changes[change]
  const isReplaced = change === 'email'
  const style = { dateStyle: 'long', timeStyle: 'short' } as const
  const time = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { ...style, timeZone: reader.timezone }).format(at)
  const ways = others.map(({ way, detail }) =>
    way === 'phone'
      ? fill(words.phoneWay, { digits: detail })
      : `${PROVIDERS[way] ?? way}${detail ? ` (${detail})` : ''}`,
  )
  return writeLetter({
    language,
    subject,
    before: [
      hello,
      fill(sentence, { at: `${time} (${reader.timezone})`, name: PROVIDERS[provider] ?? provider }),
      ...(ways.length > 0 ? [fill(words.others, { ways: ways.join(words.comma) })] : []),
      undoToken !== undefined ? words.undo : isReplaced ? words.notLong : words.notYou,
    ],
    ...(undoToken !== undefined && { button: { label: words.undoButton, url: undoAddress(publicUrl, undoToken) } }),
    ...(undoToken === undefined &&
      !isReplaced && { button: { label: words.notYouButton, url: `${publicUrl}/app/forgot` } }),
  })
}
