import type { en } from './en.ts'

export const ar = { OWNER: 'مالك', ADMIN: 'مدير', EDITOR: 'محرّر', VIEWER: 'مشاهد', CLIENT: 'عميل' } satisfies typeof en
