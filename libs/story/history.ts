import { STATUSES } from '#soccer/statuses.ts';
import { isOver } from '#trading/trading.ts';
import type { StoryStep } from '#views/store/board-view.ts';
import { type ClosingPast, type Course, type FeedPast, feedAt, knownSteps, statusOf } from './course.ts';
import { orderWords, scopeWords } from './halts.ts';
import { effectsOf } from './incidents.ts';
import { lateBy } from './minute.ts';
import { guardWords, reasonWords, scoreWords, statusName } from './words.ts';

/** A change of the score, the guard, the status, the betting status, the result or the feed of a match, or an order about it. */
export type HistoryEntry = {
  /** Null for a change of the feed, and an order. */
  readonly version: number | null;
  /** From when it was known, Unix milliseconds; never before the entry before it. */
  readonly at: number;
  /** The provider's time of its message, Unix seconds; null without one. */
  readonly ut: number | null;
  /** As of `lateBy`. */
  readonly late: number | null;
  readonly kind: EntryKind;
  readonly what: string;
  /** The incident that explains a score; null: none. */
  readonly incident_id: string | null;
};

type EntryKind = 'halted' | 'safe' | 'status' | 'bets' | 'score' | 'result' | 'unread' | 'feed' | 'fed';

/** Returns a match's history in the order in which it was known, without changes of the guard after its end. `course`: null if never in play. */
export function historyOf(
  story: readonly StoryStep[],
  { feed, halts }: ClosingPast,
  course: Course | null,
): HistoryEntry[] {
  const effects = effectsOf(story).scores;
  const causes = new Map(
    story.flatMap(({ id, version, incident_id }) => (effects.has(id) ? [[version, incident_id]] : [])),
  );
  /** Whether the status with which each version left the match is one of a match that is over. */
  const closing = new Map(
    story.flatMap(({ kind, version, value }) =>
      kind === 'status_changed' ? [[version, isOver(statusOf(value?.after ?? null)[1])]] : [],
    ),
  );
  let closed = false;
  const entries = knownSteps(story).flatMap((step): HistoryEntry[] => {
    const { version, at, ut } = step;
    closed = closing.get(version) ?? closed;
    const incident_id = step.kind === 'score_changed' ? (causes.get(version) ?? null) : null;
    const entry = stepEntry(step, incident_id !== null, closed);
    if (entry === null) return [];
    return [{ version, at, ut, late: lateBy(step), kind: entry[0], what: entry[1], incident_id }];
  });
  const others = [...feedEntries(feed, course), ...haltEntries(halts, story[0]?.received_at)];
  return [...entries, ...others].sort((a, b) => a.at - b.at);
}

const NO_MESSAGE = { version: null, ut: null, late: null, incident_id: null } as const;

/** Returns the orders by hand since the match was known. `from`: Unix milliseconds. */
function haltEntries(halts: ClosingPast['halts'], from = 0): HistoryEntry[] {
  return halts.flatMap(({ scope, orders }) =>
    orders
      .filter(({ order }) => order.at >= from)
      .map((given) => ({
        ...NO_MESSAGE,
        at: given.order.at,
        kind: given.action === 'halt' ? 'halted' : 'safe',
        what: `${orderWords(given)}${scope.startsWith('match:') ? '' : ` (${scopeWords(scope)})`}`,
      })),
  );
}

/** Returns the changes of the feed while the match was in play. */
function feedEntries(feed: FeedPast, course: Course | null): HistoryEntry[] {
  const stretches = course?.stretches ?? [];
  return stretches.flatMap(({ from: at, believed }, n): HistoryEntry[] => {
    if (believed === (stretches[n - 1]?.believed ?? true)) return [];
    if (believed) return [{ ...NO_MESSAGE, at, kind: 'fed', what: 'Feed believed again' }];
    const { reason } = feedAt(feed, at);
    const why = reason === null ? 'health unknown' : reasonWords(reason);
    return [{ ...NO_MESSAGE, at, kind: 'feed', what: `Feed not believed: ${why}` }];
  });
}

type Entry = readonly [kind: EntryKind, what: string];

/** Returns the kind and words of a step; null for one of an incident, of the guard when `closed`, and of the firm score. */
export function stepEntry(
  { kind, guard, score, value }: StoryStep,
  byGoal: boolean,
  closed: boolean,
): Entry | null {
  const after = value?.after ?? null;
  switch (kind) {
    case 'guard_changed':
      if (guard === null || closed) return null;
      return guard.safe ? ['safe', 'Guard opened'] : ['halted', `Guard closed: ${guardWords(guard.reasons)}`];
    case 'status_changed':
      return ['status', `Status: ${statusWords(after)}`];
    case 'absence_changed':
      return ['status', absenceWords(after)];
    case 'bet_status_changed':
      return ['bets', `Provider’s betting: ${after ?? 'unknown'}`];
    case 'score_changed': {
      if (score === null) return null;
      if (score.before === null) return ['score', `Score reported: ${scoreWords(score.after)}`];
      const change = `${scoreWords(score.before)} → ${scoreWords(score.after)}`;
      return ['score', byGoal ? `Score ${change}` : `Score changed without a known goal: ${change}`];
    }
    case 'message_unread':
      return [
        'unread',
        after === null ? 'Fields of a message could not be read' : `A message could not be read: ${after}`,
      ];
    case 'result_verified':
      return ['result', `Provider’s verified result: ${after ?? 'not reported'}`];
    default:
      return null;
  }
}

/** Returns in words what an `absence_changed` has as its value after it. */
export function absenceWords(after: string | null): string {
  if (after === null) return 'The provider has the match again';
  if (after === 'missing') return 'The provider no longer has the match';
  if (after === 'deleted') return 'The provider still does not have the match: deleted';
  return `Match ${after}`;
}

/** Returns the name of a status written as `34 live`; null: unknown. */
function statusWords(written: string | null): string {
  const [status_id, status_type] = statusOf(written);
  const name = STATUSES.get(status_id)?.name;
  return name ?? statusName({ status_id, status_type, status_words: null });
}
