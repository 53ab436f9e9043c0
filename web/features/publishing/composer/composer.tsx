import { type ClipboardEvent, type ReactNode, Suspense } from 'react'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { useLeaveGuard } from '../../../ui/leave-guard.tsx'
import { lazy } from '../../../ui/part.tsx'
import { ComposerBar } from './bar.tsx'
import { ComposerBeside } from './beside.tsx'
import { ComposerDesk } from './desk.tsx'
import type { Tab } from './draft.ts'
import { ComposerNotices } from './notices.tsx'
import { useComposerKeys } from './use-composer-keys.ts'
import { useEditing } from './use-editing.ts'
import { useFindings } from './use-findings.ts'
import { useGo } from './use-go.ts'
import { useQuestion, useSending } from './use-sending.ts'

// These load after the text.
const BarActs = lazy(async () => ({ default: (await import('./bar-acts.tsx')).BarActs }))
const SaveNote = lazy(async () => ({ default: (await import('./save-note.tsx')).SaveNote }))
const Problems = lazy(async () => ({ default: (await import('./problems.tsx')).Problems }))
const ViewSwitch = lazy(async () => ({ default: (await import('./view-switch.tsx')).ViewSwitch }))
const PanelButtons = lazy(async () => ({ default: (await import('./side.tsx')).PanelButtons }))
const Questions = lazy(() => import('./questions.tsx'))
const Leave = lazy(() => import('./leave.tsx'))

export interface Props {
  post: Post | null
  accounts: SocialAccount[]
  title: string
  status?: ReactNode
  /** Further actions on a saved post. */
  menu?: ReactNode
  banner?: ReactNode
  at?: string
  /** The template to start from. */
  template?: string | undefined
  /** The suggestion to start from. */
  idea?: string | undefined
  /** The tab with the problem. The composer opens it at the first finding. */
  fault?: Tab | undefined
  /** Set if part of the post is live: the networks whose content can still be changed and retried. */
  fixes?: Platform[] | undefined
  /** Returns to the progress of the post. */
  onClose?: (() => void) | undefined
}

/** Writes a post, and sends it. */
export function Composer({ post, accounts, title, status, menu, banner, at, onClose, ...begin }: Props) {
  const { template, idea, fault, fixes } = begin
  const question = useQuestion()
  const editing = useEditing({ post, accounts, fault, fixes, assists: idea !== undefined, held: question.isOpen })
  const { handle, view, uploads, chosen } = editing
  const found = useFindings(editing)
  const sending = useSending(editing, found, question, at, onClose)
  const go = useGo(editing, found, fault !== undefined && !handle.dirty, sending.askTime)
  useComposerKeys(sending.save, sending.send)

  const paste = (event: ClipboardEvent) => {
    const files = Array.from(event.clipboardData.files)
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }

  // A saved draft autosaves and a new one is mirrored in the browser. Only edits that wait for "Save changes" could be
  // lost.
  const guard = useLeaveGuard(post !== null && !handle.autosaves && handle.dirty, { closing: false })

  return (
    <div className="flex min-w-0 grow flex-col">
      <ComposerBar
        title={title}
        status={status}
        saved={<SaveNote handle={handle} autosaves={handle.autosaves} />}
        problems={
          sending.checks && (
            <Problems
              popup={sending.problems}
              checks={sending.checks}
              accounts={chosen}
              uploading={uploads.active}
              onGo={go}
            />
          )
        }
        panels={
          post && (
            <span className="flex lg:hidden">
              <Suspense>
                <PanelButtons narrow view={view} postId={post.id} />
              </Suspense>
            </span>
          )
        }
        acts={<BarActs editing={editing} sending={sending} />}
        menu={menu}
        onBack={onClose}
      />
      <ComposerNotices editing={editing} sending={sending} banner={banner} />
      <Suspense fallback={<div className="h-13 lg:hidden" aria-hidden />}>
        <ViewSwitch view={view} />
      </Suspense>
      <div
        onPaste={paste}
        className="grid grow grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_21rem_auto] xl:grid-cols-[minmax(0,1fr)_24.5rem_auto]"
      >
        <ComposerDesk editing={editing} sending={sending} template={template} />
        <ComposerBeside editing={editing} idea={idea} />
      </div>
      {question.isOpen && (
        <Suspense>
          <Questions question={question} editing={editing} sending={sending} />
        </Suspense>
      )}
      <Suspense>{guard.isAsking && <Leave onStay={guard.stay} onLeave={guard.leave} />}</Suspense>
    </div>
  )
}
