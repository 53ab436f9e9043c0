import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  CalendarClock,
  CircleAlert,
  CircleHelp,
  CircleStop,
  Copy,
  Hourglass,
  type LucideIcon,
  TriangleAlert,
  Unlink,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import { isRetryNext } from '../../../../src/publishing/posts/rules.ts'
import type { Trouble } from '../../../../src/publishing/sending/api.ts'
import { isolate } from '../../../bidi.ts'
import { fileUrl } from '../../../files.ts'
import { NETWORKS } from '../../../labels.ts'
import { accountsQuery } from '../../../queries.ts'
import { useCheckWords, useFailureWords } from '../../../service-words.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Thumb } from '../../../ui/row.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { useAgo } from '../../../now.ts'
import { usePostActs } from '../post/use-post-acts.ts'
import { nameOf } from './name.ts'
import { type Look, NeedRow } from './need-row.tsx'
import { useWhen } from './when.ts'

type Kind = Trouble['kind'] | 'stopped'

const LOOKS: Record<Kind, { icon: LucideIcon; tone: string; act: 'edit' | 'check' | 'open' | 'time' }> = {
  failed: { icon: CircleAlert, tone: 'text-bad', act: 'edit' },
  stopped: { icon: CircleStop, tone: 'text-muted', act: 'open' },
  unconfirmed: { icon: CircleHelp, tone: 'text-hold', act: 'check' },
  stuck: { icon: Hourglass, tone: 'text-warn', act: 'open' },
  at_risk: { icon: TriangleAlert, tone: 'text-warn', act: 'edit' },
  twice: { icon: Copy, tone: 'text-warn', act: 'open' },
  removal_failed: { icon: Unlink, tone: 'text-warn', act: 'open' },
  time_passed: { icon: CalendarClock, tone: 'text-warn', act: 'time' },
}

/** A post that was not published, may not be published, or may be live. */
export function TroubleNeed({ trouble, look, picture }: { trouble: Trouble; look: Look; picture: string | undefined }) {
  const t = useTranslations('today')
  const { ws } = usePlace()
  const detail = useDetail()
  const acts = usePostActs({ id: trouble.postId })
  const writes = useMay('retryPost')
  const { publication, removal } = trouble
  const kind = trouble.kind === 'failed' && publication?.error?.code === 'stopped' ? 'stopped' : trouble.kind
  const { icon, tone, act } = LOOKS[kind]
  const mayWrite = !writes.hidden && !writes.reason
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  const account = accounts.find(({ id }) => id === publication?.accountId)
  const retries = mayWrite && publication !== null && kind === 'failed' && isRetryNext(publication, account)
  /** The cause is not in the post itself. */
  const isOthers = publication?.error != null && publication.error.who !== 'author'
  const edits = mayWrite && act === 'edit' && !isOthers
  const [fault] = trouble.checks
  const faulty = publication?.platform ?? accounts.find(({ id }) => id === fault?.target)?.platform ?? 'all'
  return (
    <NeedRow
      icon={icon}
      tone={tone}
      picture={<Thumb url={fileUrl(picture)} />}
      title={t(`kinds.${kind === 'failed' && !publication ? 'notSent' : kind}`, {
        caption: isolate(nameOf(trouble.caption) || t('untitled')),
        network: publication ? NETWORKS[publication.platform].short : '',
      })}
      detail={detail(trouble, kind)}
      {...(publication && { platforms: [publication.platform] })}
      act={
        removal && mayWrite ? (
          <Button
            variant={look}
            size="sm"
            busy={acts.removeAgain.isPending}
            onClick={() => acts.removeAgain.mutate(removal.publicationId)}
          >
            {t('acts.retry')}
          </Button>
        ) : removal ? null : retries ? (
          <Button
            variant={look}
            size="sm"
            busy={acts.retry.isPending}
            onClick={() => acts.retry.mutate([publication.id])}
          >
            {t('acts.retry')}
          </Button>
        ) : (
          <Link
            to="/w/$ws/posts/$id"
            params={{ ws, id: trouble.postId }}
            search={edits ? { edit: faulty } : {}}
            className={buttonClass(look, 'sm')}
          >
            {t(`acts.${mayWrite && !(act === 'edit' && isOthers) ? act : 'open'}`)}
          </Link>
        )
      }
    />
  )
}

/** Returns why the post needs attention, in one line. */
function useDetail() {
  const t = useTranslations('today')
  const { ws } = usePlace()
  const { data: accounts = [] } = useQuery(accountsQuery(ws))
  const check = useCheckWords()
  const failure = useFailureWords()
  const ago = useAgo()
  const when = useWhen()
  return ({ publication, removal, checks: [first], scheduledAt, since }: Trouble, kind: Kind) => {
    if (removal?.error) return failure(removal.error).message
    if (kind === 'unconfirmed') return t('details.unconfirmed')
    if (kind === 'stuck') return t('details.stuck', { ago: ago(since) })
    if (kind === 'time_passed') return t('details.time_passed', { when: when(scheduledAt ?? since) })
    if (kind === 'stopped' && publication?.stoppedBy)
      return t('details.stopped', { name: isolate(publication.stoppedBy), ago: ago(since) })
    if (publication?.error) return failure(publication.error).message
    if (!first) return t('details.noTarget')
    const said = check(
      first,
      accounts.find(({ id }) => id === first.target),
    ).message
    return scheduledAt ? `${t('goesOut', { when: when(scheduledAt) })} · ${said}` : said
  }
}
