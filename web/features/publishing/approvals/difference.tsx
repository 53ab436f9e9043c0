import { Fragment } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { PostVersion } from '../../../../src/publishing/approvals/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { useMomentIn } from './people.ts'
import { difference, isRewritten } from './words.ts'

type Content = PostVersion['content']

/** The keys in the order that jsonb returns them. */
const NO_TAGS: Content['linkTags'] = { on: null, campaign: null }

/** The difference between two versions of a post: texts word by word, the rest as before and after. */
export default function Difference({ before, after }: { before: Content; after: Content }) {
  const t = useTranslations('approvals.fields')
  const words = useTranslations('approvals')
  const { workspace } = usePlace()
  const moment = useMomentIn(workspace.timezone)
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const time = ({ scheduledAt }: Content) => (scheduledAt ? moment(scheduledAt) : t('noTime'))
  const tags = (list: string[] | undefined) => list?.join(' ') ?? ''
  const fields: [label: string, before: string, after: string][] = [
    [t('text'), before.caption, after.caption],
    [t('cta'), before.cta, after.cta],
    [t('hashtags'), tags(before.hashtags), tags(after.hashtags)],
    ...PLATFORM_ORDER.flatMap((platform): [string, string, string][] => {
      const network = NETWORKS[platform].short
      const a = before.captionOverrides[platform]
      const b = after.captionOverrides[platform]
      return [
        [`${t('text')} · ${network}`, a?.caption ?? '', b?.caption ?? ''],
        [`${t('cta')} · ${network}`, a?.cta ?? '', b?.cta ?? ''],
        [
          `${t('hashtags')} · ${network}`,
          tags(before.hashtagOverrides[platform]),
          tags(after.hashtagOverrides[platform]),
        ],
      ]
    }),
    [t('time'), time(before), time(after)],
  ]
  const changed = fields.filter(([, a, b]) => a !== b)
  const others = [
    !same(before.media, after.media) && t('media', { before: before.media.length, after: after.media.length }),
    !same(before.targets, after.targets) &&
      t('targets', { before: before.targets.length, after: after.targets.length }),
    !same(before.platformOptions, after.platformOptions) && t('options'),
    !same(before.linkTags ?? NO_TAGS, after.linkTags ?? NO_TAGS) && t('links'),
  ].filter((one) => one !== false)
  if (changed.length === 0 && others.length === 0) return <p className="text-13 text-muted">{words('sameWords')}</p>
  return (
    <dl className="grid gap-3 text-13">
      {changed.map(([label, a, b]) => (
        <div key={label} className="grid gap-0.5">
          <dt className="text-xs text-muted">{label}</dt>
          <dd dir="auto" className="break-words whitespace-pre-wrap">
            <Words before={a} after={b} />
          </dd>
        </div>
      ))}
      {others.map((line) => (
        <div key={line}>
          <dt className="sr-only">{t('other')}</dt>
          <dd>{line}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A changed text with added and removed words marked, or both texts in full if little is unchanged. */
export function Words({ before, after }: { before: string; after: string }) {
  const t = useTranslations('approvals')
  const locale = useLocale()
  const pieces = difference(before, after, locale)
  if (isRewritten(pieces))
    return (
      <span className="grid gap-2">
        {(
          [
            ['oldText', before],
            ['newText', after],
          ] as const
        ).map(([when, text]) => (
          <span key={when}>
            <span className="block text-xs text-muted">{t(when)}</span>
            <span dir="auto" className="block">
              {text}
            </span>
          </span>
        ))}
      </span>
    )
  return pieces.map(({ kind, text }, index) =>
    kind === 'same' ? (
      text
    ) : kind === 'added' ? (
      // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text never change their order
      <ins key={index} className="bg-ok-soft text-ok underline">
        <span className="sr-only">{t('added')} </span>
        {text}
      </ins>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the same
      <Fragment key={index}>
        <del className="bg-bad-soft text-bad line-through">
          <span className="sr-only">{t('removed')} </span>
          {text}
        </del>
        {pieces[index + 1]?.kind === 'added' && !/\s$/.test(text) && ' '}
      </Fragment>
    ),
  )
}
