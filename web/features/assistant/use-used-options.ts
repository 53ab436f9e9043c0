import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '../../toast.ts'
import type { Draft } from '../publishing/composer/draft.ts'
import { usePlace } from '../shell/workspace.tsx'
import { standing, type OptionUse, withoutUse } from './apply.ts'
import { addUsedOption, removeUsedOption } from './used-options.ts'

/** A used option, with what to report about it when the post is saved. */
interface Taking extends OptionUse {
  said: { generation: string; option: number } | null
}

/** The options in the post: per tab, the last one used and not undone. */
export function useUsedOptions(
  draft: Draft,
  postId: string | null,
  edit: (change: (draft: Draft) => Draft) => void,
  onBack: (key: string) => void,
): {
  /** The current option of a tab. A later one replaces an earlier one. */
  lastOf: (tab: OptionUse['tab']) => OptionUse | undefined
  begin: (taking: Omit<Taking, 'before' | 'after'>, write: (draft: Draft) => Draft) => void
  takeBack: (key: string) => void
} {
  const t = useTranslations('assistant')
  const { ws } = usePlace()
  const [uses, setUses] = useState<Taking[]>([])
  const now = useRef({ draft, uses })
  now.current = { draft, uses }
  const lastOf = (tab: OptionUse['tab']) => now.current.uses.findLast((one) => one.tab === tab)
  return {
    lastOf,
    begin(taking, write) {
      edit(write)
      setUses([...uses.filter(({ key }) => key !== taking.key), { ...taking, before: draft, after: write(draft) }])
      if (taking.said) addUsedOption(ws, postId, taking.said)
    },
    takeBack(key) {
      onBack(key)
      const use = now.current.uses.find((one) => one.key === key)
      if (!use) return
      const left = lastOf(use.tab) === use ? standing(now.current.draft, use) : 'none'
      if (left === 'none') {
        toast.info(t('changedSince'))
        return
      }
      edit((current) => withoutUse(current, use))
      const rest = now.current.uses.filter((one) => one !== use)
      setUses(rest)
      if (left === 'part') {
        toast.info(t('undoneInPart'))
        return
      }
      if (use.said) removeUsedOption(ws, postId, use.said)
      // Undoing brings back the option before it.
      const again = rest.findLast((one) => one.tab === use.tab)
      if (again?.said) addUsedOption(ws, postId, again.said)
    },
  }
}
