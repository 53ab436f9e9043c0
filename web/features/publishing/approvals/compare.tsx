import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostVersion } from '../../../../src/publishing/approvals/api.ts'
import type { Approval, Post } from '../../../../src/publishing/posts/api.ts'
import { isolate } from '../../../bidi.ts'
import { SelectField } from '../../../ui/select.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import Difference from './difference.tsx'
import { useMomentIn } from './people.ts'
import { approvalsQuery, versionsQuery } from './queries.ts'

/** The newest saved version that is not newer than `version`. */
const versionAt = (versions: PostVersion[], version: number) => versions.find((one) => one.version <= version)

/**
 * What has changed since the last decided version, else since the one before. Versions are sorted newest first. Renders
 * nothing for people who may not list versions.
 */
export default function Compare({ post, approval }: { post: Post; approval: Approval }) {
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listVersions')
  const versions = useInfiniteQuery({ ...versionsQuery(ws, post.id), enabled: !refused })
  const requests = useInfiniteQuery({ ...approvalsQuery(ws, undefined), enabled: !refused })
  const t = useTranslations('approvals')
  if (refused) return null
  const decided = requests.data?.pages
    .flatMap((page) => page.data)
    .find(
      (one) => one.postId === post.id && one.id < approval.id && (one.state === 'APPROVED' || one.state === 'REJECTED'),
    )
  return (
    <section className="grid gap-2" aria-labelledby="compare-title">
      <h2 id="compare-title" className="text-13 font-medium">
        {t('changes')}
      </h2>
      <Loaded query={versions} skeleton={<div className="skeleton h-16" aria-hidden />}>
        {({ pages }) => (
          <Chosen
            versions={pages.flatMap((page) => page.data)}
            shown={approval.postVersion}
            before={decided?.postVersion ?? null}
          />
        )}
      </Loaded>
    </section>
  )
}

function Chosen({ versions, shown, before }: { versions: PostVersion[]; shown: number; before: number | null }) {
  const t = useTranslations('approvals')
  const { workspace } = usePlace()
  const moment = useMomentIn(workspace.timezone)
  const [chosen, setChosen] = useState('')
  const after = versionAt(versions, shown)
  const older = versions.filter((one) => after && one.version < after.version)
  const usual = (before === null ? undefined : versionAt(older, before)) ?? older[0]
  const base = older.find((one) => one.id === chosen) ?? usual
  if (!after || !base) return <p className="text-13 text-muted">{t('firstVersion')}</p>
  return (
    <div className="grid gap-3">
      <SelectField
        label={t('comparedWith')}
        value={base.id}
        options={older.map((one) => [
          one.id,
          [moment(one.savedAt), one.savedBy && isolate(one.savedBy.name)].filter(Boolean).join(' · '),
        ])}
        onChange={setChosen}
      />
      <Difference before={base.content} after={after.content} />
    </div>
  )
}
