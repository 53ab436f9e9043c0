import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from './store.ts'

let folder: string
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'sandbox-store-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a large journal is compacted at the start, and continues from there', async () => {
  const file = join(folder, 'journal.ndjson')
  const first = await openStore(file, 1)
  first.record({ type: 'clock.advanced', ms: 1000 })
  for (let call = 0; call < 5000; call += 1) first.note({ type: 'called', userId: 'someone', at: call * 3_600_000 })
  await first.close()
  const large = (await stat(file)).size

  const second = await openStore(file, 1, 10_000)
  expect(second.state).toEqual(first.state)
  expect((await stat(file)).size).toBeLessThan(large / 100)
  second.record({ type: 'clock.advanced', ms: 500 })
  await second.close()

  const third = await openStore(file, 1)
  expect(third.state).toEqual(second.state)
  expect(third.state.offsetMs).toBe(1500)
  await third.close()
})

test('damage before the end of the journal is reported', async () => {
  const file = join(folder, 'journal.ndjson')
  const store = await openStore(file, 1)
  store.record({ type: 'clock.advanced', ms: 1000 })
  await store.close()
  await writeFile(file, (await readFile(file, 'utf8')).replace('{"type":"started"', '{"type:"started"'))
  await expect(openStore(file, 1)).rejects.toThrow('is damaged at byte 0')
})
