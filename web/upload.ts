import type { MediaFile } from '../src/media/api.ts'
import { address, ProblemError, problemOf } from './client.ts'
import { session } from './session.ts'

export interface Upload {
  done: Promise<MediaFile>
  cancel: () => void
}

/** Sends one file and tells how far it is, 0 to 1. Rejects with ProblemError; a cancelled one with an AbortError. */
export function upload(workspace: string, file: File, onProgress: (share: number) => void): Upload {
  const request = new XMLHttpRequest()
  const send = async () => {
    const token = await session.token()
    return new Promise<MediaFile>((resolve, reject) => {
      request.open('POST', address('uploadMedia'))
      request.setRequestHeader('accept', 'application/json')
      request.setRequestHeader('x-workspace-id', workspace)
      if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
      request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total)
      request.onload = () => {
        if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as MediaFile)
        else reject(problemOf(request.status, request.responseText, request.getResponseHeader('retry-after')))
      }
      request.onerror = () => reject(new ProblemError(0, { code: 'offline', title: 'The upload broke off' }))
      request.onabort = () => reject(new DOMException('Cancelled', 'AbortError'))
      const form = new FormData()
      form.append('file', file, file.name)
      request.send(form)
    })
  }
  return { done: send(), cancel: () => request.abort() }
}
