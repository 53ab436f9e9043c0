import { relative, resolve, sep } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** A file's path from the root, with slashes. */
export const srcPath = (file) => relative(root, file).split(sep).join('/')
