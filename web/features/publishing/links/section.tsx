import { useId } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { hasLink } from '../../../../src/publishing/posts/links/rules.ts'
import { compose } from '../../../../src/publishing/posts/compose/rules.ts'
import { TextField } from '../../../ui/field.tsx'
import type { Draft } from '../composer/draft.ts'
import { usePlace } from '../../shell/workspace.tsx'

interface Props {
  /** The networks on which people can open a link of a text. */
  platforms: readonly Platform[]
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
}

/** What the links of this post get: as the workspace says, or otherwise. Only while there is a link that people can open. */
export default function LinksSection({ platforms, draft, edit }: Props) {
  const t = useTranslations('links')
  const { workspace } = usePlace()
  const title = useId()
  const texts = platforms.map((platform) => compose(draft, platform))
  if (!texts.some(({ text, comment }) => hasLink(`${text}\n${comment}`))) return null
  const on = draft.linkTags.on ?? workspace.linkTags.on
  const change = (more: Partial<Draft['linkTags']>) =>
    edit((current) => ({ ...current, linkTags: { ...current.linkTags, ...more } }))
  return (
    <section aria-labelledby={title} className="card grid gap-4 p-3.5">
      <h2 id={title} className="text-13 font-medium">
        {t('ofPost')}
      </h2>
      <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 max-sm:min-h-11">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          checked={on}
          aria-describedby={`${title}-hint`}
          onChange={(event) => change({ on: event.target.checked })}
        />
        <span className="min-w-0">
          {t('on')}
          <span id={`${title}-hint`} className="block text-xs text-muted">
            {t('onlyOpened')}
          </span>
        </span>
      </label>
      {on && (
        <TextField
          dir="ltr"
          label={t('campaign')}
          hint={t('ownCampaignHint')}
          maxLength={100}
          placeholder={workspace.linkTags.campaign}
          value={draft.linkTags.campaign ?? ''}
          onChange={(event) => change({ campaign: event.target.value || null })}
        />
      )}
    </section>
  )
}
