import type { FastifyInstance } from 'fastify'
import type { StoredMessage } from './graph/inbox-state.ts'
import { liveOf } from './graph/webhooks.ts'
import { onlyOwnForm } from './guard.ts'
import { type Html, html, page, time } from './html.ts'
import { formOf } from './http.ts'
import { happen, Inbound } from './inbound.ts'
import { type Answering, findAnswering } from './networks.ts'
import type { StoredComment } from './state.ts'
import type { Store } from './store.ts'
import { picture } from './stripes.ts'

/** The number of posts, and of conversations, on a page. */
const SHOWN = 30

/**
 * The page of an account on which a person plays its customers: comments below its posts and direct conversations, as
 * the network shows them. Its forms do the same as `POST /inbound`.
 */
export function customerRoutes(app: FastifyInstance, store: Store, root: string): void {
  app.get<{ Params: { accountId: string } }>('/customers/:accountId', async (request, reply) => {
    const account = findAnswering(store, request.params.accountId)
    if (!account) return reply.callNotFound()
    return reply
      .type('text/html; charset=utf-8')
      .send(page(root, `Customers of ${account.name}`, customers(store, root, account)))
  })

  app.post<{ Params: { accountId: string } }>('/customers/:accountId', async (request, reply) => {
    onlyOwnForm(request)
    const account = findAnswering(store, request.params.accountId)
    if (!account) return reply.callNotFound()
    const form = Object.fromEntries(formOf(request))
    const given = (name: string) => form[name]?.trim() || undefined
    const base = `${request.protocol}://${request.host}${root}`
    const name = given('name')
    const stripes = `${base}/picture/${store.state.nextId}.png`
    happen(
      store,
      Inbound.parse({
        network: account.network,
        accountId: account.id,
        kind: form['kind'],
        from: { id: given('person'), ...(name !== undefined && { name }) },
        text: given('text'),
        postId: given('post'),
        parentId: given('parent'),
        id: given('id'),
        ...(form['picture'] === 'yes' &&
          (form['kind'] === 'comment' ? { picture: stripes } : { attachments: [{ type: 'image', url: stripes }] })),
      }),
      base,
    )
    return reply.redirect(`${root}/customers/${account.id}`, 303)
  })

  app.get<{ Params: { seed: string } }>('/picture/:seed.png', async ({ params }, reply) =>
    reply.type('image/png').send(picture(Number(params.seed) || 0)),
  )
}

function customers(store: Store, root: string, account: Answering): Html {
  const { state } = store
  const { posts } = account
  const conversations = [...state.messages.values()]
    .filter(([first]) => first?.accountId === account.id)
    .toSorted((a, b) => (b.at(-1)?.at ?? 0) - (a.at(-1)?.at ?? 0))
  const action = `${root}/customers/${account.id}`
  return html`
    <p class="soft gap">
      You are the customer here. <a href="${root}/feed/${account.id}">Public view</a> ·
      <a href="${action}">Refresh</a> · <a href="${root}">The networks</a>
    </p>
    ${account.tellsCounts ? countedIntro() : direct(account, action, conversations)}
    <section class="card">
      <h2>Posts and their comments</h2>
      ${posts.length === 0 && html`<p class="soft">No posts yet.</p>`}
      <ul class="plain">
        ${posts
          .toReversed()
          .slice(0, SHOWN)
          .map((post) => (account.tellsCounts ? counted(store, action, post) : below(store, account, action, post)))}
      </ul>
    </section>
    ${
      account.broadcasts &&
      html`<section class="card">
        <h2>Live broadcast</h2>
        ${commentList(store, account, action, liveOf(account.id))}
        ${compose(action, { kind: 'live' }, { label: 'Live comment', button: 'Comment', names: true })}
      </section>`
    }
  `
}

const countedIntro = () =>
  html`<p class="card soft">
    This network tells apps only the number of comments on a post. It has no direct messages.
  </p>`

const direct = (account: Answering, action: string, conversations: StoredMessage[][]) => html`
  <section class="card">
    <h2>Write to ${account.name}</h2>
    ${compose(action, { kind: 'dm' }, { label: 'Message', button: 'Send', names: true })}
  </section>
  <section class="card">
    <h2>Conversations</h2>
    ${conversations.length === 0 && html`<p class="soft">No conversations yet.</p>`}
    <ul class="plain">
      ${conversations.slice(0, SHOWN).map((messages) => conversation(account, action, messages))}
    </ul>
  </section>
`

function conversation(account: Answering, action: string, messages: StoredMessage[]): Html {
  const [first] = messages
  const personId = first?.personId ?? ''
  const name = messages.find((each) => each.name !== undefined)?.name ?? personId
  const mine = { person: personId, name }
  return html`<li>
    <h3>${name}</h3>
    <ul class="chat">
      ${messages.map((message) => {
        const { id, text, attachments = [], story } = message
        const isMine = message.by === personId
        return html`<li class="${isMine ? 'mine' : 'theirs'}">
          <div class="bubble">
            ${story && html`<a href="${story.url}">Reply to a story</a>`}
            ${attachments.map(({ type, url }) => (type === 'image' ? shown(url) : html`<a href="${url}">${type}</a>`))}
            ${text !== '' && html`<p class="text">${text}</p>`}
          </div>
          <p class="soft">${isMine ? name : account.name} · ${time(message.at)}</p>
          ${
            isMine &&
            html`<details>
              <summary>Edit<span class="hid"> “${text.slice(0, 40)}”</span></summary>
              ${change(action, { kind: 'edit', id, ...mine }, text)}
              <div class="row">
                ${button(action, { kind: 'react', id, text: '❤', ...mine }, 'React')}
                ${button(action, { kind: 'remove', id, ...mine }, 'Delete')}
              </div>
            </details>`
          }
        </li>`
      })}
    </ul>
    ${compose(action, { kind: 'dm', ...mine }, { label: `Write as ${name}`, button: 'Send' })}
    <details>
      <summary>More<span class="hid"> with ${name}</span></summary>
      <div class="row">
        ${button(action, { kind: 'dm', picture: 'yes', ...mine }, 'Send a picture')}
        ${button(action, { kind: 'read', ...mine }, 'Mark all as read')}
      </div>
      ${compose(action, { kind: 'echo', ...mine }, { label: `Reply as ${account.name} in the network’s own inbox`, button: 'Reply' })}
    </details>
  </li>`
}

