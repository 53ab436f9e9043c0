import { useQueries } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostingOptions, SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import {
  isOwnersPlatform,
  type ContentKind,
  networks,
  optionsOf,
  type OwnersPlatform,
  type SharedOptions,
} from '../../../../src/networks/rules.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { coverable, coverOf } from '../../../../src/publishing/posts/checks/rules.ts'
import { compose, kindOf } from '../../../../src/publishing/posts/compose/rules.ts'
import { writingTexts } from '../../../i18n.tsx'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { postingOptionsQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, SelectField } from '../../../ui/field.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { Draft } from './draft.ts'

// Needed by who chooses a cover.
const CoverDialog = lazy(async () => ({ default: (await import('./cover-dialog.tsx')).CoverDialog }))
const LinksSection = lazy(async () => {
  await writingTexts()
  return import('../links/section.tsx')
})

type Chosen = Post['platformOptions']
/** The networks on which the author chooses the kind of a post. */
type AuthorsPlatform = Exclude<Platform, OwnersPlatform>
const isAuthorsPlatform = (platform: Platform): platform is AuthorsPlatform => !isOwnersPlatform(platform)
type OwnersOptions = NonNullable<Chosen[OwnersPlatform]>

interface Props {
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
  /** The accounts that the post goes to. */
  accounts: SocialAccount[]
}

/** What a network lets its author choose, or makes them choose. Nothing is shown for a network that is not chosen. */
export default function Options({ draft, edit, accounts }: Props) {
  const platforms = PLATFORM_ORDER.filter((platform) => accounts.some((account) => account.platform === platform))
  const linked = platforms.filter((platform) => networks[platform].linkName !== null)
  return (
    <>
      {platforms.filter(isOwnersPlatform).map((platform) => (
        <OwnersSection
          key={platform}
          platform={platform}
          draft={draft}
          edit={edit}
          accounts={accounts.filter((account) => account.platform === platform)}
        />
      ))}
      {linked.length > 0 && (
        <Suspense>
          <LinksSection platforms={linked} draft={draft} edit={edit} />
        </Suspense>
      )}
      {platforms.filter(isAuthorsPlatform).map((platform) => (
        <KindSection key={platform} platform={platform} draft={draft} edit={edit} />
      ))}
    </>
  )
}

function Section({ platform, children }: { platform: SocialAccount['platform']; children: ReactNode }) {
  const t = useTranslations('options')
  const title = useId()
  return (
    <section aria-labelledby={title} className="card grid gap-4 p-3.5">
      <h2 id={title} className="flex items-center gap-2 text-13 font-medium">
        <NetworkMark platform={platform} small />
        {t('title', { network: NETWORKS[platform].name })}
      </h2>
      {children}
    </section>
  )
}

/** What it is to be on a network, and what its own account says below it. */
function KindSection({ platform, draft, edit }: Omit<Props, 'accounts'> & { platform: AuthorsPlatform }) {
  const t = useTranslations('options')
  const chosen: SharedOptions = optionsOf(draft.platformOptions, platform)
  const change = (more: SharedOptions) =>
    edit((current) => ({
      ...current,
      platformOptions: {
        ...current.platformOptions,
        [platform]: { ...current.platformOptions[platform], ...more },
      },
    }))
  const { media } = compose(draft, platform)
  const kind = kindOf(draft, platform)
  const reel = kind === 'reel' || (kind === 'post' && media.length === 1 && media[0]?.file.kind === 'VIDEO')
  const { kinds, commentLimit, covers, reelsInFeed } = networks[platform]
  return (
    <Section platform={platform}>
      <SelectField
        id={`field-${platform}-kind`}
        label={t('kind')}
        hint={t(`kindHints.${platform}.${kind as 'post'}`)}
        value={kind}
        onChange={(event) => change({ kind: event.target.value as ContentKind })}
      >
        {(['post', ...Object.keys(kinds)] as 'post'[]).map((each) => (
          <option key={each} value={each}>
            {t(`kinds.${each}`)}
          </option>
        ))}
      </SelectField>
      {covers && <CoverRow platform={platform} draft={draft} onChange={(coverMs) => change({ coverMs })} />}
      {reelsInFeed && reel && (
        <Choice
          label={t('shareToFeed')}
          checked={chosen.shareToFeed !== false}
          onChange={(shareToFeed) => change({ shareToFeed })}
        />
      )}
      {(kind !== 'story' || chosen.firstComment) && (
        <label className="grid gap-1">
          <span className="text-13 font-medium">{t('firstComment')}</span>
          <textarea
            id={`field-${platform}-firstComment`}
            className="input min-h-24"
            dir="auto"
            maxLength={commentLimit ?? undefined}
            value={chosen.firstComment ?? ''}
            aria-describedby={`hint-${platform}-firstComment`}
            onChange={(event) => change({ firstComment: event.target.value })}
          />
          <span id={`hint-${platform}-firstComment`} className="text-xs text-muted">
            {t('firstCommentHint')}
          </span>
        </label>
      )}
    </Section>
  )
}

