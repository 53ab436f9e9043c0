import { useTranslations } from 'use-intl'

const GOALS = ['plan', 'adapt', 'team', 'answer', 'measure'] as const

/** What the person wants to do first. */
export function Goals({ goals, onChange }: { goals: string[]; onChange: (goals: string[]) => void }) {
  const t = useTranslations('onboarding')
  return (
    <fieldset>
      <legend className="mb-1.5 text-13 font-medium">{t('goals')}</legend>
      <div className="flex flex-wrap gap-1.5">
        {GOALS.map((goal) => (
          <label
            key={goal}
            className="flex min-h-9 items-center gap-2.5 rounded-md border border-control/60 px-3 text-13 has-checked:border-accent has-checked:bg-accent-soft max-sm:min-h-11"
          >
            <input
              type="checkbox"
              className="size-4 accent-(--accent)"
              checked={goals.includes(goal)}
              onChange={(event) =>
                onChange(event.target.checked ? [...goals, goal] : goals.filter((one) => one !== goal))
              }
            />
            {t(`goal.${goal}`)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
