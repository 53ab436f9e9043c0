import { useInfiniteQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Images, LoaderCircle, Play, SearchX, TriangleAlert } from 'lucide-react'
import { type ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { fileUrl, playTime } from '../../../files.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { More } from '../../../ui/more.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { LibraryFilter } from './filters.ts'
import { libraryQuery } from './queries.ts'

interface Props {
  filter: LibraryFilter
  onFilter: (filter: LibraryFilter) => void
  onChoose: (file: MediaFile) => void
  /** The selected files, where several can be selected. */
  chosen?: ReadonlySet<string>
  /** Running uploads, shown before the stored files. */
  coming?: ReactNode
}

/** All files of the workspace, newest first, with filters. */
export function Library({ filter, onFilter, onChoose, chosen, coming }: Props) {
  const t = useTranslations('library')
  const { ws } = usePlace()
  const query = useInfiniteQuery(libraryQuery(ws, filter))
  const files = query.data?.pages.flatMap((page) => page.data) ?? []
  const tags = [...new Set([...(filter.tag ? [filter.tag] : []), ...files.flatMap((file) => file.tags)])].toSorted()
  const filtered = Object.values(filter).some(Boolean)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 lg:px-6">
        <SearchField
          label={t('search')}
          value={filter.q ?? ''}
          onChange={(q) => onFilter({ ...filter, q: q || undefined })}
        />
        <Choice
          label={t('kind')}
          options={[
            [undefined, t('allKinds')],
            ['IMAGE', t('pictures')],
            ['VIDEO', t('videos')],
          ]}
          value={filter.kind}
          onChange={(kind) => onFilter({ ...filter, kind })}
        />
        <Choice
          label={t('show')}
          options={[
            [undefined, t('all')],
            ['undescribed', t('undescribed')],
            ['unused', t('unused')],
          ]}
          value={filter.show}
          onChange={(show) => onFilter({ ...filter, show })}
        />
        {tags.length > 0 && (
          <Choice
            label={t('tag')}
            options={[[undefined, t('allTags')], ...tags.map((tag) => [tag, tag] as const)]}
            value={filter.tag}
            onChange={(tag) => onFilter({ ...filter, tag })}
          />
        )}
      </div>
      <Loaded query={query} skeleton={<Skeleton />}>
        {() =>
          files.length === 0 && !coming ? (
            <Empty
              icon={filtered ? SearchX : Images}
              title={t(filtered ? 'noMatch' : 'empty')}
              role="status"
              actions={filtered && <Button onClick={() => onFilter({})}>{t('clear')}</Button>}
            >
              {!filtered && t('emptyBody')}
            </Empty>
          ) : (
            <div className={clsx('min-w-0', query.isPlaceholderData && 'opacity-60')}>
              <ul className="flex flex-wrap gap-3 p-4 lg:px-6" aria-label={t('files')}>
                {coming}
                {files.map((file) => (
                  <Tile key={file.id} file={file} chosen={chosen?.has(file.id)} onChoose={() => onChoose(file)} />
                ))}
              </ul>
              <More query={query} label={t('more')} className="flex justify-center p-4" />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

interface TileProps {
  file: MediaFile
  chosen?: boolean | undefined
  onChoose: () => void
}

const mark = 'rounded-md bg-black/75 px-1.5 py-0.5 text-2xs font-semibold text-white'

function Tile({ file, chosen, onChoose }: TileProps) {
  const t = useTranslations('library')
  const composer = useTranslations('composer')
  const picture = fileUrl(file.thumbnailUrl ?? file.storageUrl)
  return (
    <li className="grid w-28 gap-1 max-sm:w-[8.5rem]">
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onChoose}
        className={clsx(
          'relative h-28 overflow-hidden rounded-lg border bg-sunken max-sm:h-[8.5rem]',
          chosen && 'outline-2 outline-offset-2 outline-accent',
        )}
      >
        {picture ? (
          <img src={picture} alt="" loading="lazy" className="size-full object-cover" />
        ) : (
          <span className="grid size-full place-items-center text-muted">
            {file.state === 'REJECTED' ? (
              <TriangleAlert className="size-5 text-bad" aria-hidden />
            ) : (
              <LoaderCircle className="size-5 motion-safe:animate-spin" aria-hidden />
            )}
          </span>
        )}
        <span className="sr-only">
          {file.fileName}. {file.altText} {t('uses', { count: file.uses })}{' '}
          {file.state === 'READY' ? '' : composer(file.state === 'REJECTED' ? 'rejected' : 'processing')}{' '}
          {file.aiGenerated && composer('aiMade')}
        </span>
        {file.duration !== null && (
          <span aria-hidden className={clsx(mark, 'absolute start-1.5 top-1.5 flex items-center gap-1')}>
            <Play className="size-3 fill-current" />
            {playTime(file.duration)}
          </span>
        )}
        {file.aiGenerated && (
          <span aria-hidden className={clsx(mark, 'absolute end-1.5 bottom-1.5')}>
            {composer('aiShort')}
          </span>
        )}
        {file.altText && (
          <span
            aria-hidden
            className="absolute start-1.5 bottom-1.5 rounded-md bg-ok-soft px-1.5 text-2xs font-semibold text-ok"
          >
            ALT ✓
          </span>
        )}
      </button>
      <span className="truncate text-2xs" dir="auto" aria-hidden>
        {file.fileName}
      </span>
      <span className="text-2xs text-muted" aria-hidden>
        {t('uses', { count: file.uses })}
      </span>
    </li>
  )
}

const Skeleton = () => (
  <div className="flex flex-wrap gap-3 p-4 lg:px-6" aria-hidden>
    {[1, 2, 3, 4, 5, 6].map((one) => (
      <div key={one} className="skeleton h-28 w-28" />
    ))}
  </div>
)
