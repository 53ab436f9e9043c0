import { createHash } from 'node:crypto'
import * as z from 'zod'
import { NetworkError, refusal, retryAfterOf, unlessLimit, unreadable } from '../answers.ts'
import { rowOf } from '../failures/rules.ts'
import { type Connection, type Network, scopesOf } from '../network.ts'
import { unmetered } from '../reservation.ts'
import { parseJson, type VideoClient } from './client.ts'

// Signs creators in to the video network, renews their tokens and gives permissions back.

export interface VideoLoginSettings {
  clientKey?: string | undefined
  /** Without a trailing slash. */
  authUrl: () => string
  /** Replaces the default permissions to request. */
  scopes?: string[] | undefined
}

const DEFAULT_REFRESH_DAYS = 90

const Tokens = z.looseObject({
  access_token: z.string(),
  expires_in: z.number(),
  open_id: z.string(),
  refresh_token: z.string(),
  refresh_expires_in: z.number().default(DEFAULT_REFRESH_DAYS * 86_400),
  scope: z.string().default(''),
})
const LoginFailure = z.looseObject({ error: z.string(), error_description: z.string().default('') })

const User = z.looseObject({
  user: z.looseObject({
    open_id: z.string(),
    display_name: z.string().default(''),
    username: z.string().optional(),
    avatar_url: z.string().optional(),
    profile_deep_link: z.string().optional(),
  }),
})

const defaultScopes = [
  { scope: 'user.info.basic', neededFor: 'connect' },
  { scope: 'user.info.profile', neededFor: 'profile' },
  { scope: 'user.info.stats', neededFor: 'analytics' },
  { scope: 'video.publish', neededFor: 'publish' },
  { scope: 'video.upload', neededFor: 'publish' },
  { scope: 'video.list', neededFor: 'analytics' },
  { scope: 'video.insights', neededFor: 'analytics' },
] as const

const lifeOf = (made: z.infer<typeof Tokens>) => ({
  accessToken: made.access_token,
  tokenExpiresAt: new Date(Date.now() + made.expires_in * 1000),
  refreshToken: made.refresh_token,
  refreshExpiresAt: new Date(Date.now() + made.refresh_expires_in * 1000),
})

type Login = Pick<Network, 'scopes' | 'authorizeUrl' | 'connect' | 'refresh' | 'renewCost' | 'revoke'>

/** The consent page, the exchange of its code, and the life of the tokens. */
export function videoLogin(
  { call, form }: VideoClient,
  { clientKey = '', authUrl, ...settings }: VideoLoginSettings,
): Login {
  const scopes = scopesOf(settings.scopes, defaultScopes)

  async function tokens(fields: Record<string, string>): Promise<z.infer<typeof Tokens>> {
    const { status, headers, body } = await form('/v2/oauth/token/', fields)
    const found = parseJson(body)
    const parsed = Tokens.safeParse(found)
    if (parsed.success) return parsed.data
    const { error = '', error_description: message } = LoginFailure.safeParse(found).data ?? {}
    const refused = error === '' ? undefined : refusal(rowOf('video_tokens', error), message)
    throw unlessLimit(status, false, refused) ?? unreadable(status, retryAfterOf(headers))
  }

  return {
    scopes,

    authorizeUrl({ state, redirectUri, verifier }) {
      const url = new URL(`${authUrl()}/v2/auth/authorize/`)
      url.search = new URLSearchParams({
        client_key: clientKey,
        scope: scopes.map(({ scope }) => scope).join(','),
        response_type: 'code',
        redirect_uri: redirectUri,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('hex'), // hex: specific to this network
        code_challenge_method: 'S256',
      }).toString()
      return url.href
    },

    async connect({ code, redirectUri, verifier }) {
      const made = await tokens({
        code,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      const granted = made.scope.split(',').filter(Boolean)
      const fields = ['open_id', 'avatar_url', 'display_name']
      if (granted.includes('user.info.profile')) fields.push('username', 'profile_deep_link')
      const { user } = await call({
        path: `/v2/user/info/?fields=${fields.join(',')}`,
        token: made.access_token,
        answer: User,
        reservation: unmetered,
      })
      const connection: Connection = {
        externalId: made.open_id,
        userKey: made.open_id,
        name: user.display_name || user.username || made.open_id,
        username: user.username ?? null,
        avatarUrl: user.avatar_url ?? null,
        profileUrl: user.profile_deep_link ?? null,
        userToken: null,
        grantedScopes: granted,
        ...lifeOf(made),
      }
      return [connection]
    },

    // The network counts no calls of a person.
    renewCost: 0,

    async refresh({ refreshToken }) {
      const made = await tokens({ grant_type: 'refresh_token', refresh_token: refreshToken ?? '' })
      return { userToken: null, ...lifeOf(made) }
    },

    async revoke({ accessToken }, reservation) {
      reservation.take()
      const { status } = await form('/v2/oauth/revoke/', { token: accessToken })
      if (status >= 500) throw new NetworkError('transient', 'The network didn’t revoke the permission.')
    },
  }
}
