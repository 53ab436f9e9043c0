import { type LookupFunction, BlockList, isIP, isIPv4 } from 'node:net'
import { lookup } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'

// Reads pages of the public web that a person names. A name is resolved once, for the connection itself, so that a
// second answer of the name server cannot lead inside.

export interface Resource {
  /** The final address, after redirects. */
  url: URL
  /** As the server sends it, with its parameters. */
  type: string
  bytes: Buffer
}

interface Wanted {
  accept: string
  /** The maximum size in bytes. */
  most: number
  /** Cuts a longer resource instead of refusing it. */
  cut?: boolean
}

export interface PublicWeb {
  /**
   * Reads a resource over http or https. Throws `NotReached` if it is not public, too long, too slow or not answered
   * with success.
   */
  get(url: string | URL, wanted: Wanted): Promise<Resource>
}

export class NotReached extends Error {}

/** Milliseconds for a resource, its redirects included. */
const TIME = 5_000
const REDIRECTS = 3
const MOST_HEADERS = 16_384

const blocked = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  blocked.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  blocked.addSubnet(net, bits, 'ipv6')
/** The allocated addresses of IPv6. Addresses that contain an IPv4 address lie outside, or are blocked above. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/** Whether an address belongs to the public internet. */
export const isPublicAddress = (address: string): boolean =>
  isIPv4(address)
    ? !blocked.check(address, 'ipv4')
    : isIP(address) === 6 && global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6')

interface Reach {
  mayReach: (address: string) => boolean
  anyPort: boolean
}

/** For tests, which reach servers of their own. */
export const EVERYWHERE: Reach = { mayReach: () => true, anyPort: true }
const PUBLIC: Reach = { mayReach: isPublicAddress, anyPort: false }

export function createPublicWeb({ mayReach, anyPort }: Reach = PUBLIC): PublicWeb {
  /** Uses a name only if all of its addresses are allowed. */
  const lookupAllowed: LookupFunction = (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? new NotReached('The host name has no address'), [])
      if (!found.every(({ address }) => mayReach(address))) return done(new NotReached('Not a public address'), [])
      if (options.all) done(null, found)
      else done(null, first.address, first.family)
    })

  function assertPublic({ protocol, username, password, port, hostname }: URL): void {
    if (protocol !== 'http:' && protocol !== 'https:') throw new NotReached('Neither http nor https')
    if (username || password) throw new NotReached('The URL contains credentials')
    if (port && !anyPort) throw new NotReached('Not a standard web port')
    // A numeric address is never looked up.
    const address = hostname.replaceAll(/^\[|\]$/g, '')
    if (isIP(address) > 0 && !mayReach(address)) throw new NotReached('Not a public address')
  }

  const ask = (url: URL, accept: string, signal: AbortSignal) =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      const { request } = url.protocol === 'https:' ? https : http
      request(url, {
        agent: false,
        signal,
        maxHeaderSize: MOST_HEADERS,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'Parley link preview' },
        lookup: lookupAllowed,
      })
        .on('response', resolve)
        .on('error', reject)
        .end()
    })

  async function follow(
    url: URL,
    accept: string,
    signal: AbortSignal,
    left = REDIRECTS,
  ): Promise<[URL, http.IncomingMessage]> {
    assertPublic(url)
    const answer = await ask(url, accept, signal)
    const { statusCode = 0, headers } = answer
    if (statusCode === 200) return [url, answer]
    answer.destroy()
    if (![301, 302, 303, 307, 308].includes(statusCode) || !headers.location)
      throw new NotReached(`Answered ${statusCode}`)
    if (left === 0) throw new NotReached('Too many redirects')
    return follow(new URL(headers.location, url), accept, signal, left - 1)
  }

  return {
    async get(given, { accept, most, cut = false }) {
      try {
        const [url, answer] = await follow(new URL(given), accept, AbortSignal.timeout(TIME))
        const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = answer.headers
        if (coding !== 'identity') throw new NotReached(`Unsupported content encoding: ${coding}`)
        return { url, type, bytes: await read(answer, most, cut) }
      } catch (error) {
        throw error instanceof NotReached ? error : new NotReached('Not reached', { cause: error })
      }
    },
  }
}

/** Reads the answer up to the maximum. Leaving the loop closes the connection. */
async function read(answer: http.IncomingMessage, most: number, cut: boolean): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > most && !cut) throw new NotReached('The response is too long')
    pieces.push(piece)
    if (size >= most) break
  }
  return Buffer.concat(pieces).subarray(0, most)
}
