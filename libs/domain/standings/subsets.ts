/** The games of a set by what they count for. */
import { subset } from './game-set.ts';

/** Scheduled games. */
export const TO_COME = subset(({ state }) => state === 'to_come');
/** The games in play, including those whose score is unknown. */
export const PLAYING = subset(({ state }) => state === 'playing');
/** The games that count in the live table. */
export const KNOWN = subset(({ score }) => score !== null);
/** The games that count in all other tables. */
export const PLAYED = subset(({ state, score }) => state === 'played' && score !== null);
/** The games that have begun. */
export const BEGUN = subset(({ state }) => state === 'played' || state === 'playing');
