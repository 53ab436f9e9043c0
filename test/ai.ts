import { call, type Person } from './world.ts'
import type { OptionsAnswer } from '../src/assistant/ai/api.ts'

/** Makes the sandbox's model misbehave until the behaviour is set again. */
export async function behave(url: string, behaviour: object): Promise<void> {
  const answer = await call(url, 'PUT', '/sandbox/ai/behaviour', behaviour)
  if (answer.status !== 200) throw new Error(`the behaviour was refused: ${JSON.stringify(answer.body)}`)
}

interface ModelCall {
  system: string
  prompt: string
  answer: string
  /** The picture sent with the prompt, as the sandbox read it. */
  picture?: { type: string; width: number; height: number } | null
}

/** The requests that the sandbox's model received, newest first. */
export const modelCalls = async (url: string) =>
  (await call<{ data: ModelCall[] }>(url, 'GET', '/sandbox/ai/calls')).body.data

export const caption = (person: Person, more: object = {}) =>
  person.must<OptionsAnswer>('POST', '/ai/caption/generate', { topic: 'Fresh sourdough bread', ...more })
