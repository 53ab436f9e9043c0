const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LONGEST = 500

/** The reason of a failure for an operator, without secrets, addresses and numbers. */
export const withoutSecrets = (reason: string): string =>
  reason
    .replaceAll(/(?<![^\s@])[^\s@]+@[^\s@]+\.\w+/g, '[address]')
    .replaceAll(/(?<=:\/\/)[^\s/@]+@/g, '')
    .replaceAll(/[\w+=.-]{20,}/g, (word) => (ID.test(word) || !/\d/.test(word) ? word : '[hidden]'))
    .replaceAll(/\+?\b\d{7,15}\b(?!-)/g, '[number]')
    .slice(0, LONGEST)
