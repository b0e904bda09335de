/** Renders matches as the live board has them, for a terminal. Pure. */
import { styleText } from 'node:util';
import { sameScore } from '#domain/goals.ts';
import { boardMatch } from '#story/board-match.ts';
import { feedWords } from '#story/feed-words.ts';
import { type BoardMatch, nameOf, phaseOf } from '#story/match.ts';
import { durationWords, minuteText } from '#story/minute.ts';
import { guardWords, scoreWords } from '#story/words.ts';
import { partitionKey } from '#streams/client/port.ts';
import { topicName } from '#topics/topics.ts';
import type { FeedStatus, Now, SourceFeedStatus } from '#trading/feed-status.ts';
import { NO_HALTS } from '#trading/halts.ts';
import type { Trading } from '#trading/trading.ts';
import { type ShownState, shownStateOf } from '#views/store/board-view.ts';
import type { OpenCluster } from '../../cluster.ts';
import { machineNow } from '../../followed-topics.ts';
import { type BoundedLog, CLOSING_TOPICS, matchFollower } from '../../match-follower.ts';
import { cut, type StyledText, type TextColumn, tableLines } from '../../table.ts';
import { escapeLine } from '../../values.ts';

/** A live match with its current trading permission. */
export type LiveRow = {
  readonly state: ShownState;
  readonly feed: FeedStatus;
  readonly trading: Trading;
  /** Time of receipt of its latest message, Unix milliseconds. */
  readonly lastReceivedAt: number;
};

const UNKNOWN = { name: null, short_name: null };

function columnsAt(now: number): TextColumn<LiveRow>[] {
  const agoOf = (at: number) => Math.max(0, Math.floor((now - at) / 1000));
  return [
    {
      head: 'minute',
      align: 'right',
      of: ({ state, feed, trading }) =>
        // A state that may be outdated has none.
        trading.reasons.includes('states_unread')
          ? '-'
          : minuteText(boardMatchOf(state, feed, now), now / 1000).replace('′', "'"),
    },
    { head: 'home', align: 'right', minWidth: 6, of: ({ state }) => nameOf(state.home ?? UNKNOWN) },
    { head: 'score', of: ({ state }) => ({ text: scoresText(state), style: 'bold' }) },
    { head: 'away', minWidth: 6, of: ({ state }) => nameOf(state.away ?? UNKNOWN) },
    { head: 'trading', minWidth: 10, of: ({ trading, feed }) => tradingCell(trading, feed) },
    { head: 'last', align: 'right', of: ({ lastReceivedAt }) => durationWords(agoOf(lastReceivedAt)) },
    { head: 'event', align: 'right', of: ({ state }) => state.event_id },
  ];
}

function scoresText({ score, firm }: ShownState): string {
  const isFirm = firm !== null && sameScore(score, firm);
  return `${scoreWords(score)}${isFirm ? '' : ` (firm ${scoreWords(firm)})`}`;
}

/** Returns a line for each match at `now`, Unix milliseconds, below the sources; `width` is as for `tableLines`. */
export function boardLines(
  matches: readonly LiveRow[],
  sources: readonly SourceFeedStatus[],
  { now, width }: { readonly now: number; readonly width: number | null },
): string[] {
  const safe = matches.filter(({ trading }) => trading.permission === 'safe').length;
  const feeds = sources.map((source) => `${source.source} ${feedWords(source)}`).join('  ');
  const head = `${matches.length} live, ${safe} safe  ${new Date(now).toISOString().slice(11, 19)}Z  ${feeds || 'feed health unknown'}`;
  return [
    styleText('bold', cut(escapeLine(head), width)),
    '',
    ...(matches.length === 0 ? ['no match is live'] : tableLines(columnsAt(now), matches, width)),
  ];
}

export function matchJson({ state, feed, trading, lastReceivedAt }: LiveRow): object {
  const { permission, reasons } = trading;
  return { state, trading: { permission, reasons }, feed, heard_at: lastReceivedAt };
}

/** Returns the trading permission with its colour, as `halted: score under review, feed stale (nothing received)`. */
export function tradingCell({ permission, reasons }: Trading, feed: FeedStatus): string | StyledText {
  if (permission !== 'halted')
    return permission === 'safe' ? { text: 'safe', style: 'green' } : 'not in play';
  const ofFeed = `feed_${feed.state}`;
  const own = guardWords(reasons.filter((reason) => reason !== ofFeed));
  const words = [own, reasons.includes(ofFeed) ? `feed ${feedWords(feed)}` : ''];
  return { text: `halted: ${words.filter((part) => part !== '').join(', ')}`, style: 'red' };
}

/** Returns a match as the live board has it at `now`, Unix milliseconds. */
export function boardMatchOf(state: ShownState, feed: FeedStatus, now: number): BoardMatch {
  const view = {
    levelNames: () => ({ competition: null, season: null, stage: null, group: null }),
    matchHealth: () => feed,
    halts: { standing: () => NO_HALTS },
    incidentLog: { scoring: () => new Map(), yellowCards: () => new Map(), guardClosedAt: () => null },
  };
  return boardMatch(state, view, now / 1000);
}

export const LIVE_TOPICS = ['match-state', 'match-transitions', ...CLOSING_TOPICS] as const;

/** Returns what follows the live matches. The event register is most of a state, and not shown. */
export function liveMatches(cluster: OpenCluster) {
  const { reader, logsOf, followFrom } = matchFollower(cluster, shownStateOf);
  const live = {
    /** Follows until `signal`; calls `onRead` when every partition was read to its end. Rejects as `follow`. */
    async follow(signal: AbortSignal, onRead: () => void): Promise<void> {
      const [states, transitions] = LIVE_TOPICS.map((topic) => topicName(cluster.prefix, topic));
      const logs = await logsOf(LIVE_TOPICS);
      reader.assign(logs.flatMap(({ topic, partition }) => (topic === states ? [partition] : [])));
      // The newest state contains all earlier changes: only new ones matter.
      const firstOf = ({ topic, start, end }: BoundedLog) => (topic === transitions ? end : start);
      const from = new Map(logs.map((log) => [partitionKey(log), firstOf(log)]));
      return followFrom(LIVE_TOPICS, from, onRead, { signal });
    },
    states: (): ShownState[] => [...reader.eventIds()].flatMap((eventId) => reader.state(eventId) ?? []),
    matches: (now: Now = machineNow()): LiveRow[] =>
      live
        .states()
        .flatMap((state): LiveRow[] => {
          // Silence ends play later, with time.
          if (phaseOf(state, now.wall / 1000) !== 'live') return [];
          const { feed, ...trading } = reader.guard(state.event_id, now);
          const received = reader.health
            .records(state.event_id)
            .map(({ event_id, heard_at }) => (event_id === null ? 0 : (heard_at ?? 0)));
          return [{ state, feed, trading, lastReceivedAt: Math.max(state.cause.received_at, ...received) }];
        })
        .sort(
          ({ state: a }, { state: b }) =>
            (a.start_date ?? '').localeCompare(b.start_date ?? '') || a.event_id - b.event_id,
        ),
    boardLines(width: number | null): string[] {
      const now = machineNow();
      return boardLines(live.matches(now), reader.health.sources(now), { now: now.wall, width });
    },
  };
  return live;
}
