/** People of a demo have addresses at which nothing arrives. */
export const VISITORS = '@demo.invalid'

/** The password of everybody in a demo, so that a visitor can sign in as each role. Their addresses cannot be guessed. */
export const DEMO_PASSWORD = 'northside opens at seven'

export const isVisitor = (email: string | null) => email?.endsWith(VISITORS) === true
