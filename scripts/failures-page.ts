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
        spoilt ? 'from nothing' : 'goes on',
      ])
    return `## ${title}\n\n${table(['Code', 'Failure', 'At the commit', 'A new try'], body)}\n`
  })
  return `# What networks refuse

Made from \`src/networks/failures/rules.ts\` by \`npm run failures\`. The adapters classify by this table, and people are told by it; their words in each language are those of \`src/core/texts/failures/\`.

A code that stands nowhere here is \`ambiguous\`: tried again before the one call that cannot be undone, and of unknown outcome at it, which reading alone finds out ([publishing.md](publishing.md)). So is whatever comes with a status of 500 or more. Codes 200 to 299 of the Graph API are \`permission\`, what begins with \`spam_risk\` is \`policy\`.

AUTH holds the posts of the account until it is connected again; RATE_LIMIT and QUOTA wait, as long as the network says or twice as long each time, up to 15 minutes; TRANSIENT, AMBIGUOUS and MEDIA_FETCH are tried again after 2, 4, 8, 15 minutes, and the fifth time ends it; all else ends it at once.

${table(['Failure', 'Kind', 'Who acts', 'A retry can help', 'What to do'], what)}

${parts.join('\n')}`
}
