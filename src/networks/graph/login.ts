import * as z from 'zod'
import type { Graph } from './graph.ts'
import { NetworkError } from '../answers.ts'
import { type Examination, type Network, type Renewal, scopesOf, unlessUnknown } from '../network.ts'
import { type Reservation, unmetered } from '../reservation.ts'

// Signs people in to the Graph API. The page and the photo network share one application and one consent page.

export interface LoginSettings {
  appId?: string | undefined
  appSecret?: string | undefined
  version: string
  dialogUrl: () => string
  /** The token for the handshake of webhooks. By default it is derived from the app's secret. */
  verifyToken?: string | undefined
  /** Replaces the default permissions to request. */
  scopes?: string[] | undefined
}

const Token = z.looseObject({ access_token: z.string(), expires_in: z.number().optional() })
const Me = z.looseObject({ id: z.string() })
const Permissions = z.looseObject({ data: z.array(z.looseObject({ permission: z.string(), status: z.string() })) })

export const Paging = z
  .looseObject({ cursors: z.looseObject({ after: z.string() }).optional(), next: z.string().optional() })
  .optional()

const Page = z.looseObject({
  id: z.string(),
  name: z.string(),
  username: z.string().optional(),
  link: z.string().optional(),
  access_token: z.string().optional(),
  picture: z.looseObject({ data: z.looseObject({ url: z.string() }) }).optional(),
  instagram_business_account: z
    .looseObject({
      id: z.string(),
      username: z.string().optional(),
      name: z.string().optional(),
      profile_picture_url: z.string().optional(),
    })
    .optional(),
})
const Pages = z.looseObject({ data: z.array(Page), paging: Paging })
export type LoginPage = z.infer<typeof Page> & { access_token: string }

/** The maximum number of lists of pages that a renewal reads. */
const MOST_LISTS = 10
/** The calls of a renewal: the exchange, and the lists. */
export const RENEW_COST = 1 + MOST_LISTS

/** Returns the first page that fulfils a condition, or undefined without one. Throws `NetworkError` after too many lists. */
async function pageOf(
  lists: AsyncIterable<LoginPage[]>,
  mine: (page: LoginPage) => boolean,
): Promise<LoginPage | undefined> {
  let read = 0
  for await (const pages of lists) {
    const page = pages.find(mine)
    if (page) return page
    read += 1
    if (read === MOST_LISTS) throw new NetworkError('transient', 'The person has too many pages to look through.')
  }
  return undefined
}

/** The lifetime of tokens if the network does not state one. */
const DEFAULT_TOKEN_DAYS = 60

/** The permissions that the person granted. */
interface Login {
  userKey: string
  token: string
  expiresAt: Date
  grantedScopes: string[]
  /** The pages on whose behalf the person may act. */
  pages: LoginPage[]
}

/**
 * The consent page and the exchange of its code. `defaults` are the permissions to request unless a setting replaces
 * them.
 */
export function graphLogin({ call }: Graph, settings: LoginSettings, defaults: Network['scopes']) {
  const { appId = '', appSecret = '' } = settings
  const scopes = scopesOf(settings.scopes, defaults)

  const exchange = (params: Record<string, string>, reservation: Reservation) =>
    call({
      method: 'POST',
      path: '/oauth/access_token',
      params: { client_id: appId, client_secret: appSecret, ...params },
      answer: Token,
      reservation,
    })

  const endOf = ({
    at,
    expires_in: seconds = DEFAULT_TOKEN_DAYS * 86_400,
  }: {
    at: Date | null
    expires_in?: number | undefined
  }) => new Date((at?.getTime() ?? Date.now()) + seconds * 1000)

  /** Yields the pages of a person, list by list. */
  async function* pagesOf(token: string, reservation: Reservation): AsyncGenerator<LoginPage[]> {
    let after: string | undefined
    do {
      const answer = await call({
        method: 'GET',
        path: '/me/accounts',
        token,
        params: {
          fields:
            'id,name,username,link,access_token,tasks,picture{url},instagram_business_account{id,username,name,profile_picture_url}',
          limit: '100',
          ...(after && { after }),
        },
        answer: Pages,
        reservation,
      })
      yield answer.data.flatMap((page) => (page.access_token ? [{ ...page, access_token: page.access_token }] : []))
      after = answer.paging?.next ? answer.paging.cursors?.after : undefined
    } while (after)
  }

  /**
   * Returns new tokens for one account of a person. `mine` selects its page. Throws `NetworkError` if the person lost
   * the page: the account must then be connected again.
   */
  async function renewal(
    userToken: string | null,
    mine: (page: LoginPage) => boolean,
    reservation: Reservation = unmetered,
  ): Promise<Renewal> {
    const long = await exchange({ grant_type: 'fb_exchange_token', fb_exchange_token: userToken ?? '' }, reservation)
    const page = await pageOf(pagesOf(long.access_token, reservation), mine)
    if (!page) throw new NetworkError('auth', 'The person who connected this account can no longer manage it.')
    return {
      accessToken: page.access_token,
      userToken: long.access_token,
      tokenExpiresAt: endOf(long),
      refreshToken: null,
      refreshExpiresAt: null,
    }
  }

  /** Returns the permissions that the person behind an account currently grants. */
  async function permissionsOf(token: string, reservation: Reservation): Promise<string[]> {
    const { data } = await call({ method: 'GET', path: '/me/permissions', token, answer: Permissions, reservation })
    return data.filter(({ status }) => status === 'granted').map(({ permission }) => permission)
  }

  /** Tests the token of an account with a call, then reads the permissions that its person grants. */
  async function examine(
    { externalId, accessToken, userToken }: Parameters<Network['examine']>[0],
    reservation: Reservation,
  ): Promise<Examination> {
    const params = { fields: 'id' }
    await call({ method: 'GET', path: `/${externalId}`, token: accessToken, params, answer: Me, reservation })
    const grantedScopes = userToken === null ? null : await unlessUnknown(permissionsOf(userToken, reservation))
    return { grantedScopes, posts: null }
  }

  return {
    renewal,
    examine,
    configured: appId !== '' && appSecret !== '',
    scopes,

    authorizeUrl({ state, redirectUri }: { state: string; redirectUri: string }): string {
      const url = new URL(`${settings.dialogUrl()}/${settings.version}/dialog/oauth`)
      url.search = new URLSearchParams({
        client_id: appId,
        redirect_uri: redirectUri,
        state,
        response_type: 'code',
        auth_type: 'rerequest', // without it, a declined permission is never requested again
        scope: scopes.map(({ scope }) => scope).join(','),
      }).toString()
      return url.href
    },

    async signIn({ code, redirectUri }: { code: string; redirectUri: string }): Promise<Login> {
      // Whose budget these calls belong to is known only afterwards.
      const reservation = unmetered
      const short = await exchange({ redirect_uri: redirectUri, code }, reservation)
      const long = await exchange(
        { grant_type: 'fb_exchange_token', fb_exchange_token: short.access_token },
        reservation,
      )
      const token = long.access_token
      const me = await call({ method: 'GET', path: '/me', token, params: { fields: 'id' }, answer: Me, reservation })
      const pages: LoginPage[] = []
      for await (const list of pagesOf(token, reservation)) pages.push(...list)
      return {
        userKey: me.id,
        token,
        expiresAt: endOf(long),
        grantedScopes: await permissionsOf(token, reservation),
        pages,
      }
    },
  }
}
