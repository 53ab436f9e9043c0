/** The domain of demo email addresses, which receive nothing. */
export const VISITORS = '@demo.invalid'

/**
 * The password of everyone in a demo, so that a visitor can sign in as each role. Their email addresses cannot be
 * guessed.
 */
export const DEMO_PASSWORD = 'northside opens at seven'

export const isVisitor = (email: string | null) => email?.endsWith(VISITORS) === true
