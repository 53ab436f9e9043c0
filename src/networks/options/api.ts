import * as z from 'zod'

// Options that several networks have.

/** The cover frame of a video, by its time from the start in milliseconds. Without it the network chooses. */
export const CoverAt = z.int().min(0).max(86_400_000).nullable().optional()

/** Written by the post's own account below it, once it is live. */
export const FirstCommentText = z.string().max(10_000).optional()
