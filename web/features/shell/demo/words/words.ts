import type { CallOptions } from '../../../../client.ts'
import type { DemoRole } from '../people.ts'
import type { AskedName, FileName, LabelName, PairName, PostName, ThreadName, Where } from '../plan.ts'

export interface PostWords {
  caption: string
  hashtags?: string[]
  /** Texts for individual networks. */
  captions?: Partial<Record<Where, string>>
}

export interface ThreadWords {
  from: string
  says: string
  answer?: string
  note?: string
}

/** All texts of the demo in one language. */
export interface Words {
  business: string
  niche: string
  goals: string[]
  colleagues: Record<DemoRole, string>
  /** The alt texts of the files. */
  files: Record<FileName, string>
  labels: Record<LabelName, string>
  posts: Record<PostName, PostWords>
  /** The client's comment on a post in review. */
  comment: string
  /** Why a post was rejected. */
  reason: string
  /** The A/B test. In each pair, A begins with a question and B does not. */
  test: { name: string; a: string; b: string; pairs: Record<PairName, { A: string; B: string }> }
  templates: NonNullable<CallOptions<'createTemplate'>['body']>[]
  hashtagSets: NonNullable<CallOptions<'createHashtagSet'>['body']>[]
  voice: NonNullable<CallOptions<'createBrandVoice'>['body']>
  /** The name of the segment of customers who wrote on one network this week. */
  segment: string
  report: { name: string; note: string }
  threads: Record<ThreadName, ThreadWords>
  savedReplies: NonNullable<CallOptions<'createSavedReply'>['body']>[]
  /** The experiment of the bot: two ways of replying. */
  experiment: NonNullable<CallOptions<'createExperiment'>['body']>
  /** The bot's settings: it answers from the café's knowledge and leaves the rest to people. */
  bot: {
    blockedTopics: string[]
    escalateKeywords: string[]
    handoffText: string
    faq: Record<string, { question: string; answer: string; tags: string[] }>
    knowledgeBase: Record<string, unknown>
  }
  /** What customers ask once the bot is on. */
  asked: Record<AskedName, { from: string; says: string }>
  /** What the café posted on its networks in the previous weeks, by the hashtag of each topic. */
  history: { tag: string; captions: string[] }[]
}
