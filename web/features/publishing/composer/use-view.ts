import { useState } from 'react'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Tab } from './draft.ts'
import type { Fold } from './place-of.ts'

/** The panel beside the text. */
export type Panel = 'preview' | 'assistant' | 'comments' | 'versions'

/** The open parts of the composer: the tab of the text, the panel beside it, and the folded parts. */
export function useView(first: Tab, assists: boolean) {
  const [tab, setTab] = useState(first)
  const [panel, setPanel] = useState<Panel>(assists ? 'assistant' : 'preview')
  /** Its questions and results stay while another panel is shown. It loads when a person first opens it. */
  const [assisted, setAssisted] = useState(assists)
  /** Whether the text is shown where there is no room for both. */
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
    /** Opens a panel; on a narrow screen in the place of the text, but for the assistant, which lies over it. */
    show,
    /** Back to the text, and beside it to the preview. */
    write: () => {
      setPanel('preview')
      setEdits(true)
    },
    edit: () => setEdits(true),
    /** The preview of a network. In the tab of a network the text follows. */
    preview: (platform: Platform) => {
      setPreviewed(platform)
      if (tab !== 'all') setTab(platform)
    },
    fold: (fold: Fold, open: boolean) =>
      setFolds((all) => new Set(open ? [...all, fold] : [...all].filter((one) => one !== fold))),
  }
}

export type View = ReturnType<typeof useView>
