import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type Cut, cutAt, piecesOf } from './text.ts'

interface Props {
  text: string
  fold: Cut
  /** The class that colours links, hashtags and mentions as on the network. */
  marked: string
  more: string
  className?: string
  /** The account's name, if the network shows it before the text. */
  lead?: ReactNode
}

/** A text as a network shows it, truncated until the reader asks for more. */
export function Words({ text, fold, marked, more, className, lead }: Props) {
  const t = useTranslations('composer')
  const [open, setOpen] = useState(false)
  if (text === '')
    return (
      <p dir="auto" className={`${className} italic opacity-70`}>
        {t('previewEmpty')}
      </p>
    )
  const shown = open ? text : cutAt(text, fold)
  return (
    <p dir="auto" className={`${className} break-words whitespace-pre-wrap`}>
      {lead}
      {piecesOf(shown).map((piece, index) =>
        piece.marked ? (
          // oxlint-disable-next-line react/no-array-index-key -- pieces of a text have no other name
          <span key={index} data-marked className={marked}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
      {shown !== text && (
        <>
          {'… '}
          <button
            type="button"
            className="inline-block min-h-6 font-semibold opacity-75 hover:underline max-sm:-my-2.5 max-sm:min-h-11 max-sm:min-w-11"
            onClick={() => setOpen(true)}
          >
            {more}
          </button>
        </>
      )}
    </p>
  )
}
