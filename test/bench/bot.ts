import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { createModel } from '../../src/core/platform/model/provider.ts'
import { classify, generateReply } from '../../src/conversations/bot/ask.ts'
import { type OpenedInbox, openInbox } from '../inbox.ts'
import { nextUser } from './fleet.ts'
import { eventually, type Person } from '../world.ts'

// Measures how long the bot takes for a reply apart from the model and its own statements, from the customer's message
// in its thread until the decision to send is on disk.

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
/** Replies before the measurement, to warm up the product. */
const WARM = 20
/**
 * Replies per page. The person of a page has 200 calls an hour at the network, and a reply to a new customer takes two
 * or more.
 */
const OF_A_PAGE = 60

/** Starts a model that answers every request at once. `alone` repeats the two calls of the last reply. */
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
      const written = await generateReply({ model }, asked.bot_reply!, stopping)
      if (!told.use || !written.use) throw new Error('the model alone does not answer')
    },
    close: () => new Promise((done) => server.close(done)),
  }
}

interface Decided {
  decisionId: string
  threadId: string
  /** Milliseconds from QUEUED to SENDING. */
  took: number
}

/** Has the bot answer many messages, one after the other: each is sent when the previous reply is at the network. */
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
  // A trigger reports each state of a decision when it is committed.
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
      await eventually(async () => at.has('DONE'), 60_000, 5).catch((error: unknown) => {
        throw new Error(`reply ${n} is only ${[...at.keys()].join(', ') || 'expected'}`, { cause: error })
      })
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

/**
 * Returns the milliseconds of each reply and of its inevitable parts, the same two calls of the model and its own
 * statements, and the number of trips to the database. The model is called again after each reply, so that both run
 * under the same load.
 */
export async function repliesBesideTheirParts(
  where: Where,
  model: Awaited<ReturnType<typeof instantModel>>,
  meter: ReturnType<typeof statementMeter>,
  count: number,
): Promise<{ took: number; model: number; database: number; trips: number }[]> {
  const replies: { took: number; model: number; database: number; trips: number }[] = []
  await answered(where, count + WARM, async (reply) => {
    const began = performance.now()
    await model.alone()
    replies.push({ took: reply.took, model: performance.now() - began, ...meter.of(reply) })
  })
  return replies.slice(WARM)
}

interface Transaction {
  text: string
  trips: { sentAt: number; answeredAt: number }[]
}

/**
 * Counts and times the trips of each transaction on a line to the database. Statements that are sent together are one
 * trip.
 */
export function statementMeter() {
  const open = new Map<object, Transaction>()
  const all: Transaction[] = []
  // A connection sends the text of a prepared statement once, and later only its name.
  const texts = new Map<string, string>()
  return {
    onPacket(packet: Buffer, connection: object): void {
      const sent = packet.toString('latin1')
      for (const [, name, text] of sent.matchAll(/P[^]{4}(p\d+)\0([^\0]*)\0/g)) texts.set(name!, text!)
      const text = sent.replace(/B[^]{4}\0(p\d+)\0/g, (bind, name: string) => `${texts.get(name)}\0${bind}`)
      let transaction = open.get(connection)
      if (!transaction) {
        if (!text.includes("'app.workspace_id'")) return
        open.set(connection, (transaction = { text: '', trips: [] }))
        all.push(transaction)
      }
      transaction.text += text
      transaction.trips.push({ sentAt: performance.now(), answeredAt: Number.NaN })
    },
    /** Called for each packet of an answer. The last packet of a trip counts. */
    onAnswer(packet: Buffer, connection: object): void {
      const transaction = open.get(connection)
      if (!transaction) return
      transaction.trips.at(-1)!.answeredAt = performance.now()
      // The server is idle again, so the transaction has ended.
      if (packet.toString('latin1').endsWith('Z\0\0\0\u0005I')) open.delete(connection)
    },
    /**
     * Returns the trips of a decision, from the statement that begins it to the commit of the one that concludes it,
     * and the milliseconds that the database took for them.
     */
    of({ decisionId, threadId }: Decided): { database: number; trips: number } {
      const its = all.filter(({ text }) => text.includes(decisionId) || text.includes(threadId))
      const [first, last] = [/ state = 'RUNNING', fence = /, /update decision set state = \$/].map((statement) =>
        its.findIndex(({ text }) => statement.test(text)),
      ) as [number, number]
      const trips = its.slice(first, last + 1).flatMap((transaction) => transaction.trips)
      if (first < 0 || trips.length === 0) throw new Error('The statements of a decision were not found on the line.')
      if (trips.some(({ answeredAt }) => Number.isNaN(answeredAt)))
        throw new Error('A trip of a decision has no answer.')
      return {
        trips: trips.length,
        database: trips.reduce((sum, { sentAt, answeredAt }) => sum + answeredAt - sentAt, 0),
      }
    },
  }
}
