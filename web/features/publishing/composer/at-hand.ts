import type { ComponentType } from 'react'
import type { Props } from './composer.tsx'

let composer: ComponentType<Props> | undefined

/** The composer where its script is there already: a new post that becomes a stored one goes on without a moment in between. */
export const composerAtHand = () => composer

export const putComposerAtHand = (known: ComponentType<Props>) => void (composer = known)
