// Compiles src/ for `npm start` and the operator's commands to plain JavaScript that needs no loader. It is in few
// files, so that Node does not look up a thousand modules at every start.
import { build } from 'esbuild'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Leaves packages that are imported on first use in node_modules, since they do not delay the start. */
const leaveWhatIsLate = {
  name: 'leave-what-is-late',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/**
 * Writes the files with escapes for characters beyond Latin-1. V8 keeps the text of a running file, and takes two bytes
 * for each of its characters if one of them is beyond Latin-1. esbuild leaves such characters in regular expressions
 * and in tagged templates.
 */
const writeLatin1 = {
  name: 'write-latin-1',
  setup(build) {
    build.initialOptions.write = false
    build.onEnd(async ({ outputFiles = [] }) => {
      for (const { path, text, contents } of outputFiles) {
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, path.endsWith('.js') ? text.replace(/\\?[\u0100-\uffff]/g, escape) : contents)
      }
    })
  },
}

function escape(letter) {
  if (letter.length > 1) throw new Error(`A backslash before ${letter[1]} would escape its escape. Remove it.`)
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The build options of every process: one file, and separate files for code that is loaded on first use. */
export const options = {
  absWorkingDir: root,
  // Next to src/, so that relative paths to neighbouring folders also work from here.
  outdir: 'server',
  bundle: true,
  splitting: true,
  plugins: [leaveWhatIsLate, writeLatin1],
  // Native modules.
  external: ['@node-rs/*'],
  // CommonJS packages load Node's modules with this function.
  banner: {
    js: `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url)`,
  },
  platform: 'node',
  target: 'node20.20',
  format: 'esm',
  // V8 keeps the text of a file as long as it runs. Short lines keep a stack precise without the source map.
  minifyWhitespace: true,
  lineLimit: 120,
  legalComments: 'none',
  sourcemap: true,
  // Source maps contain only positions; the sources themselves are in src/.
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
  'rotate-key': 'scripts/rotate-key.ts',
}

// Separate builds: code shared between processes would be in extra files, which each process would have to open.
if (import.meta.filename === process.argv[1]) {
  await Promise.all(
    Object.entries(processes).map(([name, path]) => build({ ...options, entryPoints: { [name]: path } })),
  )
}
