import type { Words } from './words.ts'

/** The keys are visible texts too, so each language has its own. */
const knowledgeBase: Words['bot']['knowledgeBase'] = {
  Roastery: { Tours: 'Every first Saturday there is a tour of the roastery. It takes an hour.' },
  Vouchers: 'Vouchers are sold at the counter. They do not expire.',
}

/** Northside Coffee, a fictional café with a small roastery. */
export const words = {
  business: 'Northside Coffee',
  niche: 'Neighbourhood coffee bar with a small roastery and weekend classes',
  goals: ['Bring more people into the café', 'Sell coffee subscriptions', 'Fill the weekend classes'],
  colleagues: { ADMIN: 'Juno', EDITOR: 'Wren', VIEWER: 'Sol', CLIENT: 'Marlow' },
  files: {
    'autumn.jpg': 'A green cup of coffee between falling autumn leaves',
    'beans.jpg': 'Roasted coffee beans, seen from above',
    'counter.jpg': 'Three steaming cups on a wooden counter: orange, yellow and green',
    'pour.mp4': 'Steam rising from a green cup',
    'roast.mp4': 'An orange cup in front of the roaster',
  },
  labels: { autumn: 'Autumn', roastery: 'Roastery', classes: 'Classes', bar: 'Behind the bar' },
  posts: {
    hours: {
      caption: 'Our autumn hours start next week: 7 am to 6 pm on weekdays, 8 am to 5 pm at the weekend.',
    },
    morning: {
      caption: 'Flat white, cortado, cappuccino. Which one gets you through the morning?',
      hashtags: ['#northsidecoffee', '#coffeebreak'],
    },
    forty: {
      caption:
        'We roasted forty kilos this week, and the whole street smells of caramel. The bags are on the shelf from noon.',
    },
    huila: {
      caption:
        'The last bags of our natural from Huila: strawberry, cocoa and a long finish. When they’re gone, they’re gone.',
      hashtags: ['#freshlyroasted', '#northsidecoffee'],
    },
    quiet: { caption: 'Ten quiet seconds before the doors open.', hashtags: ['#northsidecoffee'] },
    latteArt: {
      caption:
        'Latte art for beginners, in three days at 10 am. Six people, two hours, far too much milk. Two places left.',
    },
    jumper: {
      caption: 'It is jumper weather, and the pumpkin latte is nearly ready. Can you guess which day it comes back?',
      hashtags: ['#autumn', '#coffee'],
    },
    thanks: {
      caption: 'Thank you to everyone who came to the latte art class. Your hearts look less like apples already.',
      hashtags: ['#latteart'],
    },
    grind: { caption: 'Grind a little finer in cold weather. Your moka pot will thank you.' },
    pumpkin: {
      caption:
        'Autumn in a cup. 🍂 Our pumpkin latte is back: espresso, steamed milk and a spice mix we grind ourselves. Here until the end of the season.',
      captions: { photo: 'Autumn in a cup. 🍂 The pumpkin latte is back.' },
      hashtags: ['#autumn', '#coffee'],
    },
    roast: { caption: 'From green to brown in just over a minute, sped up a little: this is how we roast.' },
    pour: {
      caption: 'How we pour. Slowly, from high up, and with a good playlist.',
      captions: { photo: 'How we pour ☕️ Sound on.' },
    },
    ethiopian: {
      caption: 'New on the shelf: a washed Ethiopian with notes of peach and jasmine. Come in and smell it.',
      hashtags: ['#freshlyroasted', '#northsidecoffee'],
    },
    croissant: {
      caption: 'From tomorrow and all week long, the first ten guests of the day get a croissant on the house.',
    },
    baristas: { caption: 'Three baristas, three cups, one question: which one is yours?' },
    subscription: {
      caption:
        'You can now get our subscription every two weeks: two bags, roasted the day before, through your letterbox.',
    },
    buns: {
      caption: 'Tomorrow is cinnamon bun day. They come out of the oven at 9 am and rarely last until 11.',
      hashtags: ['#northsidecoffee'],
    },
    cupping: {
      caption:
        'Cupping night, tomorrow at 7 pm: five coffees, one long table, no experience needed. Book at the counter.',
    },
    cups: { caption: 'Our cups keep coffee hot for hours. Pick yours up before they sell out!' },
    corner: {
      caption:
        'Where do you like to sit? Tell us your favourite corner of the café, and we’ll take your portrait there.',
    },
    gifts: {
      caption: 'Our gift boxes are nearly ready: three coffees, a filter and a card you can write yourself.',
    },
  },
  comment: 'Can we say that it’s free? A few guests asked me.',
  reason: 'An hour at most, please. Let’s not promise more than the cups can do.',
  test: {
    name: 'Do questions get more engagement?',
    a: 'with a question',
    b: 'without a question',
    pairs: {
      window: {
        A: 'Where do you drink your first coffee of the day? Ours is at the table by the window.',
        B: 'The first coffee of the day tastes best at the table by the window.',
      },
      milk: {
        A: 'Oat, almond or plain cow’s milk? All three stand behind the bar.',
        B: 'Oat, almond and plain cow’s milk: all three stand behind the bar.',
      },
      brewer: {
        A: 'Which brewer do you use at home? Tell us, and we’ll grind your beans for it.',
        B: 'Tell us which brewer you use at home, and we’ll grind your beans for it.',
      },
    },
  },
  templates: [
    {
      name: 'New coffee',
      caption: 'New on the shelf: {{coffee}}, with notes of {{notes}}. Roasted on {{day}}.',
      hashtags: ['#freshlyroasted', '#northsidecoffee'],
    },
    {
      name: 'Weekend class',
      caption: '{{class}}, {{day}} at {{time}}. {{places}} places left: book at the counter.',
      hashtags: ['#northsidecoffee'],
    },
  ],
  hashtagSets: [
    { name: 'Café', hashtags: ['#northsidecoffee', '#coffeebreak', '#flatwhite'] },
    { name: 'Roastery', hashtags: ['#freshlyroasted', '#specialtycoffee', '#northsidecoffee'] },
  ],
  voice: {
    name: 'House voice',
    toneAttributes: ['warm', 'dry humour', 'unhurried'],
    vocabulary: {
      terms: ['coffee bar', 'roastery', 'regulars'],
      phrases: ['Come in and smell it.'],
      avoid: ['best in town', 'artisanal', 'hurry'],
    },
    writingStyle:
      'Short sentences about one concrete thing. One emoji at most. Never shout, never promise what a cup cannot do.',
    samplePosts: [
      'Latte art for beginners, in three days at 10 am. Six people, two hours, far too much milk. Two places left.',
      'Grind a little finer in cold weather. Your moka pot will thank you.',
    ],
  },
  segment: 'Guests of this week',
  report: {
    name: 'The month on our networks',
    note: 'What guests saw and liked last month, and which topics did better.',
  },
  threads: {
    plastic: {
      from: 'Dana',
      says: 'There was a piece of plastic in my sandwich this morning. Please call me.',
      note: 'I have told the kitchen. The batch is put aside.',
    },
    late: { from: 'Oskar', says: 'My order still hasn’t arrived and the party is tomorrow. Can you check?' },
    decaf: {
      from: 'Lena',
      says: 'Is this one decaf as well?',
      answer: 'Hi Lena! Huila isn’t decaf, but our Swiss Water Decaf tastes just as fruity.',
    },
    ship: { from: 'Lena', says: 'Could you ship two bags to Vienna by Friday?' },
    abroad: { from: 'نور', says: 'هل تشحنون إلى الأردن؟ أحتاج كيسين قبل يوم الخميس.' },
    wholesale: { from: 'Tomás', says: 'What’s your wholesale price for a small office?' },
    grinder: { from: 'Kim', says: 'Which grinder do you use for this one?' },
    capsules: { from: 'Priya', says: 'Do you have Huila as capsules?' },
    open: { from: 'سلمى', says: 'هل أنتم مفتوحون يوم الأحد؟', answer: 'نعم، من الثامنة صباحًا حتى الخامسة مساءً.' },
    market: { from: 'Sam', says: 'Will you be at the Christmas market again?' },
    beginners: { from: 'Aiko', says: 'Is the cupping on Thursday for beginners too?' },
    regrind: { from: 'Jonas', says: 'Can I still change the grind of my subscription?' },
    press: { from: 'Jonas', says: 'It should be for a French press from next month on.' },
    praise: { from: 'Marta', says: 'Best cappuccino in town!', answer: 'Thank you, Marta. See you tomorrow!' },
    table: { from: 'Youssef', says: 'Do you take reservations for six people?' },
    vegan: { from: 'Elif', says: 'Is the pumpkin latte vegan?', answer: 'It is, with oat milk.' },
    guess: { from: 'Greta', says: 'I guess Monday!', answer: 'Close, but a little later.' },
    full: { from: 'Ben', says: 'Is the tasting class next Saturday full?' },
    welcome: {
      from: 'Clara',
      says: 'Are dogs allowed inside?',
      answer: 'They are, and there is water by the door.',
    },
    scarf: {
      from: 'Marta',
      says: 'I left a green scarf at the window table. Did you find it?',
      note: 'It is behind the bar.',
    },
  },
  savedReplies: [
    {
      name: 'Opening hours',
      text: 'Hi {{first_name|there}}! We’re open from 7:00 to 18:00 on weekdays, and from 8:00 to 17:00 on Saturday and Sunday.',
    },
    {
      name: 'Order number',
      text: 'Hi {{first_name|there}}, sorry about the wait. Could you send us your order number in a private message? We’ll check right away.',
    },
    { name: 'Thank you', text: 'Thank you, {{first_name|dear guest}}! See you soon at {{account}}.' },
  ],
  experiment: {
    name: 'Brief or warm replies?',
    variantA: { name: 'Brief', style: 'brief and factual', instructions: 'Answer in one sentence.' },
    variantB: {
      name: 'Warm',
      style: 'warm and personal',
      instructions: 'Greet customers by their first name, and end with an invitation to visit us.',
    },
  },
  bot: {
    blockedTopics: ['Politics'],
    escalateKeywords: ['allergic', 'poisoned', 'lawyer', 'glass'],
    handoffText: 'Thanks for telling us. A colleague will answer you personally.',
    faq: {
      hours: {
        question: 'When are you open?',
        answer: 'We’re open from 7:00 to 18:00 on weekdays, and from 8:00 to 17:00 on Saturday and Sunday.',
        tags: ['Visit'],
      },
      oat: {
        question: 'Do you have oat milk?',
        answer: 'Yes, every drink comes with oat milk if you like.',
        tags: ['Menu'],
      },
      outside: {
        question: 'Can I bring my dog?',
        answer: 'Of course, dogs are welcome inside and on the terrace.',
        tags: ['Visit'],
      },
      grind: {
        question: 'Do you grind the beans?',
        answer: 'Yes, we grind the beans for your brewer. Just tell us which one you use.',
        tags: ['Roastery'],
      },
      parking: {
        question: 'Where can I park?',
        answer: 'There’s parking behind the roastery, five minutes on foot.',
        tags: ['Visit'],
      },
      otherOat: {
        question: 'هل لديكم حليب الشوفان؟',
        answer: 'نعم، نقدّم كل مشروب مع حليب الشوفان لمن يرغب.',
        tags: ['Menu'],
      },
      otherHours: {
        question: 'متى تفتحون؟',
        answer: 'نفتح من 7:00 إلى 18:00، ويومي السبت والأحد من 8:00 إلى 17:00.',
        tags: ['Visit'],
      },
    },
    knowledgeBase,
  },
  asked: {
    hours: { from: 'Sofia', says: 'When are you open on Sunday?' },
    other: { from: 'يوسف', says: 'هل لديكم حليب الشوفان؟' },
    outside: { from: 'Ben', says: 'Can I bring my dog to the terrace?' },
    held: { from: 'Mara', says: 'Do you have oat milk and gluten-free croissants?' },
    escalated: { from: 'Theo', says: 'I’m allergic to sesame. Is it in the granola?' },
  },
  history: [
    {
      tag: '#roasting',
      captions: [
        'Batch 212 is cooling. It smells of cocoa and a little of toast.',
        'A lighter roast this week, because this coffee is sweet enough on its own.',
        'Eleven minutes and forty seconds. That is the whole secret.',
        'Which roast do you take home: light, medium or dark?',
        'Forty kilos by noon, and the windows are open again.',
        'The roaster is back from its service and hums like new.',
        'From sack to bag: what happens here on a Tuesday.',
        'First crack. Now every second counts.',
      ],
    },
    {
      tag: '#classes',
      captions: [
        'Six people, one steamer, and a lot of foam. Thank you for Saturday!',
        'Next latte art class: two places are still free.',
        'Can you pour a heart with your left hand? We can’t either.',
        'What would you like to learn with us this winter?',
        'Home espresso for beginners starts on Thursday evening.',
        'The certificate is a sticker. The cappuccino is real.',
        'A class for two makes a good present. Ask at the counter.',
      ],
    },
    {
      tag: '#bakery',
      captions: [
        'Cinnamon buns until eleven, or until they are gone.',
        'The almond cake is back, and so is its queue.',
        'Sourdough toast with tomatoes from the market round the corner.',
        'Sweet or savoury for breakfast?',
        'Sixty croissants this morning. Four are left.',
        'Lemon cake, still warm. You know where we are.',
        'A new bun is being tested. It has cardamom in it.',
      ],
    },
    {
      tag: '#brewing',
      captions: [
        'Rinse the filter first. Your coffee will taste of coffee.',
        'Fifteen grams, two hundred and fifty of water, three minutes.',
        'Does your coffee taste bitter? Grind a little coarser.',
        'Cold brew needs sixteen hours and no attention at all.',
        'Which brewer stands in your kitchen?',
        'Fresh water, clean pot, better cup. Every time.',
        'A moka pot needs a low flame and some patience.',
      ],
    },
    {
      tag: '#regulars',
      captions: [
        'Good morning from the window seats. Two of them are still free.',
        'Our oldest regular brings his own cup. It has a chip, and he wants no other.',
        'How do you take your coffee: black, or with milk?',
        'One long table, three cups, and a conversation that never ends.',
        'Thank you to the regulars who carried the chairs inside before the rain.',
        'Ten years of flat whites at the same table. Happy birthday, Ruth!',
      ],
    },
  ],
} satisfies Words
