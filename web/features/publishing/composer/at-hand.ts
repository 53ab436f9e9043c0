import type { ComponentType } from 'react'
import type { Props } from './composer.tsx'

let composer: ComponentType<Props> | undefined

/**
 * The composer if its code is already loaded, so that a new post continues seamlessly on its own page after the first
 * save.
 */
export const composerAtHand = () => composer

export const putComposerAtHand = (known: ComponentType<Props>) => void (composer = known)
