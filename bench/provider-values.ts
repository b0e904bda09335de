/** Constant values of the provider that the generated matches of the benches use. */

/** Names of incident types, by id. */
export const NAMES: Readonly<Record<number, string>> = {
  400: 'In possession',
  401: 'Attack',
  402: 'Dangerous attack',
  403: 'Free kick',
  405: 'Shot on target',
  406: 'Shot off target',
  407: 'Goal kick',
  408: 'Corner',
  409: 'Throw in',
  410: 'Foul',
  411: 'Shot blocked',
  412: 'Goalkeeper saved',
  413: 'Goal',
  416: 'Offside',
  418: 'Red card',
  419: 'Yellow card',
  421: 'Penalty goal',
  423: 'Own goal',
  424: 'Goal cancelled',
  429: '1st half started',
  430: '2nd half started',
  437: 'Finished regular time',
  445: 'Halftime',
  450: 'Substitution out',
  452: 'Substitution in',
  1834: 'Possible VAR',
  2753: 'VAR ended',
};
export const GOALS: ReadonlySet<number> = new Set([413, 421, 423]);
export const IMPORTANT: ReadonlySet<number> = new Set([...GOALS, 418, 419, 424, 429, 430, 437, 445]);
export const GAME_BREAKS: ReadonlySet<number> = new Set([437, 445, 1834, 2753]);

/** Details of every event. */
export const DETAILS: readonly { readonly id: number; readonly value: number | string | null }[] = [
  [8, null],
  [16, 45],
  [17, 2],
  [19, null],
  [20, null],
  [36, null],
  [44, null],
  [45, null],
  [50, 15],
  [58, 'No Extra Time'],
  [124, 'up'],
  [141, null],
  [150, null],
  [151, null],
  [160, 'yes'],
  [168, 45],
  [169, 15],
  [170, 2],
  [178, 'no'],
  [201, null],
  [202, null],
  [203, null],
  [204, null],
  [205, 'no'],
].map(([id, value]) => ({ id: Number(id), value: value ?? null }));
