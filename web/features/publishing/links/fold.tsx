import { Link2 } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { compose } from '../../../../src/publishing/posts/compose/rules.ts'
import { hasLink } from '../../../../src/publishing/posts/links/rules.ts'
import { TextField } from '../../../ui/field.tsx'
import type { Draft } from '../composer/draft.ts'
import { Choice } from '../composer/settings/choice.tsx'
import { Fold } from '../composer/settings/fold.tsx'
import { usePlace } from '../../shell/workspace.tsx'

interface Props {
  /** The networks on which readers can open links in the text. */
  platforms: readonly Platform[]
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
  open: boolean
  onOpen: (open: boolean) => void
}

/**
 * The tracking parameters of this post's links: the workspace's or its own. Shown only if the post has a link that
 * readers can open.
 */
export default function LinksFold({ platforms, draft, edit, open, onOpen }: Props) {
  const t = useTranslations('links')
  const { workspace } = usePlace()
  const texts = platforms.map((platform) => compose(draft, platform))
  if (!texts.some(({ text, comment }) => hasLink(`${text}\n${comment}`))) return null
  const on = draft.linkTags.on ?? workspace.linkTags.on
  const campaign = draft.linkTags.campaign ?? workspace.linkTags.campaign
  const change = (more: Partial<Draft['linkTags']>) =>
    edit((current) => ({ ...current, linkTags: { ...current.linkTags, ...more } }))
  return (
    <Fold
      icon={<Link2 className="size-5 p-0.5 text-muted" aria-hidden />}
      title={t('ofPost')}
      summary={
        <>
          {t(on ? 'trackingOn' : 'trackingOff')}
          {on && campaign && (
            <>
              {' · '}
              <bdi>{campaign}</bdi>
            </>
          )}
        </>
      }
      open={open}
      onOpen={onOpen}
    >
      <Choice label={t('on')} hint={t('onlyOpened')} checked={on} onChange={(next) => change({ on: next })} />
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
    </Fold>
  )
}
