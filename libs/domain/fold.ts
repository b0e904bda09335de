/** Names as they are searched: without accents, case or punctuation. Pure. */

/** Letters that Unicode does not take apart into a letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h', ŋ: 'n' },
};

/** `Beşiktaş J.K.` as `besiktas j k`: words in lower case with one space between. */
export function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøłđðþıħŋ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** How well a folded name fits folded words: 0 is the name itself, 1 its beginning, 2 anything else; null not at all. */
export function rankOf(folded: string, words: readonly string[]): 0 | 1 | 2 | null {
  if (!words.every((word) => folded.includes(word))) return null;
  const text = words.join(' ');
  if (folded === text) return 0;
  return folded.startsWith(text) ? 1 : 2;
}
