import { clsx } from 'clsx'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useProblemText } from '../../problem.ts'
import { Keys } from '../../ui/kbd.tsx'
import { type Command, type CommandGroup, useCommands } from './commands.ts'
import type { Membership } from './entries.ts'

interface Props {
  membership: Membership
  onClose: () => void
  onKeys: () => void
}

/** Finds screens, actions and content of the workspace by keyboard. */
export default function CommandMenu({ membership, onClose, onKeys }: Props) {
  const t = useTranslations('commands')
  const common = useTranslations('common')
  const text = useProblemText()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const { commands, isPending, error } = useCommands(membership, typed, onKeys)
  const at = Math.min(chosen, commands.length - 1)
  const optionId = (index: number) => `${id}-${index}`
  const run = (command: Command) => {
    onClose()
    command.run()
  }
  const move = (index: number) => {
    const next = (index + commands.length) % commands.length
    setChosen(next)
    document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
  }
  const press = (event: KeyboardEvent) => {
    const command = commands[at]
    if (!command || event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Enter') run(command)
    else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade-in fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content
          aria-describedby={undefined}
          className="pop-in fixed inset-x-2 top-[12dvh] z-50 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden rounded-xl border bg-surface shadow-pop outline-none max-sm:top-2 max-sm:max-h-[calc(100dvh-1rem)]"
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <div className="flex items-center gap-2.5 border-b px-4">
            <Search className="size-4 shrink-0 text-muted" aria-hidden />
            <input
              role="combobox"
              aria-expanded
              aria-controls={id}
              aria-autocomplete="list"
              aria-activedescendant={commands.length > 0 ? optionId(at) : undefined}
              aria-label={t('title')}
              placeholder={t('placeholder')}
              dir="auto"
              autoComplete="off"
              maxLength={200}
              className="min-h-12 min-w-0 grow bg-transparent text-15 outline-none max-sm:text-base"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setChosen(0)
              }}
              onKeyDown={press}
            />
            <span className="max-sm:hidden" aria-hidden>
              <Keys keys={['Esc']} />
            </span>
          </div>
          <p role="status" className="sr-only">
            {typed.trim() && !isPending && !error && t('found', { count: commands.length })}
          </p>
          <div id={id} role="listbox" aria-label={t('results')} className="min-h-0 overflow-y-auto p-2 empty:hidden">
            {inGroups(commands).map(([group, options]) => (
              <div key={group} role="group" aria-label={t(`groups.${group}`)}>
                <p className="px-2 pt-2 pb-1 text-2xs font-medium text-muted" aria-hidden>
                  {t(`groups.${group}`)}
                </p>
                {options.map(({ command, index }) => (
                  <Option
                    key={command.id}
                    id={optionId(index)}
                    command={command}
                    on={index === at}
                    onPoint={() => setChosen(index)}
                    onRun={() => run(command)}
                  />
                ))}
              </div>
            ))}
          </div>
          {error ? (
            <p role="alert" className="px-4 py-3 text-center text-13 text-bad">
              {text(error)}
            </p>
          ) : (
            commands.length === 0 && (
              <p className="px-4 py-8 text-center text-13 text-muted">
                {isPending ? common('loading') : t('none', { text: typed.trim() })}
              </p>
            )
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The commands by group, each with its index in the list. */
function inGroups(commands: Command[]) {
  const groups = new Map<CommandGroup, { command: Command; index: number }[]>()
  for (const [index, command] of commands.entries())
    groups.set(command.group, [...(groups.get(command.group) ?? []), { command, index }])
  return [...groups]
}

interface OptionProps {
  id: string
  command: Command
  on: boolean
  onPoint: () => void
  onRun: () => void
}

function Option({ id, command: { icon: Icon, text, detail, keys }, on, onPoint, onRun }: OptionProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field that has the focus takes the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={on}
      className={clsx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 text-13 max-sm:min-h-11',
        on && 'bg-accent-soft text-accent-strong',
      )}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <Icon className="size-4 shrink-0 opacity-70" aria-hidden />
      <span dir="auto" className="min-w-0 clip">
        {text}
      </span>
      {detail && (
        <span dir="auto" className="min-w-0 shrink-2 clip text-xs text-muted">
          {detail}
        </span>
      )}
      {keys && (
        <span className="ms-auto max-sm:hidden" aria-hidden>
          <Keys keys={keys} />
        </span>
      )}
    </div>
  )
}
