/** Words that make a sentence read like a translation. Refused in comments, strings and documents. */
export const BANNED =
  /\b(?:anew|whoever|mend(?:s|ed|ing)?|of which|in hand|goes round|by itself it|turn about|stands down|by whom ever|by (?:its|their|his|her) own doors?|(?:stands?|stood) (?:there|beside|apart)|who asks|what is (?:due|held|left|asked|told))\b/gi
