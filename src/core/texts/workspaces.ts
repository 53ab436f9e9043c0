import { ar } from './workspaces/ar.ts'
import { en } from './workspaces/en.ts'

/** The name of a person's first workspace, by language. */
export const firstWorkspace = { en, ar }
