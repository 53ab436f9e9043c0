import { expect, test } from 'vitest'
import { byName, filesAskedFor, type Known, readRow } from './rules.ts'

const none: Known = {
  timezone: 'UTC',
  isZone: () => true,
  accounts: new Map(),
  files: new Map(),
  labels: new Map(),
}

test.each([
  ['a.png', 'a.png'],
  ['b [1].png [Facebook]', 'b [1].png'],
  ['c [2].png', 'c [2].png'],
  ['d.png [ [Instagram]', 'd.png ['],
  ['e.png [2]', 'e.png [2]'],
  ['f.png [2 Facebook]', 'f.png'],
])('the networks of the file %j are in brackets with a letter after its name', (media, name) => {
  expect(filesAskedFor({ media })).toEqual([media.toLowerCase(), name])
})

test.each(['b', '1', ' [', ' [b', '[', ' [1', '] ['])(
  'a cell that repeats %j is read in time linear in its length',
  (piece) => {
    /** Returns milliseconds of CPU time, which other work does not affect. */
    const takes = (length: number) => {
      const media = `a [${piece.repeat(length / piece.length)}`
      const times = Array.from({ length: 5 }, () => {
        const began = process.cpuUsage()
        filesAskedFor({ media })
        return process.cpuUsage(began).user / 1_000
      })
      return Math.min(...times)
    }
    const length = 2_000
    const [short, long] = [takes(length), takes(16 * length)]
    // Linear time would be 16 times as long, quadratic time 256 times.
    expect(long).toBeLessThan(100 * Math.max(short, 2))
  },
)

test('of 59,000 hashtags in a cell, few are read, but more than a post can have', () => {
  const hashtags = 'a '.repeat(59_000)
  const { input } = readRow({ hashtags, 'NET_PAGE hashtags': hashtags }, none)
  expect(input).toMatchObject({ hashtags: { length: 300 }, hashtagOverrides: { NET_PAGE: { length: 300 } } })
})

test.each([
  ['separated by |', ' | ', ''],
  ['with a separator at the end', '|', '|'],
  ['with empty lines between them', '\n \n', '\n'],
])('50 names fit into a cell, %s, and 51 do not', (_, separator, end) => {
  const labels = Array.from({ length: 51 }, (__, i) => ({ id: `l${i}`, name: `Label ${i}` }))
  const known = { ...none, labels: byName(labels) }
  const cell = (count: number) =>
    labels
      .slice(0, count)
      .map(({ name }) => name)
      .join(separator) + end
  const read = (count: number) => readRow({ labels: cell(count) }, known)
  expect(read(50)).toMatchObject({ faults: [], input: { labels: labels.slice(0, 50).map(({ id }) => id) } })
  expect(read(51).faults.map(({ code }) => code)).toEqual(['too_many'])
})

test('of 100,000 empty names in a cell, none is read', () => {
  expect(readRow({ labels: `${'|'.repeat(50_000)}a${' |'.repeat(25_000)}` }, none).faults).toMatchObject([
    { code: 'unknown_label', value: 'a' },
  ])
})

test.each([
  ['#one two', ['#one', 'two']],
  ['one,two;three\nfour', ['one', 'two', 'three', 'four']],
  ['"two words" three', ['two words', 'three']],
  ['"a ""b"" c",d', ['a "b" c', 'd']],
  // Quotation marks that do not enclose a hashtag belong to it.
  ['5"long "open half', ['5"long', '"open', 'half']],
  ['"" a', ['a']],
])('the hashtags %j are read as %j', (hashtags, read) => {
  expect(readRow({ hashtags }, none).input).toMatchObject({ hashtags: read })
})

test.each(['"', '"a ', '""a ', '" ', '"a""b '])(
  'hashtags that repeat %j are read in time linear in their length',
  (piece) => {
    const takes = (length: number) => {
      const hashtags = piece.repeat(length / piece.length)
      const times = Array.from({ length: 5 }, () => {
        const began = process.cpuUsage()
        readRow({ hashtags }, none)
        return process.cpuUsage(began).user / 1_000
      })
      return Math.min(...times)
    }
    const [short, long] = [takes(6_000), takes(96_000)]
    expect(long).toBeLessThan(100 * Math.max(short, 2))
  },
)

test.each([
  [{}, undefined],
  [{ 'link tracking': 'On' }, { on: true, campaign: null }],
  [
    { 'link tracking': 'off', campaign: 'spring' },
    { on: false, campaign: 'spring' },
  ],
  [{ campaign: 'spring' }, { on: null, campaign: 'spring' }],
])('the link tracking %j is read as %j', (cells, linkTags) => {
  const { input, faults } = readRow(cells, none)
  expect([input['linkTags'], faults]).toEqual([linkTags, []])
})

test('a word for link tracking other than on and off is a fault, and crops that are no list', () => {
  const { faults } = readRow({ 'link tracking': 'yes', crops: '{"x": 1' }, none)
  expect(faults.map(({ column, code }) => [column, code])).toEqual([
    ['crops', 'malformed_json'],
    ['link tracking', 'invalid'],
  ])
})
