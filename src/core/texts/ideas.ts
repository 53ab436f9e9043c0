import { ar } from './ideas/ar.ts'
import { en } from './ideas/en.ts'

/** The texts of ideas for posts, by language. */
export const ideaTexts = { en, ar }
