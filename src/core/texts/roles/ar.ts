import type { en } from './en.ts'

export const ar = { OWNER: 'مالك', ADMIN: 'مدير', EDITOR: 'محرّر', VIEWER: 'مطّلع', CLIENT: 'عميل' } satisfies typeof en
