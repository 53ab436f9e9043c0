import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { createModel } from '../../src/core/platform/model/provider.ts'
import { classify, writeReply } from '../../src/conversations/bot/ask.ts'
import { type OpenedInbox, openInbox } from '../inbox.ts'
import { nextUser } from './fleet.ts'
import { eventually, type Person } from '../world.ts'

// What a reply of the bot takes beside the model: from the customer's message in its thread until the decision to send is on the disk.

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
/** Replies that warm the product up. */
const WARM = 20
/** Replies of one page: a person at a network has 200 calls an hour. */
const OF_A_PAGE = 80

/** A model that answers at once, whatever it is asked of a message. `alone` makes the two calls of the last reply again. */
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
  const [classified, replied] = [eventsOf(CLASSIFICATION), eventsOf(REPLY)]
  const asked: Record<string, object> = {}
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] }
      const prompt = JSON.parse(messages[1]!.content) as { task: string }
      asked[prompt.task] = prompt
      const events = prompt.task === 'bot_classify' ? classified : replied
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const parts = { apiKey: undefined, model: 'm', imageModel: '', baseUrl: () => address }
  const model = createModel({ provider: 'openai-compatible', ...parts })
  return {
    address,
    async alone() {
      const stopping = new AbortController().signal
      const told = await classify({ model }, asked.bot_classify!, stopping)
      const written = await writeReply({ model }, asked.bot_reply!, stopping)
      if (!told.use || !written.use) throw new Error('the model alone does not answer')
    },
    close: () => new Promise((done) => server.close(done)),
  }
}

interface Decided {
  decisionId: string
  threadId: string
  /** Milliseconds. */
  took: number
}

/** Has the bot answer many messages, one after the other: the next comes when the last is at the network. */
async function answered(
  { ann, databaseUrl, sandboxUrl }: { ann: Person; databaseUrl: string; sandboxUrl: string },
  count: number,
  each: (reply: Decided) => Promise<void> | void,
): Promise<void> {
  const pages: OpenedInbox[] = []
  for (let n = 0; n < count; n += OF_A_PAGE) pages.push(await openInbox(ann, sandboxUrl, nextUser()))
  await ann.must('PUT', '/ice/bot-config', { isEnabled: true, faqEntries: FAQ, maxAutoRepliesPerThread: 50 })
  const listener = new pg.Client({ connectionString: databaseUrl })
  await listener.connect()
  // Each state of a decision is told when it is committed.
  await listener.query(`create or replace function tell_decision() returns trigger language plpgsql security definer as
      'begin perform pg_notify(''decided'', concat_ws('' '', new.id, new.thread_id, new.state)); return null; end';
    create or replace trigger told after insert or update of state on decision for each row execute function tell_decision();
    listen decided`)
  const at = new Map<string, number>()
  let ids = { decisionId: '', threadId: '' }
  listener.on('notification', ({ payload }) => {
    const [decisionId, threadId, state] = payload!.split(' ') as [string, string, string]
    ids = { decisionId, threadId }
    at.set(state, performance.now())
  })
  try {
    for (let n = 0; n < count; n += 1) {
      at.clear()
      await pages[Math.floor(n / OF_A_PAGE)]!.play({ kind: 'dm', from: { name: `Guest ${n}` }, text: FAQ[0]!.question })
      await eventually(async () => at.has('DONE'), 60_000, 5)
      const [begun, decided] = [at.get('QUEUED'), at.get('SENDING')]
      if (!begun || !decided) throw new Error(`a reply was not sent, but ${[...at.keys()].join(', ')}`)
      await each({ ...ids, took: decided - begun })
    }
  } finally {
    await listener.query('drop trigger told on decision')
    await listener.end()
  }
}

type Where = Parameters<typeof answered>[0]

/** The milliseconds of replies, and of the same two calls of the model alone, in turn. */
export async function repliesBesideTheModel(
  where: Where,
  model: Awaited<ReturnType<typeof instantModel>>,
  count: number,
): Promise<{ ours: number[]; floor: number[] }> {
  const [ours, floor]: [number[], number[]] = [[], []]
  await answered(where, count + WARM, async ({ took }) => {
    const began = performance.now()
    await model.alone()
    floor.push(performance.now() - began)
    ours.push(took)
  })
  return { ours: ours.slice(WARM), floor: floor.slice(WARM) }
}

/** A line to the database that counts what each transaction sends: statements that leave together are one trip. */
export function tripCounter() {
  const open = new Map<object, { trips: number; text: string }>()
  const all: { trips: number; text: string }[] = []
  return {
    onPacket(packet: Buffer, connection: object): void {
      const text = packet.toString('latin1')
      let transaction = open.get(connection)
      if (!transaction) {
        if (!text.includes("'app.workspace_id'")) return
        open.set(connection, (transaction = { trips: 0, text: '' }))
        all.push(transaction)
      }
      transaction.trips += 1
      transaction.text += text
      if (/\b(commit|rollback)\0/.test(text)) open.delete(connection)
    },
    /** The trips of a decision: from the statement that begins it to the commit of the one that concludes it. */
    of({ decisionId, threadId }: Decided): number {
      const its = all.filter(({ text }) => text.includes(decisionId) || text.includes(threadId))
      const [first, last] = [/ state = 'RUNNING', fence = /, /update decision set state = \$/].map((statement) =>
        its.findIndex(({ text }) => statement.test(text)),
      ) as [number, number]
      return its.slice(first, last + 1).reduce((sum, { trips }) => sum + trips, 0)
    },
  }
}

/** The trips to the database of each of many replies. */
export async function tripsOfReplies(
  where: Where,
  counter: ReturnType<typeof tripCounter>,
  count: number,
): Promise<number[]> {
  const trips: number[] = []
  await answered(where, count, (reply) => void trips.push(counter.of(reply)))
  return trips
}
