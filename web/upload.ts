import type { MediaFile } from '../src/publishing/media/api.ts'
import type { PIECE_TYPE } from '../src/core/http/endpoint.ts'
import { address, authorizedFetch, call, isProblem, ProblemError, problemOf } from './client.ts'
import { session } from './session.ts'
import { readStored, writeStored } from './storage.ts'
import { waitOrOnline } from './wait.ts'

/** The state of an upload: sending, paused by the person, or waiting until the service is reachable. */
export type Phase = 'sending' | 'paused' | 'waiting'

export interface Upload {
  done: Promise<MediaFile>
  pause: () => void
  resume: () => void
  /**
   * Stops the upload. The service keeps the received bytes for a day, so that choosing the same file again resumes it.
   */
  leave: () => void
  /** Stops the upload and deletes the received bytes. */
  cancel: () => void
}

const PIECE: typeof PIECE_TYPE = 'application/offset+octet-stream'
const TUS = { 'tus-resumable': '1.0.0' }
/** The storage keys of the uploads that this tab runs. */
const under = new Set<string>()
const FIRST_WAIT = 1_000
const LONGEST_WAIT = 20_000

/**
 * Uploads one file and reports its progress, 0 to 1. Resumes after a lost connection, and when the person chooses the
 * same file again after a page reload. Rejects with ProblemError, or with an AbortError when stopped.
 */
export function upload(
  workspace: string,
  file: File,
  tell: (now: { progress?: number; phase?: Phase }) => void,
): Upload {
  const usual = `upload:${workspace}:${file.name}:${file.size}:${file.lastModified}`
  // A second upload of the same file at the same time gets its own key.
  const place = under.has(usual) ? `${usual}:${crypto.randomUUID()}` : usual
  under.add(place)
  let known = readStored(place) ?? null
  const remember = (url: string | null) => {
    known = url
    writeStored(place, url)
  }
  const end = new AbortController()
  let running: XMLHttpRequest | undefined
  let paused: { over: Promise<void>; go: () => void } | undefined

  const headers = { ...TUS, 'x-workspace-id': workspace, accept: 'application/json' }
  const ask = async (method: string, url: string, more: Record<string, string> = {}): Promise<Response> => {
    const response = await authorizedFetch(url, { method, headers: { ...headers, ...more }, signal: end.signal })
    if (!response.ok) throw problemOf(response.status, await response.text(), response.headers.get('retry-after'))
    return response
  }

  /**
   * The upload's URL, the offset to continue from, and the id of the finished file, if any. Creates the upload if there
   * is none.
   */
  async function resumePoint(): Promise<{ url: string; offset: number; made: string | null }> {
    if (known) {
      try {
        const response = await ask('HEAD', known)
        return { url: known, offset: Number(response.headers.get('upload-offset')), made: madeOf(response) }
      } catch (error) {
        if (!isProblem(error) || error.status !== 404) throw error
        remember(null)
      }
    }
    const response = await ask('POST', address('createUpload'), {
      'upload-length': String(file.size),
      'upload-metadata': `filename ${base64(file.name)},filetype ${base64(file.type)}`,
    })
    const url = response.headers.get('location') ?? ''
    remember(url)
    return { url, offset: 0, made: null }
  }

  /** Sends all missing bytes. Returns the id of the file. */
  async function send(url: string, offset: number): Promise<string | null> {
    const token = await session.token()
    // The person may have stopped or paused the upload meanwhile.
    end.signal.throwIfAborted()
    if (paused) return null
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      running = request
      request.open('PATCH', url)
      const all = { ...headers, 'content-type': PIECE, 'upload-offset': String(offset) }
      for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value)
      if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
      request.upload.onprogress = ({ loaded }) => tell({ progress: Math.min((offset + loaded) / file.size, 1) })
      request.onload = () => {
        if (request.status === 204) resolve(madeOf({ headers: { get: (name) => request.getResponseHeader(name) } }))
        else reject(problemOf(request.status, request.responseText, request.getResponseHeader('retry-after')))
      }
      request.onerror = () => reject(new ProblemError(0, { code: 'offline', title: 'The upload broke off' }))
      request.onabort = () => reject(new DOMException('Stopped', 'AbortError'))
      request.send(file.slice(offset))
    })
  }

  async function work(): Promise<MediaFile> {
    for (let failures = 0; ;) {
      await paused?.over
      end.signal.throwIfAborted()
      try {
        const { url, offset, made } = await resumePoint()
        tell({ progress: offset / file.size, phase: 'sending' })
        const id = made ?? (paused ? null : await send(url, offset))
        if (!id) continue
        const found = await call('getMedia', { workspace, params: { id }, signal: end.signal })
        remember(null)
        return found
      } catch (error) {
        end.signal.throwIfAborted()
        if (paused) continue
        if (!mayPass(error)) throw error
        tell({ phase: 'waiting' })
        await waitOrOnline(
          Math.max((error.retryAfter ?? 0) * 1000, Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT)),
          end.signal,
        )
        failures += 1
      }
    }
  }

  const stop = (reason: string) => {
    end.abort(new DOMException(reason, 'AbortError'))
    running?.abort()
    paused?.go()
  }
  return {
    done: work().finally(() => under.delete(place)),
    pause() {
      let go = () => {}
      paused ??= { over: new Promise((resolve) => (go = resolve)), go: () => go() }
      running?.abort()
      tell({ phase: 'paused' })
    },
    resume() {
      const { go } = paused ?? {}
      paused = undefined
      tell({ phase: 'sending' })
      go?.()
    },
    leave: () => stop('Left'),
    cancel() {
      stop('Cancelled')
      const url = known
      remember(null)
      if (url) authorizedFetch(url, { method: 'DELETE', headers }).catch(() => undefined)
    },
  }
}

const madeOf = ({ headers }: { headers: { get(name: string): string | null } }) =>
  headers.get('content-location')?.split('/').at(-1) ?? null

const base64 = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)))

/** Failures that a retry may fix: no response, an error of a proxy, or a rate limit. */
const mayPass = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && (error.status === 0 || error.status >= 500 || [408, 409, 429].includes(error.status))
