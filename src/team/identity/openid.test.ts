import { expect, test } from 'vitest'
import { startPeer } from '../../../test/openid-peer.ts'
import { createProvider } from './openid.ts'

test('the description of a provider is requested once more if the first request fails', async () => {
  const peer = await startPeer()
  let asked = 0
  const nobody = 'http://127.0.0.1:9/'
  const provider = createProvider({
    name: 'IDP_A',
    clientId: 'app',
    clientSecret: 'secret',
    issuer: () => peer.url,
    reach: (url) => ({ url: (asked += 1) === 1 ? nobody : url, headers: {} }),
  })
  try {
    const leave = { state: 'state', secret: 'secret', redirectUri: 'http://127.0.0.1/back' }
    expect(await provider.authorizeUrl(leave)).toContain(`${peer.url}/auth?`)
    expect(asked).toBe(2)
  } finally {
    await peer.close()
  }
})
