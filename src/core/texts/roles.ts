import { ar } from './roles/ar.ts'
import { en } from './roles/en.ts'

/** What people call the roles in a workspace, by language. */
export const roles = { en, ar }
