import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A store that speaks S3 over HTTP, and refuses every request without a valid signature.

export const S3_ACCOUNT = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

interface StoredObject {
  bytes: Buffer
  type: string
  at: Date
}

export interface S3Stand {
  url: string
  bucket: string
  objects: Map<string, StoredObject>
  /** Multipart uploads that are not completed. */
  uploads: Map<string, { key: string; type: string; at: Date; parts: Map<number, Buffer> }>
  /** The requests so far, as `PUT /bucket/key`. */
  asked: string[]
  /** Answers the next `times` requests with 503. */
  fail(times: number): void
  close(): Promise<void>
}

const sha = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.codePointAt(0)!.toString(16).toUpperCase()}`)

export interface Signed {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string | undefined>
}

/** Returns the signature that a request must have (AWS Signature Version 4). */
export function signatureOf(
  { method, path, query, headers }: Signed,
  secret: string,
  signed: string[],
  scope: string,
  date: string,
) {
  const pairs = [...query].filter(([name]) => name !== 'X-Amz-Signature')
  const canonicalQuery = pairs
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join('&')
  const canonicalHeaders = signed
    .map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`)
    .join('')
  const payload = headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD'
  const request = [method, path, canonicalQuery, canonicalHeaders, signed.join(';'), payload].join('\n')
  const [day = '', region = '', service = '', end = ''] = scope.split('/')
  const key = [region, service, end].reduce(hmac, hmac(`AWS4${secret}`, day))
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha(request)].join('\n')).toString('hex')
}

/** Returns why a request is refused, or undefined if the account has signed it. */
function refusalOf(request: Signed, body: Buffer): string | undefined {
  const { headers } = request
  const [, credential = '', names = '', given = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const [account, ...scope] = credential.split('/')
  if (account !== S3_ACCOUNT.accessKeyId) return 'InvalidAccessKeyId'
  const signed = names.split(';')
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => signed.includes(name))) return 'AccessDenied'
  const date = headers['x-amz-date'] ?? ''
  const at = Date.parse(date.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 900_000)) return 'RequestTimeTooSkewed'
  const payload = headers['x-amz-content-sha256']
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha(body)) return 'XAmzContentSHA256Mismatch'
  const right = signatureOf(request, S3_ACCOUNT.secretAccessKey, signed, scope.join('/'), date)
  return timingSafeEqual(Buffer.from(right.padEnd(64)), Buffer.from(given.padEnd(64)))
    ? undefined
    : 'SignatureDoesNotMatch'
}

export async function startS3(bucket = 'parley-media'): Promise<S3Stand> {
  const objects: S3Stand['objects'] = new Map()
  const uploads: S3Stand['uploads'] = new Map()
  const asked: string[] = []
  let failing = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://s3.test')
    const { method = 'GET' } = request
    asked.push(`${method} ${pathname}`)
    const xml = (status: number, text: string) => {
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0" encoding="UTF-8"?>${text}`)
    }
    const refuse = (status: number, code: string) =>
      xml(status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    if (failing > 0) {
      failing -= 1
      return refuse(503, 'SlowDown')
    }
    const refused = refusalOf({ method, path: pathname, query, headers: request.headers as Signed['headers'] }, body)
    if (refused) return refuse(403, refused)
    const [, inBucket, ...rest] = pathname.split('/')
    if (inBucket !== bucket) return refuse(404, 'NoSuchBucket')
    const key = decodeURIComponent(rest.join('/'))
    const type = request.headers['content-type'] ?? 'binary/octet-stream'
    const uploadId = query.get('uploadId')

    if (method === 'GET' && query.has('uploads')) {
      const listed = [...uploads].map(
        ([id, each]) =>
          `<Upload><Key>${each.key}</Key><UploadId>${id}</UploadId><Initiated>${each.at.toISOString()}</Initiated></Upload>`,
      )
      return xml(
        200,
        `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket>${listed.join('')}</ListMultipartUploadsResult>`,
      )
    }
    if (method === 'GET' && key === '') {
      const prefix = query.get('prefix') ?? ''
      const after = query.get('continuation-token') ?? ''
      const most = Math.min(Number(query.get('max-keys') ?? 1000), 1000)
      const found = [...objects]
        .filter(([name]) => name.startsWith(prefix) && name > after)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
      const page = found.slice(0, most)
      const contents = page.map(
        ([name, each]) =>
          `<Contents><Key>${name}</Key><LastModified>${each.at.toISOString()}</LastModified><Size>${each.bytes.length}</Size><ETag>"x"</ETag></Contents>`,
      )
      const more = found.length > page.length ? `<NextContinuationToken>${page.at(-1)![0]}</NextContinuationToken>` : ''
      const cut = `<IsTruncated>${found.length > page.length}</IsTruncated>`
      return xml(
        200,
        `<ListBucketResult><Name>${bucket}</Name><KeyCount>${page.length}</KeyCount>${cut}${more}${contents.join('')}</ListBucketResult>`,
      )
    }
    if (method === 'POST' && query.has('uploads')) {
      const id = randomUUID()
      uploads.set(id, { key, type, at: new Date(), parts: new Map() })
      return xml(
        200,
        `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    }
    if (uploadId) {
      const upload = uploads.get(uploadId)
      if (!upload || upload.key !== key) return refuse(404, 'NoSuchUpload')
      if (method === 'PUT') {
        upload.parts.set(Number(query.get('partNumber')), body)
        response.writeHead(200, { etag: `"${sha(body).slice(0, 32)}"` }).end()
        return undefined
      }
      uploads.delete(uploadId)
      if (method === 'DELETE') {
        response.writeHead(204).end()
        return undefined
      }
      const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>\s*<ETag>([^<]*)<\/ETag>/g)]
      const parts = named.map(([, number]) => upload.parts.get(Number(number)))
      const right = named.every(
        ([, , etag], index) => parts[index] && etag!.replaceAll(/&quot;|"/g, '') === sha(parts[index]).slice(0, 32),
      )
      if (!right || named.length === 0) return refuse(400, 'InvalidPart')
      if (parts.slice(0, -1).some((part) => part!.length < 5 * 1024 * 1024)) return refuse(400, 'EntityTooSmall')
      objects.set(key, { bytes: Buffer.concat(parts as Buffer[]), type: upload.type, at: new Date() })
      return xml(
        200,
        `<CompleteMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
      )
    }
    if (method === 'PUT') {
      objects.set(key, { bytes: body, type, at: new Date() })
      response.writeHead(200, { etag: '"x"' }).end()
      return undefined
    }
    if (method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
      return undefined
    }
    const object = objects.get(key)
    if (!object) return method === 'HEAD' ? void response.writeHead(404).end() : refuse(404, 'NoSuchKey')
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    const end = to ? Math.min(Number(to), object.bytes.length - 1) : object.bytes.length - 1
    const part = object.bytes.subarray(start, end + 1)
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': object.type,
      'content-length': part.length,
      ...(from !== undefined && { 'content-range': `bytes ${start}-${end}/${object.bytes.length}` }),
    })
    response.end(method === 'HEAD' ? undefined : part)
    return undefined
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    objects,
    uploads,
    asked,
    fail: (times) => (failing = times),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
