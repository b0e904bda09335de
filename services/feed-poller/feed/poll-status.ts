import type { HealthReason } from '#domain/health/verdict.ts';
import { type MessageCounts, RecentMessages } from '#ingestion/recent-messages.ts';
import type { HealthGap, IngressStatus, RefusedList } from '#records/types.ts';
import type { MachineClock } from '#timing/clock.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';

/** Time of consecutive failures after which the feed is down. */
const DOWN_AFTER_MS = 5_000;
/** Lag behind the provider's now, beyond the settle margin, above which the feed is recovering: its messages are too old then. */
const BEHIND_SECONDS = 15;

/** The position of the feed, null before the first read, and the provider's time; Unix seconds. */
type FeedReading = { readonly position: number | null; readonly providerNow: number };

type State = Pick<IngressStatus, 'state' | 'reason' | 'progress'>;

const UP: State = { state: 'up', reason: null, progress: null };

/** Failures that do not pass without a change of credentials or contract: the feed is down at once. */
const PERMANENT_REASONS: Readonly<Partial<Record<ProviderErrorCode, HealthReason>>> = {
  CREDENTIALS: 'credentials',
  UNAUTHORIZED: 'credentials',
  FORBIDDEN: 'contract',
};
/** Failures of the network or the provider. All other codes are answers outside its contract. */
const NETWORK_CODES: readonly ProviderErrorCode[] = ['UNREACHABLE', 'TIMEOUT', 'SERVER_ERROR', 'STOPPED'];

const MAX_REFUSED_LISTS = 100;

/**
 * Returns the state of the feed, for ingress-status. Reads no clock; times are Unix milliseconds unless stated otherwise. `settle`: normal
 * lag of the position behind the provider's now, seconds: the settle margin, which each pass reads again. `refusedLists`: returns the
 * events whose latest incident list is refused, the earliest first.
 */
export function pollStatus(instance: string, settle: number, refusedLists: () => readonly RefusedList[]) {
  const recent = new RecentMessages();
  let current = UP;
  let heard_at: number | null = null;
  let failing: { readonly since: number; readonly reason: HealthReason } | null = null;
  let gap: HealthGap | null = null;
  const down = (reason: HealthReason): void => {
    current = { state: 'down', reason, progress: null };
  };
  const catchUp = ({ position, providerNow }: FeedReading, reason: string): void => {
    const isNear = position === null || providerNow - position <= settle + BEHIND_SECONDS;
    const from = current.progress?.from ?? position ?? 0;
    const progress = { from, position: position ?? 0, to: Math.floor(providerNow) };
    current = isNear ? UP : { state: 'recovering', reason, progress };
  };
  return {
    /** Begins a term: the feed since the checkpoint is still to be read. */
    begin(reading: FeedReading): void {
      failing = null;
      catchUp(reading, 'ingress');
    },
    /** Applies a read window. `more`: whether further windows follow at once. */
    read(more: boolean, reading: FeedReading, now: number): void {
      // Without a failure Touchline itself is too slow.
      if (more) catchUp(reading, current.reason ?? failing?.reason ?? 'backlog');
      else {
        heard_at = now;
        current = UP;
      }
      failing = null;
    },
    failed({ code }: ProviderError, now: number): void {
      failing = {
        since: failing?.since ?? now,
        reason: NETWORK_CODES.includes(code) ? 'network' : 'contract',
      };
      const permanent = PERMANENT_REASONS[code];
      if (permanent !== undefined) down(permanent);
    },
    /** Applies a gap: the provider no longer has the feed between these times, Unix seconds. */
    skipped(from: number, to: number): void {
      // The feed was not believed meanwhile for another reason, which has its own gap.
      const unpublished = { published_from: null, published_to: null };
      gap = { from: from * 1000, to: to * 1000, reason: 'contract', action: 'skipped', ...unpublished };
    },
    received: (counts: MessageCounts, now: number): void => recent.add(counts, now),
    /** Returns the status at `now`. Its source is the origin of the feed's messages. */
    report(now: number): IngressStatus {
      if (failing !== null && now - failing.since >= DOWN_AFTER_MS && current.state !== 'down')
        down(failing.reason);
      return {
        source: 'feed',
        instance,
        ...current,
        // Readers see at once that the last read failed, before it counts as down.
        reason: current.state === 'up' ? (failing?.reason ?? null) : current.reason,
        heard_at,
        gap,
        clock: null,
        written_at: now,
        ...recent.counts(now),
        refused_lists: refusedLists().slice(0, MAX_REFUSED_LISTS),
      };
    },
  };
}

/** Interval between checks for a changed status, and maximum interval between reports. */
const CHECK_MS = 1_000;
const REPORT_MS = 3_000;

/** Writes the status of the feed to ingress-status: on each change, and every three seconds. */
export function feedReporter(
  status: ReturnType<typeof pollStatus>,
  topicWriter: Pick<TopicWriter, 'status'>,
  clock: MachineClock,
) {
  let written = { text: '', at: 0 };
  const report = async (): Promise<void> => {
    const now = clock.unix();
    const current = status.report(now);
    const { state, reason, progress, gap, messages_unreadable, refused_lists } = current;
    const text = JSON.stringify([state, reason, progress, gap, messages_unreadable, refused_lists]);
    if (written.text === text && now - written.at < REPORT_MS) return;
    written = { text, at: now };
    await topicWriter.status(current);
  };
  return {
    /** Reports until `signal` is aborted. Throws `PublishError`, or what `requireTerm` throws. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await report();
        await clock.sleep(CHECK_MS, signal);
      }
    },
    /** Reports, then reads a window: readers must know the status before old messages arrive. Throws what `read` throws. */
    async during(read: () => Promise<'again' | 'done'>, reading: () => FeedReading) {
      await report();
      try {
        const outcome = await read();
        status.read(outcome === 'again', reading(), clock.unix());
        return outcome;
      } catch (error) {
        if (error instanceof ProviderError) status.failed(error, clock.unix());
        throw error;
      }
    },
  };
}
