import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'
import { call, isProblem } from '../../../../client.ts'
import { useFaults } from '../../../../problem.ts'
import { saveOver } from '../../../../save-over.ts'
import { toast } from '../../../../toast.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { configQuery } from '../queries.ts'
import { changedIn, type Field, same, settingOf, type BotFields } from './fields.ts'

/** The id of the toast that offers to restore discarded changes. */
const DISCARDED = 'bot-discarded'

/** Stores optional texts that are blank as null. */
const clean = (changes: Partial<BotFields>): Partial<BotFields> => {
  const cleaned = { ...changes }
  for (const field of ['handoffText', 'disclosureText'] as const)
    if (field in cleaned) cleaned[field] = cleaned[field]?.trim() || null
  return cleaned
}

/**
 * Edits the bot's settings. Another person's change is adopted as long as nothing has been edited here. `theirs` is a
 * newer version that changed the same settings; nothing is overwritten until a person decides.
 */
export function useSettings(config: BotConfig) {
  const t = useTranslations('bot')
  const client = useQueryClient()
  const { ws, workspace } = usePlace()
  const { queryKey } = configQuery(ws)
  const [base, setBase] = useState(config)
  const [changes, setChanges] = useState<Partial<BotFields>>({})
  const [theirs, setTheirs] = useState<BotConfig | null>(null)
  const dirty = changedIn(changes, base)
  if (config.version !== base.version && dirty.length === 0) {
    setBase(config)
    setChanges({})
  }
  /** The settings as last sent. */
  const [sent, setSent] = useState<BotFields | null>(null)
  const put = (body: Partial<BotFields>, ifMatch: number) => call('updateBotConfig', { workspace: ws, body, ifMatch })

  const save = useMutation({
    mutationFn: async (onto: BotConfig) => {
      setSent({ ...base, ...changes })
      const body = clean(Object.fromEntries(dirty.map((field) => [field, changes[field]])))
      const latest = () => client.fetchQuery({ ...configQuery(ws), staleTime: 0 })
      return { body, answer: await saveOver(onto, body, (ifMatch) => put(body, ifMatch), latest) }
    },
    onError: (error) => {
      if (isProblem(error, 'stale_version')) setTheirs(client.getQueryData<BotConfig>(queryKey) ?? null)
    },
    onSuccess: ({ body, answer }) => {
      client.setQueryData(queryKey, answer)
      setTheirs(null)
      setBase(answer)
      // Keep what the person typed while saving.
      setChanges((now) =>
        Object.fromEntries(
          changedIn(now, answer)
            .filter((field) => !same(clean(now)[field], body[field]))
            .map((field) => [field, now[field]]),
        ),
      )
      toast.success(t('saved'))
    },
  })
  const faults = useFaults(save.error)
  useEffect(() => () => toast.dismiss(DISCARDED), [])
  const discard = () => {
    const thrown = { base, changes, theirs }
    setBase(theirs ?? config)
    setChanges({})
    setTheirs(null)
    save.reset()
    const undo = () => {
      setBase(thrown.base)
      // What the person has edited since then stays.
      setChanges((now) => ({ ...thrown.changes, ...now }))
      setTheirs(thrown.theirs)
    }
    toast.message(t('discarded'), { id: DISCARDED, action: { label: t('undo'), onClick: undo } })
  }
  return {
    /** The settings including unsaved changes. */
    now: {
      ...base,
      ...changes,
      // These change without a new version.
      paused: workspace.bot.paused,
      answeredElsewhere: config.answeredElsewhere,
    },
    base,
    set: (change: Partial<BotFields>) => setChanges((before) => ({ ...before, ...change })),
    changed: new Set(dirty.map(settingOf)).size,
    theirs,
    discard,
    save: () => dirty.length > 0 && !save.isPending && save.mutate(base),
    keepMine: () => theirs && save.mutate(theirs),
    error: isProblem(save.error, 'stale_version') && theirs ? null : save.error,
    /** The service's error about a field, until the field changes. */
    fault: (path: string) =>
      same({ ...base, ...changes }[path.split('/')[1] as Field], sent?.[path.split('/')[1] as Field])
        ? faults(path)
        : undefined,
    busy: save.isPending,
  }
}

export type EditedSettings = ReturnType<typeof useSettings>

/** What each card receives: the values, a setter, and whether they are read-only. */
export interface CardProps {
  now: BotConfig
  set: (change: Partial<BotFields>) => void
  fixed: boolean
  /** The service's error about a field. */
  fault: (path: string) => string | undefined
}
