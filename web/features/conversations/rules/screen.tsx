import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, TrendingUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { EscalationRule } from '../../../../src/conversations/escalation/api.ts'
import { Button } from '../../../ui/button.tsx'
import { RowActs, Rows } from '../../../ui/row.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { SettingsList } from '../../team/settings/settings-list.tsx'
import { rulesQuery } from './queries.ts'
import { RuleDialog } from './rule-dialog.tsx'
import { RuleWords } from './rule-words.tsx'
import { useRules } from './use-rules.ts'

/** The escalation rules for customer messages, in the order of evaluation. */
export function RulesScreen() {
  const { membership } = usePlace()
  const refused = refusal(membership, 'listEscalationRules')
  return refused ? <Refused refused={refused} /> : <Rules />
}

function Rules() {
  const t = useTranslations('rules')
  const { ws } = usePlace()
  const may = useMay('createEscalationRule')
  const query = useQuery(rulesQuery(ws))
  const { move, remove } = useRules()
  const [editing, setEditing] = useState<EscalationRule | 'new' | null>(null)
  return (
    <SettingsList
      query={query}
      none={{ icon: TrendingUp, title: t('none'), body: t('noneBody') }}
      lead={t('lead')}
      add={{ name: t('new'), may, onAdd: () => setEditing('new') }}
      dialogs={editing && <RuleDialog rule={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
    >
      {(rules) => (
        <>
          <Rows role="list" aria-label={t('title')}>
            {rules.map((rule, index) => {
              const place = index + 1
              /** The rules with the one at `at` and the next swapped. */
              const exchanged = (at: number) => rules.toSpliced(at, 2, rules[at + 1]!, rules[at]!)
              return (
                <li key={rule.id} className="flex flex-wrap items-start gap-x-3 gap-y-1 py-3 ps-4 pe-2">
                  <span aria-hidden className="w-4 pt-0.5 text-13 text-faint tabular-nums">
                    {place}
                  </span>
                  <RuleWords rule={rule} />
                  {!may.hidden && (
                    <div className="ms-auto flex">
                      <Button
                        variant="ghost"
                        size="icon"
                        aria-label={t('up', { place })}
                        reason={index === 0 && t('isFirst')}
                        onClick={() => !move.isPending && move.mutate(exchanged(index - 1))}
                      >
                        <ArrowUp className="size-4" aria-hidden />
                      </Button>
                      <Button
                        variant="ghost"
                        size="icon"
                        aria-label={t('down', { place })}
                        reason={index === rules.length - 1 && t('isLast')}
                        onClick={() => !move.isPending && move.mutate(exchanged(index))}
                      >
                        <ArrowDown className="size-4" aria-hidden />
                      </Button>
                      <RowActs
                        edit={t('edit', { place })}
                        onEdit={() => setEditing(rule)}
                        remove={t('delete', { place })}
                        onRemove={() => !remove.isPending && remove.mutate(rule)}
                      />
                    </div>
                  )}
                </li>
              )
            })}
          </Rows>
          <p className="text-xs text-muted">{t('effect')}</p>
          {may.hidden && <p className="text-xs text-muted">{t('readOnly')}</p>}
        </>
      )}
    </SettingsList>
  )
}
