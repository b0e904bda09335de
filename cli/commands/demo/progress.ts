import type { MatchState } from '#records/types.ts';

/** What the progress of a play reads of a match. */
type PlayedState = Pick<MatchState, 'status_type' | 'under_review' | 'void_goals'>;

/** Returns the progress of a play of `matches` matches as one line; `seconds` since its start. */
export function progressLine(
  season: string,
  matches: number,
  states: readonly PlayedState[],
  seconds: number,
): string {
  const count = (holds: (state: PlayedState) => boolean): number => states.filter(holds).length;
  const disallowed = states.reduce((sum, { void_goals }) => sum + Object.keys(void_goals).length, 0);
  const parts = [
    `${count(isFinished)} of ${matches} played`,
    `${count(({ status_type }) => status_type === 'live')} live`,
    `${count(({ under_review }) => under_review)} under review`,
    `${disallowed} goals disallowed`,
  ];
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}  ${season}: ${parts.join(', ')}`;
}

export function isFinished({ status_type }: Pick<MatchState, 'status_type'>): boolean {
  return status_type === 'finished';
}
