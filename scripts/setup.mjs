// Makes a fresh checkout ready to run by installing the packages of package-lock.json. --server also builds the server,
// --web the web app too, and --generated makes the files that the type check and the tests read. With --built, any
// earlier build is good enough. This is the only code that runs before dependencies exist, so it uses nothing but Node.
// Does nothing if everything is up to date.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const at = (...parts) => join(root, ...parts)
const ROUTE_TREE = join('web', 'routeTree.gen.ts')
const OPENAPI = join('dist', 'openapi.json')
const web = process.argv.includes('--web')
const server = web || process.argv.includes('--server')
const generated = process.argv.includes('--generated')
const lockfile = read('package-lock.json')

/** A failure that is reported without a stack trace. */
class SetupError extends Error {}

try {
  refuseOldNode()
  if (work().length > 0) await locked(doWork)
  if (web && !existsSync(at('web', 'index.html'))) {
    console.error('\n  *** web/index.html is missing: the web app is not built, and only the API is served. ***\n')
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`\n${error.message}\n`)
  process.exitCode = 1
}

function refuseOldNode() {
  const wanted = JSON.parse(read('package.json')).engines.node.replace('>=', '')
  const [a, b] = [process.versions.node, wanted].map((version) => version.split('.').map(Number))
  const older = [0, 1, 2].map((index) => a[index] - b[index]).find((difference) => difference !== 0) < 0
  if (older) {
    throw new SetupError(
      `Parley requires Node.js ${wanted} or newer, but this is ${process.versions.node}. ` +
        'Install a newer version (https://nodejs.org), then run the same command again.',
    )
  }
}

/** Returns the remaining steps, in order. */
function work() {
  // A command next to a running service must not change files under it, as long as there is a build to run.
  if (process.argv.includes('--built') && existsSync(at('server', '.parley-server'))) return []
  const build = web && existsSync(at('web', 'index.html')) && read('dist', '.parley-web') !== webHash()
  const compile = server && read('server', '.parley-server') !== serverHash()
  const draw = generated && (!existsSync(at(ROUTE_TREE)) || read('dist', '.parley-routes') !== routesHash())
  const describe = generated && (!existsSync(at(OPENAPI)) || read('dist', '.parley-openapi') !== apiHash())
  const tools = build || compile || process.env.npm_lifecycle_event !== 'prestart'
  return [
    ...(installed(tools) ? [] : [install]),
    ...(draw ? [drawRouteTree] : []),
    ...(describe ? [describeApi] : []),
    ...(compile ? [buildServer] : []),
    ...(build ? [buildWeb] : []),
  ]
}

async function doWork() {
  for (const step of work()) await step()
}

/** Whether node_modules matches package-lock.json. Without `tools`, development packages may be missing. */
function installed(tools) {
  const hash = sha256(lockfile)
  if (read('node_modules', '.parley-lock') === hash) return true
  const tree = read('node_modules', '.package-lock.json')
  if (!tree) return false
  const present = JSON.parse(tree).packages
  const wanted = Object.entries(JSON.parse(lockfile).packages).filter(([path]) => path !== '')
  const missing = wanted.filter(([path, { version, integrity, optional, devOptional }]) => {
    const found = present[path]
    return found ? found.version !== version || found.integrity !== integrity : !optional && !devOptional
  })
  if (missing.length === 0) stamp(hash, 'node_modules', '.parley-lock')
  return missing.every(([path, { dev }]) => dev && !tools && !present[path])
}

async function install() {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const flags = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const title = 'Installing packages (about a minute, first start only)'
  try {
    await run(title, [...npm, 'ci', ...flags])
  } catch (error) {
    // A lockfile made with a registry that lacks the packages for other systems does not list them, and npm ci refuses
    // it. This installs the locked versions anyway.
    if (!/Missing: .* from lock file/.test(error.message) || /Invalid: /.test(error.message)) throw error
    await run(title, [...npm, 'install', '--no-save', ...flags])
  }
  stamp(sha256(lockfile), 'node_modules', '.parley-lock')
}

async function buildWeb() {
  const hash = webHash() // before the build, so that the next start notices a change made during it
  await run('Building the web app', [process.execPath, at('node_modules', 'vite', 'bin', 'vite.js'), 'build'])
  stamp(hash, 'dist', '.parley-web')
}

async function buildServer() {
  const hash = serverHash()
  await run('Building the server', [process.execPath, at('scripts', 'build-server.mjs')])
  stamp(hash, 'server', '.parley-server')
}

async function drawRouteTree() {
  const hash = routesHash()
  await run('Generating the route tree', [process.execPath, '--import', 'tsx', at('scripts', 'route-tree.ts')])
  mkdirSync(at('dist'), { recursive: true })
  stamp(hash, 'dist', '.parley-routes')
}

