/** Lists of words that a page keeps in the browser. Where it may keep nothing they last as long as the page. */

/** Null where nothing was kept, or nothing that can be read. */
export function readKept(key: string): readonly string[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(kept) ? kept.map(String) : null;
  } catch {
    return null;
  }
}

export function writeKept(key: string, words: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(words));
  } catch {
    // The browser forbids it, or has no room.
  }
}
