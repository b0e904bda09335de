/** The reader's favourite matches, kept in this browser. */
import { readKept, writeKept } from './kept.ts';

const KEY = 'touchline.favourites';
/** The oldest are forgotten beyond so many: matches end, and nobody removes their stars. */
const MOST = 500;

let favourites = readFavourites();
// Another tab changed them.
addEventListener('storage', ({ key }) => {
  if (key === KEY) favourites = readFavourites();
});

/** Event ids. */
export function favouriteMatches(): ReadonlySet<number> {
  return favourites;
}

/** Makes a match a favourite, or no longer one. */
export function toggleFavourite(eventId: number): void {
  const next = new Set(favourites);
  if (!next.delete(eventId)) next.add(eventId);
  favourites = new Set([...next].slice(-MOST));
  writeKept(KEY, [...favourites].map(String));
}

function readFavourites(): Set<number> {
  return new Set((readKept(KEY) ?? []).map(Number).filter(Number.isSafeInteger));
}
