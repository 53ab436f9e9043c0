import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ReviewLink } from '../../../../src/publishing/approvals/api.ts'
import { demandsApproval } from '../../../../src/publishing/posts/rules.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError, SelectField, TextField } from '../../../ui/field.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { apart } from './people.ts'
import { reviewLinksQuery } from './queries.ts'

const DAYS = [3, 7, 14, 30, 60]

/** Links for who has no account: each is made for somebody, works for some days, and can be ended. */
export function ReviewLinks({ post, onClose }: { post: Post; onClose: () => void }) {
  const t = useTranslations('approvals.links')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, workspace, membership } = usePlace()
  const [name, setName] = useState('')
  const [days, setDays] = useState(14)
  const query = useQuery(reviewLinksQuery(ws, post.id))
  const renew = () => client.invalidateQueries({ queryKey: reviewLinksQuery(ws, post.id).queryKey })
  const make = useMutation({
    mutationFn: () =>
      call('addReviewLink', { workspace: ws, params: { id: post.id }, body: { name: name.trim(), days } }),
    onSuccess: () => {
      setName('')
      void renew()
    },
  })
  const end = useMutation({
    mutationFn: (linkId: string) =>
      call('revokeReviewLinks', { workspace: ws, params: { id: post.id }, query: { linkId } }),
    onSuccess: (_answer, linkId) => {
      if (make.data?.id === linkId) make.reset()
      toast.success(t('ended'))
    },
    onError: (error) => toast.error(text(error)),
    onSettled: renew,
  })
  const fault = useFaults(make.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (!make.isPending) make.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('title')}
      description={demandsApproval(workspace.approvalMode, membership.role) ? t('leadShows') : t('lead')}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <form onSubmit={submit} className="grid gap-3">
          {make.error && !fault('/name') && <FormError>{text(make.error)}</FormError>}
          <TextField
            label={t('name')}
            hint={t('nameHint')}
            dir="auto"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={fault('/name')}
          />
          <SelectField label={t('days')} value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {DAYS.map((count) => (
              <option key={count} value={count}>
                {t('forDays', { count })}
              </option>
            ))}
          </SelectField>
          <div>
            <Button type="submit" variant="primary" busy={make.isPending}>
              {t('make')}
            </Button>
          </div>
        </form>
        {make.data?.url && <Made url={make.data.url} name={make.data.name} />}
        <Loaded query={query} skeleton={<div className="skeleton h-12" aria-hidden />}>
          {(links) =>
            links.length > 0 && (
              <ul className="card divide-y">
                {links.map((link) => (
                  <LinkRow
                    key={link.id}
                    link={link}
                    busy={end.isPending && end.variables === link.id}
                    onEnd={() => end.mutate(link.id)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  )
}

/** The address of a new link: afterwards nobody knows it any more. */
function Made({ url, name }: { url: string; name: string }) {
  const t = useTranslations('approvals.links')
  const field = useRef<HTMLInputElement>(null)
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => toast.success(t('copied')),
      () => field.current?.select(), // the browser does not allow it: by hand then
    )
  return (
    <div role="status" className="grid gap-2 rounded-lg bg-ok-soft p-3">
      <p className="text-13">{t('made', { name: apart(name) })}</p>
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

function LinkRow({ link, busy, onEnd }: { link: ReviewLink; busy: boolean; onEnd: () => void }) {
  const t = useTranslations('approvals.links')
  const format = useFormatter()
  const over = link.revokedAt !== null || Date.parse(link.expiresAt) <= Date.now()
  const date = (iso: string) => format.dateTime(new Date(iso), { dateStyle: 'medium' })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-13">
      <div className="min-w-0 grow">
        <bdi dir="auto" className="block clip font-medium">
          {link.name}
        </bdi>
        <span className="block text-xs text-muted">
          {link.revokedAt ? t('isEnded') : over ? t('isOver') : t('until', { date: date(link.expiresAt) })}
          {' · '}
          {link.openedAt ? t('opened', { date: date(link.openedAt) }) : t('unopened')}
        </span>
      </div>
      {!over && (
        <Button size="sm" busy={busy} aria-label={t('endNamed', { name: link.name })} onClick={onEnd}>
          {t('end')}
        </Button>
      )}
    </li>
  )
}
