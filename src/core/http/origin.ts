import type { FastifyRequest } from 'fastify'

/** The origin in the request's Host, if that is a loopback name. Any other Host proves nothing. */
function loopbackOrigin({ headers, protocol }: FastifyRequest): string | undefined {
  const host = headers.host ?? ''
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host) ? `${protocol}://${host}` : undefined
}

/** The origin to which a consent page sends the browser back. Our cookie is bound to that name. */
export const callbackOrigin = (
  request: FastifyRequest,
  { config, settings }: { config: { publicUrl: string | undefined }; settings: { publicUrl(): string } },
): string => config.publicUrl ?? loopbackOrigin(request) ?? settings.publicUrl()

/**
 * Returns a check whether a request comes from our own pages, by its browser headers. A request without them passes,
 * since it does not come from a browser.
 */
export function ownOrigin(publicUrl: string | undefined) {
  const own = publicUrl ? new URL(publicUrl).origin : undefined
  return (request: FastifyRequest): boolean => {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
    return origin === undefined || origin === own || origin === loopbackOrigin(request)
  }
}
