import { relative, resolve, sep } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Returns the path of a file from the root, with slashes. */
export const srcPath = (file) => relative(root, file).split(sep).join('/')
