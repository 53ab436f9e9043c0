import * as z from 'zod'
import type { Endpoint } from '../../core/http/endpoint.ts'

/**
 * A page as networks preview a link to it. All fields but the host are null if the page was not reached or does not
 * state them.
 */
export const LinkCard = z
  .strictObject({
    url: z.string(),
    host: z.string(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    /** WebP, at most 640 pixels wide and high. */
    picture: z
      .strictObject({ url: z.string().meta({ description: 'A data: URL' }), width: z.int(), height: z.int() })
      .nullable(),
  })
  .meta({ id: 'LinkCard' })
export type LinkCard = z.infer<typeof LinkCard>

export const getLinkCard = {
  method: 'GET',
  url: '/link-card',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'getLinkCard',
    summary: 'Preview a link as networks show it, cached for 10 minutes',
    description: 'Returns the title, description and picture of the page, which is read at most every 10 minutes.',
    tags: ['Writing'],
    querystring: z.object({ url: z.url({ protocol: /^https?$/ }).max(2_048) }),
    response: { 200: LinkCard },
  },
} as const satisfies Endpoint
