/** Folds names for search: without accents, case or punctuation. Pure. */

/** Letters that Unicode does not decompose into a letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
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

/** How well a folded name matches folded words: 0 is the whole name, 1 a prefix, 2 anything else; null is no match. */
export function rankOf(folded: string, words: readonly string[]): 0 | 1 | 2 | null {
  if (!words.every((word) => folded.includes(word))) return null;
  const text = words.join(' ');
  if (folded === text) return 0;
  return folded.startsWith(text) ? 1 : 2;
}
