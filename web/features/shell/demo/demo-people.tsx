import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { isolate } from '../../../bidi.ts'
import { meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { membersQuery } from '../../team/members/queries.ts'
import type { Membership } from '../entries.ts'
import { DEMO_PASSWORD, isVisitor } from './visitor.ts'

/** Shows the people in this demo with their roles and email addresses, and their password. A client sees only their own. */
export default function DemoPeople({ membership, onClose }: { membership: Membership; onClose: () => void }) {
  const t = useTranslations('demo')
  const roles = useTranslations('states.roles')
  const { data: me } = useQuery(meQuery)
  const members = useInfiniteQuery(membersQuery(membership.id)).data?.pages ?? []
  const found = members
    .flatMap(({ data }) => data)
    .flatMap(({ name, role, email }) => (role && email && isVisitor(email) ? [{ name, role, email }] : []))
    .toReversed()
  const people = found.length > 0 || !me?.email ? found : [{ name: me.name, role: membership.role, email: me.email }]
  return (
    <Dialog open onOpenChange={onClose} title={t('peopleTitle')} description={t('peopleBody')}>
      <dl className="grid gap-3">
        {people.map(({ name, role, email }) => (
          <Line
            key={email}
            label={name ? t('person', { name: isolate(name), role: roles(role) }) : roles(role)}
            value={email}
            copy={t('copyAddress')}
          />
        ))}
        <Line label={t('password')} value={DEMO_PASSWORD} copy={t('copyPassword')} />
      </dl>
    </Dialog>
  )
}

function Line({ label, value, copy }: { label: string; value: string; copy: string }) {
  const t = useTranslations('demo')
  const shown = useRef<HTMLElement>(null)
  const write = () =>
    navigator.clipboard.writeText(value).then(
      () => toast.success(t('copied')),
      () => shown.current && getSelection()?.selectAllChildren(shown.current), // the browser denies clipboard access; select it for manual copying
    )
  return (
    <div className="grid grid-cols-[1fr_auto] items-center gap-x-3">
      <dt className="text-13 font-medium">{label}</dt>
      <dd className="col-start-1 min-w-0 text-13 break-words text-muted">
        <bdi ref={shown} dir="ltr">
          {value}
        </bdi>
      </dd>
      <dd className="col-start-2 row-span-2 row-start-1">
        <Button size="icon" variant="ghost" title={copy} aria-label={`${copy}: ${label}`} onClick={() => void write()}>
          <Copy className="size-4" aria-hidden />
        </Button>
      </dd>
    </div>
  )
}
