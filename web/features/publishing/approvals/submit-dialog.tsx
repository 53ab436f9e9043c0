import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Approval } from '../../../../src/publishing/posts/api.ts'
import { ScheduleDialog } from '../composer/schedule-dialog.tsx'
import { membersQuery } from '../../team/members/queries.ts'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { reviewLinksQuery } from './queries.ts'

type Act = Approval['asks']['act']

export interface SubmitChoices {
  onApproval: Act
  client: boolean
  /** The requested time; null for none. */
  at: Date | null
}

interface Props {
  initial: Date | string | null
  busy: boolean
  error: string | null
  queued: { accountIds: readonly string[]; postId: string | undefined }
  onClose: () => void
  onSubmit: (submission: SubmitChoices) => void
}

const ACTS = ['schedule', 'publish', 'draft'] as const satisfies readonly Act[]

/** Submits a post for approval: what happens once it is approved, and whether a client decides too. */
export default function SubmitDialog({ initial, busy, error, queued, onClose, onSubmit }: Props) {
  const t = useTranslations('approvals')
  const { workspace } = usePlace()
  const [act, setAct] = useState<Act>('schedule')
  const [chosen, setChosen] = useState<boolean | null>(null)
  const reached = useClientReached(queued.postId)
  const hint = useId()
  const client = chosen ?? reached ?? true
  const must = workspace.approvalMode === 'required_with_client'
  return (
    <ScheduleDialog
      onClose={onClose}
      title={t('submit')}
      action={t('submit')}
      initial={initial}
      busy={busy}
      error={error}
      queued={queued}
      onSchedule={(at) => onSubmit({ onApproval: 'schedule', client: must || client, at })}
      onTimeless={act === 'schedule' ? undefined : () => onSubmit({ onApproval: act, client: false, at: null })}
    >
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-13 font-medium">{t('onApproval')}</legend>
        {ACTS.map((one) => (
          <label key={one} className="flex min-h-9 items-center gap-2.5 text-13 max-sm:min-h-11">
            <input
              type="radio"
              name="onApproval"
              className="size-4 accent-(--accent)"
              checked={act === one}
              onChange={() => setAct(one)}
            />
            {t(`acts.${one}`)}
          </label>
        ))}
      </fieldset>
      {act === 'schedule' ? (
        <div>
          <label className="flex min-h-9 items-center gap-2.5 text-13 max-sm:min-h-11">
            <input
              type="checkbox"
              className="size-4 accent-(--accent)"
              checked={must || client}
              disabled={must || reached === null}
              aria-describedby={reached === false ? hint : undefined}
              onChange={(event) => setChosen(event.target.checked)}
            />
            {t(must ? 'clientMust' : 'clientToo')}
          </label>
          {reached === false && (
            <p id={hint} className="text-xs text-muted">
              <NoClient />
            </p>
          )}
        </div>
      ) : (
        <p className="text-xs text-muted">{t('teamOnly')}</p>
      )}
    </ScheduleDialog>
  )
}

/**
 * Whether any client can decide: a member with that role, or the holder of a review link. While loading, null: the
 * client box is ticked but disabled, so that it never changes after the person has seen it.
 */
function useClientReached(postId: string | undefined): boolean | null {
  const { ws, membership } = usePlace()
  const members = useInfiniteQuery(membersQuery(ws))
  const links = useInfiniteQuery({
    ...reviewLinksQuery(ws, postId),
    enabled: postId !== undefined && !refusal(membership, 'listReviewLinks'),
  })
  if (members.isPending || links.isLoading) return null
  if (!members.data || members.hasNextPage) return true
  return (
    members.data.pages.some(({ data }) => data.some((one) => 'role' in one && one.role === 'CLIENT')) ||
    (links.data?.pages ?? []).some(({ data }) =>
      data.some(({ revokedAt, expiresAt }) => revokedAt === null && Date.parse(expiresAt) > Date.now()),
    )
  )
}

/** Explains how to reach clients. */
function NoClient() {
  const t = useTranslations('approvals')
  const { ws } = usePlace()
  const may = useMay('inviteMember')
  return t.rich('noClient', {
    link: (chunks) =>
      may.hidden ? (
        chunks
      ) : (
        <Link to="/w/$ws/settings/members" params={{ ws }} className="font-medium text-accent-text underline">
          {chunks}
        </Link>
      ),
  })
}
