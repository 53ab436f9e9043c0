import { deflateSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { StoredMessage } from './graph/inbox-state.ts'
import { onlyOwnForm } from './guard.ts'
import { type Html, html, page, time } from './html.ts'
import { formOf } from './http.ts'
import { happen, Inbound } from './inbound.ts'
import { type Answering, findAnswering } from './networks.ts'
import type { StoredComment } from './state.ts'
import type { Store } from './store.ts'

/** The number of posts and conversations on one page. */
const SHOWN = 30

/**
 * The page of an account on which a person plays its customers: comments below its posts and direct conversations, as the network
 * shows them. Its forms do what `POST /inbound` does.
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
        ...(form['picture'] === 'yes' && {
          attachments: [{ type: 'image', url: `${base}/picture/${store.state.nextId}.png` }],
        }),
      }),
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
      You are the customer here. <a href="${root}/feed/${account.id}">The public view</a> ·
      <a href="${action}">Look again</a> · <a href="${root}">The networks</a>
    </p>
    <section class="card">
      <h2>Write to ${account.name}</h2>
      <form method="post" action="${action}" class="row">
        <input type="hidden" name="kind" value="dm" />
        <label>Your name <br /><input name="name" value="Mia Keller" required maxlength="80" /></label>
        <label>Message <br /><input name="text" required maxlength="2000" /></label>
        <button class="main">Send</button>
      </form>
    </section>
    <section class="card">
      <h2>Conversations</h2>
      ${conversations.length === 0 && html`<p class="soft">Nobody has written yet.</p>`}
      <ul class="plain">
        ${conversations.slice(0, SHOWN).map((messages) => conversation(account, action, messages))}
      </ul>
    </section>
    <section class="card">
      <h2>Posts and their comments</h2>
      ${posts.length === 0 && html`<p class="soft">Nothing has been published here.</p>`}
      <ul class="plain">
        ${posts
          .toReversed()
          .slice(0, SHOWN)
          .map(
            (post) =>
              html`<li>
                <h3>${post.text.slice(0, 80) || 'A post without text'}</h3>
                <p class="soft">${time(post.at)} · <code>${post.id}</code></p>
                ${(state.comments.get(post.id) ?? []).map((each) => comment(account, action, each))}
                <form method="post" action="${action}" class="row">
                  <input type="hidden" name="kind" value="comment" /><input
                    type="hidden"
                    name="post"
                    value="${post.id}"
                  />
                  <label>Your name <br /><input name="name" value="Mia Keller" required maxlength="80" /></label>
                  <label>Comment <br /><input name="text" required maxlength="2000" /></label>
                  <button class="main">Comment</button>
                </form>
              </li>`,
          )}
      </ul>
    </section>
  `
}

function conversation(account: Answering, action: string, messages: StoredMessage[]): Html {
  const [first] = messages
  const personId = first?.personId ?? ''
  const name = messages.find((each) => each.name !== undefined)?.name ?? personId
  const mine = { person: personId, name }
  return html`<li>
    <h3>${name}</h3>
    ${messages.map((message) => {
      const isMine = message.by === personId
      return html`<div class="row spread">
        <p class="text">
          <strong>${isMine ? name : account.name}</strong> ${message.text}
          ${(message.attachments ?? []).map(({ type, url }) => html`<a href="${url}">${type}</a>`)}
        </p>
        ${
          isMine &&
          html`<div class="row">
            ${change(action, { kind: 'edit', id: message.id, ...mine }, message.text)}
            ${button(action, { kind: 'react', id: message.id, text: '❤', ...mine }, 'React')}
            ${button(action, { kind: 'remove', id: message.id, ...mine }, 'Delete')}
          </div>`
        }
      </div>`
    })}
    <div class="row">
      <form method="post" action="${action}" class="row">
        ${hidden({ kind: 'dm', ...mine })}
        <label>Write as ${name} <br /><input name="text" required maxlength="2000" /></label>
        <button class="main">Send</button>
      </form>
      ${button(action, { kind: 'dm', picture: 'yes', ...mine }, 'Send a picture')}
      ${button(action, { kind: 'read', ...mine }, 'Read')}
    </div>
    <form method="post" action="${action}" class="row">
      ${hidden({ kind: 'echo', ...mine })}
      <label>Answer in the network’s own inbox <br /><input name="text" required maxlength="2000" /></label>
      <button>Answer</button>
    </form>
  </li>`
}

function comment(account: Answering, action: string, made: StoredComment): Html {
  const isOwn = made.by === account.id
  const mine = { person: made.by, name: made.name ?? '' }
  return html`<div class="row spread">
    <p class="text">
      ${made.parentId !== undefined && '↳ '}<strong>${isOwn ? account.name : (made.name ?? made.by)}</strong>
      ${made.text}${made.hidden === true && html` <span class="soft">hidden by the account</span>`}
    </p>
    <div class="row">
      ${
        !isOwn &&
        html`${change(action, { kind: 'edit', id: made.id, ...mine }, made.text)}
        ${button(action, { kind: 'remove', id: made.id, ...mine }, 'Delete')}`
      }
      <form method="post" action="${action}" class="row">
        ${hidden({ kind: 'comment', parent: made.id })}
        <label>Reply as <br /><input name="name" value="${isOwn ? 'Mia Keller' : (made.name ?? '')}" required /></label>
        <label>Reply <br /><input name="text" required maxlength="2000" /></label>
        <button>Reply</button>
      </form>
    </div>
  </div>`
}

const hidden = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)

const button = (action: string, fields: Record<string, string>, label: string) =>
  html`<form method="post" action="${action}">${hidden(fields)}<button>${label}</button></form>`

const change = (action: string, fields: Record<string, string>, text: string) =>
  html`<form method="post" action="${action}" class="row">
    ${hidden(fields)}<label>Edit <br /><input name="text" value="${text}" required maxlength="2000" /></label>
    <button>Save</button>
  </form>`

const SIDE = 240

/** A picture of stripes, another one for each number. */
export function picture(seed: number): Buffer {
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const row = Buffer.alloc(1 + SIDE * 3)
    for (let x = 0; x < SIDE; x += 1) {
      const stripe = Math.floor((x + y) / 30)
      row.set([(seed * 53 + stripe * 40) % 256, (seed * 97 + 90) % 256, (stripe * 60 + 120) % 256], 1 + x * 3)
    }
    return row
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(SIDE, 0)
  head.writeUInt32BE(SIDE, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc(body))
  return Buffer.concat([length, body, sum])
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}
