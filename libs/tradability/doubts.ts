/** Whether a reader's state of a match is the newest that there is. */

/** Matches of a partition that was not read to its end for longer are in doubt, milliseconds. */
const WORD_MS = 1_750;
/** How often a reader asks what is up to date: a slow answer or two must not end its word. */
export const RENEW_MS = 100;

/** How fresh a state is. Times are of the steady clock, milliseconds. */
type Freshness = {
  readonly version: number;
  /** The newest version with a change that was read. */
  readonly changed: number;
  /** When the partition of the state was last read to its end. */
  readonly readAt: number;
  readonly now: number;
};

/** Reasons against acting on a state: `behind`, a change of a newer version was read; `no_word`, its partition is not read any more. */
export function doubtsOf({ version, changed, readAt, now }: Freshness): string[] {
  return [...(changed > version ? ['behind'] : []), ...(now - readAt > WORD_MS ? ['no_word'] : [])];
}
