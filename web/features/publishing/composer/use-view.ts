import { useState } from 'react'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Tab } from './draft.ts'
import type { Fold } from './place-of.ts'

/** The panel next to the text. */
export type Panel = 'preview' | 'assistant' | 'comments' | 'versions'

/** The visible parts of the composer: the text's tab, the side panel, and the expanded sections. */
export function useView(first: Tab, assists: boolean) {
  const [tab, setTab] = useState(first)
  const [panel, setPanel] = useState<Panel>(assists ? 'assistant' : 'preview')
  /** The assistant mounts when first opened and stays mounted behind other panels, to keep its input and results. */
  const [assisted, setAssisted] = useState(assists)
  /** Whether to show the text where there is no room for both. */
  const [edits, setEdits] = useState(true)
  const [previewed, setPreviewed] = useState<Platform | null>(null)
  const [folds, setFolds] = useState<ReadonlySet<Fold>>(new Set())

  const show = (next: Panel) => {
    setPanel(next)
    if (next === 'assistant') setAssisted(true)
    else setEdits(false)
  }
  return {
    tab,
    setTab,
    panel,
    assisted,
    edits,
    folds,
    previewed,
    /** Opens a panel. On a narrow screen it replaces the text, except the assistant, which overlays it. */
    show,
    /** Returns to the text, with the preview next to it. */
    write: () => {
      setPanel('preview')
      setEdits(true)
    },
    edit: () => setEdits(true),
    /** Previews a network. If the text is in a network's tab, that tab changes too. */
    preview: (platform: Platform) => {
      setPreviewed(platform)
      if (tab !== 'all') setTab(platform)
    },
    fold: (fold: Fold, open: boolean) =>
      setFolds((all) => new Set(open ? [...all, fold] : [...all].filter((one) => one !== fold))),
  }
}

export type ComposerView = ReturnType<typeof useView>
