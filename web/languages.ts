import type { Language } from '../src/team/identity/api.ts'

/** Every language that people can choose, under its own name. */
export const LANGUAGES: Record<Language, string> = {
  en: 'English',
  ar: 'العربية',
}
