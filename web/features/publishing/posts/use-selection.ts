import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import type { PostsFilter } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import type { BulkRun } from './bulk-run.ts'
import { patiently } from './run-patiently.ts'

/** The maximum number of posts that are selected beyond the shown ones. */
const MOST = 1_000
const PAGE = 100

interface Matching {
  /** The filter that they match. */
  key: string
  posts: Post[]
  /** Whether these are all posts that match. */
  isWhole: boolean
}

/** The selected posts: some of those on the screen, or all that match the filter. Both change when a `run` ends. */
export function useSelection(filter: PostsFilter, run: BulkRun | null) {
  const { ws } = usePlace()
  const why = useProblemText()
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set(run && !run.running ? run.stay : []))
  const [found, setFound] = useState<Matching | null>(null)
  const key = JSON.stringify([ws, filter])
  const latest = useRef(key)
  latest.current = key
  const matching = found?.key === key ? found : null

  const select = (selected: Iterable<string>) => {
    setIds(new Set(selected))
    setFound(null)
  }

  const seen = useRef(run)
  useEffect(() => {
    if (run === seen.current) return
    seen.current = run
    // The posts that are not on the screen have changed, and are selected no longer.
    if (run && !run.running) select(run.stay)
  }, [run])

  const read = useMutation({
    mutationFn: () => readMatching(ws, filter),
    onSuccess: (answer) => {
      if (latest.current !== key) return
      setFound({ key, ...answer })
      setIds(new Set(answer.posts.map(({ id }) => id)))
    },
    onError: (error) => toast.error(why(error)),
  })

  return {
    has: (id: string) => ids.has(id),
    /** The selected posts, first those that are shown. */
    among: (shown: readonly Post[]) => {
      const posts = new Map([...(matching?.posts ?? []), ...shown].map((post) => [post.id, post]))
      return [...posts.values()].filter(({ id }) => ids.has(id))
    },
    toggle: (id: string, on: boolean) =>
      setIds((before) => new Set(on ? [...before, id] : [...before].filter((one) => one !== id))),
    select,
    matching,
    selectMatching: () => read.mutate(),
    isReading: read.isPending,
  }
}

export type Selection = ReturnType<typeof useSelection>

/** Reads the posts that match a filter, page by page, up to a limit. */
async function readMatching(ws: string, filter: PostsFilter): Promise<Omit<Matching, 'key'>> {
  const posts: Post[] = []
  let cursor: string | undefined
  do {
    const query = { ...filter, limit: PAGE, cursor }
    const page = await patiently(() => call('listPosts', { workspace: ws, query }))
    posts.push(...page.data)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && posts.length < MOST)
  return { posts, isWhole: cursor === undefined }
}
