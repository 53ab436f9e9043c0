// Generates web/routeTree.gen.ts, the typed tree of the screens, from the files in web/routes. `vite build` generates
// it too, but the type check needs it before a build.
import { join } from 'node:path'
import { Generator, getConfig } from '@tanstack/router-generator'

const root = join(import.meta.dirname, '..')

export const routeTree = {
  target: 'react',
  autoCodeSplitting: true,
  routesDirectory: join(root, 'web/routes'),
  generatedRouteTree: join(root, 'web/routeTree.gen.ts'),
  quoteStyle: 'single',
  semicolons: false,
  addExtensions: true,
  tmpDir: join(root, 'node_modules/.cache/tanstack'),
} as const

if (import.meta.filename === process.argv[1]) {
  await new Generator({ config: getConfig(routeTree, root), root }).run()
}
