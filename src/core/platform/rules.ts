/** The characters that the database refuses in a text: U+0000 and half a surrogate pair. */
export const NO_TEXTS = /[\0\p{Cs}]/gu

/** Returns the beginning of a text, of at most that length, without the characters that the database refuses. */
export const storableText = (text: string, most: number): string => text.slice(0, most).replaceAll(NO_TEXTS, '')
