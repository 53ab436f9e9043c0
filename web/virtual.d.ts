declare module 'virtual:endpoints' {
  const endpoints: Record<string, [method: string, url: string, gate?: import('../src/http/endpoint.ts').Gate]>
  export default endpoints
}

declare module '*/locales/en.ts?rare' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?rare' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/en.ts?post' {
  export const en: Partial<typeof import('./locales/en.ts').en>
}
declare module '*/locales/ar.ts?post' {
  export const ar: Partial<typeof import('./locales/en.ts').en>
}
