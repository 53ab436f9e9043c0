import { clsx } from 'clsx'
import {
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleStop,
  Clock,
  ExternalLink,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  PenLine,
  RotateCcw,
} from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Publication } from '../../../../src/publishing/posts/api.ts'
import { isRetryNext } from '../../../../src/publishing/posts/rules.ts'
import type { DeliveryError } from '../../../../src/delivery/api.ts'
import { isolate } from '../../../bidi.ts'
import { NETWORKS } from '../../../labels.ts'
import { useFailureWords } from '../../../service-words.ts'
import { AccountAvatar } from '../../../ui/account-avatar.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { useMoment } from '../../shell/moment.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { useWhen } from '../today/when.ts'
import type { usePostActs } from './use-post-acts.ts'

// Needed only by posts with a first comment or with an unknown outcome.
const FirstComment = lazy(async () => ({ default: (await import('./first-comment.tsx')).FirstComment }))
const Unconfirmed = lazy(async () => ({ default: (await import('./unconfirmed.tsx')).Unconfirmed }))

const LOOK: Record<Publication['state'], { icon: LucideIcon; text: string; step: number; turns?: boolean }> = {
  PENDING: { icon: Clock, text: 'text-muted', step: 1 },
  PREPARING: { icon: LoaderCircle, text: 'text-accent-text', step: 2, turns: true },
  SUBMITTING: { icon: LoaderCircle, text: 'text-accent-text', step: 3, turns: true },
  PUBLISHED: { icon: CircleCheck, text: 'text-ok', step: 4 },
  FAILED: { icon: CircleAlert, text: 'text-bad', step: 0 },
  UNCONFIRMED: { icon: CircleHelp, text: 'text-warn', step: 0 },
}

/** A person's choice is not an error. */
const STOPPED = { icon: CircleStop, text: 'text-muted', step: 0, turns: false }

/** Whether a person can stop a target: it is due, and nothing has been sent yet. */
export const isStoppable = ({ state, dueAt }: Publication) =>
  state === 'PENDING' && dueAt !== null && new Date(dueAt).getTime() <= Date.now()

interface Props {
  publication: Publication
  account: SocialAccount | undefined
  acts: ReturnType<typeof usePostActs>
  mayAct: boolean
  retries: boolean
  onEdit: ((platform: Platform) => void) | null
}

export function PublicationCard({ publication: one, account, acts, mayAct, retries, onEdit }: Props) {
  const t = useTranslations('post')
  const moment = useMoment()
  const when = useWhen()
  const stopped = one.state === 'FAILED' && one.error?.code === 'stopped'
  const look = stopped ? STOPPED : LOOK[one.state]
  const Icon = look.icon
  const network = NETWORKS[one.platform].name
  const retry = isRetryNext(one, account) ? 'primary' : 'secondary'
  const fix = retry === 'primary' ? 'secondary' : 'primary'
  const ended = one.publishedAt ?? (one.state === 'FAILED' ? one.updatedAt : null)
  return (
    <li className={clsx('grid gap-3 p-4', one.state === 'FAILED' && !stopped && 'border-s-2 border-s-bad')}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <AccountAvatar
          account={account ?? { name: one.accountName, avatarUrl: null, platform: one.platform }}
          className="size-8"
        />
        <div className="min-w-0 grow basis-24">
          <span className="block clip font-medium">{network}</span>
          <span className="block clip text-xs text-muted">
            <bdi>{one.accountName}</bdi>
          </span>
        </div>
        <div className="flex items-center gap-x-3 gap-y-0.5 max-sm:flex-col max-sm:items-end">
          <span role="status" className={clsx('flex items-center gap-1.5 text-13 font-medium', look.text)}>
            <Icon className={clsx('size-4', look.turns && 'motion-safe:animate-spin')} aria-hidden />
            {t(`states.${stopped ? 'STOPPED' : one.state}`)}
          </span>
          {ended && (
            <time dateTime={ended} title={moment(ended, 'any')} className="text-13 text-muted tabular-nums">
              {when(ended)}
            </time>
          )}
        </div>
        {one.permalink && <LiveLink href={one.permalink} network={network} />}
      </div>
      {look.step > 0 && look.step < 4 && (
        <Steps step={look.step} name={one.accountName} text={t(`states.${one.state}`)} />
      )}
      <Wait publication={one} />
      {one.state === 'SUBMITTING' && <Submitting publication={one} network={network} />}
      {mayAct && <Waiting publication={one} acts={acts} />}
      {one.firstComment && (
        <Suspense>
          <FirstComment
            comment={one.firstComment}
            mayAct={mayAct}
            busy={acts.comment.isPending}
            onRetry={() => acts.comment.mutate(one.id)}
          />
        </Suspense>
      )}
      {one.state === 'FAILED' && one.error && <Failure error={one.error} by={one.stoppedBy} at={one.updatedAt} />}
      {one.state === 'FAILED' && retries && (
        <div className="flex flex-wrap gap-2">
          {onEdit && !stopped && one.error?.who === 'author' && (
            <Button size="sm" variant={fix} onClick={() => onEdit(one.platform)}>
              <PenLine className="size-3.5" aria-hidden />
              {t('fix', { network })}
            </Button>
          )}
          {one.error?.who === 'admin' && <Reconnect variant={fix} />}
          <Button size="sm" variant={retry} busy={acts.retry.isPending} onClick={() => acts.retry.mutate([one.id])}>
            <RotateCcw className="size-3.5" aria-hidden />
            {t('retry')}
          </Button>
        </div>
      )}
      {one.state === 'UNCONFIRMED' && (
        <Suspense>
          <Unconfirmed publication={one} acts={acts} mayAct={mayAct} />
        </Suspense>
      )}
    </li>
  )
}

