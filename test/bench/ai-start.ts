import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { options } from '../../scripts/build-server.mjs'

const WITHOUT = 'server-without-ai'
const root = join(import.meta.dirname, '..', '..')

/** Replaces the routes and jobs of AI and voices with functions that do nothing. */
const nothing: Plugin = {
  name: 'nothing',
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/(ai|brand-voices)\/(routes|jobs)\.ts$/ }, ({ path, importer }) =>
      importer.startsWith(join(root, 'src', 'sandbox')) ? undefined : { path, namespace: 'nothing' },
    )
    bundle.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({
      contents: `const nothing = () => {}
        export const aiRoutes = nothing, brandVoiceRoutes = nothing
        export const aiJobs = () => ({ 'ai-suggestions': nothing, 'post-classify': nothing, 'suggestions-daily': nothing })`,
    }))
  },
}

/**
 * Returns the milliseconds of CPU time from the spawn of a process until it is ready, alternately with and without AI.
 * Elapsed time varies more between starts than it differs between the two.
 */
export async function startsOfAi(
  environment: Record<string, string>,
  tries: number,
): Promise<{ whole: number; without: number }[]> {
  await build({
    ...options,
    entryPoints: { main: 'src/main.ts' },
    outdir: WITHOUT,
    plugins: [nothing, ...(options.plugins ?? [])],
  })
  const start = async (folder: string) => {
    const child = spawn(process.execPath, [join(folder, 'main.js')], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...environment },
    })
    const exited = once(child, 'exit')
    const isReady = new Promise<boolean>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => text.includes('ready at') && resolve(true))
      void exited.then(() => resolve(false))
    })
    if (!(await isReady)) throw new Error(`${folder} did not start`)
    const [nanoseconds] = readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')
    child.kill('SIGTERM')
    await exited
    return Number(nanoseconds) / 1e6
  }
  try {
    await start(WITHOUT)
    const pairs: { whole: number; without: number }[] = []
    for (let i = 0; i < tries; i += 1) pairs.push({ whole: await start('server'), without: await start(WITHOUT) })
    return pairs
  } finally {
    await rm(join(root, WITHOUT), { recursive: true, force: true })
  }
}
