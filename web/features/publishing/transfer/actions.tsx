import './endpoints.ts'
import { Link } from '@tanstack/react-router'
import { Download, Upload } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useDownload } from '../../../download.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'

/** Import and export of posts as a table. `query` is the filter of the list. */
export function TransferActions({ query }: { query: object }) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  const imports = useMay('importPosts')
  const exports = useMay('exportPosts')
  const save = useDownload(ws, 'exportPosts', query, 'posts.csv')
  return (
    <>
      {!imports.hidden && (
        <Link to="/w/$ws/posts/import" params={{ ws }} className={buttonClass('secondary', 'md', 'max-sm:min-w-11')}>
          <Upload className="size-4" aria-hidden />
          <span className="max-sm:sr-only">{t('import')}</span>
        </Link>
      )}
      {!exports.hidden && (
        <Button className="max-sm:min-w-11" onClick={() => save.mutate()} busy={save.isPending} reason={exports.reason}>
          <Download className="size-4" aria-hidden />
          <span className="max-sm:sr-only">{t('export')}</span>
        </Button>
      )}
    </>
  )
}
