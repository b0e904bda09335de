import type { FeedHealth, HealthGap, HealthProgress, HealthState } from '#topics/generated/types.ts';
import { RECOVERED_MS } from './limits.ts';
import type { HealthVerdict } from './verdict.ts';

/** What was done about a gap. */
type GapAction = 'open' | 'none' | 'caught_up' | 'snapshot' | 'skipped';

/** The state of a source, or of a match of a source; the last one of its gaps is open while the state is not good. */
export type Standing = Readonly<
  Pick<FeedHealth, 'state' | 'reason' | 'since' | 'progress' | 'gaps' | 'gap_count'>
>;

/** What is known of the signs of life when a verdict is applied, Unix milliseconds. */
export type Signs = {
  /** The last one: where a gap begins. */
  readonly lastAt: number;
  /** The first one since the state was last good; null where there is none. */
  readonly backAt: number | null;
};

/** Gaps that a record keeps. */
const MAX_GAPS = 100;

/** A standing without a past. */
export function aliveSince(since: number): Standing {
  return { state: 'alive', reason: null, since, progress: null, gaps: [], gap_count: 0 };
}

/** The standing after a verdict; the same object where nothing changes. */
export function applyVerdict(before: Standing, verdict: HealthVerdict, signs: Signs, now: number): Standing {
  switch (verdict.kind) {
    case 'ended':
      return before.state === 'ended' ? before : { ...closed(before, signs, now), ...named('ended', now) };
    case 'good':
      return recover(before, signs, now);
    default: {
      const { kind, reason, since, progress } = verdict;
      const same = before.state === kind && before.reason === reason;
      if (same && sameProgress(before.progress, progress)) return before;
      const opened = isOpen(before)
        ? namedAfter(before, reason)
        : withGap(before, openGap(signs.lastAt, reason));
      return { ...opened, state: kind, reason, since: same ? before.since : since, progress };
    }
  }
}

/** Adds a gap that is over already, unless it is known; nothing else changes. */
export function addGap(before: Standing, gap: HealthGap): Standing {
  const known = before.gaps.some(({ from, action }) => from === gap.from && action === gap.action);
  if (known) return before;
  // An open gap stays the last one.
  const open = isOpen(before) ? before.gaps.slice(-1) : [];
  const over = before.gaps.slice(0, before.gaps.length - open.length);
  return { ...before, gaps: [...over, gap, ...open].slice(-MAX_GAPS), gap_count: before.gap_count + 1 };
}

/** Marks gaps that were over at `at` and had nothing done about them as filled by a snapshot. */
export function fillGaps(before: Standing, at: number): Standing {
  const fits = (gap: HealthGap): boolean => gap.action === 'none' && gap.to !== null && gap.to <= at;
  if (!before.gaps.some(fits)) return before;
  return { ...before, gaps: before.gaps.map((gap) => (fits(gap) ? { ...gap, action: 'snapshot' } : gap)) };
}

function recover(before: Standing, signs: Signs, now: number): Standing {
  if (before.state === 'alive') return before;
  if (before.state === 'ended') return { ...before, ...named('alive', now) };
  if (before.state === 'recovered')
    return now - before.since < RECOVERED_MS ? before : { ...before, ...named('alive', now) };
  return { ...closed(before, signs, now), ...named('recovered', now) };
}

function named(state: HealthState, since: number): Pick<Standing, 'state' | 'reason' | 'since' | 'progress'> {
  return { state, reason: null, since, progress: null };
}

function isOpen({ gaps }: Standing): boolean {
  return gaps.at(-1)?.action === 'open';
}

function closed(before: Standing, { backAt }: Signs, now: number): Standing {
  const last = before.gaps.at(-1);
  if (last === undefined || !isOpen(before)) return before;
  // What waited was applied from the log; what a source recovered, it read from its checkpoint.
  const caughtUp = last.reason === 'backlog' || before.state === 'recovering';
  const action: GapAction = caughtUp ? 'caught_up' : 'none';
  const to = Math.max(last.from, caughtUp ? now : (backAt ?? now));
  return { ...before, gaps: [...before.gaps.slice(0, -1), { ...last, to, action }] };
}

function openGap(from: number, reason: string): HealthGap {
  return { from, to: null, reason, action: 'open' satisfies GapAction };
}

/** Our own delay hides what else is wrong: once that is known, the open gap is named after it. */
function namedAfter(before: Standing, reason: string): Standing {
  const last = before.gaps.at(-1);
  if (last === undefined || last.reason !== 'backlog' || reason === 'backlog') return before;
  return { ...before, gaps: [...before.gaps.slice(0, -1), { ...last, reason }] };
}

function withGap(before: Standing, gap: HealthGap): Standing {
  return { ...before, gaps: [...before.gaps, gap].slice(-MAX_GAPS), gap_count: before.gap_count + 1 };
}

function sameProgress(a: HealthProgress | null, b: HealthProgress | null): boolean {
  return a === b || (a !== null && b !== null && a.from === b.from && a.position === b.position);
}
