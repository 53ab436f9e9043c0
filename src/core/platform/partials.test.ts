import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPartials } from './partials.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-partials-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('of several concurrent writers of one file, the last stops all others', async () => {
  const partials = await openPartials(folder)
  const id = randomUUID()
  await partials.create(id)
  async function* endless() {
    yield Buffer.from('a')
    await new Promise(() => {})
  }
  const writers = [1, 2, 3].map(() => partials.write(id, 0, endless()))
  const stopped = writers.map((one) => one.catch((error: unknown) => error))
  const last = partials.write(id, 0, (async function* () {})())
  for (const one of stopped) expect(await one).toMatchObject({ code: 'invalid_state' })
  await last
})
