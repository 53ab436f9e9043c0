import type { RejectionCode } from './en.ts'

export const ar = {
  truncated: 'الملف غير مكتمل.',
  no_pictures: 'لا يحتوي الملف على لقطات فيديو.',
  unknown_codec: 'ترميز الفيديو غير مدعوم. صدّره بترميز H.264 أو H.265.',
  too_many_pixels: 'دقة الصورة أعلى من المسموح به.',
  too_many_parts: 'أجزاء الملف كثيرة جدًا. صدّر نسخة أبسط أو أقصر منه.',
  too_slow: 'تستغرق قراءة الملف وقتًا طويلًا جدًا. صدّر نسخة أبسط أو أصغر منه.',
  unreadable: 'الملف تالف، أو ليس صورة أو فيديو.',
  too_much_memory: 'تحتاج قراءة الملف إلى ذاكرة كبيرة جدًا. صدّر نسخة أبسط أو أصغر منه.',
  crop_impossible: 'الاقتصاص المختار غير ممكن. اقتصّ الصورة مجددًا.',
  deleted: 'حُذف الملف.',
} satisfies Record<RejectionCode, string>
