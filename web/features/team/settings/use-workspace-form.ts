import { useState } from 'react'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'
import { useLeaveGuard } from '../../../ui/leave-guard.tsx'
import { type WorkspaceBody, useChangeWorkspace } from './use-change-workspace.ts'

/**
 * A form over some settings of the workspace. What a person has typed stays until it is saved, or refused because
 * another person changed the same field first. What others save appears in the fields that are not edited.
 */
export function useWorkspaceForm<T extends object>(
  workspace: Workspace,
  fieldsOf: (workspace: Workspace) => T,
  bodyOf: (edited: Partial<T>) => WorkspaceBody,
  onSaved: () => void,
) {
  /** The workspace as it was when the person began to edit, so that another person's change of the same is noticed. */
  const [base, setBase] = useState<Workspace | null>(null)
  const [changes, setChanges] = useState<Partial<T>>({})
  const [sent, setSent] = useState<Partial<T>>({})
  const saved = fieldsOf(workspace)
  const value = { ...saved, ...changes }
  const edited = (Object.keys(changes) as (keyof T)[]).filter((key) => changes[key] !== saved[key])
  const save = useChangeWorkspace(
    base ?? workspace,
    () => {
      // Keep what the person typed while saving.
      const left = Object.entries(changes).filter(([key, now]) => now !== sent[key as keyof T])
      setChanges(Object.fromEntries(left) as Partial<T>)
      setBase(null)
      onSaved()
    },
    (latest) => {
      // The refusal says that the latest version is shown, which concerns the fields that the other person changed.
      const [before, now] = [fieldsOf(base ?? workspace), fieldsOf(latest)]
      const left = Object.entries(changes).filter(([key]) => before[key as keyof T] === now[key as keyof T])
      setChanges(Object.fromEntries(left) as Partial<T>)
      setBase(null)
    },
  )
  const guard = useLeaveGuard(edited.length > 0)
  return {
    value,
    /** Asks before the edited fields are lost. */
    guard,
    isSame: edited.length === 0,
    error: save.error,
    isPending: save.isPending,
    set(more: Partial<T>) {
      setBase(base ?? workspace)
      setChanges({ ...changes, ...more })
    },
    save() {
      if (edited.length === 0 || save.isPending) return
      setSent(changes)
      save.mutate(bodyOf(Object.fromEntries(edited.map((key) => [key, changes[key]])) as Partial<T>))
    },
  }
}
