import { beginning } from '../../../../src/core/texts/beginning.ts'

/** The maximum length of a name, so that a row has room for more. */
const MOST = 36

/** A short name for a post: its first sentence, or as many whole words as fit. */
export function nameOf(caption: string): string {
  const [line = ''] = caption.trim().split('\n')
  const [sentence = ''] = line.split(/(?<=[.!?؟。])\s/u)
  if (sentence.length <= MOST) return sentence.replace(/[.。]$/, '')
  return beginning(sentence, MOST)
}
