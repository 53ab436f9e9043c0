import { Download, FileSpreadsheet } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { networks } from '../../../../src/networks/rules.ts'
import { calledColumn, COLUMNS } from '../../../../src/publishing/transfer/rules.ts'
import { saveAs } from '../../../download.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** The maximum size of a request in bytes, as on the service. */
const LARGEST = 1_000_000

interface Props {
  csv: string
  onChange: (csv: string) => void
  onLook: (csv: string) => void
  busy: boolean
  error: unknown
}

/** Takes a file, or text pasted from a spreadsheet. */
export function Choose({ csv, onChange, onLook, busy, error }: Props) {
  const t = useTranslations('transfer')
  const why = useProblemText()
  const { workspace } = usePlace()
  const id = useId()
  const [refused, setRefused] = useState<string | null>(null)
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (!file) return
    const isTooLarge = file.size > LARGEST
    const isSheet = /\.(xlsx?|ods|numbers)$/i.test(file.name)
    setRefused(isSheet ? t('notSheet') : isTooLarge ? t('tooLarge') : null)
    if (!isTooLarge && !isSheet) onLook(await file.text())
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }
  const template = () =>
    saveAs(new Blob([`\uFEFF${COLUMNS.map(calledColumn).join(',')}\r\n`], { type: 'text/csv' }), 'posts.csv')
  return (
    <>
      <p className="text-13 text-muted">{t('lead')}</p>
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={`card grid justify-items-center gap-3 p-6 text-center ${over ? 'bg-accent-soft' : ''}`}
      >
        <FileSpreadsheet className="size-6 text-muted" aria-hidden />
        <Button variant="primary" onClick={() => input.current?.click()}>
          {t('choose')}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t('choose')}
          accept=".csv,text/csv,text/plain,.tsv"
          onChange={(event) => {
            void read(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <p className="text-13 text-muted">{t('drop')}</p>
        <Button size="sm" onClick={template}>
          <Download className="size-3.5" aria-hidden />
          {t('template')}
        </Button>
      </div>
      <div className="grid gap-1.5">
        <label htmlFor={id} className="text-13 font-medium">
          {t('paste')}
        </label>
        <textarea
          id={id}
          dir="auto"
          rows={6}
          value={csv}
          onChange={(event) => onChange(event.target.value)}
          aria-describedby={`${id}-zone`}
          className="w-full rounded-md border border-control bg-surface px-3 py-2 font-mono text-13"
        />
        <p id={`${id}-zone`} className="text-xs text-muted">
          {t('zone', { zone: workspace.timezone })}
        </p>
      </div>
      {(refused ?? error) && (
        <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-13 text-bad">
          {refused ?? why(error)}
        </p>
      )}
      <div>
        <Button
          variant="primary"
          busy={busy}
          reason={csv.trim() ? null : t('nothing')}
          onClick={() => {
            setRefused(null)
            onLook(csv)
          }}
        >
          {t('look')}
        </Button>
      </div>
      <details className="text-13">
        <summary className="cursor-pointer font-medium">{t('columns')}</summary>
        <dl className="mt-2 grid gap-2">
          {(
            ['caption', 'hashtags', 'cta', 'time', 'accounts', 'media', 'crops', 'tracking', 'action', 'each'] as const
          ).map((name) => (
            <div key={name}>
              <dt className="font-mono text-xs" dir="ltr">
                {HEADINGS[name]}
              </dt>
              <dd className="text-muted">{t(`column.${name}`)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

const [first, second] = Object.values(networks).map(({ called }) => called[0])

const HEADINGS = {
  caption: 'caption',
  hashtags: 'hashtags',
  cta: 'cta',
  time: 'scheduled at, time zone',
  accounts: 'accounts, networks',
  media: 'media',
  crops: 'crops',
  tracking: 'link tracking, campaign',
  action: 'action',
  each: `${first} caption, ${second} hashtags, …`,
}
