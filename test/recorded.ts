import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const src = join(import.meta.dirname, '../src')

/** The events whose name contains a state. */
const STATES: Record<string, string[]> = {
  publication: ['published', 'failed', 'stopped', 'unconfirmed'],
  first_comment: ['failed', 'unconfirmed'],
  removal: ['failed', 'unconfirmed'],
  approval: ['approved', 'rejected'],
  brand_voice: ['created', 'changed', 'deleted'],
  label: ['created', 'changed', 'deleted'],
  view: ['created', 'changed', 'deleted'],
  saved_reply: ['created', 'changed', 'deleted'],
  ab_test: ['created', 'changed', 'deleted', 'started', 'stopped'],
  report: ['created', 'changed', 'deleted', 'shared', 'link_revoked', 'mailed', 'sent_again'],
  escalation_rule: ['created', 'changed', 'deleted'],
  message: ['sent', 'failed', 'unconfirmed', 'hide_failed', 'hide_unconfirmed'],
}

/** Returns the types of all events that the given folders record, as found in the sources. */
export function recordedIn(...folders: string[]): Set<string> {
  const files = readdirSync(src, { recursive: true })
    .map(String)
    .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.endsWith('/subscribers.ts'))
  const types = new Set<string>()
  for (const path of files) {
    const text = readFileSync(join(src, path), 'utf8')
    for (const [, before] of text.matchAll(/\brecord\(\{\s*type: ([\s\S]{0,160}?),\s*subject/g)) {
      for (const [, type] of (before ?? '').matchAll(/'([^']+)'/g)) types.add(type ?? '')
      const made = /`(\w+)\.\$/.exec(before ?? '')?.[1]
      if (made && !STATES[made]) throw new Error(`No states are known of ${made} in ${path}`)
      for (const state of STATES[made ?? ''] ?? []) types.add(`${made}.${state}`)
      const change = /`\$\{kind\}\.(\w+)`/.exec(before ?? '')?.[1]
      for (const kind of change ? ['email', 'phone'] : []) types.add(`${kind}.${change}`)
    }
    for (const [, type] of text.matchAll(/audit: '([^']+)'/g)) types.add(type ?? '')
    // Changes of a conversation and of a password are recorded in one place each, by name.
    for (const [, type] of text.matchAll(/'((?:thread|bot|password)\.[a-z]+)'/g)) types.add(type ?? '')
  }
  return types
}
