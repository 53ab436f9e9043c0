import type { Letter } from './mail.ts'

interface Words {
  /** The language tag of the words. */
  language: string
  subject: string
  /** One paragraph each. `after` follows the button. */
  before: string[]
  button?: { label: string; url: string }
  after?: string[]
}

const RIGHT_TO_LEFT = ['ar']

/**
 * Writes a letter of paragraphs and at most one button, which has its only link. Every text is escaped. A stranger may
 * choose a name in it, so text that looks like a web address is broken up and mail programs do not link it.
 */
export function writeLetter({ button, ...words }: Words): Letter {
  const { language } = words
  const subject = unlinked(words.subject)
  const [before, after] = [words.before.map(unlinked), (words.after ?? []).map(unlinked)]
  const text = [...before, ...(button ? [`${button.label}:\n${button.url}`] : []), ...after].join('\n\n')
  const direction = RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr'
  return {
    subject,
    text: `${text}\n`,
    html: html`<!doctype html>
      <html lang="${language}" dir="${direction}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${subject}</title>
        </head>
        <body style="margin:0;padding:24px;background:#f4f5f7;color:#1b2230;font:16px/1.6 system-ui,sans-serif">
          <div style="max-width:32rem;margin:0 auto;padding:24px 28px;background:#ffffff;border-radius:12px">
            ${before.map(paragraph)} ${button ? link(button) : []} ${after.map(paragraph)}
          </div>
        </body>
      </html> `.html,
  }
}

const WORD_JOINER = '\u2060'

/** Puts an invisible word joiner after each dot inside a word and before the slashes of a scheme. */
export const unlinked = (text: string): string =>
  text
    .replaceAll(/(?<=\S[.\uff0e\u3002\uff61])(?=[\p{L}\p{N}])/gu, WORD_JOINER)
    .replaceAll(/(?<=:)(?=[/\\])/gu, WORD_JOINER)

const paragraph = (text: string) => html`<p style="margin:0 0 16px">${text}</p> `

const link = ({ label, url }: { label: string; url: string }) =>
  html`<p style="margin:0 0 16px">
      <a
        href="${url}"
        style="display:inline-block;padding:10px 18px;border-radius:8px;background:#3d4fd6;color:#ffffff;text-decoration:none;font-weight:600"
        >${label}</a
      >
    </p>
    <p style="margin:0 0 16px;font-size:13px;color:#586173;overflow-wrap:anywhere" dir="ltr">${url}</p> `

interface Html {
  html: string
}

/** HTML that escapes every value, unless the value is HTML itself. */
const html = (parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html => ({
  html: parts.map((part, index) => part + written(values[index] ?? '')).join(''),
})

const written = (value: string | Html | Html[]): string =>
  typeof value === 'string'
    ? escape(value)
    : [value]
        .flat()
        .map((each) => each.html)
        .join('')

const escape = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
