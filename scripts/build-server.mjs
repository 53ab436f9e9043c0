// Makes of src/ what `npm start` and the operator's commands run: plain JavaScript that needs no loader, in few files, so that
// Node does not look for a thousand modules at every start.
import { build } from 'esbuild'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A package that is loaded on its first use is in nobody's way at the start: it stays in node_modules. */
const leaveWhatIsLate = {
  name: 'leave-what-is-late',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** How each process is built: a file, and what is loaded on its first use beside it. */
export const options = {
  absWorkingDir: root,
  // Beside src/, so that what looks for its neighbours finds them from here too.
  outdir: 'server',
  bundle: true,
  splitting: true,
  plugins: [leaveWhatIsLate],
  // No JavaScript, and what reads files beside itself.
  external: ['@node-rs/*', '@fastify/swagger-ui'],
  // Packages of the older module system ask for Node's own modules by this name.
  banner: {
    js: `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url)`,
  },
  platform: 'node',
  target: 'node20.20',
  format: 'esm',
  sourcemap: true,
  // They say where a line stands; what it says stands there.
  sourcesContent: false,
  logLevel: 'warning',
}

const processes = {
  main: 'src/main.ts',
  sandbox: 'sandbox/main.ts',
  'media-child': 'src/publishing/media/media-child.ts',
  'media-watchdog': 'src/publishing/media/media-watchdog.mjs',
  admin: 'scripts/admin.ts',
  backup: 'scripts/backup.ts',
  restore: 'scripts/restore.ts',
}

// Each by itself: what two of them share would stand in files of its own, which each then had to open.
if (import.meta.filename === process.argv[1]) {
  await Promise.all(
    Object.entries(processes).map(([name, path]) => build({ ...options, entryPoints: { [name]: path } })),
  )
}
