import { refusals } from '../src/core/texts/failures/en.ts'
import { failures, rows, tables } from '../src/networks/failures/rules.ts'

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], body: readonly (readonly string[])[]) =>
  [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')

/** Returns the table of failures as a page of the documentation. */
export function failuresPage(): string {
  const what = Object.entries(failures).map(([code, { kind, who, retryable }]) => [
    `\`${code}\``,
    kind,
    who,
    retryable ? 'yes' : 'no',
    refusals[code as keyof typeof refusals].fix,
  ])
  const parts = Object.entries(tables).map(([place, { title }]) => {
    const body = rows
      .filter((row) => row.place === place)
      .map(({ code, subcode, failure, committed, spoilt }) => [
        `\`${subcode === null ? code : `${code}/${subcode}`}\``,
        `\`${failure}\``,
        committed === 'maybe' ? 'unknown' : 'refused',
        spoilt ? 'starts over' : 'continues',
      ])
    return `## ${title}\n\n${table(['Code', 'Failure', 'At the commit', 'A retry'], body)}\n`
  })
  return `# What networks refuse

Generated from \`src/networks/failures/rules.ts\` by \`npm run failures\`. The adapters classify a network's errors by these tables. People see the texts of \`src/core/texts/failures/\` in their language.

A code that is not listed is \`ambiguous\`, and so is every response with a status of 500 or more. Before the commit, the one call that cannot be undone, an ambiguous error is retried. At the commit its outcome is unknown, and only reading the network shows it ([publishing.md](publishing.md)). Two groups of codes are exceptions: 200 to 299 of the Graph API are \`permission\`, and those that begin with \`spam_risk\` are \`policy\`.

| Kind                              | What happens next                                                                                 |
| --------------------------------- | ------------------------------------------------------------------------------------------------- |
| AUTH                              | The posts of the account wait until it is reconnected.                                            |
| RATE_LIMIT, QUOTA                 | Parley waits as long as the network says, or else twice as long each time, up to 15 minutes.      |
| TRANSIENT, AMBIGUOUS, MEDIA_FETCH | Parley retries after 2, 4, 8 and 15 minutes. The fifth failure is final.                          |
| All others                        | The failure is final at once.                                                                     |

${table(['Failure', 'Kind', 'Who acts', 'Retryable', 'What to do'], what)}

${parts.join('\n')}`
}
