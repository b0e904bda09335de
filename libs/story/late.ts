import type { StoryStep } from '#views/store/board-view.ts';
import { PAST_S } from './minute.ts';

/** Delay from which a message counts as late, seconds: half of the silence that makes a feed stale. */
const LATE_S = 10;

/** Returns how late a change was received, in seconds after the provider wrote it; null when it was in time, or is of the past. */
export function lateBy({ ut, received_at }: Pick<StoryStep, 'ut' | 'received_at'>): number | null {
  const delay = Math.floor(received_at / 1000) - ut;
  return delay >= LATE_S && delay < PAST_S ? delay : null;
}
