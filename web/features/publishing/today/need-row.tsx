import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Platform } from '../../../../src/networks/api.ts'
import { NetworkMarks } from '../../../ui/network.tsx'
import { RowTexts } from '../../../ui/row.tsx'

/** The style of a row's button. The first button on the page is primary. */
export type Look = 'primary' | 'secondary'

interface Props {
  icon: LucideIcon
  tone: string
  picture: ReactNode
  title: string
  detail: ReactNode
  platforms?: readonly Platform[]
  act: ReactNode
}

/** One matter: what it is, why, and its action. On a phone, the button is below. */
export function NeedRow({ icon: Icon, tone, picture, title, detail, platforms, act }: Props) {
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-2 py-1 ps-3 pe-2 hover:bg-hover max-sm:p-3">
      <Icon className={clsx('size-4 shrink-0', tone)} aria-hidden />
      {picture}
      <RowTexts title={title} detail={detail} />
      {platforms && <NetworkMarks platforms={platforms} />}
      <span className="grid min-w-24 max-sm:basis-full">{act}</span>
    </li>
  )
}
