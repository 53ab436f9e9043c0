import { LANGUAGES, type Tongue } from './shop.ts'

/** An everyday message. `answer` matches a right answer, and is null if people must answer. */
export interface Ordinary {
  language: Tongue
  kind: 'COMMENT' | 'DM'
  text: string
  answer: RegExp | null
}

type Five = readonly [en: string, ar: string, de: string, fr: string, es: string]

const hours = /8:00/
const place = /Lindenstrasse 12/
const delivery = /Austria|النمسا|Österreich|Autriche/
const decaf = /Sumatra|سومطرة/
const vegan = /brownie|البراوني/i
const dog = /dog|الكلاب|Hund|chiens|perros/i
const grind = /grind|نطحن|mahlen|moulons|molemos/
const parking = /car park|موقف|Parkplätze|parking|aparcamiento/
const kind = /./

const asked: readonly (readonly [Five, RegExp | null])[] = [
  [
    [
      'When are you open?',
      'متى تفتحون؟',
      'Wann habt ihr geöffnet?',
      'Quand êtes-vous ouverts ?',
      '¿Cuándo están abiertos?',
    ],
    hours,
  ],
  [
    [
      'Hi! Are you open every day?',
      'مرحبا، هل تفتحون كل يوم؟',
      'Hallo, habt ihr jeden Tag geöffnet?',
      'Bonjour, êtes-vous ouverts tous les jours ?',
      'Hola, ¿están abiertos todos los días?',
    ],
    hours,
  ],
  [
    ['Where is your shop?', 'أين متجركم؟', 'Wo ist euer Laden?', 'Où est votre boutique ?', '¿Dónde está su tienda?'],
    place,
  ],
  [
    [
      'where is the shop in Berlin',
      'أين المتجر في برلين؟',
      'wo ist der Laden in Berlin',
      'où est la boutique à Berlin',
      '¿dónde está la tienda en Berlín?',
    ],
    place,
  ],
  [
    [
      'Do you deliver outside Berlin?',
      'هل توصلون خارج برلين؟',
      'Liefert ihr außerhalb von Berlin?',
      'Livrez-vous hors de Berlin ?',
      '¿Entregan fuera de Berlín?',
    ],
    delivery,
  ],
  [
    [
      'Do you deliver to Austria?',
      'هل توصلون إلى النمسا؟',
      'Liefert ihr nach Österreich?',
      'Livrez-vous en Autriche ?',
      '¿Entregan en Austria?',
    ],
    delivery,
  ],
  [
    [
      'Which coffees are decaf?',
      'أي قهوة منزوعة الكافيين؟',
      'Welche Kaffees sind entkoffeiniert?',
      'Quels cafés sont décaféinés ?',
      '¿Qué cafés son descafeinados?',
    ],
    decaf,
  ],
  [
    [
      'Is the Sumatra available as decaf?',
      'هل قهوة سومطرة منزوعة الكافيين؟',
      'Ist der Sumatra entkoffeiniert zu haben?',
      'Le Sumatra existe en décaféinés ?',
      '¿El Sumatra es descafeinado?',
    ],
    decaf,
  ],
  [
    [
      'Do you have vegan cakes?',
      'هل لديكم كعك نباتي؟',
      'Habt ihr vegane Kuchen?',
      'Avez-vous des gâteaux véganes ?',
      '¿Tienen pasteles veganos?',
    ],
    vegan,
  ],
  [
    [
      'Is the lemon cake vegan?',
      'هل كعك الليمون نباتي؟',
      'Ist der Zitronenkuchen einer der vegane Kuchen?',
      'Le gâteau au citron, c’est un des gâteaux véganes ?',
      '¿El pastel de limón es de los pasteles veganos?',
    ],
    vegan,
  ],
  [
    [
      'Can I bring my dog?',
      'هل يمكنني إحضار كلبي؟',
      'Darf ich meinen Hund mitbringen?',
      'Puis-je venir avec mon chien ?',
      '¿Puedo llevar a mi perro?',
    ],
    dog,
  ],
  [
    [
      'Are dogs welcome in the shop?',
      'هل الكلاب مرحب بها في متجركم؟',
      'Sind Hunde im Laden willkommen?',
      'Les chiens sont bienvenus dans la boutique ?',
      '¿Los perros son bienvenidos en la tienda?',
    ],
    dog,
  ],
  [
    [
      'Do you grind the coffee?',
      'هل تطحنون القهوة؟',
      'Mahlt ihr den Kaffee?',
      'Est-ce que vous moulez le café ?',
      '¿Muelen el café?',
    ],
    grind,
  ],
  [
    [
      'Is there parking behind the shop?',
      'هل يوجد موقف سيارات خلف المتجر؟',
      'Gibt es Parkplätze hinter dem Laden?',
      'Y a-t-il un parking derrière la boutique ?',
      '¿Hay aparcamiento detrás de la tienda?',
    ],
    parking,
  ],
  [['Thank you!', 'شكرا!', 'Vielen Dank!', 'Merci !', '¡Muchas gracias!'], kind],
  [
    [
      'I love your coffee, it is delicious',
      'قهوتكم لذيذة ورائعة',
      'Euer Kaffee ist wunderbar und lecker',
      'Votre café est délicieux, c’est super',
      'Me encanta su café, es delicioso',
    ],
    kind,
  ],
  [
    [
      'My cup arrived broken, I am very disappointed',
      'وصل الكوب مكسور وأنا أشعر بخيبة',
      'Die Tasse kam kaputt an, ich bin enttäuscht',
      'La tasse est arrivée cassée, je suis déçu',
      'La taza llegó roto, estoy decepcionado, muy malo',
    ],
    null,
  ],
  [
    [
      'I want my money back',
      'أريد استرداد المبلغ',
      'Ich will mein Geld zurück',
      'Je veux un remboursement',
      'Quiero un reembolso',
    ],
    null,
  ],
  [
    [
      'I want to talk to a human',
      'أريد التحدث مع موظف',
      'Ich möchte mit einem Mitarbeiter sprechen',
      'Je veux parler à un conseiller',
      'Quiero hablar con una persona',
    ],
    null,
  ],
  [
    [
      'How many employees does your company have in Peru?',
      'كم عدد العاملين في شركتكم في بيرو؟',
      'Wie viele Angestellte hat eure Firma in Peru?',
      'Combien d’employés a votre société au Pérou ?',
      '¿Cuántos empleados tiene su empresa en el Perú?',
    ],
    null,
  ],
]

/** 200 messages: 20 in five languages, each as a comment and as a direct message. */
export const ordinary: readonly Ordinary[] = asked.flatMap(([texts, answer]) =>
  LANGUAGES.flatMap((language, at) =>
    (['COMMENT', 'DM'] as const).map((way) => ({ language, kind: way, text: texts[at]!, answer })),
  ),
)
