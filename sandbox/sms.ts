import type { FastifyInstance, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { type FaultyAnswer, answerWithFaults } from './faults.ts'
import { html, page, time } from './html.ts'
import type { Html } from './html.ts'
import { formOf, same } from './http.ts'
import type { TextMessage } from './state.ts'
import type { Store } from './store.ts'

/** The account that may send. */
export type SmsApp = { accountSid: string; authToken: string }

const LONGEST = 1600
const NUMBER = /^\+[1-9]\d{6,14}$/

type Refusal = [status: number, code: number, message: string]

/** Numbers that the provider reserves for tests, with the refusal of each. */
const MAGIC: Record<string, Refusal> = {
  '+15005550001': [400, 21211, "Invalid 'To' Phone Number: +1500555XXXX"],
  '+15005550002': [400, 21612, 'Message cannot be sent with the current combination of To and From'],
  '+15005550003': [400, 21408, 'Permission to send an SMS has not been enabled for the region'],
  '+15005550004': [400, 21610, 'Attempt to send to unsubscribed recipient'],
  '+15005550009': [400, 21614, "'To' number is not a valid mobile number"],
}

const refuse = ([status, code, message]: Refusal): FaultyAnswer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})
const standard = (status: number) => refuse([status, status === 429 ? 20429 : 20500, 'The service is unavailable']).body

/** The provider's API, at its original path. */
export function smsApiRoutes(app: FastifyInstance, store: Store, account: SmsApp): void {
  app.post<{ Params: { sid: string } }>('/2010-04-01/Accounts/:sid/Messages.json', (request, reply) =>
    answerWithFaults(store, { network: 'SMS', request, reply }, standard, async () => {
      const refusal = refusalOf(request, request.params.sid, account)
      if (refusal) {
        note(store, request, refusal)
        return refuse(refusal)
      }
      const form = formOf(request)
      const text: TextMessage = {
        id: `SM${randomUUID().replaceAll('-', '')}`,
        at: store.clock.now(),
        from: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
        to: form.get('To') ?? '',
        text: form.get('Body') ?? '',
      }
      store.record({ type: 'texted', text })
      return { status: 201, body: resource(text, account.accountSid) }
    }),
  )
}

function refusalOf(request: FastifyRequest, sid: string, account: SmsApp): Refusal | undefined {
  const [user = '', password = ''] = credentials(request.headers.authorization)
  if (!same(user, account.accountSid) || !same(password, account.authToken)) return [401, 20003, 'Authenticate']
  if (sid !== account.accountSid)
    return [404, 20404, `The requested resource /2010-04-01/Accounts/${sid} was not found`]
  const form = formOf(request)
  const [to, from, service] = [form.get('To'), form.get('From'), form.get('MessagingServiceSid')]
  const body = form.get('Body') ?? ''
  if (!to) return [400, 21604, "A 'To' phone number is required."]
  if (!from && !service) return [400, 21603, "A 'From' phone number is required."]
  if (from && !NUMBER.test(from)) return [400, 21212, `Invalid 'From' Phone Number: ${from}`]
  if (service && !/^MG[0-9a-f]{32}$/.test(service)) return [404, 20404, 'The messaging service was not found']
  if (!NUMBER.test(to)) return [400, 21211, "Invalid 'To' Phone Number"]
  if (body === '') return [400, 21602, 'Message body is required.']
  if (body.length > LONGEST) return [400, 21617, `The concatenated message body exceeds the ${LONGEST} character limit`]
  return MAGIC[to]
}

const credentials = (header = '') =>
  /^Basic /i.test(header) ? Buffer.from(header.slice(6), 'base64').toString('utf8').split(':') : []

const note = (store: Store, { method, url }: FastifyRequest, [status, code, message]: Refusal) =>
  store.record({
    type: 'refused',
    refusal: { at: store.clock.now(), network: 'SMS', method, path: url, status, code, message },
  })

const resource = ({ id, at, from, to, text }: TextMessage, accountSid: string) => ({
  sid: id,
  account_sid: accountSid,
  status: 'queued',
  to,
  from,
  body: text,
  num_segments: String(Math.ceil(text.length / 153) || 1),
  num_media: '0',
  direction: 'outbound-api',
  error_code: null,
  error_message: null,
  price: null,
  price_unit: 'USD',
  date_created: new Date(at).toUTCString(),
  date_sent: null,
  uri: `/2010-04-01/Accounts/${accountSid}/Messages/${id}.json`,
})

/** The sent messages, as JSON and as the phone that received them. */
export function smsRoutes(app: FastifyInstance, store: Store, root: string): void {
  app.get<{ Querystring: { to?: string } }>('/sms', async ({ query }) => ({
    data: store.state.texts
      .filter(({ to }) => query.to === undefined || to === query.to)
      .toReversed()
      .map(({ at, ...text }) => ({ ...text, at: new Date(at).toISOString() })),
    nextCursor: null,
  }))

  app.get<{ Params: { number: string } }>('/phone/:number', async (request, reply) => {
    const { number } = request.params
    const texts = store.state.texts.filter(({ to }) => to === number)
    if (texts.length === 0) return reply.callNotFound()
    return reply.type('text/html; charset=utf-8').send(page(root, `Phone ${number}`, phone(texts)))
  })
}

const phone = (texts: TextMessage[]) =>
  html`${texts.toReversed().map(
    ({ from, text, at }) =>
      html`<article class="card">
        <p class="soft">From ${from} · ${time(at)}</p>
        <p class="text" dir="auto">${text}</p>
      </article>`,
  )}`

/** Renders the phones that received messages, each with its latest message, for the console. */
export function phoneList({ state }: Store, root: string): Html {
  if (state.texts.length === 0) return html`<p class="soft">No text messages yet.</p>`
  const last = new Map(state.texts.map((text) => [text.to, text]))
  return html`<ul class="plain">
    ${[...last.values()]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, 20)
      .map(
        ({ to, text, at }) =>
          html`<li>
            <a href="${root}/phone/${encodeURIComponent(to)}">${to}</a>
            <p class="soft"><span dir="auto">${text}</span> · ${time(at)}</p>
          </li>`,
      )}
  </ul>`
}
