/** A time at which posts of an account do better than usual. The true ratio is probably between `low` and `high`. */
interface BestTime {
  account: string
  posts: number
  ratio: number
  low: number
  high: number
}

export const en = {
  fallback: 'What is new with us',
  gap: (day: string) => `Nothing is planned for ${day}`,
  gapWhy: (days: number) =>
    days === 1 ? 'One day of the coming week is empty.' : `${days} days of the coming week are empty.`,
  slot: (day: string, time: string) => `Fill the free slot on ${day} at ${time}`,
  slotWhy: 'It is the next free slot of your queue.',
  best: (day: string, time: string) => `Post on ${day} at around ${time}`,
  bestWhy: ({ account, posts, ratio, low, high }: BestTime) =>
    `${account}: ${posts} posts at this time got ${ratio} times the usual engagement (probably ${low} to ${high} times).`,
  hour: (time: string) => `Post at around ${time}`,
  hourWhy: (posts: number, of: number) =>
    `Most of your posts go out at this hour: ${posts} of ${of} in the last three months.`,
  repost: (start: string) => `Post it again: ${start}`,
  repostWhy: (date: string) => `It went out on ${date}, at least two months ago.`,
  repostBest: (date: string, percent: number) =>
    `It got more engagement than ${percent}% of the posts of its account. It went out on ${date}.`,
  hashtags: (tags: string) => `Keep using ${tags}`,
  hashtagsWhy: (tag: string, posts: number) => `You used ${tag} ${posts} times in the last two months.`,
  topicWhy: 'It comes from what your workspace is about and from your last posts.',
}
