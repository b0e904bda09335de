import type { StoryStep } from '#views/store/board-view.ts';
import { guardWords, scoreWords, statusName, verifiedWords } from './shown/words.ts';
import { isAboutGoal } from './story.ts';

/** One change of what the whole match is: its guard, its status, its result. */
export type HistoryEntry = {
  readonly version: number;
  /** The provider's time, Unix seconds. */
  readonly ut: number;
  /** Unix milliseconds. */
  readonly received_at: number;
  readonly kind: 'halted' | 'safe' | 'status' | 'bets' | 'score' | 'result';
  readonly what: string;
};

/** The history of a match, oldest first. A score that a goal changed is told with the goal. */
export function historyOf(story: readonly StoryStep[]): HistoryEntry[] {
  const ofGoals = new Set(story.filter(isAboutGoal).map(({ version }) => version));
  return story.flatMap((step) => {
    const told = tellStep(step, ofGoals.has(step.version));
    const { version, ut, received_at } = step;
    return told === null ? [] : [{ version, ut, received_at, kind: told[0], what: told[1] }];
  });
}

type Told = readonly [HistoryEntry['kind'], string];

function tellStep({ kind, guard, score, value }: StoryStep, byGoal: boolean): Told | null {
  const after = value?.after ?? null;
  switch (kind) {
    case 'guard_changed':
      if (guard === null) return null;
      return guard.safe
        ? ['safe', 'Safe to trade']
        : ['halted', `Trading halted: ${guardWords(guard.reasons)}`];
    case 'status_changed':
      return ['status', `Status: ${statusWords(after)}`];
    case 'bet_status_changed':
      return ['bets', `Provider’s betting: ${after ?? 'unknown'}`];
    case 'score_changed': {
      if (byGoal || score === null) return null;
      if (score.before === null) return ['score', `Score known: ${scoreWords(score.after)}`];
      return [
        'score',
        `Score, by no goal that is known: ${scoreWords(score.before)} → ${scoreWords(score.after)}`,
      ];
    }
    case 'result_verified':
      return ['result', `Provider’s verified result: ${verifiedWords(after)}`];
    default:
      return null;
  }
}

/** The name of a status told as `34 live`. */
function statusWords(told: string | null): string {
  const [first = '', second] = (told ?? '').split(' ');
  const id = /^\d+$/.test(first) ? Number(first) : null;
  return statusName(id, second ?? first);
}