/** A post with its comments. */
function below(store: Store, account: Answering, action: string, post: Answering['posts'][number]): Html {
  const of = post.text.slice(0, 80) || 'Post without text'
  if (post.story)
    return html`<li>
      ${head(post, 'Story')}
      ${compose(action, { kind: 'story', post: post.id }, { label: 'Reply to the story', button: 'Reply', names: true })}
    </li>`
  return html`<li>
    ${head(post, of)} ${commentList(store, account, action, post.id)}
    ${compose(action, { kind: 'comment', post: post.id }, { label: 'Comment', button: 'Comment', names: true })}
    ${
      account.comments === 'with pictures' &&
      button(action, { kind: 'comment', post: post.id, name: 'Mia Keller', picture: 'yes' }, 'Comment with a picture')
    }
  </li>`
}

/** A post with the number of its comments. Apps get only this number. */
function counted({ state }: Store, action: string, post: Answering['posts'][number]): Html {
  const count = state.videoComments.get(post.id) ?? 0
  return html`<li>
    ${head(post, post.text.slice(0, 80) || 'Post without text')}
    <div class="row spread">
      <p>${count} ${count === 1 ? 'comment' : 'comments'}</p>
      <div class="row">
        ${button(action, { kind: 'comment', post: post.id }, 'Comment', true)}
        ${count > 0 && button(action, { kind: 'remove', post: post.id }, 'Delete a comment')}
      </div>
    </div>
  </li>`
}

const head = ({ id, at }: Answering['posts'][number], name: string) =>
  html`<h3>${name}</h3>
    <p class="soft">${time(at)} · <code>${id}</code></p>`

function commentList({ state }: Store, account: Answering, action: string, postId: string): Html {
  const comments = state.comments.get(postId) ?? []
  return html`<ul class="chat">
    ${comments.map((each) => comment(account, action, each))}
  </ul>`
}

function comment(account: Answering, action: string, made: StoredComment): Html {
  const isOwn = made.by === account.id
  const name = isOwn ? account.name : (made.name ?? made.by)
  const mine = { person: made.by, name: made.name ?? '' }
  const what = made.text.slice(0, 40)
  return html`<li class="${made.parentId === undefined ? 'root' : 'below'}">
    <div class="bubble">
      <strong>${name}</strong> ${made.picture !== undefined && shown(made.picture)}
      ${made.text !== '' && html`<p class="text">${made.text}</p>`}
    </div>
    <p class="soft">${time(made.at)}${made.hidden === true && ' · hidden by the account'}</p>
    <details>
      <summary>Reply or edit<span class="hid"> “${what}”</span></summary>
      ${compose(
        action,
        { kind: 'comment', parent: made.id },
        { label: 'Reply', button: 'Reply', names: true, name: isOwn ? undefined : made.name },
      )}
      ${
        !isOwn &&
        html`${change(action, { kind: 'edit', id: made.id, ...mine }, made.text)}
        ${button(action, { kind: 'remove', id: made.id, ...mine }, 'Delete')}`
      }
    </details>
  </li>`
}

/** A picture that a customer sent. It is on this sandbox or another host, so it may fail to load. */
const shown = (url: string) =>
  html`<a href="${url}"><img src="${url}" alt="Picture" width="160" height="160" loading="lazy" /></a>`

const hidden = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)

const button = (action: string, fields: Record<string, string>, label: string, main = false) =>
  html`<form method="post" action="${action}">
    ${hidden(fields)}<button class="${main ? 'main' : ''}">${label}</button>
  </form>`

interface Composed {
  label: string
  button: string
  /** Whether the writer chooses a name, and its default. */
  names?: boolean
  name?: string | undefined
}

const compose = (action: string, fields: Record<string, string>, { label, button: word, names, name }: Composed) =>
  html`<form method="post" action="${action}" class="row compose">
    ${hidden(fields)}
    ${
      names &&
      html`<label class="name"
        >Your name <br /><input name="name" value="${name ?? 'Mia Keller'}" required maxlength="80"
      /></label>`
    }
    <label class="grow">${label} <br /><input name="text" required maxlength="2000" autocomplete="off" /></label>
    <button class="main">${word}</button>
  </form>`

const change = (action: string, fields: Record<string, string>, text: string) =>
  html`<form method="post" action="${action}" class="row compose">
    ${hidden(fields)}<label class="grow"
      >Edit <br /><input name="text" value="${text}" required maxlength="2000"
    /></label>
    <button>Save</button>
  </form>`
