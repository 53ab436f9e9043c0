import { sql } from '../../core/platform/db.ts'

/** The columns of a post or reading with its values. */
export const VALUES = [
  'reach',
  'impressions',
  'likes',
  'comments',
  'shares',
  'saves',
  'video_views',
  'engagement',
] as const

/** The values of a post or reading, as fields of a JSON object. */
export const valuesShape = (of: string) =>
  sql.raw(VALUES.map((column) => `'${column.replace('video_views', 'videoViews')}', ${of}.${column}`).join(', '))
