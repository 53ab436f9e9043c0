// Texts that people read: one file for each subject and language, which server and browser share. A text is a pattern of ICU
// messages with `{name}` in its places, so that the browser can read it too.

/** The code of a key: what stands before the slash of a variant. */
export type CodeOf<Key extends string> = Key extends `${string}/${string}` ? never : Key

export const codeOf = <Key extends string>(key: Key) => key.split('/')[0] as CodeOf<Key>

/** A text with its places filled; one without a value is left empty. */
export const fill = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
