import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, ArrowUpRight, CircleCheckBig } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SentReply } from '../../../../../src/conversations/bot/spot-check/api.ts'
import { call, isProblem } from '../../../../client.ts'
import { toast } from '../../../../toast.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Empty } from '../../../../ui/empty.tsx'
import { More } from '../../../../ui/more.tsx'
import { Page } from '../../../../ui/page.tsx'
import { Loaded } from '../../../../ui/states.tsx'
import { useInboxProblem } from '../../inbox/problem.ts'
import { Refused } from '../../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../../shell/workspace.tsx'
import { useDegree } from '../degree.ts'
import { sentQuery } from '../queries.ts'
import { Sources } from '../why/sources.tsx'

/** The sample of the replies that the bot has sent on its own, for people to check. */
export function SentScreen() {
  const t = useTranslations('why.sent')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listSentReplies')
  const query = useInfiniteQuery({ ...sentQuery(ws), enabled: !refused })
  const up = (
    <Link
      to="/w/$ws/inbox/review"
      params={{ ws }}
      aria-label={t('back')}
      className={buttonClass('ghost', 'icon', '-ms-2')}
    >
      <ArrowLeft className="size-5 rtl:rotate-180" aria-hidden />
    </Link>
  )
  return (
    <Page title={t('title')} up={up}>
      {refused ? (
        <Refused refused={refused} />
      ) : (
        <Loaded query={query} skeleton={<div className="skeleton m-6 h-64" aria-hidden />}>
          {({ pages }) => {
            const replies = pages.flatMap((page) => page.data)
            return replies.length === 0 ? (
              <Empty icon={CircleCheckBig} title={t('none')} role="status">
                {t('body')}
              </Empty>
            ) : (
              <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] content-start gap-4 p-4 lg:p-6">
                <p className="text-13 text-muted">{t('body')}</p>
                <ul className="grid grid-cols-[minmax(0,1fr)] gap-4" aria-label={t('list')}>
                  {replies.map((reply) => (
                    <li key={reply.id}>
                      <Sent reply={reply} />
                    </li>
                  ))}
                </ul>
                <More query={query} label={t('more')} className="text-center" />
              </div>
            )
          }}
        </Loaded>
      )}
    </Page>
  )
}

const REASONS = ['wrong', 'unsafe', 'off-brand'] as const

/** One sent reply, with the question above it and its sources below. */
function Sent({ reply }: { reply: SentReply }) {
  const t = useTranslations('why.sent')
  const words = useTranslations('why.draft')
  const degree = useDegree()
  const problem = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('checkSentReply')
  const [flags, setFlags] = useState(false)
  const check = useMutation({
    mutationFn: (flag: (typeof REASONS)[number] | null) =>
      call('checkSentReply', { workspace: ws, params: { id: reply.id }, body: { flag } }),
    onError: (error) => toast.error(isProblem(error, 'invalid_state') ? t('checked') : problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'conversations'] }),
  })
  return (
    <article aria-label={reply.customer ?? undefined} className="card overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5">
        <h2 className="min-w-0 grow text-13 font-semibold">
          <bdi>{reply.customer}</bdi>
        </h2>
        <span className="text-xs text-muted tabular-nums">
          {words.rich('confidence', { degree: degree(reply.confidence), b: (said) => <b>{said}</b> })}
        </span>
        <Link
          to="/w/$ws/inbox"
          params={{ ws }}
          search={{ filter: 'all', id: reply.conversationId }}
          className={buttonClass('ghost', 'sm')}
        >
          {t('open')}
          <ArrowUpRight className="size-3.5 rtl:-scale-x-100" aria-hidden />
        </Link>
      </header>
      <div className="grid gap-3 px-4 py-3">
        <p
          dir="auto"
          className="max-w-[88%] justify-self-start rounded-xl rounded-es-sm bg-hover px-3 py-2 text-13 break-words whitespace-pre-wrap"
        >
          {reply.question}
        </p>
        <p dir="auto" className="text-15 leading-6 break-words whitespace-pre-wrap">
          {reply.text}
        </p>
        {!may.hidden && !may.reason && (
          <div className="flex flex-wrap items-center gap-2">
            {flags ? (
              <>
                <span className="text-13">{t('reason')}</span>
                {REASONS.map((one) => (
                  <Button key={one} busy={check.isPending} onClick={() => check.mutate(one)}>
                    {t(`reasons.${one}`)}
                  </Button>
                ))}
                <Button variant="ghost" onClick={() => setFlags(false)}>
                  {t('cancel')}
                </Button>
              </>
            ) : (
              <>
                <Button variant="primary" busy={check.isPending} onClick={() => check.mutate(null)}>
                  {t('right')}
                </Button>
                <Button onClick={() => setFlags(true)}>{words('flag')}</Button>
              </>
            )}
          </div>
        )}
      </div>
      <div className="grid gap-3 border-t px-4 py-3 empty:hidden">
        <Sources decision={{ sources: reply.sources, vetoes: [], reply: reply.text, contextSnapshot: null }} />
      </div>
    </article>
  )
}
