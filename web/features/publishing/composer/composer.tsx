import type { ClipboardEvent, ReactNode } from 'react'
import { Suspense, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocale, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { allowed, demandsApproval, isTimePassed, mayPublishNow } from '../../../../src/publishing/posts/rules.ts'
import { isProblem } from '../../../client.ts'
import { aiTexts } from '../../../i18n.tsx'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { useLeaveGuard } from '../../../ui/leave-guard.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'
import { momentOf } from '../../../time.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { ComposerBar } from './bar.tsx'
import { inOrder, isWritten, onlyOne, type Tab, taggingOf } from './draft.ts'
import { Editor } from './editor.tsx'
import type { FieldPlace } from './place-of.ts'
import { NetworkTabs } from './tabs.tsx'
import { useActs } from './use-acts.ts'
import { useCaret } from './use-caret.ts'
import { useComposerKeys } from './use-composer-keys.ts'
import { useDraft } from './use-draft.ts'
import { useFault } from './use-fault.ts'
import { useFindings } from './use-findings.ts'
import { useUploads } from './use-uploads.ts'
import { useView } from './use-view.ts'
import { obstaclesTo, requestOf, type SendWay, waysOf } from './ways.ts'

// These load after the text.
const BarActs = lazy(async () => ({ default: (await import('./bar-acts.tsx')).BarActs }))
const SaveNote = lazy(async () => ({ default: (await import('./save-note.tsx')).SaveNote }))
const Problems = lazy(async () => ({ default: (await import('./problems.tsx')).Problems }))
const Targets = lazy(async () => ({ default: (await import('./targets.tsx')).Targets }))
const ViewSwitch = lazy(async () => ({ default: (await import('./view-switch.tsx')).ViewSwitch }))
const MediaTray = lazy(async () => ({ default: (await import('./media-tray.tsx')).MediaTray }))
const Side = lazy(async () => ({ default: (await import('./side.tsx')).Side }))
const PanelButtons = lazy(async () => ({ default: (await import('./side.tsx')).PanelButtons }))
const Rail = lazy(async () => ({ default: (await import('./side.tsx')).Rail }))
const WhenRow = lazy(async () => ({ default: (await import('./when-row.tsx')).WhenRow }))
const Folds = lazy(() => import('./settings/folds.tsx'))
const Questions = lazy(() => import('./questions.tsx'))
// Few posts need these.
const QuotaNote = lazy(async () => ({ default: (await import('./quota-note.tsx')).QuotaNote }))
const Assistant = lazy(async () => {
  await aiTexts()
  return import('../../assistant/assistant.tsx')
})
const TimePassed = lazy(() => import('../post/time-passed.tsx'))
const Leave = lazy(() => import('./leave.tsx'))
const Conflict = lazy(async () => ({ default: (await import('./conflict.tsx')).Conflict }))

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

export function Composer({
  post,
  accounts,
  title,
  status,
  menu,
  banner,
  at,
  template,
  idea,
  fault,
  fixes,
  onClose,
}: Props) {
  const t = useTranslations('composer')
  const schedule = useTranslations('schedule')
  const { ws, workspace, membership } = usePlace()
  const list = new Intl.ListFormat(useLocale())
  const [risks, setRisks] = useState<Check[] | null>(null)
  const [asking, setAsking] = useState<'time' | 'approval' | null>(null)
  const handle = useDraft(ws, post, onlyOne(accounts), asking !== null || risks !== null)
  const { draft, edit, dirty } = handle
  const acts = useActs(handle, setRisks, asking !== null)
  const view = useView(fault ?? fixes?.[0] ?? 'all', idea !== undefined)
  const [tried, setTried] = useState(false)
  const problems = usePopup()
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
  const tagging = useMemo(
    () => taggingOf(workspace, { scheduledAt: draft.scheduledAt }, post?.id ?? null),
    [workspace, draft.scheduledAt, post?.id],
  )
  const named = { ...tagging, account: chosen.find((one) => networks[one.platform].linkName !== null)?.name ?? '' }
  const found = useFindings({ draft, post, accounts, platforms, tagging, fixes })
  // An untouched form shows no findings. They appear with content, or when the person tries to proceed without.
  const begun = post !== null || tried || uploads.active || isWritten(draft)
  const checks = (begun && found) || []
  const tab = view.tab === 'all' || platforms.includes(view.tab) ? view.tab : 'all'
  const [network = PLATFORM_ORDER[0], ...others] = platforms

  const wait = uploads.active ? t('uploadsRunning') : handle.state === 'conflict' ? t('conflictFirst') : null
  const stops = (way: SendWay | 'retry') => obstaclesTo(way, found).length > 0
  const stored = post !== null
  const submits = !refusal(membership, 'submitPost') && (!stored || allowed(post.status).includes('submit'))
  /** This person cannot publish before the current version is approved. */
  const unapproved = submits && demandsApproval(workspace.approvalMode, membership.role) && !(post?.approved && !dirty)
  const request = requestOf(post, dirty)
  const isBound = stored && !dirty && !mayPublishNow(workspace.approvalMode, membership.role, post)
  const ways = waysOf({ unapproved, isBound, submits, ...request })
  const late = post?.checks.find(isTimePassed)
  const when = post?.scheduledAt && !late ? new Date(post.scheduledAt) : at ? momentOf(at, workspace.timezone) : null
  const main = unapproved ? 'submit' : 'schedule'
  /** A time can be chosen before the problems are fixed. They block only scheduling itself. */
  const askTime = () => (stops(main) ? setAsking('time') : take(main))

  const go = (check: Check, { tab: there, fold }: FieldPlace) => {
    if (isTimePassed(check)) {
      askTime()
      return false
    }
    view.edit()
    if (there && (there === 'all' ? !fixes : platforms.includes(there))) view.setTab(there)
    if (fold) view.fold(fold, true)
    return true
  }

  useFault(fault !== undefined && !dirty, found, go)

  /** Opens the list of problems that block an action, each with its fix. */
  const showProblems = () => {
    flushSync(() => setTried(true))
    problems.show()
  }

  function take(way: SendWay) {
    if (way === 'submit' && request.waits) return
    if (stops(way)) showProblems()
    else if (way === 'schedule') setAsking('time')
    else if (way === 'submit') setAsking('approval')
    else acts.mutate({ kind: way })
  }

  const retry = () => {
    if (stops('retry')) showProblems()
    else if (fixes) acts.mutate({ kind: 'retry', networks: fixes }, { onSuccess: (done) => done && onClose?.() })
  }

  useComposerKeys(
    () => {
      if (!wait && !acts.isPending && (!stored || dirty)) acts.mutate({ kind: 'draft' })
    },
    () => {
      if (!asking && !fixes && !wait && found && (unapproved || !request.waitsForClient)) take(main)
    },
  )

  const paste = (event: ClipboardEvent) => {
    const files = Array.from(event.clipboardData.files)
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }

  // A saved draft autosaves and a new one is mirrored in the browser. Only edits that wait for "Save changes" could be
  // lost.
  const guard = useLeaveGuard(stored && !handle.autosaves && dirty, false)

  return (
    <div className="flex min-w-0 grow flex-col">
      <ComposerBar
        title={title}
        status={status}
        saved={<SaveNote handle={handle} autosaves={handle.autosaves} />}
        problems={
          begun &&
          found && <Problems popup={problems} checks={checks} accounts={chosen} uploading={uploads.active} onGo={go} />
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
        acts={
          <BarActs
            post={post}
            handle={handle}
            acts={acts}
            ways={ways}
            reason={wait}
            checked={found !== undefined}
            asked={unapproved && request.waits}
            when={when}
            fixes={fixes}
            onTake={take}
            onRetry={retry}
          />
        }
        menu={menu}
        onBack={onClose}
      />
      {isProblem(acts.error, 'quota_exceeded') && (
        <Suspense>
          <QuotaNote {...acts.error.problem} />
        </Suspense>
      )}
      {banner}
      {late && (
        <Suspense>
          <div className="border-b px-4 py-2 lg:px-6">
            <TimePassed check={late}>
              <Button size="sm" reason={wait} onClick={askTime}>
                {schedule('newTime')}
              </Button>
            </TimePassed>
          </div>
        </Suspense>
      )}
      {handle.theirs && (
        <Suspense>
          <Conflict
            mine={draft}
            theirs={handle.theirs}
            onKeepMine={() => {
              handle.keepMine()
              text.current?.focus()
            }}
            onTakeTheirs={() => {
              handle.takeTheirs()
              text.current?.focus()
            }}
          />
        </Suspense>
      )}
      <Suspense fallback={<div className="h-13 lg:hidden" aria-hidden />}>
        <ViewSwitch view={view} />
      </Suspense>
      <div
        onPaste={paste}
        className="grid grow grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_21rem_auto] xl:grid-cols-[minmax(0,1fr)_24.5rem_auto]"
      >
        <div
          className={`mx-auto grid w-full max-w-[46rem] grid-cols-[minmax(0,1fr)] content-start gap-4 px-3 pt-4 pb-24 md:px-6 md:pb-8 ${view.edits ? '' : 'max-lg:hidden'}`}
        >
          {fixes ? (
            <p className="rounded-lg bg-accent-soft px-3 py-2.5 text-13">
              {t('fixing', { networks: list.format(fixes.map((platform) => NETWORKS[platform].name)) })}
            </p>
          ) : (
            <Suspense fallback={<div className="h-16" aria-hidden />}>
              <Targets
                accounts={accounts}
                chosen={draft.targets}
                onChange={(targets) => edit((current) => ({ ...current, targets }))}
              />
            </Suspense>
          )}
          <div className="min-w-0 rounded-[14px] border border-control/40 bg-surface shadow-card">
            <NetworkTabs draft={draft} platforms={platforms} checks={checks} tab={tab} onTab={view.setTab} all={!fixes}>
              <Editor
                draft={draft}
                tab={tab}
                platforms={platforms}
                accounts={accounts}
                tagging={named}
                edit={edit}
                text={text}
                assists={view.panel === 'assistant'}
                onAssist={() => (view.panel === 'assistant' ? view.write() : view.show('assistant'))}
                onAddPicture={() => picker.current?.click()}
                template={fixes ? null : template}
              />
            </NetworkTabs>
            <Suspense fallback={<div className="h-16 border-t" aria-hidden />}>
              <MediaTray
                draft={draft}
                tab={tab}
                platforms={platforms}
                edit={edit}
                uploads={uploads}
                picker={picker}
                only={fixes}
              />
              <Folds
                draft={draft}
                edit={edit}
                tab={tab}
                platforms={platforms}
                accounts={chosen}
                checks={checks}
                open={view.folds}
                onOpen={view.fold}
              />
            </Suspense>
          </div>
          <Suspense>
            {!fixes && ways.length > 0 && (
              <WhenRow post={post} at={when} reason={wait} onChoose={askTime} labels={handle} />
            )}
          </Suspense>
        </div>
        <Suspense fallback={<div className="hidden bg-bg lg:block" aria-hidden />}>
          <Side
            view={{ ...view, tab }}
            post={post}
            draft={draft}
            platforms={[network, ...others]}
            chosen={chosen}
            tagging={tagging}
            assistant={
              view.assisted && (
                <Suspense>
                  <Assistant
                    open={view.panel === 'assistant'}
                    onOpenChange={(open) => {
                      if (open) return view.show('assistant')
                      view.write()
                      document.getElementById('assist')?.focus()
                    }}
                    draft={draft}
                    tab={tab}
                    onTab={view.setTab}
                    platforms={platforms}
                    tagging={named}
                    postId={handle.id}
                    edit={edit}
                    onPicture={uploads.take}
                    idea={idea}
                  />
                </Suspense>
              )
            }
          />
          {post && <Rail view={view} postId={post.id} />}
        </Suspense>
      </div>
      {(asking || risks) && (
        <Suspense>
          <Questions
            asking={asking}
            risks={risks}
            acts={acts}
            obstacles={post?.status === 'SCHEDULED' ? 0 : obstaclesTo('schedule', found).length}
            title={late ? schedule('newTime') : undefined}
            initial={post?.scheduledAt && !late ? new Date(post.scheduledAt) : (at ?? null)}
            queued={{ accountIds: draft.targets, postId: post?.id }}
            accounts={chosen}
            onAnswered={() => setAsking(null)}
            onRisks={setRisks}
          />
        </Suspense>
      )}
      <Suspense>{guard.isAsking && <Leave onStay={guard.stay} onLeave={guard.leave} />}</Suspense>
    </div>
  )
}
