import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { html, page, time } from './html.ts'
import type { Html } from './html.ts'
import type { StoredMail } from './state.ts'
import type { Store } from './store.ts'

/** Accepts mail by SMTP, from this machine only. */
export type Mailbox = {
  /** `smtp://127.0.0.1:…` */
  url: string
  close(): Promise<void>
}

const MEGABYTE = 1024 * 1024

/**
 * Listens immediately, on a free port if this one is in use. The SMTP and mail libraries are loaded for the first
 * connection.
 */
export async function openMailbox(store: Store, port: number): Promise<Mailbox> {
  let speaking: ReturnType<typeof createSpeaker> | undefined
  const sockets = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    speaking ??= createSpeaker(store)
    speaking.then(
      (speak) => speak(socket),
      () => socket.destroy(),
    )
  })
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

async function createSpeaker(store: Store): Promise<(socket: Socket) => void> {
  const { SMTPServer } = await import('smtp-server')
  const speaker = new SMTPServer({
    name: 'sandbox',
    banner: 'a stand-in: mail sent here is not delivered',
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: 5 * MEGABYTE,
    onData(stream, { envelope }, done) {
      const to = envelope.rcptTo.map(({ address }) => address).join(', ')
      // A mail is accepted only after it is on disk.
      readMail(stream, to, store.clock.now())
        .then((mail) => store.record({ type: 'mailed', mail }))
        .then(() => store.synced())
        .then(
          () => done(null),
          (error: unknown) => done(error as Error),
        )
    },
  })
  speaker.on('error', () => undefined)
  return (socket) => {
    speaker.server.emit('connection', socket)
    socket.resume()
  }
}

async function readMail(stream: Readable, to: string, at: number): Promise<StoredMail> {
  const { default: PostalMime } = await import('postal-mime')
  const {
    messageId = '',
    from,
    subject = '',
    text = '',
    html: body = '',
  } = await PostalMime.parse(await buffer(stream))
  const sender = from?.name ? `${from.name} <${from.address}>` : (from?.address ?? '')
  return { id: messageId.replaceAll(/[<>]/g, ''), at, from: sender, to, subject, text, html: body }
}

const answered = ({ at, ...mail }: StoredMail) => ({ ...mail, at: new Date(at).toISOString() })

/** Shows the sent mail, as JSON, and each message as a page. */
export function mailRoutes(app: FastifyInstance, store: Store, root: string, { url }: Mailbox): void {
  app.get('/smtp', async () => ({ url }))

  app.get<{ Querystring: { to?: string } }>('/mail', async ({ query: { to } }) => ({
    data: store.state.mails
      .filter((mail) => to === undefined || mail.to === to)
      .toReversed()
      .map(answered),
    nextCursor: null,
  }))

  app.get<{ Params: { id: string } }>('/mail/:id', async (request, reply) => {
    const mail = store.state.mails.findLast(({ id }) => id === request.params.id)
    if (!mail) return reply.callNotFound()
    return reply.type('text/html; charset=utf-8').send(page(root, mail.subject, letter(mail)))
  })
}

const letter = ({ from, to, at, text }: StoredMail) =>
  html`<article class="card">
    <div class="head">
      <div>
        <p class="soft">From ${from}</p>
        <p class="soft">To ${to}</p>
        <p class="soft">${time(at)}</p>
      </div>
    </div>
    <p class="text" dir="auto">${linked(text)}</p>
  </article>`

/** Turns URLs in a text into links. */
const linked = (text: string): Html[] =>
  text
    .trim()
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))

/** Renders the latest messages for the console. */
export function mailList({ state }: Store, root: string): Html {
  if (state.mails.length === 0) return html`<p class="soft">No mail yet.</p>`
  return html`<ul class="plain">
    ${state.mails
      .toReversed()
      .slice(0, 20)
      .map(
        ({ id, to, subject, at }) =>
          html`<li>
            <a href="${root}/mail/${encodeURIComponent(id)}" dir="auto">${subject}</a>
            <p class="soft">To ${to} · ${time(at)}</p>
          </li>`,
      )}
  </ul>`
}
