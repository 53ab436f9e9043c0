import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Desk } from './ai/desk.ts'
import { modelCalls } from './ai/routes.ts'
import { AccountChange, type Advance, changeAccount } from './control.ts'
import { NewFault, SERVICES, setFault } from './faults.ts'
import { onlyOwnForm } from './guard.ts'
import { html, page, time } from './html.ts'
import type { Html } from './html.ts'
import { formOf } from './http.ts'
import { mailList } from './mail.ts'
import { phoneList } from './sms.ts'
import { findPersonById, photoAccountOf } from './people.ts'
import { postsOf } from './graph/photo.ts'
import { knownCreators, knownPages, videosOf } from './networks.ts'
import type { Creator, OwnedPage } from './people.ts'
import type { StoredFault } from './state.ts'
import type { Store } from './store.ts'

/**
 * The sandbox's own page, which shows the networks and lets a person control them. Its forms do the same as the control
 * routes.
 */
export function consoleRoutes(app: FastifyInstance, store: Store, root: string, desk: Desk, advance: Advance): void {
  app.get('/', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .send(page(root, 'The networks', overview(store, root, desk, advance.ofProduct))),
  )

  const forms: Record<string, (form: Record<string, string>) => void | Promise<void>> = {
    clock: async ({ minutes, product }) =>
      void (await advance.by({ advanceMs: Number(minutes) * 60_000, product: product === 'on' })),
    accounts: (form) => changeAccount(store, AccountChange.parse(form)),
    faults: (form) => void setFault(store, NewFault.parse(faultOf(form))),
    'faults/clear': ({ id }) => store.record({ type: 'faults.cleared', id }),
    reset: () => store.reset(),
  }
  for (const [path, act] of Object.entries(forms)) {
    app.post(`/console/${path}`, async (request, reply): Promise<FastifyReply> => {
      onlyOwnForm(request)
      await act(Object.fromEntries(formOf(request)))
      return reply.redirect(root, 303)
    })
  }
}

/** Converts the fault form to the body of the control route, without empty fields. */
function faultOf(form: Record<string, string>): object {
  const given = (name: string) => form[name]?.trim() || undefined
  const number = (name: string) => (given(name) === undefined ? undefined : Number(given(name)))
  const [kind, value] = (form['what'] ?? '').split(' ')
  return {
    match: { network: given('network'), method: given('method'), path: given('path'), nth: number('nth') },
    do: {
      status: kind === 'status' ? Number(value) : undefined,
      drop: kind === 'drop' ? value : undefined,
      delayMs: number('delayMs'),
    },
    times: number('times'),
  }
}

