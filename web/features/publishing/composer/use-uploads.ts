import { useCallback, useEffect, useRef, useState } from 'react'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { formats, IMAGE_LIMIT, VIDEO_LIMIT } from '../../../../src/publishing/media/rules.ts'
import type { Phase, Upload } from '../../../upload.ts'

const kinds = Object.values(formats)
export const ACCEPTED = kinds.map((kind) => kind.mimeType)

export const isVideo = (file: File) => file.type.startsWith('video/')

/** Checks a file's type and size before uploading. The service checks its bytes. */
function refusalOf(file: File): Refused | null {
  const known = kinds.some((kind) => [kind.mimeType, ...kind.aliases].some((type) => type === file.type))
  if (!known) return 'type'
  return file.size > (isVideo(file) ? VIDEO_LIMIT : IMAGE_LIMIT) ? 'size' : null
}

export interface Pending {
  key: string
  file: File
  preview: string
  progress: number
  phase: Phase
  /** Why it stopped: an error, or a `Refused` code. */
  error: unknown
}

type Refused = 'type' | 'size'

/**
 * The running uploads. Finished files are handed over in the order of selection, whatever order they finish in. A
 * failed upload stays for a retry and does not hold up the others.
 */
export function useUploads(ws: string, onDone: (file: MediaFile) => void) {
  const [pending, setPending] = useState<Pending[]>([])
  const running = useRef(new Map<string, Upload>())
  const done = useRef(onDone)
  done.current = onDone
  /** The selected files that are not in the post yet, in order. The value is set once the service has the file. */
  const queue = useRef(new Map<string, MediaFile | null>())

  const change = useCallback((key: string, values: Partial<Pending>) => {
    setPending((all) => all.map((one) => (one.key === key ? { ...one, ...values } : one)))
  }, [])

  const drop = useCallback((key: string) => {
    queue.current.delete(key)
    setPending((all) => {
      const gone = all.find((one) => one.key === key)
      if (gone) URL.revokeObjectURL(gone.preview)
      return all.filter((one) => one.key !== key)
    })
  }, [])

  const handOver = useCallback(() => {
    for (const [key, file] of queue.current) {
      if (!file) return
      done.current(file)
      drop(key)
    }
  }, [drop])

  const remove = useCallback(
    (key: string) => {
      running.current.get(key)?.cancel()
      running.current.delete(key)
      drop(key)
      handOver()
    },
    [drop, handOver],
  )

  const start = useCallback(
    async (one: Pending) => {
      queue.current.set(one.key, null)
      try {
        const { upload } = await import('../../../upload.ts')
        if (!queue.current.has(one.key)) return
        const task = upload(ws, one.file, (now) => change(one.key, now))
        running.current.set(one.key, task)
        const file = await task.done
        // If the file was removed during the upload, it stays out.
        if (queue.current.has(one.key)) queue.current.set(one.key, file)
      } catch (error) {
        queue.current.delete(one.key)
        const isStopped = error instanceof DOMException && error.name === 'AbortError'
        if (!isStopped) change(one.key, { error, progress: 0 })
      } finally {
        running.current.delete(one.key)
        handOver()
      }
    },
    [change, handOver, ws],
  )

  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const refused = refusalOf(file)
        const one: Pending = {
          key: crypto.randomUUID(),
          file,
          preview: refused === 'type' ? '' : URL.createObjectURL(file),
          progress: 0,
          phase: 'sending',
          error: refused,
        }
        setPending((all) => [...all, one])
        if (!refused) void start(one)
      }
    },
    [start],
  )

  const retry = useCallback(
    (one: Pending) => {
      change(one.key, { error: null, progress: 0, phase: 'sending' })
      void start({ ...one, error: null })
    },
    [change, start],
  )

  const active = pending.some((one) => one.error === null)
  useEffect(() => {
    if (!active) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [active])

  useEffect(() => {
    const tasks = running.current
    return () => {
      for (const task of tasks.values()) task.leave()
    }
  }, [])

  const togglePause = useCallback(({ key, phase }: Pending) => {
    const task = running.current.get(key)
    if (phase === 'paused') task?.resume()
    else task?.pause()
  }, [])

  /** Adds a file that the service already has. */
  const take = useCallback((file: MediaFile) => done.current(file), [])

  return { pending, active, add, take, retry, remove, togglePause }
}

export type Uploads = ReturnType<typeof useUploads>
