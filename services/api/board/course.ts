import type { StoryStep } from '#views/store/board-view.ts';
import { closes } from './history.ts';
import { scoreWords } from './shown/words.ts';

/** The guard and the score of a match over the provider's time, Unix seconds. Nothing is known before `from`. */
export type Course = NonNullable<ReturnType<typeof courseOf>>;

/** Returns null when the story has no guard and no score. `until`: the provider's time of the last change, Unix seconds. */
export function courseOf(story: readonly StoryStep[], until: number) {
  // A late message has an older time; the course never goes back.
  let at = 0;
  const timed = story.map((step) => {
    at = Math.max(at, step.ut);
    return { ...step, at };
  });
  const closing = timed.find(({ kind, value }) => kind === 'status_changed' && closes(value?.after ?? null));
  const to = closing?.at ?? Math.max(at, until);
  const scores = timed.flatMap(({ kind, score, at }) =>
    kind === 'score_changed' && score !== null && at <= to ? [{ at, score: scoreWords(score.after) }] : [],
  );
  const changes = timed.flatMap(({ kind, guard, at }) =>
    kind === 'guard_changed' && guard !== null && at < to ? [{ from: at, safe: guard.safe }] : [],
  );
  const from = Math.min(...changes.map((change) => change.from), ...scores.map((score) => score.at));
  if (!Number.isFinite(from) || to <= from) return null;
  // Only changes of the guard are published, and it is open before the first one.
  const first = changes[0];
  if (first === undefined || !first.safe) changes.unshift({ from, safe: true });
  const guards = changes.flatMap((change, n) => {
    const end = changes[n + 1]?.from ?? to;
    return end > change.from ? [{ from: change.from, to: end, safe: change.safe }] : [];
  });
  return { from, to, guards, scores };
}
