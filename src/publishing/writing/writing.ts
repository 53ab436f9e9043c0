import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { invalid } from '../../core/errors.ts'
import { type Page, pageByName, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { claimName, lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { textsOf } from '../posts/posts-content.ts'
import {
  type HashtagSet,
  type HashtagSetPatch,
  MOST_SAVED,
  type NewHashtagSet,
  type NewTemplate,
  type Template,
  type TemplatePatch,
} from './api.ts'
import { keepable, placeholdersIn, type Written } from './rules.ts'

type Kind = 'hashtags' | 'template'
type Saved = HashtagSet | Template

const savedWhere = <S extends Saved>(workspaceId: string, kind: Kind, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: S
  }>(sql`select lower(s.name) as key, s.content || jsonb_build_object('id', s.id, 'name', s.name, 'version', s.version,
      'createdAt', iso(s.created_at), 'updatedAt', iso(s.updated_at)) as json
    from saved_writing s where s.workspace_id = ${workspaceId} and s.kind = ${kind} and ${more}`)

/** Returns a page of the sets or templates, by name. */
async function list<S extends Saved>(scope: Scope, kind: Kind, request: PageRequest): Promise<Page<S>> {
  const byName = pageByName(sql`s.name`, sql`s.id`, request)
  const [rows] = await scope.read(savedWhere<S>(scope.workspaceId, kind, byName.rows))
  return byName.of(rows)
}

export const listHashtagSets = (scope: Scope, request: PageRequest) => list<HashtagSet>(scope, 'hashtags', request)
export const listTemplates = (scope: Scope, request: PageRequest) => list<Template>(scope, 'template', request)

const listOf = (kind: Kind) => ({ table: 'saved_writing', most: MOST_SAVED, among: sql`kind = ${kind}` })

async function create<S extends Saved>(scope: Scope, kind: Kind, name: string, content: object): Promise<S> {
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    await claimName(tx, listOf(kind), { id, name })
    await tx.run(query`insert into saved_writing (workspace_id, id, kind, name, content)
      values (${tx.workspaceId}, ${id}, ${kind}, ${name}, ${JSON.stringify(content)})`)
    const isSet = kind === 'hashtags'
    tx.record({
      type: isSet ? 'hashtag_set.created' : 'template.created',
      subject: { workspaceId: tx.workspaceId },
      data: { name },
    })
    const { json } = await tx.one(savedWhere<S>(tx.workspaceId, kind, sql`s.id = ${id}`), 'not_found')
    return json
  })
}

export const createHashtagSet = (scope: Scope, { name, hashtags }: NewHashtagSet) =>
  create<HashtagSet>(scope, 'hashtags', name, { hashtags })

export const createTemplate = (scope: Scope, { name, ...input }: NewTemplate) =>
  create<Template>(scope, 'template', name, templateOf(textsOf(input)))

function templateOf(written: Written) {
  const kept = keepable(written)
  return { ...kept, placeholders: placeholdersIn(kept) }
}

/**
 * Returns a set or template and locks it against other changes until the transaction ends. Throws `not_found`,
 * `stale_version`.
 */
async function lock<S extends Saved>(tx: Tx, kind: Kind, id: string, ifMatch: number | undefined): Promise<S> {
  await tx.one(
    query`select from saved_writing where workspace_id = ${tx.workspaceId} and kind = ${kind} and id = ${id} for update`,
    'not_found',
  )
  const { json } = await tx.one(savedWhere<S>(tx.workspaceId, kind, sql`s.id = ${id}`), 'not_found')
  refuseStale(json.version, ifMatch)
  return json
}

/**
 * Changes a set or template. A patch without a difference keeps the version. Throws `not_found`, `stale_version`,
 * `name_taken`, `validation_failed`.
 */
async function update<S extends Saved>(
  scope: Scope,
  kind: Kind,
  id: string,
  patch: HashtagSetPatch | TemplatePatch,
  writable: readonly string[],
  change: (current: S) => object,
  ifMatch?: number,
): Promise<S> {
  return scope.transaction(async (tx) => {
    const current = await lock<S>(tx, kind, id, ifMatch)
    const faults = readOnlyFaults(patch, current, writable)
    if (faults.length > 0) throw invalid(...faults)
    const name = patch.name ?? current.name
    const next = { ...current, ...change(current), name }
    if (isDeepStrictEqual(next, current)) return current
    if (name !== current.name) {
      await lockList(tx)
      await claimName(tx, listOf(kind), { id, name })
    }
    const { id: _id, name: _name, version, createdAt: _made, updatedAt: _changed, ...content } = next
    await tx.one(
      query`update saved_writing set name = ${name}, content = ${JSON.stringify(content)}, version = version + 1,
        updated_at = ${tx.now} where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'stale_version',
      { current: version },
    )
    const isSet = kind === 'hashtags'
    tx.record({
      type: isSet ? 'hashtag_set.changed' : 'template.changed',
      subject: { workspaceId: tx.workspaceId },
      data: { name },
    })
    const { json } = await tx.one(savedWhere<S>(tx.workspaceId, kind, sql`s.id = ${id}`), 'not_found')
    return json
  })
}

export const updateHashtagSet = (scope: Scope, id: string, patch: HashtagSetPatch, ifMatch?: number) =>
  update<HashtagSet>(
    scope,
    'hashtags',
    id,
    patch,
    ['name', 'hashtags'],
    (current) => ({ hashtags: patch.hashtags ?? current.hashtags }),
    ifMatch,
  )

const inTemplates = [
  'name',
  'caption',
  'hashtags',
  'cta',
  'captionOverrides',
  'hashtagOverrides',
  'platformOptions',
  'linkTags',
] as const

export const updateTemplate = (scope: Scope, id: string, patch: TemplatePatch, ifMatch?: number) =>
  update<Template>(scope, 'template', id, patch, inTemplates, (current) => templateOf(textsOf(patch, current)), ifMatch)

async function remove(scope: Scope, kind: Kind, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name, version } = await lock(tx, kind, id, ifMatch)
    await tx.one(
      query`delete from saved_writing where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    const isSet = kind === 'hashtags'
    tx.record({
      type: isSet ? 'hashtag_set.deleted' : 'template.deleted',
      subject: { workspaceId: tx.workspaceId },
      data: { name },
    })
  })
}

export const deleteHashtagSet = (scope: Scope, id: string, ifMatch?: number) => remove(scope, 'hashtags', id, ifMatch)
export const deleteTemplate = (scope: Scope, id: string, ifMatch?: number) => remove(scope, 'template', id, ifMatch)
