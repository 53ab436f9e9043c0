/** What each figure counts: of a post since it was published, and of an account on one day. */
export const en = {
  posts: {
    reach: 'People who saw it at least once',
    impressions: 'How often it was shown',
    likes: 'Likes and other reactions',
    comments: 'Comments and answers below it',
    shares: 'How often it was shared',
    saves: 'How often it was saved',
    videoViews: 'How often its video was played',
    engagement: 'Likes, comments, shares and saves together',
  },
  activity: {
    impressions: 'How often content of the account was shown on a day',
    engagement: 'What people did with content of the account on a day, as the network adds it up',
    reach: 'People who saw content of the account on a day at least once',
    followers: 'Followers at the end of a day',
  },
}