function overview(store: Store, root: string, desk: Desk, hasProduct: boolean): Html {
  const { state, clock } = store
  const pages = knownPages(store)
  const people = [...new Set(pages.map(({ userId }) => userId))]
    .map(findPersonById)
    .filter((person) => person !== undefined)
  return html`
    <section class="card">
      <h2>Clock</h2>
      <p class="soft">
        The networks' time is ${time(clock.now())}${state.offsetMs > 0 && `, ${spoken(state.offsetMs)} ahead`}.
      </p>
      <form method="post" action="${root}/console/clock" class="row">
        <label
          >Minutes to advance <br /><input type="number" name="minutes" min="1" max="5000000" value="60" required
        /></label>
        ${hasProduct && html`<label class="check"><input type="checkbox" name="product" /> Parley's clock as well</label>`}
        <button>Advance the clock</button>
      </form>
    </section>
    <section class="card">
      <h2>Pages and their photo accounts</h2>
      <ul class="plain">
        ${people.map(
          (person) =>
            html`<li>
              <div class="row spread">
                <div>
                  <h3>${person.name} (${person.key})</h3>
                  <p class="soft">${callsOf(store, person.id)}</p>
                </div>
                <div class="row">
                  ${act(root, person.id, 'expire', 'Expire tokens', person.name)}
                  ${act(root, person.id, 'revoke', 'Change password', person.name)}
                </div>
              </div>
              <ul class="plain">
                ${pages.filter(({ userId }) => userId === person.id).map((item) => pageRow(store, root, item))}
              </ul>
            </li>`,
        )}
      </ul>
    </section>
    <section class="card">
      <h2>Creators</h2>
      <ul class="plain">
        ${knownCreators(store).map((creator) => creatorRow(store, root, creator))}
      </ul>
    </section>
    <section class="card">
      <h2>Mail</h2>
      ${mailList(store, root)}
    </section>
    <section class="card">
      <h2>Phones</h2>
      ${phoneList(store, root)}
    </section>
    <section class="card">
      <h2>Language model</h2>
      <p class="soft">A stand-in that writes by rules. No real model is called.</p>
      ${modelCalls(store, desk)}
    </section>
    <section class="card">
      <h2>Faults</h2>
      ${state.faults.length === 0 && html`<p class="soft">None. The networks work normally.</p>`}
      <ul class="plain">
        ${state.faults.map((fault) => faultRow(root, fault))}
      </ul>
      ${faultForm(root)}
    </section>
    <section class="card">
      <h2>Recent errors</h2>
      ${refusals(store)}
    </section>
    <section class="card">
      <h2>Reset</h2>
      <p class="soft">
        Deletes the posts, tokens and faults of the networks, and all mail and text messages. The product's own data
        stays unchanged.
      </p>
      <form method="post" action="${root}/console/reset"><button class="danger">Reset the networks</button></form>
    </section>
  `
}

function pageRow({ state }: Store, root: string, owner: OwnedPage): Html {
  const { id, name, category } = owner
  const photo = photoAccountOf(owner)
  const posts = state.feeds.get(id)?.length ?? 0
  const tasks = state.tasks.get(id)
  const role = tasks && (tasks.length > 0 ? ' · view-only role' : ' · role removed')
  return html`<li class="row spread">
    <div class="head">
      <img src="${root}/avatar/${id}.svg" alt="" width="32" height="32" />
      <div>
        <p><a href="${root}/feed/${id}">${name}</a> · <a href="${root}/customers/${id}">Write as its customers</a></p>
        <p class="soft">${category} · ${posts} live${role} · <code>${id}</code></p>
        ${
          photo &&
          html`<p class="soft">
            <a href="${root}/feed/${photo.id}">@${photo.username}</a> ·
            <a href="${root}/customers/${photo.id}">Write as its customers</a> ·
            ${postsOf(state.photoPosts, photo.id).length} live ·
            <code>${photo.id}</code>
          </p>`
        }
      </div>
    </div>
    <div class="row">
      ${act(root, id, 'expire', 'Expire token', name)} ${act(root, id, 'revoke', 'Revoke token', name)}
      ${tasks ? act(root, id, 'restore', 'Restore role', name) : act(root, id, 'restrict', 'Restrict role', name)}
    </div>
  </li>`
}

function creatorRow(
  store: Store,
  root: string,
  { openId, name, username, private: hidden, commentsOff, maxSeconds }: Creator,
): Html {
  const kind = `${hidden ? ' · private' : ''}${commentsOff ? ' · no comments' : ''}${maxSeconds < 600 ? ` · up to ${maxSeconds} s` : ''}`
  return html`<li class="row spread">
    <div class="head">
      <img src="${root}/avatar/${openId}.svg" alt="" width="32" height="32" />
      <div>
        <p>
          <a href="${root}/feed/${openId}">@${username}</a> ·
          <a href="${root}/customers/${openId}">Write as its customers</a>
        </p>
        <p class="soft">${name} · ${videosOf(store, openId).length} live${kind} · <code>${openId}</code></p>
      </div>
    </div>
    <div class="row">
      ${act(root, openId, 'expire', 'Expire token', username)}
      ${act(root, openId, 'revoke', 'Revoke consent', username)}
    </div>
  </li>`
}

const act = (root: string, id: string, change: AccountChange['do'], label: string, whose: string) =>
  html`<form method="post" action="${root}/console/accounts">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="do" value="${change}" />
    <button aria-label="${label} of ${whose}">${label}</button>
  </form>`

function callsOf({ state }: Store, userId: string): string {
  const calls = state.calls.get(userId)
  return calls ? `${calls.total} calls, up to ${calls.max} in an hour` : 'No calls yet'
}

const faultRow = (root: string, { id, match, do: action, times, seen, used }: StoredFault) =>
  html`<li class="row spread">
    <p><code>${JSON.stringify(match)}</code> → <code>${JSON.stringify(action)}</code></p>
    <p class="soft">${times === undefined ? 'until cleared' : `up to ${times}×`}, matched ${seen}×, applied ${used}×</p>
    <form method="post" action="${root}/console/faults/clear">
      <input type="hidden" name="id" value="${id}" /><button aria-label="Clear ${id}">Clear</button>
    </form>
  </li>`

const option = (value: string, label: string) => html`<option value="${value}">${label}</option>`

const faultForm = (root: string) =>
  html`<form method="post" action="${root}/console/faults" class="row">
    <label
      >Network <br /><select name="network">
        ${option('', 'any')} ${SERVICES.map((name) => option(name, name))}
      </select></label
    >
    <label
      >Method <br /><select name="method">
        ${option('', 'any')} ${['GET', 'POST', 'PUT', 'DELETE'].map((name) => option(name, name))}
      </select></label
    >
    <label>Path contains <br /><input name="path" placeholder="/feed" /></label>
    <label>Only call number <br /><input type="number" name="nth" min="1" /></label>
    <label
      >Effect <br /><select name="what">
        ${option('status 500', 'respond with 500')} ${option('status 503', 'respond with 503')}
        ${option('status 429', 'respond with 429, too many calls')}
        ${option('drop after', 'drop the connection after the effect')}
        ${option('drop before', 'drop the connection before the effect')} ${option('delay', 'delay only')}
      </select></label
    >
    <label>Delay in ms <br /><input type="number" name="delayMs" min="0" max="3600000" /></label>
    <label>Times <br /><input type="number" name="times" min="1" value="1" /></label>
    <button class="main">Set fault</button>
  </form>`

function refusals({ state }: Store): Html {
  if (state.refused.length === 0) return html`<p class="soft">None.</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Recent errors">
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Call</th>
          <th scope="col">Code</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        ${state.refused
          .toReversed()
          .slice(0, 30)
          .map(
            ({ at, method, path, code, subcode, message }) =>
              html`<tr>
                <td>${time(at)}</td>
                <td><code>${method} ${path}</code></td>
                <td>${code}${subcode !== undefined && `/${subcode}`}</td>
                <td>${message}</td>
              </tr>`,
          )}
      </tbody>
    </table>
  </div>`
}

function spoken(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60]
  return (
    [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(' ') ||
    'less than a minute'
  )
}
