/** Folds names for search: removes accents, case and punctuation. */

/** Replacements of letters that Unicode does not decompose into a letter and a mark. */
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

/** Returns the words of a name in lower case, separated by one space: `Beşiktaş J.K.` becomes `besiktas j k`. */
export function foldName(name: string): string {
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

/** Returns how well a folded name matches folded words: 0 is the whole name, 1 a prefix, 2 any other match, null no match. */
export function matchRank(folded: string, words: readonly string[]): 0 | 1 | 2 | null {
  if (!words.every((word) => folded.includes(word))) return null;
  const text = words.join(' ');
  if (folded === text) return 0;
  return folded.startsWith(text) ? 1 : 2;
}
