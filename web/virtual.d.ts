declare module 'virtual:endpoints' {
  const endpoints: Record<string, [method: string, url: string, gate?: import('../src/core/http/endpoint.ts').Gate]>
  export default endpoints
}

declare module 'virtual:endpoints/admin' {
  export { default } from 'virtual:endpoints'
}
declare module 'virtual:endpoints/ai' {
  export { default } from 'virtual:endpoints'
}
declare module 'virtual:endpoints/bot' {
  export { default } from 'virtual:endpoints'
}
declare module 'virtual:endpoints/inbox' {
  export { default } from 'virtual:endpoints'
}
declare module 'virtual:endpoints/insights' {
  export { default } from 'virtual:endpoints'
}
declare module 'virtual:endpoints/predictions' {
  export { default } from 'virtual:endpoints'
}
declare module 'virtual:endpoints/transfer' {
  export { default } from 'virtual:endpoints'
}

declare module '*/locales/en.ts?rare' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?refused' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?rare' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?refused' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?admin' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?admin' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?predictions' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?predictions' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?post' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?post' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?failed' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?failed' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?reuse' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?reuse' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?writing' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?writing' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?crop' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?crop' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?insights' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?insights' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?audience' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?audience' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?inbox' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?inbox' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?bot' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?bot' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?why' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?why' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?ai' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?ai' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?today' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?today' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*.svg?url' {
  const url: string
  export default url
}
declare module '*/locales/en.ts?figures' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?figures' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?analytics' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?analytics' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?reports' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?reports' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