interface CoverProps {
  platform: Platform
  draft: Draft
  onChange: (coverMs: number | null) => void
}

/** Which frame stands for a video, where one can be chosen. */
function CoverRow({ platform, draft, onChange }: CoverProps) {
  const t = useTranslations('options')
  const [open, setOpen] = useState(false)
  const video = coverable(draft, platform)
  const at = coverOf(draft, platform)
  const network = NETWORKS[platform].name
  if (!video?.file.storageUrl) return null
  return (
    <div id={`field-${platform}-coverMs`} tabIndex={-1} className="flex flex-wrap items-center gap-3 outline-none">
      <Button size="sm" onClick={() => setOpen(true)}>
        {t('chooseCover')}
      </Button>
      <p className="text-xs text-muted">
        {at === null ? t('coverNone', { network }) : t('coverSet', { seconds: at / 1000 })}
      </p>
      {open && (
        <Suspense>
          <CoverDialog
            file={video.file}
            network={network}
            at={at}
            onClose={() => setOpen(false)}
            onChoose={(next) => {
              onChange(next)
              setOpen(false)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

/** What the owners of accounts decide: who posts, who may see it, what others may do with it, and whether somebody pays for it. */
function OwnersSection({ platform, draft, edit, accounts }: Props & { platform: OwnersPlatform }) {
  const t = useTranslations('options')
  const { ws } = usePlace()
  const problem = useProblemText()
  const found = useQueries({ queries: accounts.map(({ id }) => postingOptionsQuery(ws, id)) })
  const network = NETWORKS[platform].name
  const chosen = draft.platformOptions[platform] ?? {}
  const change = (more: OwnersOptions) =>
    edit((current) => ({
      ...current,
      platformOptions: { ...current.platformOptions, [platform]: { ...current.platformOptions[platform], ...more } },
    }))
  const failed = found.find(({ error }) => error)
  const creators = found.flatMap(({ data }) => data ?? [])
  const waiting = creators.length < accounts.length
  const levels = common(creators)
  const pictures = kindOf(draft, platform) === networks[platform].ofPictures
  const off = (key: 'commentDisabled' | 'duetDisabled' | 'stitchDisabled') => creators.every((each) => each[key])
  const longest = Math.min(...creators.map(({ maxSeconds }) => maxSeconds))
  const gone = !waiting && Boolean(chosen.privacyLevel) && !levels.includes(chosen.privacyLevel ?? '')
  return (
    <Section platform={platform}>
      {failed ? (
        <FormError>
          <p>{t('unread', { network, why: problem(failed.error) })}</p>
          <Button size="sm" className="mt-2" onClick={() => void failed.refetch()} busy={failed.isFetching}>
            {t('retry')}
          </Button>
        </FormError>
      ) : (
        <p className="min-h-10 text-13 text-muted" aria-busy={waiting}>
          {waiting
            ? t('asking', { network })
            : t.rich(pictures ? 'postsPicturesAs' : 'postsAs', {
                names: creators.map(({ nickname }) => nickname).join(', '),
                minutes: Math.floor(longest / 60),
                seconds: longest % 60,
                b: (part) => (
                  <b className="font-semibold text-fg">
                    <bdi>{part}</bdi>
                  </b>
                ),
              })}
        </p>
      )}
      <SelectField
        id={`field-${platform}-privacyLevel`}
        label={t('privacy')}
        hint={t('privacyHint')}
        error={gone ? t('privacyGone') : undefined}
        aria-busy={waiting}
        value={chosen.privacyLevel ?? ''}
        onChange={(event) => change({ privacyLevel: event.target.value as OwnersOptions['privacyLevel'] })}
      >
        <option value="" disabled>
          {t('choose')}
        </option>
        {[...new Set([...levels, ...(chosen.privacyLevel ? [chosen.privacyLevel] : [])])].map((level) => (
          <option key={level} value={level} disabled={level === 'SELF_ONLY' && chosen.brandContent === true}>
            {t.has(`levels.${level as 'SELF_ONLY'}`) ? t(`levels.${level as 'SELF_ONLY'}`) : level}
          </option>
        ))}
      </SelectField>
      <CoverRow platform={platform} draft={draft} onChange={(coverMs) => change({ coverMs })} />
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-13 font-medium">{t('allow')}</legend>
        {(
          [
            ['allowComment', 'commentDisabled'],
            ['allowDuet', 'duetDisabled'],
            ['allowStitch', 'stitchDisabled'],
          ] as const
        )
          // Nobody makes a duet of pictures.
          .filter(([key]) => key === 'allowComment' || !pictures)
          .map(([key, disabled]) => (
            <Choice
              key={key}
              label={t(key)}
              hint={creators.length > 0 && off(disabled) ? t('offByOwner') : undefined}
              disabled={creators.length > 0 && off(disabled)}
              checked={chosen[key] === true && !(creators.length > 0 && off(disabled))}
              onChange={(on) => change({ [key]: on })}
            />
          ))}
      </fieldset>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-13 font-medium">{t('advertising')}</legend>
        <Choice
          label={t('brandOrganic')}
          hint={chosen.brandOrganic ? t('brandOrganicNote') : t('brandOrganicHint')}
          checked={chosen.brandOrganic === true}
          onChange={(brandOrganic) => change({ brandOrganic })}
        />
        <Choice
          id={`field-${platform}-brandContent`}
          label={t('brandContent')}
          hint={
            chosen.privacyLevel === 'SELF_ONLY'
              ? t('brandContentPrivate')
              : chosen.brandContent
                ? t('brandContentNote')
                : t('brandContentHint')
          }
          disabled={chosen.privacyLevel === 'SELF_ONLY' && !chosen.brandContent}
          checked={chosen.brandContent === true}
          onChange={(brandContent) => change({ brandContent })}
        />
      </fieldset>
      <Choice
        id={`field-${platform}-consent`}
        label={chosen.brandContent ? t('consentPaid', { network }) : t('consent', { network })}
        hint={t('takesMinutes', { network })}
        checked={chosen.consent === true}
        onChange={(consent) => change({ consent })}
      />
    </Section>
  )
}

/** The audiences that all of these accounts offer. */
function common(creators: readonly PostingOptions[]): string[] {
  const [first, ...others] = creators
  return (first?.privacyLevels ?? []).filter((level) => others.every((each) => each.privacyLevels.includes(level)))
}

function Choice({
  id,
  label,
  hint,
  checked,
  disabled,
  onChange,
}: {
  id?: string
  label: string
  hint?: string | undefined
  checked: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}) {
  const own = useId()
  return (
    <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 has-disabled:text-muted max-sm:min-h-11">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? own : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0">
        <span className="block">{label}</span>
        {hint && (
          <span id={own} className="block text-xs text-muted">
            {hint}
          </span>
        )}
      </span>
    </label>
  )
}
