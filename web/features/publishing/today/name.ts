import { beginning } from '../../../../src/core/texts/beginning.ts'

/** The most letters of a name. What a row says of a post must have room behind it. */
const MOST = 36

/** A post by the beginning of its text: its first sentence, or as many whole words as there is room for. */
export function nameOf(caption: string): string {
  const [line = ''] = caption.trim().split('\n')
  const [sentence = ''] = line.split(/(?<=[.!?؟。])\s/u)
  if (sentence.length <= MOST) return sentence.replace(/[.。]$/, '')
  return beginning(sentence, MOST)
}
