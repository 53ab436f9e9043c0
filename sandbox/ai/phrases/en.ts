/** The phrases of the stand-in in one language. The lists have the same order in every language. `{t}` is the topic. */
export type Phrases = {
  /** The topic if a brief has none. */
  news: string
  first: string[]
  again: string[]
  more: string[]
  end: string[]
  cta: string[]
  tags: string[]
  /** These quote `{t}`, since the text of a post rarely fits into another sentence. */
  ideas: string[]
  /** The reason for an idea: it continues a post, or the subject of the workspace. */
  because: [written: string, itself: string]
  /** Opening words for each tone: lively, sober, bold, warm. */
  tones: [lively: string, sober: string, bold: string, warm: string]
  /** Describes a picture. `{t}` is its content, `{c}` its colour, and `thing` a word for unknown content. */
  seen: { thing: string; wide: string; tall: string; square: string; colours: string[] }
  /** Adds the words of a voice, as `{x}`. */
  words: string
}

export const en: Phrases = {
  news: 'our news',
  first: [
    'There is something new to tell you about {t}.',
    'We have been thinking a lot about {t} lately.',
    'If you have been waiting for {t}, this is your moment.',
    'Here is what makes {t} worth your time.',
    'Good things begin small, and so did {t}.',
    'Have you already heard of {t}?',
  ],
  again: [
    'That is why {t} means so much to all of us.',
    'And with {t} this is only the beginning.',
    'Everything that we do here comes back to {t}.',
  ],
  more: [
    'It took us many evenings, a few mistakes and a lot of patience to get this right.',
    'We asked the people who know it best, and we listened to what they had to say.',
    'You will notice the difference in the small things that others often leave out.',
    'Nothing about it is complicated: you come by, you try it, and you decide for yourself.',
    'Some of you have been with us since the first day, and this one is for you.',
    'What we like most is how it brings people together who would never have met.',
    'Every detail was made by hand, with care, and with the time that it needs.',
    'Our neighbours were the first to see it, and they could not stop smiling.',
    'It fits into an ordinary week and makes at least one day of it a little better.',
    'We keep the price fair, because good work should not be a luxury.',
    'Ask us anything: behind every answer there is somebody who really cares.',
    'Take a quiet moment, have a closer look, and tell us what you would change.',
    'There is still a lot to do, and we are glad that you are part of the way.',
    'What began as an idea at the kitchen table has found its place in the world.',
  ],
  end: [
    'We are looking forward to seeing you.',
    'Thank you for being here with us.',
    'Tell us what you think about it.',
    'Who would you like to share this with?',
    'See you very soon.',
  ],
  cta: [
    'Find out more today',
    'Come by and try it yourself',
    'Write to us and we will help you',
    'Save your place now',
    'Share this with a friend',
    'Leave us a comment',
    'Follow us for more',
    'Shop now',
  ],
  tags: ['New', 'Together', 'Handmade', 'Community', 'Weekend', 'Inspiration', 'Local', 'Quality', 'Ideas', 'Today'],
  ideas: [
    'Behind the scenes of “{t}”',
    'A follow-up to “{t}”',
    'The story behind “{t}”',
    'One more thing about “{t}”',
    'A picture that goes with “{t}”',
  ],
  because: ['It continues one of your last posts.', 'It comes from what your workspace is about.'],
  tones: ['Guess what!', 'A short note:', 'No more waiting:', 'Hello, dear friends!'],
  seen: {
    thing: 'a plain surface',
    wide: '{t} across a wide view in shades of {c}.',
    tall: '{t} in a tall view in shades of {c}.',
    square: '{t} in the middle, in shades of {c}.',
    colours: ['black', 'white', 'gray', 'red', 'orange', 'yellow', 'green', 'blue', 'purple', 'brown'],
  },
  words: 'In our words: {x}.',
}
