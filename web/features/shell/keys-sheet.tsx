import { Link, useRouterState } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { shortcutsOn } from '../../shortcuts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Keys, MOD } from '../../ui/kbd.tsx'
import { entriesFor, type Membership, useEntryName } from './entries.ts'

/** The shortcuts of each screen, as printed on a keyboard. Keys in the same inner list are pressed together. */
const KEYS = {
  calendar: {
    today: [['T']],
    views: [['F'], ['M'], ['W'], ['L']],
    period: [['←'], ['→']],
    move: [['Alt', '←↑→↓']],
    undo: [[MOD, 'Z']],
  },
  approvals: { step: [['J'], ['K']], approve: [['A']], reject: [['R']] },
  inbox: {
    thread: [['J'], ['K']],
    reply: [['R']],
    note: [[';']],
    send: [[MOD, 'Enter']],
    approveDraft: [['⇧', 'A']],
    editDraft: [['⇧', 'E']],
    flagDraft: [['⇧', 'F']],
    end: [['E']],
    assign: [['A']],
    snooze: [['H']],
    label: [['L']],
    find: [['/']],
    leave: [['Esc']],
  },
  review: { approveDraft: [['⇧', 'A']], editDraft: [['⇧', 'E']], flagDraft: [['⇧', 'F']], nextDraft: [['J'], ['K']] },
  composer: { schedule: [[MOD, 'Enter']], save: [[MOD, 'S']], picture: [['Alt', '←→']] },
  everywhere: { commands: [[MOD, 'K']], write: [['N']], sheet: [['?']], close: [['Esc']] },
} as const
type Screen = keyof typeof KEYS

const PATHS: readonly [path: RegExp, screen: Screen][] = [
  [/\/calendar$/, 'calendar'],
  [/\/approvals$/, 'approvals'],
  [/\/inbox$/, 'inbox'],
  [/\/inbox\/review$/, 'review'],
  [/\/(compose|posts\/[\da-f-]{36})$/, 'composer'],
]

/** The screen of a path, if it has its own shortcuts. */
const screenOf = (path: string) => PATHS.find(([pattern]) => pattern.test(path))?.[1]

interface Props {
  /** Absent for a person without a workspace. */
  membership: Membership | undefined
  onClose: () => void
}

/** The shortcuts of the screen behind it. */
export default function KeysSheet({ membership, onClose }: Props) {
  const t = useTranslations('keys')
  const path = useRouterState({ select: (state) => state.location.pathname })
  const screen = screenOf(path)
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('title')}>
      {!shortcutsOn() && (
        <p className="mb-4 text-13 text-muted">
          {t.rich('off', {
            link: (text) => (
              <Link to="/me" className="underline" onClick={onClose}>
                {text}
              </Link>
            ),
          })}
        </p>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys */}
      <div className="grid gap-5" tabIndex={0} role="group" aria-label={t('title')}>
        {screen && <Group screen={screen} />}
        <Group screen="everywhere" />
        {membership && <Ways membership={membership} />}
      </div>
    </Dialog>
  )
}

/** The screens that two-key shortcuts open. */
function Ways({ membership }: { membership: Membership }) {
  const t = useTranslations('keys')
  const name = useEntryName()
  const ways = entriesFor(membership).flatMap(({ label, letter }) =>
    letter ? [{ act: name(label), keys: [['G', letter.toUpperCase()]] }] : [],
  )
  return <KeyList title={t('screens.goTo')} rows={ways} />
}

function Group({ screen }: { screen: Screen }) {
  const t = useTranslations('keys')
  const rows = Object.entries<readonly (readonly string[])[]>(KEYS[screen]).map(([act, keys]) => ({
    act: t(`acts.${act}` as 'acts.today'),
    keys,
  }))
  return <KeyList title={t(`screens.${screen}`)} rows={rows} />
}

interface KeyListProps {
  title: string
  rows: { act: string; keys: readonly (readonly string[])[] }[]
}

const KeyList = ({ title, rows }: KeyListProps) => (
  <section className="grid gap-2">
    <h3 className="text-13 font-semibold">{title}</h3>
    <dl className="grid gap-2 text-13">
      {rows.map(({ act, keys }) => (
        <div key={act} className="flex items-center justify-between gap-4">
          <dt>{act}</dt>
          <dd dir="ltr" className="flex shrink-0 gap-2">
            {keys.map((combination) => (
              <Keys key={combination.join('+')} keys={combination} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
)
