import { STATUSES } from '#contract/statuses.ts';
import { isOver } from '#tradability/trading.ts';
import type { StoryStep } from '#views/store/board-view.ts';
import { guardWords, scoreWords, statusName, verifiedWords } from './shown/words.ts';
import { scoresByStep } from './story.ts';

/** A change of the guard, the status, the betting status or the result of a match. */
export type HistoryEntry = ReturnType<typeof historyOf>[number];

/**
 * Returns the history of a match, oldest first. Leaves out scores that a goal changed, as the timeline shows them with the goal,
 * and changes of the guard after the end of the match, when nothing is traded.
 */
export function historyOf(story: readonly StoryStep[]) {
  const byGoal = scoresByStep(story);
  const ofGoals = new Set(story.filter(({ id }) => byGoal.has(id)).map(({ version }) => version));
  const closing = new Map(
    story
      .filter(({ kind }) => kind === 'status_changed')
      .map(({ version, value }) => [version, closes(value?.after ?? null)]),
  );
  let closed = false;
  return story.flatMap((step) => {
    const { version, ut, received_at } = step;
    closed = closing.get(version) ?? closed;
    const entry = entryOf(step, ofGoals.has(version), closed);
    return entry === null ? [] : [{ version, ut, received_at, kind: entry[0], what: entry[1] }];
  });
}

type Entry = readonly [
  kind: 'halted' | 'safe' | 'status' | 'bets' | 'score' | 'result' | 'unread',
  what: string,
];

function entryOf({ kind, guard, score, value }: StoryStep, byGoal: boolean, closed: boolean): Entry | null {
  const after = value?.after ?? null;
  switch (kind) {
    case 'guard_changed':
      if (guard === null || closed) return null;
      return guard.safe ? ['safe', 'Guard opened'] : ['halted', `Guard closed: ${guardWords(guard.reasons)}`];
    case 'status_changed':
      return ['status', `Status: ${statusWords(after)}`];
    case 'bet_status_changed':
      return ['bets', `Provider’s betting: ${after ?? 'unknown'}`];
    case 'score_changed': {
      if (byGoal || score === null) return null;
      if (score.before === null) return ['score', `Score reported: ${scoreWords(score.after)}`];
      return [
        'score',
        `Score changed without a known goal: ${scoreWords(score.before)} → ${scoreWords(score.after)}`,
      ];
    }
    case 'message_unread':
      return [
        'unread',
        after === null ? 'Fields of a message could not be read' : `A message could not be read: ${after}`,
      ];
    case 'result_verified':
      return ['result', `Provider’s verified result: ${verifiedWords(after)}`];
    default:
      return null;
  }
}

/** Whether a status ends a match. `status`: id and type, as `34 live`. */
export function closes(status: string | null): boolean {
  const [, type] = statusOf(status);
  return isOver(type);
}

/** Returns the name of a status written as `34 live`; null: unknown. */
export function statusWords(written: string | null): string {
  const [status_id, status_type] = statusOf(written);
  const name = status_id === null ? undefined : STATUSES.get(status_id)?.name;
  return name ?? statusName({ status_id, status_type, status_words: null });
}

/** Splits a status written as `34 live`. */
function statusOf(written: string | null): readonly [id: number | null, type: string] {
  const [first = '', second] = (written ?? '').split(' ');
  return [/^\d+$/.test(first) ? Number(first) : null, second ?? first];
}
