import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFromNow } from '../../../now.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { proposedTime } from './proposed-time.ts'

interface Props {
  date: string
  'aria-label'?: string
  className: string
  children: ReactNode
}

/** A link that creates a post on a date, at a time that has not passed. */
export function AddLink({ date, ...rest }: Props) {
  const { ws, workspace } = usePlace()
  const at = useFromNow((now) => proposedTime(date, workspace.timezone, now))
  return <Link to="/w/$ws/compose" params={{ ws }} search={{ at }} draggable={false} {...rest} />
}