function Steps({ step, name, text }: { step: number; name: string; text: string }) {
  return (
    <div
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={4}
      aria-valuenow={step}
      aria-valuetext={text}
      className="grid grid-cols-4 gap-1"
    >
      {[1, 2, 3, 4].map((index) => (
        <span
          key={index}
          className={clsx(
            'h-1.5 rounded-full',
            index < step && 'bg-accent',
            index === step && 'bg-accent motion-safe:animate-pulse',
            index > step && 'bg-hover',
          )}
        />
      ))}
    </div>
  )
}

function Wait({ publication: one }: { publication: Publication }) {
  const t = useTranslations('post')
  const moment = useMoment()
  const { workspace } = usePlace()
  if (one.state !== 'PENDING') return null
  const held = one.waitReason === 'reconnect_needed'
  return (
    <div className={clsx('flex items-start gap-2 text-13', held ? 'text-warn' : 'text-muted')}>
      <Hourglass className="mt-0.5 size-4 shrink-0" aria-hidden />
      <span className="grow">
        {workspace.publishing.paused
          ? t('waits.publishing_paused')
          : one.waitReason
            ? t(`waits.${one.waitReason}`, { network: NETWORKS[one.platform].name })
            : t('waits.turn')}{' '}
        {one.nextAttemptAt &&
          new Date(one.nextAttemptAt).getTime() > Date.now() &&
          one.waitReason &&
          !workspace.publishing.paused &&
          t('nextTry', { time: moment(one.nextAttemptAt, 'today') })}
      </span>
      {held && <Reconnect />}
    </div>
  )
}

/** The actions on a waiting target: try it now, or stop it before it is sent. */
function Waiting({ publication: one, acts }: Pick<Props, 'publication' | 'acts'>) {
  const t = useTranslations('post')
  const { workspace } = usePlace()
  const begun = isStoppable(one)
  const isUnknown = one.state === 'SUBMITTING' && one.phase === 'commit'
  const later = one.nextAttemptAt !== null && new Date(one.nextAttemptAt).getTime() > Date.now()
  const retries = later && !workspace.publishing.paused && (isUnknown || one.waitReason === 'backoff')
  if (!begun && !retries) return null
  return (
    <div className="flex flex-wrap gap-2">
      {retries && (
        <Button size="sm" busy={acts.retryNow.isPending} onClick={() => acts.retryNow.mutate(one.id)}>
          <RotateCcw className="size-3.5" aria-hidden />
          {t(isUnknown ? 'checkNow' : 'retryNow')}
        </Button>
      )}
      {begun && (
        <Button size="sm" busy={acts.stop.isPending} onClick={() => acts.stop.mutate(one)}>
          <CircleStop className="size-3.5" aria-hidden />
          {t('stop')}
        </Button>
      )}
    </div>
  )
}

/** The target is being sent or processed or, if the response was lost, reconciled. */
function Submitting({ publication: one, network }: { publication: Publication; network: string }) {
  const t = useTranslations('post')
  const moment = useMoment()
  const time = one.nextAttemptAt && moment(one.nextAttemptAt, 'exact')
  return (
    <p className="text-13 text-muted">
      {one.phase === 'confirm'
        ? t('confirming', { network })
        : time
          ? t('lookedFor', { network, time })
          : t('submitting', { network })}
    </p>
  )
}

/** A link to reconnect the account, for people with permission. */
function Reconnect({ variant = 'secondary' }: { variant?: 'primary' | 'secondary' }) {
  const t = useTranslations('post')
  const { ws } = usePlace()
  const may = useMay('startConnection')
  if (may.hidden) return null
  return (
    <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass(variant, 'sm')}>
      {t('reconnect')}
    </Link>
  )
}

const LiveLink = ({ href, network }: { href: string; network: string }) => {
  const t = useTranslations('post')
  const name = t('viewOn', { network })
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      title={name}
      aria-label={`${name} ${t('newTab')}`}
      className={buttonClass('ghost', 'icon')}
    >
      <ExternalLink className="size-4" aria-hidden />
    </a>
  )
}

function Failure({ error, by, at }: { error: DeliveryError; by: string | null; at: string }) {
  const t = useTranslations('post')
  const moment = useMoment()
  const may = useMay('startConnection')
  const { message, fix, original } = useFailureWords()(error)
  if (error.code === 'stopped')
    return (
      <div className="grid gap-1 rounded-lg bg-sunken px-3 py-2.5 text-13">
        <p>
          <span className="font-medium">{by ? t('stoppedBy', { name: isolate(by) }) : message}</span> {fix}
        </p>
        <p className="text-xs text-muted">{t('stoppedAt', { time: moment(at, 'any') })}</p>
      </div>
    )
  return (
    <div className="grid gap-1 rounded-lg bg-bad-soft px-3 py-2.5 text-13">
      <p className="font-medium break-words text-bad">{message}</p>
      {original && (
        <p className="break-words">
          <bdi lang="en">{original}</bdi>
        </p>
      )}
      <p className="break-words">{fix}</p>
      <p className="text-xs text-muted">
        {error.who === 'admin' && may.hidden && `${t('adminFixes')} `}
        {t('triedAt', { time: moment(at, 'any') })}
        {error.networkCode && (
          <bdi className="ms-1">
            ({t.rich('networkCode', { code: () => <bdi dir="ltr">{error.networkCode}</bdi> })})
          </bdi>
        )}
      </p>
    </div>
  )
}
