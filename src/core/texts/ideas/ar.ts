import type { en } from './en.ts'

const arabicDays = (days: number) =>
  days === 1 ? 'يوم واحد' : days === 2 ? 'يومان' : days <= 10 ? `${days} أيام` : `${days} يومًا`
const arabicTimes = (times: number) =>
  times === 1 ? 'مرة واحدة' : times === 2 ? 'مرتين' : times <= 10 ? `${times} مرات` : `${times} مرة`

export const ar: typeof en = {
  fallback: 'ما الجديد لدينا',
  gap: (day) => `لا شيء مخطط ليوم ${day}`,
  gapWhy: (days) => `في الأسبوع القادم ${arabicDays(days)} بلا منشورات.`,
  slot: (day, time) => `املأ الموعد المتاح يوم ${day} الساعة ${time}`,
  slotWhy: 'هو أقرب موعد متاح في قائمة الانتظار.',
  best: (day, time) => `انشر يوم ${day} نحو الساعة ${time}`,
  bestWhy: ({ account, posts, ratio, low, high }) =>
    `${account}: حصلت المنشورات في هذا الوقت (${posts}) على ${ratio} ضعف التفاعل المعتاد (على الأرجح بين ${low} و${high}).`,
  hour: (time) => `انشر نحو الساعة ${time}`,
  hourWhy: (posts, of) => `يخرج معظم منشوراتك في هذه الساعة: ${posts} من ${of} في الأشهر الثلاثة الماضية.`,
  repost: (start) => `أعد نشره: ${start}`,
  repostWhy: (date) => `نُشر في ${date}، أي قبل شهرين أو أكثر.`,
  repostBest: (date, percent) => `حصل على تفاعل أكبر من ${percent}% من منشورات حسابه. نُشر في ${date}.`,
  hashtags: (tags) => `واصل استخدام ${tags}`,
  hashtagsWhy: (tag, posts) => `استخدمت ${tag} ${arabicTimes(posts)} في الشهرين الماضيين.`,
  topicWhy: 'تأتي من مجال مساحة عملك ومن منشوراتك الأخيرة.',
}
