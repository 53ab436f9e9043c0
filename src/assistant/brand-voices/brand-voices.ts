import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { claimName, lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { type BrandVoice, type BrandVoicePatch, MOST_VOICES, type NewBrandVoice, type VoiceText } from './api.ts'
import { wordsInBoth } from './rules.ts'

/** A voice `v` for the model. */
export const voiceTextShape = sql`json_build_object('toneAttributes', v.tone_attributes, 'vocabulary', v.vocabulary,
  'writingStyle', v.writing_style, 'samplePosts', v.sample_posts)`

const voicesWhere = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: BrandVoice
  }>(sql`select lower(v.name) as key, json_build_object('id', v.id, 'name', v.name, 'toneAttributes', v.tone_attributes,
      'vocabulary', v.vocabulary, 'writingStyle', v.writing_style, 'samplePosts', v.sample_posts, 'isDefault', v.is_default,
      'version', v.version, 'createdAt', iso(v.created_at), 'updatedAt', iso(v.updated_at)) as json
    from brand_voice v where v.workspace_id = ${workspaceId} and ${more}`)

/** Returns a page of the voices: the default, then the others by name. */
export async function listBrandVoices(scope: Scope, request: PageRequest): Promise<Page<BrandVoice>> {
  const columns = [
    [sql`(not v.is_default)::int`, 'bigint'],
    [sql`lower(v.name)`, 'text'],
    [sql`v.id`, 'uuid'],
  ] as const
  const inOrder = pageBy<{ key: string; json: BrandVoice }>(
    columns,
    request,
    ({ key, json }) => [json.isDefault ? 0 : 1, key, json.id],
    'asc',
  )
  const [rows] = await scope.read(voicesWhere(scope.workspaceId, inOrder.rows))
  const { data, nextCursor } = inOrder.of(rows)
  return { data: data.map(({ json }) => json), nextCursor }
}

export async function getBrandVoice(scope: Scope, id: string): Promise<BrandVoice> {
  const [[row]] = await scope.read(voicesWhere(scope.workspaceId, sql`v.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

const LIST = { table: 'brand_voice', most: MOST_VOICES, tooMany: 'too_many_voices' } as const

/** Removes the default from any other voice. */
const takeDefault = (tx: Tx, id: string) =>
  tx.run(query`update brand_voice set is_default = false, version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and is_default and id <> ${id}`)

function recordAct(tx: Tx, act: 'created' | 'changed' | 'deleted', id: string, name: string): void {
  tx.record({ type: `brand_voice.${act}`, subject: { brandVoiceId: id }, data: { name } })
}

const readVoice = async (tx: Tx, id: string): Promise<BrandVoice> =>
  (await tx.one(voicesWhere(tx.workspaceId, sql`v.id = ${id}`), 'not_found')).json

/**
 * Saves a voice. The first of a workspace is the default unless `isDefault` is false. Throws `name_taken`,
 * `too_many_voices`, `validation_failed`.
 */
export async function createBrandVoice(scope: Scope, { name, isDefault, ...text }: NewBrandVoice): Promise<BrandVoice> {
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    const others = await claimName(tx, LIST, { id, name })
    const byDefault = isDefault ?? others === 0
    if (byDefault) await takeDefault(tx, id)
    const { toneAttributes, vocabulary, writingStyle, samplePosts } = changed(silent, text)
    await tx.run(query`insert into brand_voice (workspace_id, id, name, tone_attributes, vocabulary, writing_style, sample_posts, is_default)
      values (${tx.workspaceId}, ${id}, ${name}, ${toneAttributes}, ${JSON.stringify(vocabulary)}, ${writingStyle}, ${samplePosts}, ${byDefault})`)
    recordAct(tx, 'created', id, name)
    return readVoice(tx, id)
  })
}

const silent: VoiceText = {
  toneAttributes: [],
  vocabulary: { terms: [], phrases: [], avoid: [] },
  writingStyle: '',
  samplePosts: [],
}

type TextInput = Pick<BrandVoicePatch, keyof VoiceText>

/** Applies an input to a voice. Parts of the vocabulary that are not given stay. Throws `validation_failed`. */
function changed(current: VoiceText, given: TextInput): VoiceText {
  const vocabulary = {
    terms: given.vocabulary?.terms ?? current.vocabulary.terms,
    phrases: given.vocabulary?.phrases ?? current.vocabulary.phrases,
    avoid: given.vocabulary?.avoid ?? current.vocabulary.avoid,
  }
  const both = given.vocabulary ? wordsInBoth(vocabulary) : []
  if (both.length > 0) {
    const message = `These words are listed both to use and to avoid: ${both.join(', ')}. Remove them from one list.`
    throw invalid({ path: '/vocabulary/avoid', code: 'contradicts', message })
  }
  return {
    toneAttributes: given.toneAttributes ?? current.toneAttributes,
    vocabulary,
    writingStyle: given.writingStyle ?? current.writingStyle,
    samplePosts: given.samplePosts ?? current.samplePosts,
  }
}

const writable = ['name', 'toneAttributes', 'vocabulary', 'writingStyle', 'samplePosts', 'isDefault'] as const

/**
 * Returns a voice and locks it against other changes until the transaction ends. Throws `not_found`, `stale_version`.
 */
async function lockVoice(tx: Tx, id: string, ifMatch: number | undefined): Promise<BrandVoice> {
  await lockList(tx)
  const voice = await readVoice(tx, id)
  refuseStale(voice.version, ifMatch)
  return voice
}

/**
 * Changes a voice. A patch without a difference keeps the version. Throws `not_found`, `stale_version`, `name_taken`,
 * `validation_failed`.
 */
export async function updateBrandVoice(
  scope: Scope,
  id: string,
  patch: BrandVoicePatch,
  ifMatch?: number,
): Promise<BrandVoice> {
  return scope.transaction(async (tx) => {
    const current = await lockVoice(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, writable)
    if (faults.length > 0) throw invalid(...faults)
    const name = patch.name ?? current.name
    const isDefault = patch.isDefault ?? current.isDefault
    const text = changed(current, patch)
    if (isDeepStrictEqual({ ...current, ...text, name, isDefault }, current)) return current
    if (name !== current.name) await claimName(tx, LIST, { id, name })
    if (isDefault && !current.isDefault) await takeDefault(tx, id)
    await tx.one(
      query`update brand_voice set name = ${name}, tone_attributes = ${text.toneAttributes},
        vocabulary = ${JSON.stringify(text.vocabulary)}, writing_style = ${text.writingStyle},
        sample_posts = ${text.samplePosts}, is_default = ${isDefault}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    recordAct(tx, 'changed', id, name)
    return readVoice(tx, id)
  })
}

export async function deleteBrandVoice(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name, version } = await lockVoice(tx, id, ifMatch)
    await tx.one(
      query`delete from brand_voice where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    recordAct(tx, 'deleted', id, name)
  })
}
