import { call } from '../../../../client.ts'
import '../endpoints.ts'

/** How many threads to read in parallel. */
const AT_ONCE = 5

/** The newest customer questions in the inbox, without repeats, newest first. */
export async function pastQuestions(ws: string, most: number): Promise<string[]> {
  const { data: threads } = await call('listConversations', {
    workspace: ws,
    query: { sort: 'newest', limit: Math.min(100, most) },
  })
  const found: (string | null | undefined)[] = []
  for (let at = 0; at < threads.length; at += AT_ONCE) {
    const texts = threads.slice(at, at + AT_ONCE).map(async ({ id, lastMessage }) => {
      if (lastMessage?.source === 'CUSTOMER') return lastMessage.text
      const { data } = await call('listMessages', { workspace: ws, params: { id }, query: { limit: 20 } })
      return data.find(({ direction, text }) => direction === 'IN' && text)?.text
    })
    found.push(...(await Promise.all(texts)))
  }
  const questions = found.flatMap((text) => text?.replaceAll(/\s+/g, ' ').trim() || [])
  return [...new Set(questions)].slice(0, most)
}
