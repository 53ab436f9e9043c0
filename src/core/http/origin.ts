import type { FastifyRequest } from 'fastify'

/** The origin that the request's Host names, when that is a loopback name; any other Host proves nothing. */
function loopbackOrigin({ headers, protocol }: FastifyRequest): string | undefined {
  const host = headers.host ?? ''
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host) ? `${protocol}://${host}` : undefined
}

/** The origin to which a consent page sends the browser back. Our cookie is bound to that name. */
export const callbackOrigin = (
  request: FastifyRequest,
  { config, settings }: { config: { publicUrl: string | undefined }; settings: { publicUrl(): string } },
): string => config.publicUrl ?? loopbackOrigin(request) ?? settings.publicUrl()

/** Tells whether a request comes from our own pages, by what a browser says of it. One that says nothing is no browser. */
export function ownOrigin(publicUrl: string | undefined) {
  const own = publicUrl ? new URL(publicUrl).origin : undefined
  return (request: FastifyRequest): boolean => {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
    return origin === undefined || origin === own || origin === loopbackOrigin(request)
  }
}
