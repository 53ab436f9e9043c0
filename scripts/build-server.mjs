// Makes of src/ what `npm start` and the operator's commands run: plain JavaScript that needs no loader, in files that Node reads at once.
import { build } from 'esbuild'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** How the product is built: one bundle for each process, with what they share in pieces. */
export const options = {
  absWorkingDir: root,
  // Beside src/, so that what looks for its neighbours finds them from here too.
  outdir: 'server',
  entryPoints: {
    main: 'src/main.ts',
    sandbox: 'src/sandbox/main.ts',
    'media-child': 'src/media/media-child.ts',
    admin: 'scripts/admin.ts',
    backup: 'scripts/backup.ts',
    restore: 'scripts/restore.ts',
  },
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  keepNames: true,
  logLevel: 'warning',
}

if (import.meta.filename === process.argv[1]) await build(options)
