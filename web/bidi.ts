/** Isolates a name or text for bidi, so that it does not change the direction of the sentence. */
export const isolate = (words: string) => `\u2068${words}\u2069`
