import { relative, resolve, sep } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Returns the path of a file from the root, with slashes. */
export const srcPath = (file) => relative(root, file).split(sep).join('/')

/** Returns the path that an import names, or undefined if it computes the path. */
export function sourceOf({ source, argument }) {
  const named = source ?? argument?.literal ?? argument
  return named?.type === 'TemplateLiteral' && named.expressions.length === 0
    ? named.quasis[0].value.cooked
    : named?.value
}
