import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ReviewLink, SharedReviewLink } from '../../../../src/publishing/approvals/api.ts'
import { demandsApproval } from '../../../../src/publishing/posts/rules.ts'
import { isolate } from '../../../bidi.ts'
import { call, isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { More } from '../../../ui/more.tsx'
import { RemoveButton } from '../../../ui/remove-button.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { reviewLinksQuery } from './queries.ts'
import { DAY } from '../../../time.ts'

const DAYS = [3, 7, 14, 30, 60]
const USUAL_DAYS = 14
const DAY_MS = 86_400_000
/** Milliseconds below the maximum lifetime, which the service counts from when the request arrives. */
const MARGIN = 60_000

type Listed = Omit<ReviewLink, 'postId'> & Partial<Pick<SharedReviewLink, 'posts'>>

interface Props {
  postIds: string[]
  onClose: () => void
}

/**
 * Links for people without an account. Each opens one or several posts, expires after some days, and can be revoked.
 */
export function ReviewLinks({ postIds, onClose }: Props) {
  const t = useTranslations('approvals.links')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, workspace, membership } = usePlace()
  const [name, setName] = useState('')
  const [emails, setEmails] = useState('')
  const [days, setDays] = useState(USUAL_DAYS)
  const [only, ...others] = postIds
  const query = useInfiniteQuery(reviewLinksQuery(ws, others.length === 0 ? only : undefined))
  const renew = () => client.invalidateQueries({ queryKey: [ws, 'review-links'] })
  const addresses = emails.split(/[\s,;،؛]+/).filter(Boolean)
  const make = useMutation({
    mutationFn: () =>
      call('shareReviewLink', {
        workspace: ws,
        body: {
          postIds,
          expiresAt: new Date(Date.now() + days * DAY_MS - MARGIN).toISOString(),
          ...(name.trim() && { name: name.trim() }),
          ...(addresses.length > 0 && { emails: addresses }),
        },
      }).then((link) => ({ ...link, sent: addresses.length })),
    onSuccess: () => {
      setName('')
      setEmails('')
      setDays(USUAL_DAYS)
      void renew()
    },
  })
  const end = useMutation({
    mutationFn: (id: string) => call('endReviewLink', { workspace: ws, params: { id } }),
    onSuccess: (_answer, id) => {
      if (make.data?.id === id) make.reset()
      toast.success(t('ended'))
    },
    onError: (error) => toast.error(text(error)),
    onSettled: renew,
  })
  const fault = useFaults(make.error)
  const wrong = isProblem(make.error) && make.error.errors.some(({ path }) => path.startsWith('/emails'))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (!make.isPending) make.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      guarded
      title={others.length > 0 ? t('share', { count: postIds.length }) : t('title')}
      description={t(demandsApproval(workspace.approvalMode, membership.role) ? 'leadShows' : 'lead')}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <form onSubmit={submit} className="grid gap-3">
          {make.error && !wrong && !fault('/name') && (
            <FormError>
              {isProblem(make.error, 'too_many_saved')
                ? t('full', { limit: Number(make.error.problem['limit']) })
                : text(make.error)}
            </FormError>
          )}
          <TextField
            label={t('name')}
            hint={t('nameHint')}
            dir="auto"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={fault('/name')}
          />
          <TextField
            label={t('emails')}
            hint={t('emailsHint')}
            dir="ltr"
            inputMode="email"
            autoComplete="off"
            value={emails}
            onChange={(event) => setEmails(event.target.value)}
            error={wrong && t(addresses.length > MOST ? 'emailsTooMany' : 'emailsWrong', { count: MOST })}
          />
          <SelectField
            label={t('days')}
            value={String(days)}
            options={DAYS.map((count) => [String(count), t('forDays', { count })])}
            onChange={(count) => setDays(Number(count))}
          />
          <div>
            <Button type="submit" variant="primary" busy={make.isPending}>
              {t(addresses.length > 0 ? 'makeAndSend' : 'make')}
            </Button>
          </div>
        </form>
        {make.data?.url && <Made url={make.data.url} name={make.data.name} sent={make.data.sent} />}
        <Loaded query={query} skeleton={<div className="skeleton h-12" aria-hidden />}>
          {({ pages }) => {
            const links = pages.flatMap(({ data }): Listed[] => data)
            if (links.length === 0) return null
            return (
              <section className="grid gap-2" aria-labelledby="links-title">
                <h3 id="links-title" className="text-13 font-semibold">
                  {t('all')}
                </h3>
                <ul className="card divide-y">
                  {links.map((link) => (
                    <LinkRow
                      key={link.id}
                      link={link}
                      busy={end.isPending && end.variables === link.id}
                      onEnd={() => end.mutateAsync(link.id)}
                    />
                  ))}
                </ul>
                <More query={query} label={t('more')} small className="" />
              </section>
            )
          }}
        </Loaded>
      </div>
    </Dialog>
  )
}

/** The maximum number of addresses to email a link to at once. */
const MOST = 20

/** The URL of a new link, which cannot be shown again. */
function Made({ url, name, sent }: { url: string; name: string | null; sent: number }) {
  const t = useTranslations('approvals.links')
  const field = useRef<HTMLInputElement>(null)
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => toast.success(t('copied')),
      () => field.current?.select(), // the browser denies clipboard access; select it for manual copying
    )
  return (
    <div role="status" className="grid gap-2 rounded-lg bg-ok-soft p-3">
      <p className="text-13">
        {name === null ? t('madeNameless') : t('made', { name: isolate(name) })}{' '}
        {sent > 0 && t('sent', { count: sent })}
      </p>
      <div className="flex gap-2">
        <input
          ref={field}
          className="input min-w-0"
          dir="ltr"
          readOnly
          aria-label={t('address')}
          value={url}
          onFocus={(event) => event.target.select()}
        />
        <Button onClick={() => void copy()}>
          <Copy className="size-4" aria-hidden />
          {t('copy')}
        </Button>
      </div>
    </div>
  )
}

function LinkRow({ link, busy, onEnd }: { link: Listed; busy: boolean; onEnd: () => Promise<unknown> }) {
  const t = useTranslations('approvals.links')
  const format = useFormatter()
  const over = link.revokedAt !== null || Date.parse(link.expiresAt) <= Date.now()
  const date = (iso: string) => format.dateTime(new Date(iso), DAY)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-13">
      <div className="min-w-0 grow">
        <bdi dir="auto" className="block clip font-medium">
          {link.name ?? t('anyone')}
        </bdi>
        <span className="block text-xs text-muted">
          {link.revokedAt ? t('isEnded') : over ? t('isOver') : t('until', { date: date(link.expiresAt) })}
          {' · '}
          {link.posts && `${t('posts', { count: link.posts.length })} · `}
          {link.openedAt ? t('opened', { date: date(link.openedAt) }) : t('unopened')}
        </span>
      </div>
      {!over && (
        <RemoveButton
          label={t('endNamed', { name: link.name ?? t('anyone') })}
          title={t('endTitle')}
          description={t('endBody')}
          action={t('end')}
          busy={busy}
          field="input"
          onRemove={onEnd}
        >
          {t('end')}
        </RemoveButton>
      )}
    </li>
  )
}
