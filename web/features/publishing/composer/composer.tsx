import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { CircleAlert, RotateCcw, Send } from 'lucide-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  lazy,
  Suspense,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { check, isForeseen, isLasting, isTimePassed } from '../../../../src/publishing/posts/checks/rules.ts'
import { allowed, demandsApproval } from '../../../../src/publishing/posts/rules.ts'
import { isProblem } from '../../../client.ts'
import { aiTexts } from '../../../i18n.tsx'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { configQuery } from '../../../queries.ts'
import { useCheckWords } from '../../../service-words.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Page } from '../../../ui/page.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { inOrder, type Tab, taggingOf } from './draft.ts'
import { Editor } from './editor.tsx'
import { MediaTray } from './media-tray.tsx'
import { useOwnersChecks } from './owners-checks.ts'
import { SaveNote } from './save-note.tsx'
import { NetworkTabs } from './tabs.tsx'
import { Targets } from './targets.tsx'
import { useTwins } from './use-twins.ts'
import { useActs } from './use-acts.ts'
import { useCaret } from './use-caret.ts'
import { useDraft } from './use-draft.ts'
import { useUploads } from './use-uploads.ts'

// Come a moment after the words.
const Checks = lazy(async () => ({ default: (await import('./checks.tsx')).Checks }))
const PublishDialog = lazy(() => import('./publish-dialog.tsx'))
const Preview = lazy(async () => ({ default: (await import('./preview.tsx')).Preview }))
// What few posts need.
const Options = lazy(() => import('./options.tsx'))
const ScheduleDialog = lazy(async () => ({ default: (await import('./schedule-dialog.tsx')).ScheduleDialog }))
const SubmitDialog = lazy(() => import('../approvals/submit-dialog.tsx'))
const QuotaNote = lazy(async () => ({ default: (await import('./quota-note.tsx')).QuotaNote }))
const Assistant = lazy(async () => {
  await aiTexts()
  return import('../../assistant/assistant.tsx')
})
const TimePassed = lazy(() => import('../post/time-passed.tsx'))
const Conflict = lazy(async () => ({ default: (await import('./conflict.tsx')).Conflict }))

interface Props {
  post: Post | null
  accounts: SocialAccount[]
  title: string
  heading?: ReactNode
  /** What else can be done with a stored post. */
  menu?: ReactNode
  banner?: ReactNode
  at?: string
  /** The template to begin with. */
  template?: string | undefined
  /** The suggestion to begin with. */
  idea?: string | undefined
  /** The tab to begin with. */
  first?: Tab | undefined
  /** Part of the post is live: only what these networks get can be changed, and tried again. */
  mends?: Platform[] | undefined
  /** Back to how the post went. */
  onClose?: (() => void) | undefined
}

