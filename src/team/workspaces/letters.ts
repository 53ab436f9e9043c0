import type { Role } from '../../core/http/endpoint.ts'
import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import { fill } from '../../core/texts/fill.ts'
import { lettersFor } from '../../core/texts/letters.ts'
import { roles } from '../../core/texts/roles.ts'

/** The letter with an invitation, in the workspace's language. */
export function invitationLetter(
  workspace: { name: string; language: string },
  { by, role }: { by: string; role: Role },
  url: string,
): Letter {
  const { words, language, hello } = lettersFor({ language: workspace.language })
  return writeLetter({
    language,
    subject: fill(words.invitedSubject, { workspace: workspace.name }),
    before: [
      hello,
      fill(words.invited, { by, workspace: workspace.name, role: roles[language][role] }),
      words.may[role],
    ],
    button: { label: words.invitedButton, url },
    after: [words.invitedEnd],
  })
}

/** Tells the new owner, or the former one, about the `other`. */
export function ownershipLetter(
  reader: { name: string; language: string },
  workspace: string,
  { owns, other }: { owns: boolean; other: string },
  url: string,
): Letter {
  const { words, language, hello } = lettersFor(reader)
  return writeLetter({
    language,
    subject: fill(words.ownerSubject, { workspace }),
    before: [hello, fill(owns ? words.nowOwner : words.nowAdmin, { workspace, other }), words.ownerNotYou],
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
  const { words, language, hello } = lettersFor(reader)
  const date = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { dateStyle: 'long', timeZone: reader.timezone })
  return writeLetter({
    language,
    subject: fill(words.deletedSubject, { workspace }),
    before: [hello, fill(words.deleted, { workspace, until: date.format(until) })],
    button: { label: words.deletedButton, url },
  })
}
