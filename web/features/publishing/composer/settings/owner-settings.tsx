import { useQueries } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { PostingOptions, SocialAccount } from '../../../../../src/channels/api.ts'
import { networks, type OwnersPlatform } from '../../../../../src/networks/rules.ts'
import type { Post } from '../../../../../src/publishing/posts/api.ts'
import { kindOf } from '../../../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../../../labels.ts'
import { useProblemText } from '../../../../problem.ts'
import { isProblem } from '../../../../client.ts'
import { postingOptionsQuery } from '../../../../queries.ts'
import { Button } from '../../../../ui/button.tsx'
import { FormError } from '../../../../ui/field.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import type { Draft } from '../draft.ts'
import { Choice } from './choice.tsx'
import { CoverRow } from './cover-row.tsx'

type OwnersOptions = NonNullable<Post['platformOptions'][OwnersPlatform]>

interface Props {
  platform: OwnersPlatform
  draft: Draft
  edit: (change: (draft: Draft) => Draft) => void
  /** The accounts that the post targets. */
  accounts: SocialAccount[]
}

/** The choices of the account owners: audience, allowed interactions, and whether the post is paid content. */
export function OwnerSettings({ platform, draft, edit, accounts }: Props) {
  const t = useTranslations('options')
  const { ws } = usePlace()
  const problem = useProblemText()
  const reason = (error: unknown) =>
    isProblem(error, 'invalid_state')
      ? t('notConnected')
      : isProblem(error, 'unavailable')
        ? t('noCalls')
        : problem(error)
  const asked = accounts.filter((account) => account.platform === platform)
  const found = useQueries({ queries: asked.map(({ id }) => postingOptionsQuery(ws, id)) })
  const network = NETWORKS[platform].name
  const chosen = draft.platformOptions[platform] ?? {}
  const change = (more: OwnersOptions) =>
    edit((current) => ({
      ...current,
      platformOptions: { ...current.platformOptions, [platform]: { ...current.platformOptions[platform], ...more } },
    }))
  const failed = found.find(({ error }) => error)
  const creators = found.flatMap(({ data }) => data ?? [])
  const waiting = creators.length < asked.length
  const levels = common(creators)
  const pictures = kindOf(draft, platform) === networks[platform].ofPictures
  const off = (key: 'commentDisabled' | 'duetDisabled' | 'stitchDisabled') => creators.every((each) => each[key])
  const longest = Math.min(...creators.map(({ maxSeconds }) => maxSeconds))
  const gone = !waiting && Boolean(chosen.privacyLevel) && !levels.includes(chosen.privacyLevel ?? '')
  return (
    <>
      {failed ? (
        <FormError>
          <p>{t('unread', { network, why: reason(failed.error) })}</p>
          <Button size="sm" className="mt-2" onClick={() => void failed.refetch()} busy={failed.isFetching}>
            {t('retry')}
          </Button>
        </FormError>
      ) : (
        <p className="min-h-5 text-13 text-muted" aria-busy={waiting}>
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
        placeholder={t('choose')}
        value={chosen.privacyLevel ?? ''}
        options={[...new Set([...levels, ...(chosen.privacyLevel ? [chosen.privacyLevel] : [])])].map((level) => [
          level,
          t.has(`levels.${level as 'SELF_ONLY'}`) ? t(`levels.${level as 'SELF_ONLY'}`) : level,
          { disabled: level === 'SELF_ONLY' && chosen.brandContent === true },
        ])}
        onChange={(level) => change({ privacyLevel: level as OwnersOptions['privacyLevel'] })}
      />
      <CoverRow platform={platform} draft={draft} onChange={(coverMs) => change({ coverMs })} />
      <fieldset className="flex flex-wrap gap-x-6">
        <legend className="mb-1 text-13 font-medium">{t('allow')}</legend>
        {(
          [
            ['allowComment', 'commentDisabled'],
            ['allowDuet', 'duetDisabled'],
            ['allowStitch', 'stitchDisabled'],
          ] as const
        )
          // Pictures cannot be used in duets.
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
    </>
  )
}

/** The audiences that all of these accounts offer. */
function common(creators: readonly PostingOptions[]): string[] {
  const [first, ...others] = creators
  return (first?.privacyLevels ?? []).filter((level) => others.every((each) => each.privacyLevels.includes(level)))
}
