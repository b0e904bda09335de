/** What the board stores in this browser. Where the browser stores nothing, the values last as long as the page. */

const FAVOURITES_KEY = 'touchline.favourites';
/** Maximum number of favourites; the oldest are dropped, as nobody removes the stars of finished matches. */
const MAX_FAVOURITES = 500;

let favourites = readFavourites();
// Another tab changed them.
addEventListener('storage', ({ key }) => {
  if (key === FAVOURITES_KEY) favourites = readFavourites();
});

/** Returns the event ids of the reader's favourite matches. */
export function favouriteMatches(): ReadonlySet<number> {
  return favourites;
}

/** Adds a match to the favourites, or removes it. */
export function toggleFavourite(eventId: number): void {
  const next = new Set(favourites);
  if (!next.delete(eventId)) next.add(eventId);
  favourites = new Set([...next].slice(-MAX_FAVOURITES));
  writeStored(FAVOURITES_KEY, [...favourites].map(String));
}

function readFavourites(): Set<number> {
  return new Set((readStored(FAVOURITES_KEY) ?? []).map(Number).filter(Number.isSafeInteger));
}

/** Returns a stored list of words; null when there is none or it cannot be read. */
export function readStored(key: string): readonly string[] | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(stored) ? stored.map(String) : null;
  } catch {
    return null;
  }
}

/** Stores a list of words under a key. */
export function writeStored(key: string, words: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(words));
  } catch {
    // The browser forbids storage, or it is full.
  }
}

/** Checks the boxes of a form that a stored list has, each as `name value`, and no other. */
export function checkStored(form: HTMLElement, stored: readonly string[]): void {
  for (const box of form.querySelectorAll('input')) box.checked = stored.includes(`${box.name} ${box.value}`);
}

/** Returns the checked boxes of a form, each as `name value`. */
export function checkedIn(form: HTMLElement): string[] {
  const boxes = form.querySelectorAll<HTMLInputElement>('input:checked');
  return Array.from(boxes, ({ name, value }) => `${name} ${value}`);
}
