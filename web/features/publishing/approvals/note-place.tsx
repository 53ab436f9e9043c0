import { Suspense } from 'react'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { lazy } from '../../../ui/part.tsx'

const Note = lazy(() => import('./note.tsx'))

/** The place for the state of a post's approval. It keeps its room until the state is known. */
export const ApprovalNote = ({ post }: { post: Post }) => (
  <Suspense fallback={post.approval && <div className="h-14 border-b" aria-hidden />}>
    <Note post={post} />
  </Suspense>
)