async function describeApi() {
  const hash = apiHash()
  await run('Generating the API description', [process.execPath, '--import', 'tsx', at('scripts', 'openapi.ts')])
  stamp(hash, 'dist', '.parley-openapi')
}

/** A hash of everything that the route tree depends on. */
function routesHash() {
  return hashOf([...files(at('web', 'routes')), at('scripts', 'route-tree.ts'), at('package-lock.json')])
}

/** A hash of everything that the description of the API may depend on. */
function apiHash() {
  const sources = files(at('src')).filter((path) => !path.endsWith('.test.ts'))
  return hashOf([...sources, at('web', 'endpoints.ts'), at('scripts', 'openapi.ts'), at('package-lock.json')])
}

/** A hash of everything that the server build depends on. */
function serverHash() {
  const sources = ['src', 'sandbox', 'scripts']
    .flatMap((folder) => files(at(folder)))
    .filter((path) => !path.endsWith('.test.ts'))
  return hashOf([...sources, at('package-lock.json')])
}

/** A hash of everything that the web app build depends on. */
function webHash() {
  const sources = files(at('src')).filter((path) => /[\\/](api|rules)\.ts$/.test(path))
  const single = [
    'src/core/http/endpoint.ts',
    'src/core/errors.ts',
    'vite.config.ts',
    'scripts/first-files.ts',
    'scripts/route-tree.ts',
    'index.html',
    'package-lock.json',
  ].map((path) => at(path))
  return hashOf([...files(at('web')), ...sources, ...single].filter((path) => path !== at(ROUTE_TREE)))
}

function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1))) {
    if (existsSync(path)) hash.update(`${relative(root, path).split(sep).join('/')}\0`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function files(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? files(path) : [path]
  })
}

/** Runs a program with one line of progress. Its own output is shown only if it fails. */
async function run(title, [file, ...args]) {
  const begin = Date.now()
  const seconds = () => `${Math.round((Date.now() - begin) / 1000)} s`
  process.stderr.write(process.stderr.isTTY ? `${title} …` : `${title} …\n`)
  const ticking = process.stderr.isTTY && setInterval(() => process.stderr.write(`\r${title} … ${seconds()}`), 1000)
  let output = ''
  const code = await new Promise((done) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => done(error.message))
    child.once('close', (exit, signal) => done(exit ?? signal))
  })
  clearInterval(ticking)
  process.stderr.write(process.stderr.isTTY ? `\r${title}: done in ${seconds()}\n` : '')
  if (code !== 0) throw new SetupError(`${title} failed (${code}).\n${output.trim()}`)
}

/** Runs `task` while no other setup of this checkout does. A lock whose owner has exited is taken over. */
async function locked(task) {
  const lock = at('.data', 'setup.lock')
  const mine = `${lock}-${process.pid}`
  try {
    mkdirSync(at('.data'), { recursive: true, mode: 0o700 })
    rmSync(mine, { recursive: true, force: true })
    mkdirSync(mine)
    writeFileSync(join(mine, 'pid'), String(process.pid))
  } catch (error) {
    throw new SetupError(
      `${root} is not set up, and this user cannot write to it (${error.code}): run npm ci as its owner.`,
    )
  }
  try {
    for (let told = false; !take(mine, lock); await new Promise((done) => setTimeout(done, 200))) {
      if (!told) console.error('Waiting for another setup of this checkout to finish …')
      told = true
    }
    try {
      await task()
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  } finally {
    rmSync(mine, { recursive: true, force: true })
  }
}

/**
 * Takes the lock, a directory that contains the process id of its owner. Only an empty or missing directory can be the
 * target of a rename.
 */
function take(mine, lock) {
  try {
    renameSync(mine, lock)
    return true
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error
  }
  const owner = Number(read('.data', 'setup.lock', 'pid'))
  if (owner && !running(owner)) {
    const gone = `${mine}-old`
    try {
      renameSync(lock, gone)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
      return false
    }
    const taken = Number(readFileSync(join(gone, 'pid'), 'utf8'))
    if (taken === owner) rmSync(gone, { recursive: true, force: true })
    else renameSync(gone, lock) // another process was faster, and this is its lock
  }
  return false
}

function running(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Writes a stamp. If it cannot be written, the next start only takes a few milliseconds longer. */
function stamp(value, ...parts) {
  try {
    writeFileSync(at(...parts), value)
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error
  }
}

function read(...parts) {
  try {
    return readFileSync(at(...parts), 'utf8')
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(error.code)) throw error
    return ''
  }
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex')
}
