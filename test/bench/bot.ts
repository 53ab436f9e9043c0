import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { openInbox } from '../inbox.ts'
import { eventually, type Person } from '../world.ts'

// What a reply of the bot takes beside the model: from the customer's message in its thread until the reply is decided.

const CLASSIFICATION = {
  intent: 'question',
  sentiment: 'neutral',
  urgency: 'LOW',
  confidence: 0.9,
  language: 'en',
  blocked: [],
  asksHuman: false,
  injection: false,
  search: ['deliver', 'Berlin'],
}
const FAQ = [{ question: 'Do you deliver to Berlin?', answer: 'Yes, we deliver everywhere in Berlin.' }]
const REPLY = { action: 'reply', text: FAQ[0]!.answer, sources: ['faq:1'], confidence: 0.9, remember: [] }

/** A model that answers at once, whatever it is asked of a message. */
export async function instantModel() {
  const chunk = (choices: object[], more: object = {}) => `data: ${JSON.stringify({ id: 'c', choices, ...more })}\n\n`
  const eventsOf = (item: object) =>
    [
      chunk([
        { index: 0, delta: { role: 'assistant', content: JSON.stringify({ items: [item] }) }, finish_reason: null },
      ]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage: { prompt_tokens: 100, completion_tokens: 60 } }),
      'data: [DONE]\n\n',
    ].join('')
  const [classify, reply] = [eventsOf(CLASSIFICATION), eventsOf(REPLY)]
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const events = body.includes('bot_classify') ? classify : reply
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}`, close: () => new Promise((done) => server.close(done)) }
}

/** The milliseconds of many replies, one after the other, with both calls of a model that answers at once. */
export async function repliesBesideTheModel(
  ann: Person,
  direct: pg.Client,
  sandboxUrl: string,
  count: number,
): Promise<number[]> {
  const page = await openInbox(ann, sandboxUrl, 'u5990')
  await ann.must('PUT', '/ice/bot-config', { isEnabled: true, faqEntries: FAQ, maxAutoRepliesPerThread: 50 })
  for (let n = 0; n < count; n += 1) {
    await page.play({ kind: 'dm', from: { name: `Guest ${n}` }, text: 'Do you deliver to Berlin?' })
    await eventually(async () => {
      const { rows } = await direct.query(
        `select from decision where workspace_id = $1 and state in ('SENDING', 'DONE')`,
        [ann.workspaceId],
      )
      return rows.length > n
    })
  }
  const { rows } = await direct.query<{ took: number }>(
    `select 1000 * extract(epoch from (facts -> 'at' ->> 'again')::timestamptz - created_at)::float8 as took
      from decision where workspace_id = $1 and facts -> 'at' ? 'again' order by id offset 20`,
    [ann.workspaceId],
  )
  return rows.map(({ took }) => took)
}
