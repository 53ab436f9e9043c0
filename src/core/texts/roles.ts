import { ar } from './roles/ar.ts'
import { en } from './roles/en.ts'

/** The names of the roles, by language. */
export const roles = { en, ar }
