import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { addDays } from '../../../time.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { dateIn } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { DateField } from '../../../ui/date-field.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { FigureFilter } from './queries.ts'
import { arePeriod, LONGEST, type Range, RANGES, type Search } from './read-search.ts'

interface Props {
  search: Search
  asked: FigureFilter
  /** Only the dates, because the screen shows the other filters. */
  datesOnly: boolean
  platforms: readonly Platform[]
  accounts: readonly SocialAccount[]
  onApply: (next: Search) => void
  onClose: () => void
}

/** Chooses the days, and on a phone all filters. Nothing is fetched until the person applies them. */
export default function FilterSheet({ search, asked, datesOnly, platforms, accounts, onApply, onClose }: Props) {
  const t = useTranslations('analytics')
  const common = useTranslations('common')
  const posts = useTranslations('posts')
  const { workspace } = usePlace()
  const form = useId()
  const [range, setRange] = useState<Range | 'own'>(
    datesOnly || search.from !== undefined ? 'own' : (search.range ?? '28d'),
  )
  const [first, setFirst] = useState(asked.from)
  const [last, setLast] = useState(addDays(asked.to, -1))
  const [net, setNet] = useState<Platform | ''>(search.net ?? '')
  const [account, setAccount] = useState(search.account ?? '')
  const today = dateIn(new Date(), workspace.timezone)
  const isOwn = range === 'own'
  const fault =
    !isOwn || arePeriod(first, last && addDays(last, 1))
      ? null
      : first && last && first <= last
        ? t('datesTooLong', { most: LONGEST })
        : t('datesOrder')
  const apply = () => {
    if (fault !== null) return
    onApply({
      range: isOwn || range === '28d' ? undefined : range,
      from: isOwn ? first : undefined,
      to: isOwn ? addDays(last, 1) : undefined,
      ...(!datesOnly && { net: net || undefined, account: account || undefined }),
    })
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t(datesOnly ? 'ownDates' : 'filters')}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={form} reason={fault}>
            {t('apply')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        {!datesOnly && (
          <SelectField
            label={t('period')}
            value={range}
            onChange={setRange}
            options={[
              ...(Object.keys(RANGES) as Range[]).map((one) => [one, t(`ranges.${one}`)] as const),
              ['own', t('ownDates')],
            ]}
          />
        )}
        {isOwn && (
          <div className="grid grid-cols-2 gap-4">
            <DateField label={t('firstDay')} value={first} onChange={setFirst} max={today} place={workspace} />
            <DateField
              label={t('lastDay')}
              value={last}
              onChange={setLast}
              max={today}
              place={workspace}
              error={fault}
            />
          </div>
        )}
        {!datesOnly && (platforms.length > 1 || net !== '') && (
          <SelectField<Platform | ''>
            label={posts('network')}
            value={net}
            onChange={(one) => {
              setNet(one)
              setAccount('')
            }}
            options={[['', posts('allNetworks')], ...platforms.map((one) => [one, NETWORKS[one].name] as const)]}
          />
        )}
        {!datesOnly && (accounts.length > 1 || account !== '') && (
          <SelectField
            label={posts('account')}
            value={account}
            onChange={setAccount}
            options={[
              ['', posts('allAccounts')],
              ...accounts
                .filter(({ platform }) => net === '' || platform === net)
                .map(({ id, name, platform }) => [id, `${name} · ${NETWORKS[platform].short}`] as const),
            ]}
          />
        )}
      </form>
    </Dialog>
  )
}
