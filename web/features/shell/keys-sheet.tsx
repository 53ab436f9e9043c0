import { Link, useRouterState } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { shortcutsOn } from '../../shortcuts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Keys } from '../../ui/kbd.tsx'

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

/** The keys of each screen, as they are printed on a keyboard. Keys of one combination stand in one list. */
const KEYS = {
  calendar: {
    today: [['T']],
    views: [['M'], ['W'], ['L']],
    period: [['←'], ['→']],
    move: [['Alt', '←↑→↓']],
    undo: [[MOD, 'Z']],
  },
  approvals: { step: [['J'], ['K']], approve: [['A']], reject: [['R']] },
  composer: { schedule: [[MOD, 'Enter']], save: [[MOD, 'S']], picture: [['Alt', '←→']] },
  everywhere: { sheet: [['?']], close: [['Esc']] },
} as const
type Screen = keyof typeof KEYS

/** The screen that a path shows, where it has keys of its own. */
const screenOf = (path: string): Screen | undefined =>
  /\/calendar$/.test(path)
    ? 'calendar'
    : /\/approvals$/.test(path)
      ? 'approvals'
      : /\/(compose|posts\/[\da-f-]{36})$/.test(path)
        ? 'composer'
        : undefined

/** The keys that act on the screen behind it. */
export default function KeysSheet({ onClose }: { onClose: () => void }) {
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
      <div className="grid gap-5">
        {screen && <Group screen={screen} />}
        <Group screen="everywhere" />
      </div>
    </Dialog>
  )
}

function Group({ screen }: { screen: Screen }) {
  const t = useTranslations('keys')
  return (
    <section className="grid gap-2">
      <h3 className="text-13 font-semibold">{t(`screens.${screen}`)}</h3>
      <dl className="grid gap-2 text-13">
        {Object.entries<readonly (readonly string[])[]>(KEYS[screen]).map(([act, keys]) => (
          <div key={act} className="flex items-center justify-between gap-4">
            <dt>{t(`acts.${act}` as 'acts.today')}</dt>
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
}
