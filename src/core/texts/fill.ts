// Texts for people: one file for each subject and language, shared by server and browser. A text is an ICU message
// pattern with placeholders such as `{name}`, so that the browser can read it too.

/** The code of a key: the part before the slash of a variant. */
export type CodeOf<Key extends string> = Key extends `${string}/${string}` ? never : Key

export const codeOf = <Key extends string>(key: Key) => key.split('/')[0] as CodeOf<Key>

/** A text with its placeholders filled. A placeholder without a value becomes empty. */
export const fill = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
