import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'

/** An identity provider that may lie: each sign-in chooses the claims and the signature of its token. */
export interface Lie {
  claims?: JWTPayload
  /**
   * `none`: not signed; `secret`: signed with the client's secret; `other`: signed with a key that is not the
   * provider's.
   */
  signed?: 'none' | 'secret' | 'other'
  /** The answer in place of a token. */
  body?: object
}

export async function startPeer() {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  let lie: Lie = {}

  async function token(): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: url, sub: 's1', aud: 'sandbox-idp-a', iat: now, exp: now + 300, ...lie.claims }
    if (lie.signed === 'none') return new UnsecuredJWT(claims).encode()
    if (lie.signed === 'secret') {
      const secret = new TextEncoder().encode('sandbox-idp-a-secret-sandbox-idp-a-secret')
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret)
    }
    const key = lie.signed === 'other' ? other.privateKey : own.privateKey
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key)
  }

  const answers: Record<string, () => object | Promise<object>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    }),
    '/jwks': () => ({ keys: [jwk] }),
    '/token': async () => lie.body ?? { access_token: 'a', token_type: 'Bearer', id_token: await token() },
  }
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    Promise.resolve(answer?.()).then((body) => {
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? {}))
    }, response.destroy.bind(response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    tell(next: Lie) {
      lie = next
    },
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
