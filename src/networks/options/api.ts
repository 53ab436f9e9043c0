import * as z from 'zod'

// Options that several networks have.

/** The time of a video's cover frame from its start, in milliseconds. Without it, the network chooses the frame. */
export const CoverAt = z.int().min(0).max(86_400_000).nullable().optional()

/** A comment that the post's own account writes below it once it is live. */
export const FirstCommentText = z.string().max(10_000).optional()
