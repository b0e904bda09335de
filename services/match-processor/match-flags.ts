import type { MatchState } from '#topics/generated/types.ts';

/** What may be wrong with a match: laws 8 (agreement), 6 (orphans) and 5 (anomalies). */
export const MATCH_FLAGS = ['score_differs', 'orphan', 'anomaly'] as const;

export type MatchFlag = (typeof MATCH_FLAGS)[number];

/** Numbers of matches by flag. */
export type FlagCounts = Record<MatchFlag, number>;

/** No match has any flag. */
export function noFlags(): FlagCounts {
  return { score_differs: 0, orphan: 0, anomaly: 0 };
}

/** What is wrong with a match. */
export function flagsOf({ agreement, orphans, anomalies }: MatchState): readonly MatchFlag[] {
  const flags: MatchFlag[] = [];
  if (agreement === 'differs') flags.push('score_differs');
  if (orphans.length > 0) flags.push('orphan');
  if (anomalies.length > 0) flags.push('anomaly');
  return flags;
}
