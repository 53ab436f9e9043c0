import { Suspense } from 'react'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { lazy } from '../../../ui/part.tsx'

const Note = lazy(() => import('./note.tsx'))

/** Reserves the space for a post's approval note until it is loaded. */
export const ApprovalNote = ({ post }: { post: Post }) => (
  <Suspense fallback={post.approval && <div className="h-14 border-b" aria-hidden />}>
    <Note post={post} />
  </Suspense>
)
