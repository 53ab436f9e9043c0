import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { App } from '../../core/http/app.ts'
import { inBatches } from '../../core/platform/batch.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Inbound, Inbox } from '../../networks/network.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { storeDelivered } from './store.ts'

/**
 * The webhooks of networks. An event is stored once, however often it arrives, before it is acknowledged, and a job
 * applies it. The signature covers the raw bytes, and an unsigned body is never parsed.
 */
export async function webhookRoutes(
  app: FastifyInstance,
  services: Pick<Services, 'networks' | 'log'>,
  scopes: Scopes,
): Promise<void> {
  const store = storing(scopes, services)
  await app.register(async (plain) => {
    plain.removeAllContentTypeParsers()
    plain.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    const typed = plain as unknown as App
    const inboxOf = (name: string): { platform: string; inbox: Inbox } => {
      const network = services.networks.get(name)
      if (!network.inbox || !network.configured) throw new AppError('not_found')
      return { platform: network.platform, inbox: network.inbox }
    }
    typed.route({
      ...api.verifyWebhook,
      schema: { ...api.verifyWebhook.schema, hide: true } as typeof api.verifyWebhook.schema,
      handler: async ({ params, query: asked }, reply) => {
        const { inbox } = inboxOf(params.network)
        const told = Buffer.from(asked['hub.verify_token'] ?? '')
        const right = Buffer.from(inbox.verifyToken)
        const isRight = told.length === right.length && timingSafeEqual(told, right)
        if (!isRight || asked['hub.mode'] !== 'subscribe') throw new AppError('verify_token_invalid')
        return reply.type('text/plain').send(asked['hub.challenge'] ?? '')
      },
    })
    typed.route({
      ...api.receiveWebhook,
      schema: { ...api.receiveWebhook.schema, hide: true } as typeof api.receiveWebhook.schema,
      handler: async (request, reply) => {
        const { platform: name, inbox } = inboxOf(request.params.network)
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const signature = request.headers['x-hub-signature-256']
        if (!inbox.isSigned(body, typeof signature === 'string' ? signature : undefined))
          throw new AppError('signature_invalid')
        await store({ platform: name, items: read(inbox, body) })
        return reply.send(null)
      },
    })
  })

  /**
   * Parses a signed body. A body that cannot be parsed is acknowledged too, or the network would resend it for days.
   */
  function read(inbox: Inbox, body: Buffer): Inbound[] {
    try {
      return inbox.read(body)
    } catch (error) {
      services.log.warn({ err: error }, 'a webhook could not be read')
      return []
    }
  }
}

interface Told {
  platform: string
  items: Inbound[]
}

/** How many statements run at the same time: some work while the commits of others wait for the disk. */
const AT_ONCE = 4
/**
 * Milliseconds that an event waits for others. One statement and commit for several events cost little more than for
 * one.
 */
const GATHER_FOR = 1

/** Returns a function that stores the events of several requests together. */
function storing(scopes: Scopes, { log }: Pick<Services, 'log'>) {
  return inBatches(
    async (told: Told[]) => {
      const events = told.flatMap(({ platform: name, items }) => items.map((event) => ({ platform: name, event })))
      const strangers = events.length === 0 ? 0 : await storeDelivered(scopes, events)
      if (strangers > 0) log.info({ count: strangers }, 'webhooks of accounts that are not connected')
      return told.map(() => undefined)
    },
    { atOnce: AT_ONCE, gatherFor: GATHER_FOR },
  )
}
