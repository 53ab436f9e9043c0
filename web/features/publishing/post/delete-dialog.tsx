import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import type { usePostActs } from './use-post-acts.ts'

interface Props {
  post: Post
  acts: ReturnType<typeof usePostActs>
  onClose: () => void
}

/** Deletes a post here, and where it is live too if the network lets apps do that; else leads to it there. */
export function DeleteDialog({ post, acts, onClose }: Props) {
  const t = useTranslations('post')
  const format = useFormatter()
  const [also, setAlso] = useState<readonly Platform[]>([])
  const live = post.publications.filter(({ state }) => state === 'PUBLISHED')
  const there = PLATFORM_ORDER.filter((platform) => live.some((one) => one.platform === platform))
  const removable = there.filter((platform) => networks[platform].removesPosts)
  const byHand = there.filter((platform) => !networks[platform].removesPosts)
  const short = (platforms: Platform[]) => format.list(platforms.map((one) => NETWORKS[one].short))
  return (
    <Confirm
      danger
      open
      onOpenChange={onClose}
      title={t('deleteTitle')}
      description={
        live.length > 0
          ? t('deleteLive', { networks: short(there) })
          : t(post.status === 'SCHEDULED' ? 'deleteScheduled' : 'deleteDraft')
      }
      action={t('delete')}
      busy={acts.remove.isPending}
      onConfirm={() => acts.remove.mutate(also, { onSettled: onClose })}
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
                <span className="block text-xs text-muted">{t('alsoOnHint')}</span>
              </span>
            </label>
          ))}
          {byHand.length > 0 && (
            <div className="grid gap-1.5 text-13">
              <p className="text-muted">{t('deleteThere', { networks: short(byHand) })}</p>
              <ul className="grid gap-1">
                {live
                  .filter(({ platform }) => byHand.includes(platform))
                  .map((one) => (
                    <li key={one.id} className="flex min-h-8 items-center gap-2">
                      <NetworkMark platform={one.platform} small />
                      <bdi className="min-w-0 grow clip">{one.accountName}</bdi>
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
