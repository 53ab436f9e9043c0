import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageCircle, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { BrandVoice } from '../../../../src/assistant/brand-voices/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded, NotFound } from '../../../ui/states.tsx'
import { voicesQuery } from '../ai/queries.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { VoiceForm } from './form.tsx'

/** The list of brand voices, or the open one. */
export function VoicesScreen({ voice }: { voice?: string }) {
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listBrandVoices')
  const query = useQuery({ ...voicesQuery(ws), enabled: !refused })
  if (refused) return <Refused refused={refused} />
  return (
    <div className="settings-column gap-4">
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {(voices) => {
          if (voice === undefined) return <Voices voices={voices} />
          const found = voices.find(({ id }) => id === voice)
          if (!found && voice !== 'new') return <NotFound whole={false} />
          return <VoiceForm voice={found ?? null} />
        }}
      </Loaded>
    </div>
  )
}

function Voices({ voices }: { voices: BrandVoice[] }) {
  const t = useTranslations('voices')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('createBrandVoice')
  const [deleting, setDeleting] = useState<BrandVoice | null>(null)
  const renew = () => void client.invalidateQueries({ queryKey: voicesQuery(ws).queryKey })
  const choose = useMutation({
    mutationFn: ({ id, version }: BrandVoice) =>
      call('updateBrandVoice', { workspace: ws, params: { id }, ifMatch: version, body: { isDefault: true } }),
    onSuccess: ({ name }) => toast.success(t('isDefaultNow', { name })),
    onError: (error) => toast.error(text(error)),
    onSettled: renew,
  })
  const remove = useMutation({
    mutationFn: ({ id }: BrandVoice) => call('deleteBrandVoice', { workspace: ws, params: { id } }),
    onSuccess: () => toast.success(t('deleted')),
    onError: (error) => !isProblem(error, 'not_found') && toast.error(text(error)),
    onSettled: () => {
      setDeleting(null)
      renew()
    },
  })
  const fresh = !may.hidden && (
    <Link
      to="/w/$ws/settings/voices"
      params={{ ws }}
      search={{ voice: 'new' }}
      className={buttonClass('primary', 'md')}
    >
      <Plus className="size-4" aria-hidden />
      {t('new')}
    </Link>
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 grow basis-60 text-13 text-muted">{t('lead')}</p>
        {voices.length > 0 && !may.reason && fresh}
      </div>
      {may.reason && <p className="text-13 text-bad">{may.reason}</p>}
      {voices.length === 0 ? (
        <Empty icon={MessageCircle} title={t('none')} actions={!may.reason && fresh}>
          {t('noneBody')}
        </Empty>
      ) : (
        <>
          <ul className="card grid grid-cols-[minmax(0,1fr)] divide-y">
            {voices.map((voice) => (
              <li key={voice.id} className="flex flex-wrap items-center gap-2 px-4 py-3">
                <div className="grid min-w-0 grow basis-48 gap-0.5 text-13">
                  <p className="flex flex-wrap items-center gap-2 font-medium break-words">
                    <bdi>{voice.name}</bdi>
                    {voice.isDefault && (
                      <span className="rounded-full bg-accent-soft px-2 py-0.5 text-2xs font-medium text-accent-text">
                        {t('default')}
                      </span>
                    )}
                  </p>
                  <p dir="auto" className="clip text-xs text-muted">
                    {voice.toneAttributes.join(' · ') || voice.writingStyle}
                  </p>
                </div>
                <Link
                  to="/w/$ws/settings/voices"
                  params={{ ws }}
                  search={{ voice: voice.id }}
                  aria-label={t(may.hidden ? 'openNamed' : 'changeNamed', { name: voice.name })}
                  className={buttonClass('secondary', 'sm')}
                >
                  {t(may.hidden ? 'open' : 'change')}
                </Link>
                {!may.hidden && !voice.isDefault && (
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-label={t('makeDefaultNamed', { name: voice.name })}
                    busy={choose.isPending}
                    reason={may.reason}
                    onClick={() => choose.mutate(voice)}
                  >
                    {t('makeDefault')}
                  </Button>
                )}
                {!may.hidden && (
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={t('deleteNamed', { name: voice.name })}
                    reason={may.reason}
                    onClick={() => setDeleting(voice)}
                  >
                    <Trash2 className="size-4" aria-hidden />
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <Confirm
        danger
        open={deleting !== null}
        onOpenChange={(open) => !open && setDeleting(null)}
        title={t('deleteTitle', { name: deleting?.name ?? '' })}
        description={t(deleting?.isDefault ? 'deleteDefaultBody' : 'deleteBody')}
        action={t('deleteNow')}
        busy={remove.isPending}
        onConfirm={() => deleting && remove.mutate(deleting)}
      />
    </>
  )
}
