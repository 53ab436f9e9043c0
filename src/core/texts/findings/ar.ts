import type { FindingCode } from './en.ts'

export const ar = {
  no_target: { message: 'لم يُختر أي حساب.', fix: 'اختر أين تنشر.' },
  approval_outstanding: { message: 'يحتاج إلى موافقة ولم يحصل عليها.', fix: 'احصل على الموافقة قبل موعده.' },
  time_passed: { message: 'تمت الموافقة عليه، لكن موعده فات.', fix: 'اختر موعدًا جديدًا.' },
  network_quota: {
    message: 'إنه المنشور رقم {value} على {account} خلال 24 ساعة؛ وتقبل الشبكة نحو {limit}.',
    fix: 'اختر يومًا آخر؛ وإلا انتظر حتى تقبله الشبكة.',
  },
  same_text: {
    message: 'لمنشور آخر على {account} خلال 30 يومًا النص نفسه.',
    fix: 'افتح المنشور الآخر ثم غيّر النص أو اتركه كما هو.',
  },
  same_text_refused: {
    message: 'لمنشور آخر على {account} خلال 30 يومًا النص نفسه: ترفضه الشبكة لأنه مكرر.',
    fix: 'غيّر النص، وإلا فسيفشل هذا المنشور على الأرجح.',
  },
  token_ends: { message: 'ينتهي ربط {account} قبل موعده.', fix: 'أعد ربط الحساب قبل ذلك.' },
  reconnect_needed: { message: 'يجب إعادة ربط {account}.', fix: 'أعد ربط الحساب؛ المنشور ينتظره.' },
  account_paused: { message: '{account} متوقف مؤقتًا.', fix: 'استأنف الحساب.' },
  scope_missing: {
    message: 'لا يجوز النشر على {account}: لم يُمنح أحد الأذونات.',
    fix: 'أعد ربط الحساب وامنح كل الأذونات.',
  },
  text_too_long: { message: 'في النص {value} حرف؛ والحد الأقصى {limit}.', fix: 'اختصره.' },
  too_many_hashtags: { message: 'عدد الوسوم {value}؛ والحد الأقصى {limit}.', fix: 'أزل بعض الوسوم.' },
  too_many_mentions: { message: 'عدد الإشارات {value}؛ والحد الأقصى {limit}.', fix: 'أزل بعض الإشارات.' },
  empty: { message: 'لا شيء للنشر بعد.', fix: 'اكتب نصًا أو أضف صورة.' },
  media_required: { message: 'لا تقبل هذه الشبكة منشورًا بلا صورة أو فيديو.', fix: 'أضف صورة أو فيديو.' },
  too_many_images: {
    message: 'عدد الصور {value}؛ والحد الأقصى {limit}.',
    fix: 'أزل بعض الصور، لهذه الشبكة أو للجميع.',
  },
  too_many_videos: {
    message: 'عدد مقاطع الفيديو {value}؛ والحد الأقصى {limit}.',
    fix: 'أزل بعض مقاطع الفيديو، لهذه الشبكة أو للجميع.',
  },
  mixed_media: {
    message: 'تقبل هذه الشبكة صورًا أو فيديو، لا كليهما معًا.',
    fix: 'أزل الصور أو الفيديو لهذه الشبكة.',
  },
  too_many_media: {
    message: 'عدد الصور ومقاطع الفيديو معًا {value}؛ والحد الأقصى {limit}.',
    fix: 'أزل بعضها، لهذه الشبكة أو للجميع.',
  },
  text_not_shown: {
    message: 'القصة لا تُظهر نصًا: سيرى الناس الصورة أو الفيديو وحده.',
    fix: 'اكتب النص داخل الصورة، أو اتركها كما هي.',
  },
  crop_beyond: {
    message: 'الجزء المختار من {value} يقع خارجها.',
    fix: 'اقتصّها من جديد.',
  },
  cover_beyond: {
    message: 'الغلاف مأخوذ من الثانية {value}، لكن مدة الفيديو {limit} ثانية.',
    fix: 'اختر غلافًا آخر.',
  },
  comment_not_possible: { message: 'القصة لا تقبل تعليقًا.', fix: 'أزل التعليق الأول.' },
  comment_too_long: { message: 'في التعليق الأول {value} حرف؛ والحد الأقصى {limit}.', fix: 'اختصره.' },
  comment_scope_missing: {
    message: 'لا يجوز التعليق باسم {account}: لم يُمنح أحد الأذونات.',
    fix: 'أعد ربط الحساب وامنح كل الأذونات؛ المنشور يخرج على أي حال.',
  },
  ai_not_marked: {
    message: '‏{value} من صنع الذكاء الاصطناعي، ولا علامة لذلك في هذه الشبكة.',
    fix: 'اذكر ذلك في النص.',
  },
  media_not_public: {
    message: 'لا تستطيع الشبكة جلب الملفات من هذا الخادم.',
    fix: 'على المشغّل تعيين PUBLIC_URL إلى عنوان https عام.',
  },
  media_processing: { message: 'ما زال {value} قيد المعالجة.', fix: 'سيجهز بعد لحظة.' },
  media_rejected: { message: 'لا يمكن استخدام {value}.', fix: 'استبدل الملف.' },
  kind_not_accepted: { message: 'لا تقبل هذه الشبكة {value}.', fix: 'أزله لهذه الشبكة.' },
  format_not_accepted: { message: 'لا تقبل هذه الشبكة صيغة {value}.', fix: 'استخدم صيغة أخرى.' },
  file_too_large: { message: 'الملف أكبر مما تقبله هذه الشبكة.', fix: 'استخدم ملفًا أصغر.' },
  aspect_not_accepted: { message: 'لا تقبل هذه الشبكة أبعاد الملف ({value}).', fix: 'اقتصّه.' },
  size_not_accepted: { message: 'قياس الملف {value} بكسل؛ والحد {limit}.', fix: 'استخدم قياسًا آخر.' },
  codec_not_accepted: { message: 'لا تقبل هذه الشبكة ترميز {value}.', fix: 'صدّره بترميز H.264.' },
  duration_not_accepted: { message: 'مدة الفيديو {value} ثانية؛ والحد {limit}.', fix: 'غيّر مدته.' },
  frame_rate_not_accepted: { message: 'في الفيديو {value} إطار في الثانية؛ والحد {limit}.', fix: 'صدّره بمعدل آخر.' },
  privacy_required: { message: 'لم يُختر من يستطيع رؤيته.', fix: 'اختر من يراه.' },
  privacy_not_accepted: {
    message: 'لا يمكن أن يكون الإعلان المدفوع لصاحبه وحده.',
    fix: 'اختر جمهورًا آخر، أو أوقف الإعلان المدفوع.',
  },
  consent_required: { message: 'لم تُقبل شروط الشبكة لاستخدام الموسيقى.', fix: 'وافق عليها.' },
} satisfies Record<FindingCode, { message: string; fix: string }>
