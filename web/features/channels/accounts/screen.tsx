import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleAlert, Link2, Plus } from 'lucide-react'
import { useEffect } from 'react'
import { toast } from '../../../toast.ts'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import { useMaybe } from '../../../i18n.tsx'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery, configQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PlanLink } from '../../team/plan/plan-link.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { AccountCard } from './card.tsx'
import { useConnect } from './use-connect.ts'

interface Outcome {
  connected?: number
  error?: string
  next?: 'compose'
}

export function AccountsScreen({ outcome }: { outcome: Outcome }) {
  const t = useTranslations('accounts')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listSocialAccounts')
  const query = useQuery({ ...accountsQuery(ws), enabled: !refused })
  const { data: config } = useQuery(configQuery)
  const may = useMay('startConnection')
  const connect = useConnect()
  const text = useProblemText()
  const maybe = useMaybe()
  useOutcome(outcome)
  if (refused) return <Refused whole refused={refused} />

  const networks = PLATFORM_ORDER.filter((one) =>
    config?.networks.some((known) => known.platform === one && known.configured),
  )
  const add = !may.hidden && (
    <ConnectButton
      networks={networks}
      busy={connect.isPending || connect.isSuccess}
      reason={may.reason ?? (config && networks.length === 0 ? t('noneConfigured') : null)}
      onConnect={(platform) => connect.mutate(platform)}
    />
  )
  const isFull = outcome.error === 'quota_exceeded' || isProblem(connect.error, 'quota_exceeded')
  const fault = outcome.error
    ? maybe(`accounts.errors.${outcome.error}`, t('errors.other', { code: outcome.error }))
    : isFull
      ? t('errors.quota_exceeded')
      : connect.error
        ? text(connect.error)
        : null
  return (
    <Page title={t('title')} actions={query.data && query.data.length > 0 && add}>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-4 px-4 py-5 lg:px-6">
        {fault && (
          <div role="alert" className="flex items-start gap-2 rounded-lg bg-bad-soft px-3 py-2.5 text-13 text-bad">
            <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
            <span>
              {fault} {isFull && <PlanLink quota="social_accounts" />}
            </span>
          </div>
        )}
        <Loaded query={query} skeleton={<CardsSkeleton />}>
          {(accounts) =>
            accounts.length === 0 ? (
              <Empty icon={Link2} title={t('empty')} actions={add}>
                {may.hidden ? t('askAdmin') : t('emptyBody')}
              </Empty>
            ) : (
              <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
                {accounts.map((account) => (
                  <AccountCard
                    key={account.id}
                    account={account}
                    onReconnect={() => connect.mutate(account.platform)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Page>
  )
}

/**
 * After the return from the consent page: says what was connected, and removes the parameters from the address. A person
 * who has just signed up goes on to the first post, others are offered to write one.
 */
function useOutcome({ connected, next }: Outcome) {
  const t = useTranslations('accounts')
  const shell = useTranslations('shell')
  const navigate = useNavigate()
  const { ws, membership } = usePlace()
  const writes = !refusal(membership, 'createPost')
  const goesOn = writes && next === 'compose' && connected !== undefined && connected > 0
  useEffect(() => {
    if (connected === undefined) return
    const write = (replace: boolean) => void navigate({ to: '/w/$ws/compose', params: { ws }, replace })
    toast.success(t('connected', { count: connected }), {
      id: 'connected',
      ...(writes && !goesOn && { action: { label: shell('newPost'), onClick: () => write(false) } }),
    })
    if (goesOn) write(true)
    else void navigate({ to: '/w/$ws/accounts', params: { ws }, replace: true })
  }, [connected, goesOn, navigate, shell, t, writes, ws])
}

interface ConnectProps {
  networks: Platform[]
  busy: boolean
  reason: string | null
  onConnect: (platform: Platform) => void
}

function ConnectButton({ networks, busy, reason, onConnect }: ConnectProps) {
  const t = useTranslations('accounts')
  const [only] = networks
  if (networks.length < 2)
    return (
      <Button variant="primary" busy={busy} reason={reason} onClick={() => only && onConnect(only)}>
        <Plus className="size-4" aria-hidden />
        {only ? t('connect', { network: NETWORKS[only].name }) : t('connectAny')}
      </Button>
    )
  return (
    <Menu
      label={t('connectAny')}
      align="end"
      trigger={(props) => (
        <Button variant="primary" busy={busy} reason={reason} {...props}>
          <Plus className="size-4" aria-hidden />
          {t('connectAny')}
        </Button>
      )}
    >
      {networks.map((platform) => (
        <MenuItem key={platform} onSelect={() => onConnect(platform)}>
          <NetworkMark platform={platform} />
          {NETWORKS[platform].name}
        </MenuItem>
      ))}
    </Menu>
  )
}

const CardsSkeleton = () => (
  <div className="grid gap-3" aria-hidden>
    <div className="skeleton h-24" />
    <div className="skeleton h-24" />
  </div>
)
