import * as z from 'zod'
import { foreign, NetworkError } from '../answers.ts'
import { windowFrom } from '../clock.ts'
import { type Graph, timeOf } from './graph.ts'
import { Paging } from './login.ts'
import type { CommentPlace, Network } from '../network.ts'
import { sameText } from '../rules.ts'

const Created = z.looseObject({ id: z.string().regex(/^\d+(_\d+)*$/) })
const Comments = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      /** The page network uses message and created_time, the photo network text and timestamp. */
      message: z.string().optional(),
      text: z.string().optional(),
      created_time: z.string().optional(),
      timestamp: z.string().optional(),
      from: z.looseObject({ id: z.string() }).optional(),
      attachment: z.looseObject({}).optional(),
    }),
  ),
  paging: Paging,
})

/** Comments by an account below its own posts. `params` is the query for the list of comments. */
export function graphComments(
  { call }: Graph,
  params: Record<string, string>,
  edge: 'comments' | 'replies' = 'comments',
): NonNullable<Network['comments']> {
  const path = ({ postId }: CommentPlace) => `/${postId}/${edge}`
  return {
    async write(place) {
      const { account, text, picture, reservation } = place
      const made = await call({
        method: 'POST',
        path: path(place),
        token: account.accessToken,
        params: picture ? { attachment_url: picture } : { message: text },
        answer: Created,
        reservation,
        commit: true,
      })
      if (made.id === place.postId) throw foreign()
      return made.id
    },

    async find(place, since) {
      const { account, reservation, text, picture } = place
      const hasPicture = picture !== null && picture !== undefined
      const answer = await call({
        method: 'GET',
        path: path(place),
        token: account.accessToken,
        params,
        answer: Comments,
        reservation,
      })
      const from = windowFrom(since, answer.at)
      const times = answer.data.map((each) => timeOf(each.created_time ?? each.timestamp ?? ''))
      const same = answer.data.filter(
        ({ message, text: words, attachment }, i) =>
          (times[i] as number) >= from &&
          sameText(message ?? words ?? '', text) &&
          (attachment !== undefined) === hasPicture,
      )
      const ours = same.filter((each) => each.from?.id === account.externalId)
      const [oldest] = times.slice(-1)
      const whole = !answer.paging?.next || (oldest !== undefined && oldest < from)
      if (ours.length === 0 && (!whole || same.some((each) => !each.from))) {
        const message = 'The comments on the network don’t show whether this one is among them.'
        throw new NetworkError('ambiguous', message, { committed: 'maybe' })
      }
      return ours.map(({ id }) => id)
    },
  }
}
