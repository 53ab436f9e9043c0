import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Decision } from '../../../../../src/conversations/decisions/api.ts'
import { networks } from '../../../../../src/networks/rules.ts'
import { call } from '../../../../client.ts'
import { accountsQuery } from '../../../../queries.ts'
import { SelectField } from '../../../../ui/select.tsx'
import { AskForm } from '../../../assistant/ai/ask-form.tsx'
import { AskButton } from '../../../assistant/ai/cost.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { useDegree } from '../degree.ts'
import { decisionQuery } from '../queries.ts'
import { Considered } from '../why/considered.tsx'
import { Sources } from '../why/sources.tsx'
import { Steps } from '../why/why.tsx'
import { RunError } from './run-error.tsx'
import type { Tried } from './tried.ts'
import { VerdictPill } from './verdict.tsx'

/** The price of a reply, in credits. */
const COST = 1

/** A person writes as a customer and sees, step by step, what the bot would do. Nothing is sent. */
export function TryOne({ config }: { config: Tried | undefined }) {
  const t = useTranslations('bot.try')
  const kinds = useTranslations('inbox.kinds')
  const client = useQueryClient()
  const { ws } = usePlace()
  const [text, setText] = useState('')
  const [kind, setKind] = useState<'DM' | 'COMMENT'>('DM')
  const accounts = (useQuery(accountsQuery(ws)).data ?? []).filter(
    ({ platform, status }) => networks[platform].answers && status !== 'DISCONNECTED',
  )
  const [chosen, setChosen] = useState<string>()
  const accountId = chosen ?? accounts[0]?.id
  const run = useMutation({
    mutationFn: async () => {
      const body = { text: text.trim(), kind, ...(accountId && { accountId }), ...(config && { config }) }
      const answer = await call('simulateReplies', {
        workspace: ws,
        body,
        idempotencyKey: crypto.randomUUID(),
      })
      return { asked: body.text, decision: answer as Decision }
    },
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'usage'] }),
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 @4xl:grid-cols-2">
      <div className="card p-4">
        <AskForm>
          <div className="flex flex-wrap items-end gap-3">
            <div role="group" aria-label={t('kind')} className="segments">
              {(['DM', 'COMMENT'] as const).map((one) => (
                <button
                  key={one}
                  type="button"
                  className="segment max-sm:min-h-11"
                  aria-pressed={kind === one}
                  onClick={() => setKind(one)}
                >
                  {kinds(one)}
                </button>
              ))}
            </div>
            {accounts.length > 1 && (
              <div className="min-w-40 grow">
                <SelectField
                  label={t('account')}
                  value={accountId ?? ''}
                  options={accounts.map(({ id, name }) => [id, name] as const)}
                  onChange={setChosen}
                />
              </div>
            )}
          </div>
          <label className="grid gap-1.5">
            <span className="text-13 font-medium">{t('text')}</span>
            <textarea
              rows={3}
              dir="auto"
              className="input field-sizing-content"
              maxLength={4000}
              placeholder={t('example')}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <AskButton
            operation="simulateReplies"
            cost={COST}
            busy={run.isPending}
            reason={text.trim() === '' && t('textFirst')}
            icon={<Play className="size-4 rtl:rotate-180" aria-hidden />}
            label={t('run')}
            onAsk={() => run.mutate()}
          />
          <p className="text-xs text-muted">{t('costs')}</p>
          <RunError error={run.error} cost={COST} />
        </AskForm>
      </div>
      <div role="status" className="min-w-0">
        {run.data ? (
          <Result key={run.data.decision.id} asked={run.data.asked} first={run.data.decision} />
        ) : (
          <p className="rounded-lg border border-dashed border-line-strong p-4 text-13 text-muted">{t('nothingYet')}</p>
        )}
      </div>
    </div>
  )
}

/** What the bot would do with one message. */
function Result({ asked, first }: { asked: string; first: Decision }) {
  const t = useTranslations('bot.try')
  const words = useTranslations('why')
  const degree = useDegree()
  const { ws } = usePlace()
  const late = useQuery({ ...decisionQuery(ws, first.id), enabled: first.state !== 'DONE' }).data
  const decision = late ?? first
  const { reply, confidence, threshold, credits, state } = decision
  return (
    <section aria-label={t('result')} className="card @container grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <p
        dir="auto"
        className="max-w-[88%] justify-self-start rounded-xl rounded-es-sm bg-hover px-3 py-2 text-13 break-words whitespace-pre-wrap"
      >
        {asked}
      </p>
      {reply && (
        <p
          dir="auto"
          className="max-w-[88%] justify-self-end rounded-xl rounded-ee-sm border border-line-strong px-3 py-2 text-13 break-words whitespace-pre-wrap"
        >
          {reply}
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted tabular-nums">
        <VerdictPill decision={decision} />
        {confidence !== null && (
          <span>{t('confidence', { degree: degree(confidence, threshold), threshold: degree(threshold) })}</span>
        )}
        {state === 'DONE' && <span>{t('cost', { count: credits })}</span>}
      </p>
      {state === 'DONE' && (
        <>
          <h3 className="border-t pt-3 text-13 font-semibold">{words('title')}</h3>
          <Steps decision={decision} held={false} />
          <Sources decision={decision} />
          <Considered decision={decision} />
        </>
      )}
    </section>
  )
}
