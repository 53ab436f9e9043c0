// Makes a fresh checkout ready to run: the packages of package-lock.json, with --server the server's code, with --web the
// web app too, with --generated what the type check and the tests read; with --built what was built before is good enough.
// The only code that runs before dependencies exist, so it uses nothing but Node. Does nothing when all is there.
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

/** A failure that is told without a stack. */
class SetupError extends Error {}

try {
  refuseOldNode()
  if (work().length > 0) await locked(doWork)
  if (web && !existsSync(at('web', 'index.html'))) {
    console.error('\n  *** There is no web/index.html yet: the web app is not built, only the API is served. ***\n')
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
      `Parley needs Node.js ${wanted} or newer, and this is ${process.versions.node}. ` +
        'Install a newer one (https://nodejs.org), then run the same command again.',
    )
  }
}

/** The steps still to do, in order. */
function work() {
  // A command beside a service that runs: nothing under it is changed, as long as there is something to run.
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

/** Whether node_modules is what package-lock.json says; without `tools` the development packages may be missing. */
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
    // A lockfile made where a registry has no packages for other systems lacks them, and npm ci refuses it. The
    // locked versions are installed all the same.
    if (!/Missing: .* from lock file/.test(error.message) || /Invalid: /.test(error.message)) throw error
    await run(title, [...npm, 'install', '--no-save', ...flags])
  }
  stamp(sha256(lockfile), 'node_modules', '.parley-lock')
}

async function buildWeb() {
  const hash = webHash() // of what is there before the build: a change during it is seen at the next start
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
  await run('Drawing the route tree', [process.execPath, '--import', 'tsx', at('scripts', 'route-tree.ts')])
  mkdirSync(at('dist'), { recursive: true })
  stamp(hash, 'dist', '.parley-routes')
}

async function describeApi() {
  const hash = apiHash()
  await run('Describing the API', [process.execPath, '--import', 'tsx', at('scripts', 'openapi.ts')])
  stamp(hash, 'dist', '.parley-openapi')
}

/** One hash over all that the route tree is made from. */
function routesHash() {
  return hashOf([...files(at('web', 'routes')), at('scripts', 'route-tree.ts'), at('package-lock.json')])
}

/** One hash over all that the description of the API can be made from. */
function apiHash() {
  const sources = files(at('src')).filter((path) => !path.endsWith('.test.ts'))
  return hashOf([...sources, at('web', 'endpoints.ts'), at('scripts', 'openapi.ts'), at('package-lock.json')])
}

/** One hash over all that the server is built from. */
function serverHash() {
  const sources = ['src', 'sandbox', 'scripts']
    .flatMap((folder) => files(at(folder)))
    .filter((path) => !path.endsWith('.test.ts'))
  return hashOf([...sources, at('package-lock.json')])
}

/** One hash over all that the web app is built from. */
function webHash() {
  const sources = files(at('src')).filter((path) => /[\\/](api|rules)\.ts$/.test(path))
  const single = [
    'src/core/http/endpoint.ts',
    'src/core/errors.ts',
    'vite.config.ts',
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

/** Runs a program with one line of progress; its own output is shown only when it fails. */
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

/** Runs `task` while no other setup of this checkout does; a lock whose owner is gone is taken over. */
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
      `${root} is not ready to run and cannot be written by this user (${error.code}): run npm ci as its owner.`,
    )
  }
  try {
    for (let told = false; !take(mine, lock); await new Promise((done) => setTimeout(done, 200))) {
      if (!told) console.error('Waiting for another setup of this checkout …')
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

/** The lock is a directory that holds its owner's process id; only an empty or missing one can be renamed onto. */
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
    else renameSync(gone, lock) // another one was faster, and this is its lock
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

/** A stamp that cannot be written costs the next start a few milliseconds, nothing else. */
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
