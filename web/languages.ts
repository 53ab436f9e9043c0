import type { Language } from '../src/team/identity/api.ts'

/** Every language that people can choose, as it calls itself. */
export const LANGUAGES: Record<Language, string> = {
  en: 'English',
  ar: 'العربية',
}
