import type { en } from './en.ts'

export const ar = { own: 'مساحة عملي', of: 'مساحة عمل {name}' } satisfies typeof en
