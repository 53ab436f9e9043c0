import { useMemo, useRef } from 'react'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { inOrder, onlyOne, type Tab, taggingOf } from './draft.ts'
import { useCaret } from './use-caret.ts'
import { useDraft } from './use-draft.ts'
import { useUploads } from './use-uploads.ts'
import { useView } from './use-view.ts'

interface Begin {
  post: Post | null
  accounts: SocialAccount[]
  /** The tab to begin with. */
  fault: Tab | undefined
  /** Set if part of the post is live: the networks whose content can still be changed and retried. */
  fixes: Platform[] | undefined
  /** Whether to begin with the assistant open. */
  assists: boolean
  /** Whether the draft must stay as the person sees it, because a question about it is open. */
  held: boolean
}

/** The post in the composer: its draft and uploads, its accounts and networks, and what is open on the screen. */
export function useEditing({ post, accounts, fault, fixes, assists, held }: Begin) {
  const { ws, workspace } = usePlace()
  const handle = useDraft(ws, post, onlyOne(accounts), held)
  const { draft, edit } = handle
  const view = useView(fault ?? fixes?.[0] ?? 'all', assists)
  const text = useRef<HTMLTextAreaElement>(null)
  useCaret(text, handle.id)
  const picker = useRef<HTMLInputElement>(null)
  const uploads = useUploads(ws, (file) =>
    edit((current) => ({
      ...current,
      media: inOrder([
        ...current.media,
        { mediaFileId: file.id, sortOrder: 0, platforms: fixes ?? null, crops: {}, file: { ...file, cropped: [] } },
      ]),
    })),
  )

  const chosen = accounts.filter((account) => draft.targets.includes(account.id))
  const platforms =
    fixes ?? PLATFORM_ORDER.filter((platform) => chosen.some((account) => account.platform === platform))
  const tab = view.tab === 'all' || platforms.includes(view.tab) ? view.tab : 'all'
  const tagging = useMemo(
    () => taggingOf(workspace, { scheduledAt: draft.scheduledAt }, post?.id ?? null),
    [workspace, draft.scheduledAt, post?.id],
  )
  return {
    post,
    /** All accounts of the workspace. */
    accounts,
    /** The accounts that the post is for. */
    chosen,
    platforms,
    fixes,
    handle,
    draft,
    edit,
    uploads,
    tagging,
    /** The tagging with the account that links are named after. */
    named: { ...tagging, account: chosen.find((one) => networks[one.platform].linkName !== null)?.name ?? '' },
    view,
    tab,
    text,
    picker,
  }
}

export type Editing = ReturnType<typeof useEditing>
