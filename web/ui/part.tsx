import { CloudOff } from 'lucide-react'
import { Component, type ComponentType, lazy as whenNeeded, type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isPartMissing, serverAnswers } from '../parts.ts'
import { Button } from './button.tsx'

type Load<P> = () => Promise<{ default: ComponentType<P> }>

/** A part of a screen that is fetched separately. `load` fetches it before it is shown. */
export type LazyPart<P> = ComponentType<P> & { load: () => Promise<unknown> }

/**
 * A part of a screen that loads when it is first shown, within the nearest Suspense. A part that was loaded before
 * shows at once. If loading fails, a retry takes its place and the rest of the screen keeps working. A `small` part,
 * such as a count, shows nothing instead.
 */
export function lazy<P extends object>(fetchPart: Load<P>, { small = false } = {}): LazyPart<P> {
  let loaded: ComponentType<P> | undefined
  const load = async () => {
    const part = await fetchPart()
    loaded = part.default
    return part
  }
  let Fetched = whenNeeded(load)
  /** Loads it again. Some browsers cache the failure, in which case the page reloads. */
  const again = async () => {
    await load().catch(() => location.reload())
    Fetched = whenNeeded(load)
  }
  /** Never changes its component while it is shown, which would lose its state. */
  function Shows(props: P) {
    const [Present] = useState(() => loaded ?? Fetched)
    return <Present {...props} />
  }
  const Part = (props: P) => (
    <Boundary again={again} small={small}>
      {() => <Shows {...props} />}
    </Boundary>
  )
  return Object.assign(Part, { load })
}

interface Props {
  again: () => Promise<void>
  small: boolean
  children: () => ReactNode
}

interface State {
  error: unknown
  unreachable: boolean
}

const NONE: State = { error: null, unreachable: false }

class Boundary extends Component<Props, State> {
  override state = NONE

  static getDerivedStateFromError = (error: unknown) => ({ error, unreachable: false })

  retry = async () => {
    if (!(await serverAnswers())) return this.setState({ unreachable: true })
    await this.props.again()
    this.setState(NONE)
  }

  override render() {
    const { error, unreachable } = this.state
    if (error === null) return <Shown>{this.props.children}</Shown>
    if (!isPartMissing(error)) throw error
    if (this.props.small) return null
    return <Missing unreachable={unreachable} onRetry={() => void this.retry()} />
  }
}

const Shown = ({ children }: { children: () => ReactNode }) => children()

function Missing({ unreachable, onRetry }: { unreachable: boolean; onRetry: () => void }) {
  const t = useTranslations('states')
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1 text-13 text-muted">
      <CloudOff className="size-4 shrink-0" aria-hidden />
      {t(unreachable ? 'offline' : 'partMissing')}
      <Button size="sm" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  )
}
