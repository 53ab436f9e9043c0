import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { NETWORKS } from '../../../labels.ts'
import { accountsQuery, labelsQuery } from '../../../queries.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { LabelDot } from '../../../ui/label-chip.tsx'
import { MenuGroup, MenuItem, MenuLine, MenuRadio } from '../../../ui/menu.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { usePeople } from './people.tsx'
import { type Narrowing, isFiltered, KINDS, NO_FILTER, SENTIMENTS, URGENCIES } from './search.ts'
import { UrgencySign } from './urgency.tsx'

/** The items of the menu of filters. */
export function Filters({ search, onChange }: Narrowing) {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'listSocialAccounts') }).data ?? []
  const labels = useQuery(labelsQuery(ws)).data ?? []
  const { only, urgency, sentiment, account, label, closed, unread } = search
  return (
    <>
      <MenuRadio stay checked={unread ?? false} onSelect={() => onChange({ unread: unread ? undefined : true })}>
        {t('onlyUnread')}
      </MenuRadio>
      <MenuRadio stay checked={closed ?? false} onSelect={() => onChange({ closed: closed ? undefined : true })}>
        {t('statuses.CLOSED')}
      </MenuRadio>
      <MenuGroup label={t('kind')}>
        {KINDS.map((one) => (
          <MenuRadio
            key={one}
            stay
            checked={only === one}
            onSelect={() => onChange({ only: only === one ? undefined : one })}
          >
            {t(`kindsMany.${one}`)}
          </MenuRadio>
        ))}
      </MenuGroup>
      {membership.role !== 'CLIENT' && (
        <MenuGroup label={t('urgency')}>
          {URGENCIES.map((one) => (
            <MenuRadio
              key={one}
              stay
              checked={urgency === one}
              onSelect={() => onChange({ urgency: urgency === one ? undefined : one })}
            >
              <span className="flex items-center gap-2">
                <UrgencySign urgency={one} />
                {t(`urgencies.${one}`)}
              </span>
            </MenuRadio>
          ))}
        </MenuGroup>
      )}
      {membership.role !== 'CLIENT' && (
        <>
          <MenuGroup label={t('sentiment')}>
            {SENTIMENTS.map((one) => (
              <MenuRadio
                key={one}
                stay
                checked={sentiment === one}
                onSelect={() => onChange({ sentiment: sentiment === one ? undefined : one })}
              >
                {t(`sentiments.${one}`)}
              </MenuRadio>
            ))}
          </MenuGroup>
          <AssignedTo search={search} onChange={onChange} />
        </>
      )}
      {accounts.length > 1 && (
        <MenuGroup label={t('account')}>
          {accounts.map(({ id, name, platform }) => (
            <MenuRadio
              key={id}
              stay
              checked={account === id}
              onSelect={() => onChange({ account: account === id ? undefined : id })}
            >
              <bdi>{name}</bdi> · {NETWORKS[platform].short}
            </MenuRadio>
          ))}
        </MenuGroup>
      )}
      {labels.length > 0 && (
        <MenuGroup label={t('label')}>
          {labels.map(({ id, name, color }) => (
            <MenuRadio
              key={id}
              stay
              checked={label === id}
              onSelect={() => onChange({ label: label === id ? undefined : id })}
            >
              <span className="flex items-center gap-2">
                <LabelDot color={color} />
                <bdi>{name}</bdi>
              </span>
            </MenuRadio>
          ))}
        </MenuGroup>
      )}
      {isFiltered(search) && (
        <>
          <MenuLine />
          <MenuItem onSelect={() => onChange(NO_FILTER)}>{t('empty.clear')}</MenuItem>
        </>
      )}
    </>
  )
}

/** The people to whom threads can be assigned. */
function AssignedTo({ search: { assignee }, onChange }: Narrowing) {
  const t = useTranslations('inbox')
  const people = usePeople()
  return (
    <MenuGroup label={t('assignee')}>
      {people.map(({ id, name, mine }) => (
        <MenuRadio
          key={id}
          stay
          checked={assignee === id}
          onSelect={() => onChange({ assignee: assignee === id ? undefined : id })}
        >
          <span className="flex items-center gap-2">
            <Avatar name={name} className="size-5" />
            <bdi>{mine ? t('you') : name}</bdi>
          </span>
        </MenuRadio>
      ))}
    </MenuGroup>
  )
}
