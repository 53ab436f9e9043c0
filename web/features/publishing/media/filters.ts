/** The filters of the library in the address. */
export interface LibraryFilter {
  q?: string | undefined
  kind?: 'IMAGE' | 'VIDEO' | undefined
  tag?: string | undefined
  show?: 'unused' | 'undescribed' | undefined
}

/** Reads the filters from an address and ignores anything else. */
export function readLibraryFilter({ q, kind, tag, show }: Record<string, unknown>): LibraryFilter {
  return {
    ...(q ? { q: String(q).slice(0, 200) } : {}),
    ...(kind === 'IMAGE' || kind === 'VIDEO' ? { kind } : {}),
    ...(tag ? { tag: String(tag).slice(0, 50) } : {}),
    ...(show === 'unused' || show === 'undescribed' ? { show } : {}),
  }
}
