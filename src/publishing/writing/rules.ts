import type { Post } from '../posts/api.ts'
import { keptOptions } from '../posts/compose/rules.ts'

/** The parts of a post that a template keeps. */
export type Written = Pick<
  Post,
  'caption' | 'hashtags' | 'cta' | 'captionOverrides' | 'hashtagOverrides' | 'platformOptions' | 'linkTags'
>

const PLACEHOLDER = /\{\{\s*([\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_ -]{0,59}?)\s*\}\}/gu

/** Applies `text` to every text of a template, and `hashtag` to every hashtag. */
function mapTexts(written: Written, text: (value: string) => string, hashtag: (value: string) => string): Written {
  return {
    ...written,
    caption: text(written.caption),
    cta: text(written.cta),
    hashtags: written.hashtags.map(hashtag),
    captionOverrides: Object.fromEntries(
      Object.entries(written.captionOverrides).map(([platform, override]) => [
        platform,
        {
          ...(override.caption !== undefined && { caption: text(override.caption) }),
          ...(override.cta !== undefined && { cta: text(override.cta) }),
        },
      ]),
    ),
    hashtagOverrides: Object.fromEntries(
      Object.entries(written.hashtagOverrides).map(([platform, tags]) => [platform, tags.map(hashtag)]),
    ),
    platformOptions: Object.fromEntries(
      Object.entries(written.platformOptions).map(([platform, options]) => [
        platform,
        'firstComment' in options ? { ...options, firstComment: text(options.firstComment ?? '') } : options,
      ]),
    ),
  }
}

/** Returns the names of the placeholders, each once, in order of appearance. */
export function placeholdersIn(written: Written): string[] {
  const names = new Set<string>()
  const look = (value: string) => {
    for (const [, name] of value.matchAll(PLACEHOLDER)) names.add(name as string)
    return value
  }
  mapTexts(written, look, look)
  return [...names]
}

/**
 * Fills in the placeholders. One without a value stays visible. In a hashtag, characters that hashtags cannot have are
 * dropped.
 */
export function fill(written: Written, values: Readonly<Record<string, string>>): Written {
  const valueOf = (name: string) => (Object.hasOwn(values, name) ? values[name]?.trim() : undefined) ?? ''
  const text = (value: string) => value.replaceAll(PLACEHOLDER, (whole, name: string) => valueOf(name) || whole)
  const hashtag = (value: string) =>
    value.replaceAll(
      PLACEHOLDER,
      (whole, name: string) => valueOf(name).replaceAll(/[^\p{L}\p{M}\p{N}_]/gu, '') || whole,
    )
  return mapTexts(written, text, hashtag)
}

/**
 * Drops the options that a person must choose for every post (who sees a video, the terms), and the cover of one video.
 */
export const keepable = ({ platformOptions, ...rest }: Written): Written => ({
  ...rest,
  platformOptions: keptOptions(platformOptions, ['coverMs']),
})
