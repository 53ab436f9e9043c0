import { uuidv7 } from 'uuidv7'
import type { CipherPlace, Crypto } from './crypto.ts'
import type { JobHandlers } from './jobs.ts'
import type { Scope, Tx } from './scope.ts'

/** The content of a message, as plain text and as HTML. */
export interface Letter {
  subject: string
  text: string
  html: string
}

export interface Mail {
  /** Whether a mail server is configured. */
  readonly configured: boolean
  /** Resolves when the server has accepted the message. The message carries the id, so a copy can be recognized. */
  send(id: string, to: string, letter: Letter): Promise<void>
  close(): Promise<void>
}

interface MailParts {
  /** The sender, as `Name <address>`. */
  from: string
  /** Returns the address of the server before each new connection. Null: no server is configured. */
  url: (() => Promise<string>) | null
  /** Whether to send only over an encrypted connection. */
  requireTLS?: boolean
}

const LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 }

/** Mail by SMTP over kept connections. The library is loaded with the first message. */
export function createMail({ from, url, requireTLS = false }: MailParts): Mail {
  const host = /@([^\s<>@]+)/.exec(from)?.[1] ?? 'localhost'
  let connecting: ReturnType<typeof connect> | undefined

  async function connect(at: () => Promise<string>) {
    const { createTransport } = await import('nodemailer')
    const options = { url: await at(), pool: true as const, maxConnections: 2, logger: false, requireTLS, ...LIMITS }
    return createTransport({ ...options, disableFileAccess: true, disableUrlAccess: true })
  }

  async function close(): Promise<void> {
    const open = connecting
    connecting = undefined
    const transport = await open?.catch(() => undefined)
    transport?.close()
  }

  return {
    configured: url !== null,
    async send(id, to, letter) {
      if (!url) throw new Error('No mail server is set up')
      const message = { from, to, messageId: `<${id}@${host}>`, ...letter }
      const sent = (connecting ??= connect(url)).then((transport) => transport.sendMail(message))
      // Without the cause, which names addresses.
      const failure = await sent.then(() => undefined, reasonOf)
      if (failure === undefined) return
      await close()
      throw new MailRefusal(failure)
    },
    close,
  }
}

/** The mail server did not accept a message. */
export class MailRefusal extends Error {
  /** The server's answer, as codes. */
  readonly reason: string

  constructor(reason: string) {
    super(`The mail server rejected the message: ${reason}`)
    this.name = 'MailRefusal'
    this.reason = reason
  }
}

/**
 * Returns only codes: the server's text may contain addresses, and the library's text the password of the connection.
 */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown }
  const parts = [code, responseCode, command].filter((part) => ['string', 'number'].includes(typeof part))
  return parts.length > 0 ? parts.join(' ') : 'no reason was given'
}

const placeOf = (scope: Pick<Scope, 'workspaceId'>, id: string): CipherPlace => ({
  table: 'job',
  column: 'mail',
  workspaceId: scope.workspaceId,
  rowId: id,
})

/**
 * Sends a letter only after the transaction has committed. `kind` is a word for the operator; address and text are
 * sealed. After `until` the letter is useless and is not sent.
 */
export function postMail(
  tx: Tx,
  { crypto }: { crypto: Crypto },
  message: { kind: string; to: string; letter: Letter; until?: Date },
): void {
  const id = uuidv7()
  const { kind, to, letter, until } = message
  const sealed = crypto.seal(JSON.stringify({ to, letter }), placeOf(tx, id))
  tx.enqueue('mail', { id, kind, sealed, ...(until && { until: until.toISOString() }) })
}

/** Gives letters to the mail server. A refused letter stays in the queue with the reason and is tried again. */
export function mailJobs({ mail, crypto }: { mail: Mail; crypto: Crypto }): Pick<JobHandlers, 'mail'> {
  return {
    async mail(scope, { id, kind, sealed, until }) {
      if (!mail.configured) return scope.log.error({ mail: id, kind }, 'not sent: no mail server is set up')
      if (until && scope.now() >= new Date(until)) {
        return scope.log.error({ mail: id, kind }, 'not sent: no mail server took it in time')
      }
      const { to, letter } = JSON.parse(crypto.open(sealed, placeOf(scope, id))) as { to: string; letter: Letter }
      await mail.send(id, to, letter)
    },
  }
}