export function Composer({
  post,
  accounts,
  title,
  heading,
  menu,
  banner,
  at,
  template,
  idea,
  first,
  mends,
  onClose,
}: Props) {
  const t = useTranslations('composer')
  const approvals = useTranslations('approvals')
  const schedule = useTranslations('schedule')
  const { ws, workspace, membership } = usePlace()
  const problemText = useProblemText()
  const locale = useLocale()
  const words = useCheckWords()
  const list = new Intl.ListFormat(locale)
  const handle = useDraft(ws, post)
  const { draft, edit, dirty } = handle
  const [risks, setRisks] = useState<Check[] | null>(null)
  const acts = useActs(handle, setRisks)
  const [tab, setTab] = useState<Tab>(first ?? mends?.[0] ?? 'all')
  const [asking, setAsking] = useState<'time' | 'approval' | null>(null)
  /** null: nobody has asked for it yet. */
  const [assists, setAssists] = useState<boolean | null>(idea ? true : null)
  const [tried, setTried] = useState(false)
  const text = useRef<HTMLTextAreaElement>(null)
  useCaret(text, handle.id)
  const picker = useRef<HTMLInputElement>(null)
  const { data: config } = useQuery(configQuery)
  const uploads = useUploads(ws, (file) =>
    edit((current) => ({
      ...current,
      media: inOrder([
        ...current.media,
        { mediaFileId: file.id, sortOrder: 0, platforms: mends ?? null, crops: {}, file: { ...file, cropped: [] } },
      ]),
    })),
  )

  const chosen = accounts.filter((account) => draft.targets.includes(account.id))
  const platforms =
    mends ?? PLATFORM_ORDER.filter((platform) => chosen.some((account) => account.platform === platform))
  const publicMedia = config?.publicMedia ?? true
  const owners = useOwnersChecks(
    draft,
    chosen.filter(({ platform }) => platforms.includes(platform)),
  )
  const tagging = useMemo(
    () => taggingOf(workspace, { scheduledAt: draft.scheduledAt }, post?.id ?? null),
    [workspace, draft.scheduledAt, post?.id],
  )
  const named = { ...tagging, account: chosen.find((one) => networks[one.platform].linkName !== null)?.name ?? '' }
  const twins = useTwins(draft, post === null)
  const content = useMemo(
    () =>
      check(draft, accounts, { publicMedia, tagging }).filter(
        ({ platform }) => !mends || platform === null || mends.includes(platform),
      ),
    [draft, accounts, publicMedia, tagging, mends],
  )
  const foreseen = (post?.checks ?? twins).filter(isForeseen)
  const checks = [...content, ...owners, ...foreseen]
  // An untouched form has no faults yet: findings are shown once there is content, or somebody tried to go on without.
  const begun =
    post !== null ||
    tried ||
    uploads.active ||
    draft.media.length > 0 ||
    [draft.caption, draft.cta, ...draft.hashtags].some((one) => one.trim() !== '')
  const shownTab = tab === 'all' || platforms.includes(tab) ? tab : 'all'
  const previewed: Platform[] = shownTab !== 'all' ? [shownTab] : platforms.length > 0 ? platforms : [PLATFORM_ORDER[0]]

  const firstError = checks.find((one) => one.severity === 'error')
  const lasting = checks.find((one) => isLasting(one) || one.code === 'no_target')
  const wait = uploads.active ? t('uploadsRunning') : handle.state === 'conflict' ? t('conflictFirst') : null
  const publishReason =
    wait ??
    (firstError
      ? words(
          firstError,
          chosen.find(({ id }) => id === firstError.target),
        ).message
      : null)
  const scheduleReason =
    wait ??
    (lasting
      ? words(
          lasting,
          chosen.find(({ id }) => id === lasting.target),
        ).message
      : null)
  const stored = post !== null
  const scheduled = post?.status === 'SCHEDULED'
  const submits = !refusal(membership, 'submitPost') && (!stored || allowed(post.status).includes('submit'))
  /** Nothing goes out by this person's hand before somebody has approved it as it is. */
  const unapproved = submits && demandsApproval(workspace.approvalMode, membership.role) && !(post?.approved && !dirty)
  const waits = post?.approval?.state === 'PENDING' && !dirty
  const late = post?.checks.find(isTimePassed)
  // Scheduled by who may decide, it would be approved in the client's place.
  const waitsForClient = waits && post?.approval?.asks.client === true
  const askTime = () => setAsking(unapproved ? 'approval' : 'time')
  const act = acts.isPending ? acts.variables.kind : null

  const go = (found: Check) => {
    if (isTimePassed(found)) {
      if (scheduleReason === null) askTime()
      return
    }
    const override = /^\/captionOverrides\/(\w+)\//.exec(found.field)?.[1]
    setTab(override ? (override as Tab) : found.field === '/caption' ? 'all' : shownTab)
    const option = /^\/platformOptions\/(\w+\/\w+)/.exec(found.field)?.[1]?.replace('/', '-')
    const id = option
      ? `field-${option}`
      : found.field.startsWith('/media')
        ? 'field-media'
        : found.field.startsWith('/hashtag')
          ? 'field-hashtags'
          : found.field === '/targets'
            ? 'field-targets'
            : 'field-caption'
    requestAnimationFrame(() => {
      const field = document.getElementById(id)
      const inner =
        id === 'field-caption' || id === 'field-hashtags'
          ? field
          : field?.querySelector<HTMLElement>('input:not(.hidden), button, a')
      ;(inner ?? field)?.focus()
    })
  }

  const refused = () => setTried(true)

  const closing = {
    onSuccess: () => setAsking(null),
    onError: (error: unknown) => isProblem(error, 'quota_exceeded') && setAsking(null),
  }

  const keys = (event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.altKey) return
    if (event.key === 'Enter' && !asking) {
      event.preventDefault()
      if (scheduleReason === null && !waitsForClient && !(unapproved && waits))
        setAsking(unapproved ? 'approval' : 'time')
      else if (lasting) {
        refused()
        go(lasting)
      }
    } else if (event.key === 's') {
      event.preventDefault()
      if (!wait && !acts.isPending && (!stored || dirty)) acts.mutate({ kind: 'draft' })
    }
  }

  const paste = (event: ClipboardEvent) => {
    const files = Array.from(event.clipboardData.files)
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }

  // A stored draft saves itself and a new one is mirrored; only what waits for "Save changes" could be left behind unseen.
  const blocker = useBlocker({
    shouldBlockFn: () => stored && !handle.autosaves && dirty,
    withResolver: true,
    enableBeforeUnload: false,
  })

  return (
    <Page
      title={title}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {heading ?? title}
          <SaveNote handle={handle} autosaves={handle.autosaves} />
          {begun && firstError && (
            <button
              type="button"
              onClick={() => go(firstError)}
              className="flex min-h-6 items-center gap-1.5 text-xs font-medium tracking-normal text-bad underline max-sm:min-h-11"
            >
              <CircleAlert className="size-3.5" aria-hidden />
              {t('problems', { count: checks.filter(({ severity }) => severity === 'error').length })}
            </button>
          )}
        </span>
      }
      actions={
        <>
          {onClose && <Button onClick={onClose}>{t('back')}</Button>}
          {menu}
          {!handle.autosaves && (
            <Button
              onClick={() => acts.mutate({ kind: 'draft' })}
              busy={act === 'draft'}
              reason={wait ?? (stored && !dirty ? t('nothingToSave') : null)}
            >
              {stored ? t('saveChanges') : t('saveDraft')}
            </Button>
          )}
          {mends && (
            <Button
              variant="primary"
              onClick={() =>
                acts.mutate({ kind: 'retry', networks: mends }, { onSuccess: (done) => done && onClose?.() })
              }
              busy={act === 'retry'}
              reason={publishReason}
            >
              <RotateCcw className="size-4" aria-hidden />
              {t('tryAgainOn', { networks: list.format(mends.map((platform) => NETWORKS[platform].name)) })}
            </Button>
          )}
          {!mends && !unapproved && (
            <>
              {submits && !waits && (
                <Button
                  onClick={() => setAsking('approval')}
                  busy={act === 'submit'}
                  reason={scheduleReason}
                  onRefused={refused}
                >
                  {approvals('submit')}
                </Button>
              )}
              {!waits && (
                <Button
                  onClick={() => acts.mutate({ kind: 'publish' })}
                  busy={act === 'publish'}
                  reason={publishReason}
                  onRefused={refused}
                >
                  <Send className="size-4 rtl:-scale-x-100" aria-hidden />
                  {t('publishNow')}
                </Button>
              )}
              {!waitsForClient && (
                <Button variant="primary" onClick={() => setAsking('time')} reason={scheduleReason} onRefused={refused}>
                  {scheduled ? t('reschedule') : t('schedule')}
                </Button>
              )}
            </>
          )}
          {!mends && unapproved && (
            <Button
              variant="primary"
              onClick={() => setAsking('approval')}
              busy={act === 'submit'}
              reason={waits ? approvals('waitsAlready') : scheduleReason}
              onRefused={refused}
            >
              {post?.approval ? approvals('submitAgain') : approvals('submit')}
            </Button>
          )}
        </>
      }
    >
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
              <Button size="sm" reason={scheduleReason} onRefused={refused} onClick={askTime}>
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
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- shortcuts of the whole form; every act has a button */}
      <div
        onKeyDown={keys}
        onPaste={paste}
        className="mx-auto grid w-full max-w-[76rem] grow grid-cols-[minmax(0,1fr)] content-start gap-6 px-4 py-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:px-6"
      >
        <div className="grid content-start gap-5">
          {mends ? (
            <p className="rounded-lg bg-accent-soft px-3 py-2.5 text-13">
              {t('fixing', { networks: list.format(mends.map((platform) => NETWORKS[platform].name)) })}
            </p>
          ) : (
            <Targets
              accounts={accounts}
              chosen={draft.targets}
              onChange={(targets) => edit((current) => ({ ...current, targets }))}
            />
          )}
          <div className="card min-w-0">
            <NetworkTabs draft={draft} platforms={platforms} checks={checks} tab={shownTab} onTab={setTab} all={!mends}>
              <Editor
                draft={draft}
                tab={shownTab}
                platforms={platforms}
                tagging={named}
                edit={edit}
                text={text}
                assists={assists === true}
                onAssist={() => setAssists(!assists)}
                onAddPicture={() => picker.current?.click()}
                template={mends ? null : template}
              />
            </NetworkTabs>
            <MediaTray draft={draft} tab={shownTab} edit={edit} uploads={uploads} picker={picker} only={mends} />
          </div>
          <Suspense>
            <Options
              draft={draft}
              edit={edit}
              accounts={chosen.filter(({ platform }) => platforms.includes(platform))}
            />
          </Suspense>
          {begun && (
            <Suspense>
              <Checks
                checks={checks}
                accounts={accounts}
                pending={uploads.active ? t('uploadsRunning') : null}
                onGo={go}
              />
            </Suspense>
          )}
        </div>
        <div className="grid gap-5 lg:sticky lg:top-5 lg:self-start">
          {assists !== null && (
            <Suspense>
              <Assistant
                open={assists}
                onOpenChange={(open) => {
                  setAssists(open)
                  if (!open) document.getElementById('assist')?.focus()
                }}
                draft={draft}
                tab={shownTab}
                onTab={setTab}
                platforms={platforms}
                tagging={named}
                postId={handle.id}
                edit={edit}
                onPicture={uploads.take}
                idea={idea}
              />
            </Suspense>
          )}
          <Suspense>
            {previewed.map((platform) => (
              <Preview
                key={platform}
                draft={draft}
                platform={platform}
                tagging={tagging}
                account={chosen.find((one) => one.platform === platform)}
              />
            ))}
          </Suspense>
        </div>
      </div>
      {asking === 'time' && (
        <Suspense>
          <ScheduleDialog
            open
            onOpenChange={(open) => {
              if (!open) setAsking(null)
              acts.reset()
            }}
            title={late ? schedule('newTime') : undefined}
            initial={post?.scheduledAt && !late ? new Date(post.scheduledAt) : (at ?? null)}
            busy={act === 'schedule' || act === 'queue'}
            error={acts.error ? problemText(acts.error) : null}
            queued={{ accountIds: draft.targets, postId: post?.id }}
            onSchedule={(time) => acts.mutate({ kind: 'schedule', at: time }, closing)}
            onQueue={() => acts.mutate({ kind: 'queue' }, closing)}
          />
        </Suspense>
      )}
      {asking === 'approval' && (
        <Suspense>
          <SubmitDialog
            initial={post?.scheduledAt ? new Date(post.scheduledAt) : (at ?? null)}
            busy={act === 'submit'}
            error={acts.error ? problemText(acts.error) : null}
            onClose={() => {
              setAsking(null)
              acts.reset()
            }}
            queued={{ accountIds: draft.targets, postId: post?.id }}
            onSubmit={(submission) => acts.mutate({ kind: 'submit', submission }, closing)}
          />
        </Suspense>
      )}
      {risks && (
        <Suspense>
          <PublishDialog
            risks={risks}
            accounts={chosen}
            onClose={() => setRisks(null)}
            onPublish={() => {
              setRisks(null)
              acts.mutate({ kind: 'publish', confirmed: true })
            }}
          />
        </Suspense>
      )}
      <Confirm
        open={blocker.status === 'blocked'}
        onOpenChange={(open) => !open && blocker.reset?.()}
        title={t('leaveTitle')}
        description={t('leaveBody')}
        action={t('leave')}
        onConfirm={() => blocker.proceed?.()}
      />
    </Page>
  )
}
