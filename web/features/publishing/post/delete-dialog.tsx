import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { NetworkMark } from '../../../ui/network.tsx'

interface Props {
  posts: readonly Post[]
  busy?: boolean
  /** `also`: the networks on which to delete the posts too. */
  onDelete: (also: readonly Platform[]) => void
  onClose: () => void
}

/** Deletes posts here, and on the networks that let apps delete. For the others it links to the live posts. */
export function DeleteDialog({ posts, busy, onDelete, onClose }: Props) {
  const t = useTranslations('post')
  const format = useFormatter()
  const [also, setAlso] = useState<readonly Platform[]>([])
  const count = posts.length
  const live = posts.flatMap((post) =>
    post.publications
      .filter(({ state }) => state === 'PUBLISHED')
      .map((one) => ({ ...one, postId: post.id, caption: post.caption })),
  )
  const there = PLATFORM_ORDER.filter((platform) => live.some((one) => one.platform === platform))
  const removable = there.filter((platform) => networks[platform].removesPosts)
  const byHand = there.filter((platform) => !networks[platform].removesPosts)
  const short = (platforms: Platform[]) => format.list(platforms.map((one) => NETWORKS[one].short))
  const told = () => {
    if (count > 1) return live.length > 0 ? t('deleteManyLive', { networks: short(there) }) : t('deleteManyBody')
    if (live.length > 0) return t('deleteLive', { networks: short(there) })
    return t(posts[0]?.status === 'SCHEDULED' ? 'deleteScheduled' : 'deleteDraft')
  }
  return (
    <Confirm
      danger
      open
      onOpenChange={onClose}
      title={count > 1 ? t('deleteManyTitle', { count }) : t('deleteTitle')}
      description={told()}
      action={t('delete')}
      busy={busy}
      onConfirm={() => onDelete(also)}
    >
      {there.length > 0 && (
        <div className="grid gap-3">
          {removable.map((platform) => (
            <label
              key={platform}
              className="flex items-start gap-2.5 rounded-md border px-3 py-2.5 text-13 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="checkbox"
                className="mt-0.5 size-4 shrink-0 accent-(--accent)"
                checked={also.includes(platform)}
                onChange={(event) =>
                  setAlso(event.target.checked ? [...also, platform] : also.filter((one) => one !== platform))
                }
              />
              <span className="min-w-0">
                {t('alsoOn', { network: NETWORKS[platform].short })}
                <span className="block text-xs text-muted">
                  {count > 1
                    ? t('alsoOnHintMany', {
                        count: new Set(live.filter((one) => one.platform === platform).map(({ postId }) => postId))
                          .size,
                      })
                    : t('alsoOnHint')}
                </span>
              </span>
            </label>
          ))}
          {byHand.length > 0 && (
            <div className="grid gap-1.5 text-13">
              <p className="text-muted">{t('deleteThere', { networks: short(byHand) })}</p>
              <ul className="grid max-h-48 gap-1 overflow-y-auto">
                {live
                  .filter(({ platform }) => byHand.includes(platform))
                  .map((one) => (
                    <li key={one.id} className="flex min-h-8 items-center gap-2">
                      <NetworkMark platform={one.platform} small />
                      <bdi className="min-w-0 grow clip">{(count > 1 && one.caption) || one.accountName}</bdi>
                      {one.permalink && (
                        <a
                          href={one.permalink}
                          target="_blank"
                          rel="noreferrer"
                          className="inline-flex min-h-8 items-center gap-1.5 font-medium text-accent-text hover:underline max-sm:min-h-11"
                        >
                          <ExternalLink className="size-3.5" aria-hidden />
                          {t('viewOn', { network: NETWORKS[one.platform].short })}
                          <span className="sr-only">{t('newTab')}</span>
                        </a>
                      )}
                    </li>
                  ))}
              </ul>
            </div>
          )}
        </div>
      )}
    </Confirm>
  )
}
