import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowLeft, PenLine } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import { isLasting } from '../../../../src/publishing/posts/rules.ts'
import { accountsQuery, postQuery } from '../../../queries.ts'
import { useCheckWords } from '../../../service-words.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Findings } from '../composer/checks.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { Comments } from './comments.tsx'
import { DecideBar } from './decide-bar.tsx'
import { useConsequence } from './people.ts'
import { RequestLine } from './request-line.tsx'

const Previews = lazy(async () => ({ default: (await import('../composer/preview/previews.tsx')).Previews }))
const Compare = lazy(() => import('./compare.tsx'))

/** One request: the post as on its networks, the changes, the comments, and the decision. */
export function Detail({ request, onDecided }: { request: ListedApproval; onDecided: () => void }) {
  const t = useTranslations('approvals')
  const composer = useTranslations('composer')
  const { ws, membership, workspace } = usePlace()
  const navigate = useNavigate()
  const words = useCheckWords()
  const consequence = useConsequence(workspace.timezone)
  const seesAccounts = !refusal(membership, 'listSocialAccounts')
  const post = useQuery(postQuery(ws, request.postId))
  const accounts = useQuery({ ...accountsQuery(ws), enabled: seesAccounts })
  return (
    <Loaded query={post} skeleton={<DetailSkeleton />}>
      {(data) => {
        const lasting = data.checks.find(isLasting)
        // An ended request may refer to an older version of the post.
        const now = data.approval?.id === request.id ? data.approval : null
        return (
          <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-6 px-4 py-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:px-6">
            <div className="grid min-w-0 content-start gap-5">
              <Link
                to="/w/$ws/approvals"
                params={{ ws }}
                search={({ id: _, ...before }) => before}
                className={buttonClass('secondary', 'md', 'justify-self-start lg:hidden')}
              >
                <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
                {t('back')}
              </Link>
              <div className="grid gap-1.5">
                <RequestLine approval={now ?? request} waiting={request} />
                {(now ?? request).state === 'PENDING' && (
                  <p className="text-13 text-muted">{consequence(request.asks, data.scheduledAt)}</p>
                )}
              </div>
              <div className="mx-auto grid w-full max-w-md grid-cols-[minmax(0,1fr)] gap-5">
                <Suspense fallback={<div className="skeleton h-96" aria-hidden />}>
                  <Previews all post={data} accounts={accounts.data ?? []} workspace={workspace} />
                </Suspense>
              </div>
            </div>
            <div className="grid min-w-0 content-start gap-6 lg:sticky lg:top-5 lg:self-start">
              {now && (
                <DecideBar
                  keys
                  post={data}
                  off={lasting && data.approval?.asks.act !== 'draft' ? words(lasting).message : null}
                  onDecided={onDecided}
                />
              )}
              {seesAccounts && data.checks.length > 0 && (
                <section aria-labelledby="checks-title" className="grid gap-2">
                  <h2 id="checks-title" className="text-13 font-medium">
                    {composer('checks')}
                  </h2>
                  <div className="card overflow-hidden">
                    <Findings
                      checks={data.checks}
                      accounts={accounts.data ?? []}
                      onGo={() => void navigate({ to: '/w/$ws/posts/$id', params: { ws, id: data.id } })}
                    />
                  </div>
                </section>
              )}
              <Suspense fallback={<div className="skeleton h-24" aria-hidden />}>
                <Compare post={data} approval={request} />
              </Suspense>
              <Comments postId={data.id} />
              <Link
                to="/w/$ws/posts/$id"
                params={{ ws, id: data.id }}
                className={buttonClass('secondary', 'md', 'justify-self-start')}
              >
                <PenLine className="size-4" aria-hidden />
                {t('openPost')}
              </Link>
            </div>
          </div>
        )
      }}
    </Loaded>
  )
}

export const DetailSkeleton = () => (
  <div className="grid gap-4 p-6" aria-hidden>
    <div className="skeleton h-6 w-40" />
    <div className="skeleton mx-auto h-96 w-full max-w-md" />
  </div>
)
