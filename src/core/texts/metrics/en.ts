/** What each figure counts: of a post since it was published, and of an account on one day. */
export const en = {
  posts: {
    reach: 'People who saw the post at least once',
    impressions: 'Number of times the post was shown',
    likes: 'Likes and other reactions',
    comments: 'Comments on the post, including replies',
    shares: 'Number of times the post was shared',
    saves: 'Number of times the post was saved',
    videoViews: 'Number of times the video was played',
    engagement: 'Likes, comments, shares and saves combined',
  },
  activity: {
    impressions: 'Number of times the account’s content was shown in a day',
    engagement: 'Interactions with the account’s content in a day, as counted by the network',
    reach: 'People who saw the account’s content at least once in a day',
    followers: 'Followers at the end of each day',
  },
}
