import type { PostMedia } from '../../../../src/publishing/posts/api.ts'
import { readStored, writeStored } from '../../../storage.ts'
import type { Draft } from './draft.ts'

/**
 * The unsaved draft, kept in the browser so that a crash loses nothing. `version` is the version that it started from.
 */
export interface Mirrored {
  draft: Draft
  version: number | null
  at: string
  /**
   * Typed while a new post was being created. The post's own page continues with it, so it does not count as restored.
   */
  carried?: boolean
}

const keyOf = (ws: string, id: string | null) => `parley.draft.${ws}.${id ?? 'new'}`

export function readMirror(ws: string, id: string | null): Mirrored | null {
  const text = readStored(keyOf(ws, id))
  if (!text) return null
  try {
    const mirrored = JSON.parse(text) as Mirrored
    // Mirrors from before cropping existed lack these fields.
    for (const item of mirrored.draft.media as Partial<PostMedia>[]) {
      item.crops ??= {}
      if (item.file) item.file.cropped ??= []
    }
    return mirrored
  } catch (error) {
    console.warn('The unsaved text could not be read.', error)
    return null
  }
}

export function writeMirror(ws: string, id: string | null, mirrored: Mirrored) {
  if (!writeStored(keyOf(ws, id), JSON.stringify(mirrored)))
    console.warn('The unsaved text could not be kept in this browser.')
}

export const clearMirror = (ws: string, id: string | null) => writeStored(keyOf(ws, id), null)
