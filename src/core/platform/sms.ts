import { uuidv7 } from 'uuidv7'
import type { CipherPlace, Crypto } from './crypto.ts'
import type { JobHandlers } from './jobs.ts'
import { countTry, forgetTry, within } from './limits.ts'
import type { Scope, Tx } from './scope.ts'
import { FORM, type OnceAnswer, sendOnce, UnansweredRequest } from './send-once.ts'

export interface Sms {
  /** Whether a provider is configured. */
  readonly configured: boolean
  /** Resolves when the provider has accepted the message. Throws `SmsError`. */
  send(to: string, text: string): Promise<void>
}

/** A message that was not accepted, or whose outcome is unknown. The error contains no number and no text. */
export class SmsError extends Error {
  /** The message was certainly not sent, and a later try may succeed. */
  readonly again: boolean

  constructor(message: string, again: boolean) {
    super(message)
    this.name = 'SmsError'
    this.again = again
  }
}

export interface SmsAccount {
  accountSid: string
  authToken: string
  /** One of our numbers, or the SID of a messaging service. */
  from: string
}

const ANSWER_LIMIT = 15_000

/** Text messages through Twilio's HTTP API. Null: no provider is configured. */
export function createSms(account: (SmsAccount & { baseUrl(): string }) | null): Sms {
  return {
    configured: account !== null,
    async send(to, text) {
      if (!account) throw new SmsError('No SMS provider is set up', false)
      const { accountSid, authToken, from, baseUrl } = account
      const sender = from.startsWith('MG') ? 'MessagingServiceSid' : 'From'
      let answer: OnceAnswer
      try {
        answer = await sendOnce(`${baseUrl()}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
            'content-type': FORM,
          },
          body: new URLSearchParams({ To: to, [sender]: from, Body: text }).toString(),
          signal: AbortSignal.timeout(ANSWER_LIMIT),
        })
      } catch (error) {
        if (!(error instanceof UnansweredRequest)) throw error
        throw new SmsError(`The SMS provider did not respond: ${error.code}`, !error.left)
      }
      const code = codeOf(answer.body)
      if (answer.status === 201) return
      const reason = typeof code === 'number' ? `${answer.status} ${code}` : String(answer.status)
      throw new SmsError(`The SMS provider rejected the message: ${reason}`, answer.status === 429)
    },
  }
}

function codeOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { code?: unknown } | null)?.code
  } catch {
    return undefined
  }
}

const placeOf = (scope: Pick<Scope, 'workspaceId'>, id: string): CipherPlace => ({
  table: 'job',
  column: 'sms',
  workspaceId: scope.workspaceId,
  rowId: id,
})

/**
 * Sends a text message only after the transaction has committed. After `until` the message is useless and is not sent.
 * `id`: by default a new one; messages with the same id are one message.
 */
export function postSms(
  tx: Tx,
  { crypto }: { crypto: Crypto },
  message: { id?: string; to: string; text: string; until: Date },
): void {
  const { id = uuidv7(), until, ...rest } = message
  tx.enqueue('sms', { id, sealed: crypto.seal(JSON.stringify(rest), placeOf(tx, id)), until: until.toISOString() })
}

/**
 * Gives messages to the provider. The provider cannot recognize a repeat, so only a message that was certainly not sent
 * is tried again. A record before the call tells a later run of the job that an earlier one may have sent the message.
 */
export function smsJobs({ sms, crypto }: { sms: Sms; crypto: Crypto }): Pick<JobHandlers, 'sms'> {
  return {
    async sms(scope, { id, sealed, until }) {
      const left = new Date(until).getTime() - scope.now().getTime()
      if (left <= 0) return scope.log.error({ sms: id }, 'not sent: no provider took it in time')
      const { to, text } = JSON.parse(crypto.open(sealed, placeOf(scope, id))) as { to: string; text: string }
      const once = { key: `sms ${id}`, tries: 1, seconds: left / 1000 }
      if (!(await within(countTry(scope, once))))
        return scope.log.error({ sms: id }, 'not sent again: an earlier try may have sent it')
      try {
        await sms.send(to, text)
      } catch (error) {
        if (!(error instanceof SmsError)) throw error
        if (!error.again) return scope.log.error({ sms: id, err: error }, 'not sent')
        await forgetTry(scope, once)
        throw error
      }
    },
  }
}
