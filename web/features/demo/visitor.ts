/** Whoever looks around has an address at which nothing arrives. */
export const VISITORS = '@demo.invalid'

export const isVisitor = (email: string | null) => email?.endsWith(VISITORS) === true
