import type { ComponentProps } from 'react'
import type { useSuggest } from '../../../ui/suggest.tsx'

interface Props extends Omit<ComponentProps<'textarea'>, 'onChange' | 'onKeyDown'> {
  suggest: Pick<ReturnType<typeof useSuggest>, 'look' | 'keys' | 'fieldProps' | 'list'>
  onWrite: (text: string) => void
}

/** The text field of a reply or note, with suggestions. Ctrl or Cmd with Enter submits its form. */
export const WritingArea = ({ suggest: { look, keys, fieldProps, list }, onWrite, ...rest }: Props) => (
  <div className="relative">
    <textarea
      dir="auto"
      rows={2}
      {...rest}
      {...fieldProps}
      onChange={(event) => {
        onWrite(event.target.value)
        look(event.target.value, event.target.selectionStart)
      }}
      onKeyDown={(event) => {
        if (keys(event)) return
        // Letters are shortcuts outside the field, so a person does not leave a text by accident.
        if (event.key === 'Escape' && event.currentTarget.value === '') event.currentTarget.blur()
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
        event.preventDefault()
        event.currentTarget.form?.requestSubmit()
      }}
      className="block field-sizing-content max-h-60 min-h-12 w-full resize-none bg-transparent px-3 py-1.5 text-13 outline-none max-sm:text-base"
    />
    {list}
  </div>
)
