import { lazy, Suspense } from 'react'
import type { Post } from '../../../../src/publishing/posts/api.ts'

const Note = lazy(() => import('./note.tsx'))

/** Where a post says how it stands with its approval; room is kept until it does. */
export const ApprovalNote = ({ post, alone }: { post: Post; alone?: boolean }) => (
  <Suspense fallback={(!alone || post.approval) && <div className="h-14 border-b" aria-hidden />}>
    <Note post={post} alone={alone ?? false} />
  </Suspense>
)
