/** HTML that is already escaped. */
export type Html = { readonly html: string }

type Value = Html | string | number | false | undefined | Value[]

/** Builds HTML and escapes every value that is not `Html` itself. Lists are joined; undefined and false are omitted. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { html: parts.map((part, index) => part + (index < values.length ? written(values[index]) : '')).join('') }
}

function written(value: Value): string {
  if (value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(written).join('')
  if (typeof value === 'object') return value.html
  return String(value).replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Builds a page. Every page is labelled as the sandbox in its title and its header. `root` is the path of the sandbox.
 */
export function page(root: string, title: string, body: Html, kind: 'console' | 'feed' | 'dialog' = 'console'): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · sandbox</title>
        <link rel="icon" href="${root}/icon.svg" />
        <link rel="stylesheet" href="${root}/style.css" />
      </head>
      <body class="${kind}">
        <header class="banner">
          <a href="${root}">Sandbox</a>
          <p>For practice only: nothing here is public, and no real network is involved.</p>
        </header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`.html
}

/** A time for people, with the exact one for machines. */
export function time(at: number): Html {
  const date = new Date(at)
  const spoken = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(
    date,
  )
  return html`<time datetime="${date.toISOString()}">${spoken} UTC</time>`
}
