import type { Post } from '../../../../src/publishing/posts/api.ts'

/** Whether a post waits for the decision of a client. Nobody publishes it until then. */
export const waitsForClient = ({ approval }: Post) => approval?.state === 'PENDING' && approval.asks.client
