// npm run contract: compares the description of the API with that of the last release, and fails for each thing that a client of
// the release would miss. Where there is no release yet it passes and says so.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { breaksOf, type Description } from './contract-rules.ts'

const root = join(import.meta.dirname, '..')
const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { maxBuffer: 1e9 })
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Description

/** The newest `v*` tag before what is checked out. */
function lastRelease(): string | undefined {
  if (!existsSync(join(root, '.git'))) return undefined
  const [tag] = git('tag', '--merged', 'HEAD', '--sort=-version:refname', '--list', 'v*').toString().split('\n')
  return tag || undefined
}

/** The description at a tag, made by the code of the tag and kept, since it never changes. */
function descriptionAt(tag: string): Description {
  const commit = git('rev-parse', `${tag}^{commit}`).toString().trim()
  const kept = join(root, 'dist', `openapi-${commit}.json`)
  if (!existsSync(kept)) {
    // Inside the checkout, so that it finds the packages.
    const copy = join(root, 'dist', `release-${commit}-${process.pid}`)
    try {
      mkdirSync(copy, { recursive: true })
      const files = git('archive', commit, 'package.json', 'tsconfig.json', 'scripts', 'src', 'web/endpoints.ts')
      execFileSync('tar', ['-x', '-C', copy], { input: files })
      execFileSync(process.execPath, ['--import', 'tsx', join(copy, 'scripts', 'openapi.ts')], { cwd: root })
      renameSync(join(copy, 'dist', 'openapi.json'), kept)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }
  return read(kept)
}

const tag = lastRelease()
if (tag === undefined) console.log('There is no release yet (no tag v*): nothing to compare the API with.')
else {
  const breaks = breaksOf(descriptionAt(tag), read(join(root, 'dist', 'openapi.json')))
  for (const line of breaks) console.error(line)
  console.log(`${breaks.length} things of the API of ${tag} are missing or narrower.`)
  if (breaks.length > 0) process.exitCode = 1
}
