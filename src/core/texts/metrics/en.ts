/** What each figure counts: of a post since it was published, and of an account on one day. */
export const en = {
  posts: {
    reach: 'People who saw it at least once',
    impressions: 'How often it was shown',
    likes: 'Likes and other reactions',
    comments: 'Comments and replies below it',
    shares: 'How often it was shared',
    saves: 'How often it was saved',
    videoViews: 'Number of times the video was played',
    engagement: 'Likes, comments, shares and saves together',
  },
  activity: {
    impressions: 'How often the account’s content was shown in a day',
    engagement: 'How people interacted with the account’s content in a day, as counted by the network',
    reach: 'People who saw the account’s content at least once in a day',
    followers: 'Followers at the end of the day',
  },
}
