import type { FastifyInstance } from 'fastify'
import { onlyOwnJson } from '../guard.ts'
import { html, type Html } from '../html.ts'
import type { Store } from '../store.ts'
import { anthropicRoutes } from './anthropic.ts'
import { NewBehaviour } from './behaviour.ts'
import type { Desk } from './desk.ts'
import { openAiRoutes } from './openai.ts'

/** The stand-in for language models: the APIs of two providers, its calls, and its behaviour. */
export async function aiRoutes(app: FastifyInstance, store: Store, desk: Desk, key: string): Promise<void> {
  await app.register(async (api) => openAiRoutes(api, store, desk, key), { prefix: '/v1' })
  await app.register(async (api) => anthropicRoutes(api, store, desk, key), { prefix: '/anthropic/v1' })

  app.get('/calls', async () => ({ data: desk.calls(), nextCursor: null }))
  app.get('/behaviour', async () => store.state.aiBehaviour ?? {})
  app.put('/behaviour', async (request) => {
    onlyOwnJson(request)
    const behaviour = NewBehaviour.parse(request.body)
    store.record({ type: 'ai.behaviour', behaviour: Object.keys(behaviour).length > 0 ? behaviour : null })
    return store.state.aiBehaviour ?? {}
  })
}

/** The latest prompts and answers, for the console. */
export function modelCalls({ state }: Store, desk: Desk): Html {
  const calls = desk.calls().slice(0, 10)
  return html`
    ${state.aiBehaviour !== null && html`<p class="soft">Configured misbehavior: <code>${JSON.stringify(state.aiBehaviour)}</code></p>`}
    ${calls.length === 0 && html`<p class="soft">No calls yet.</p>`}
    <ul class="plain">
      ${calls.map(
        ({ at, model, prompt, answer }) =>
          html`<li>
            <p class="soft">${model} · <time datetime="${at}">${at}</time></p>
            <p class="soft">Prompt</p>
            <p class="text" dir="auto">${cut(prompt)}</p>
            <p class="soft">Answer</p>
            <p class="text" dir="auto">${cut(answer)}</p>
          </li>`,
      )}
    </ul>
  `
}

const cut = (text: string) => (text.length > 1500 ? `${text.slice(0, 1500)}…` : text)
