import type { FeedHealth, MatchState, TradingHalt } from '#records/types.ts';
import { feedPast } from '#story/feed-past.ts';
import type { ClosingTables } from '#topics/closing-topics.ts';
import { type FeedStatus, HealthTable } from '#trading/feed-status.ts';
import { HaltTable, type HandHalts, isAbout } from '#trading/halts.ts';
import { tradingOf } from '#trading/trading.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo } from '../../command.ts';
import { followClosing, machineNow } from '../../followed-topics.ts';
import { drawWhile } from '../../screen.ts';
import { summaryOf } from '../../summaries.ts';
import { terminalColumns } from '../../table.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { TradingPermissions } from '../../trading-permissions.ts';
import { escapeLine, jsonText } from '../../values.ts';
import type { command } from './command.ts';
import { FollowedMatch } from './followed-match.ts';
import { pageJson, pageLines, timeText } from './page.ts';
import { gapsAt, publishedAt } from './published.ts';
import { publishedLines } from './published-page.ts';
import { MatchRecords, unknownEvent } from './records.ts';

/** Interval between two checks whether the trading permission has changed. */
const TRADING_INTERVAL_MS = 200;

export async function run(...[eventId, options]: GivenTo<typeof command>): Promise<number> {
  const { at, follow: follows, json = false } = options;
  const cluster = await findClusterWith(['match-state']);
  const records = await MatchRecords.open(cluster, eventId);
  if (at !== undefined) return showPublished(cluster, records, { eventId, at, json });
  const followed = await FollowedMatch.read(records, { whole: json });
  if (followed === null) throw unknownEvent(cluster, eventId);
  await untilStopped(async (signal) => {
    const closing = await readClosing(cluster, signal);
    if (follows)
      return process.stdout.isTTY ? draw(followed, closing, signal) : list(followed, closing, signal);
    if (signal.aborted) return;
    const { facts } = followed;
    const { feed, halts } = closedBy(closing, facts.state);
    const now = Date.now();
    if (json) {
      const past = {
        feed: feedPast(closing.health.records(eventId), now),
        halts: closing.halts.records().filter(({ scope }) => isAbout(scope, facts.state)),
      };
      printLine(jsonText(pageJson(facts, { feed, halts, past }, now)));
    } else printLine(pageLines(facts, feed, { now, halts, width: terminalColumns() }).join('\n'));
  });
  return 0;
}

/** Returns what may close trading of a match now, beside its state. */
function closedBy(
  { health, halts }: ClosingTables,
  state: MatchState,
): { readonly feed: FeedStatus; readonly halts: HandHalts<TradingHalt> } {
  const now = machineNow();
  return { feed: health.match(state.event_id, now), halts: halts.standing(now, state) };
}

/** Redraws the page, even without new records: trading permission expires by itself. */
async function draw(followed: FollowedMatch, closing: ClosingTables, signal: AbortSignal): Promise<void> {
  const upToDate = Promise.withResolvers<void>();
  const following = followed.follow(signal, { onRecord() {}, onUpToDate: upToDate.resolve });
  await Promise.race([upToDate.promise, following]);
  await drawWhile(following, () => {
    const { facts } = followed;
    const { feed, halts } = closedBy(closing, facts.state);
    const at = { now: Date.now(), width: process.stdout.columns, halts, doubts: followed.doubts() };
    return pageLines(facts, feed, at);
  });
}

/** Prints the page once, then a line for each change and for each change of the trading permission. */
async function list(followed: FollowedMatch, closing: ClosingTables, signal: AbortSignal): Promise<void> {
  const { facts } = followed;
  const { feed, halts } = closedBy(closing, facts.state);
  const print = (text: string): void => printLine(escapeLine(text));
  for (const line of pageLines(facts, feed, { now: Date.now(), width: null, halts })) print(line);
  const permissions = new TradingPermissions();
  let trading: NodeJS.Timeout | undefined;
  const printTrading = (): void => {
    const { state } = followed.facts;
    const now = closedBy(closing, state);
    const words = permissions.change(
      state.event_id,
      tradingOf(state, now.feed, now.halts, followed.doubts()),
    );
    if (words !== null) print(`${timeText(Date.now())}  ${words}`);
  };
  try {
    await followed.follow(signal, {
      onRecord(record) {
        if (record.topic === 'match-transitions')
          print(`${timeText(record.written)}  ${summaryOf('match-transitions', record.value)}`);
      },
      onUpToDate() {
        trading ??= setInterval(printTrading, TRADING_INTERVAL_MS);
      },
    });
  } finally {
    clearInterval(trading);
  }
}

/** Prints what had been published at a moment. Throws `CommandError` when that is no longer held. */
async function showPublished(
  cluster: OpenCluster,
  records: MatchRecords,
  { eventId, at, json }: { readonly eventId: number; readonly at: number; readonly json: boolean },
): Promise<number> {
  const [states, transitions] = [await records.read('match-state'), await records.read('match-transitions')];
  const published = publishedAt({ states, transitions }, at);
  switch (published.kind) {
    case 'unknown':
      throw unknownEvent(cluster, eventId);
    case 'lost':
      throw new CommandError(
        `what had been published of event ${eventId} at ${timeText(at)} is no longer held: the oldest version that is held, ${published.oldest.version}, was written ${timeText(published.oldest.written)}`,
      );
    case 'nothing': {
      const { written, value } = published.first;
      const text = `nothing of event ${eventId} had been published at ${timeText(at)}: version 1 was written ${timeText(written)}, received ${timeText(value.cause.received_at)}`;
      printLine(json ? jsonText(published) : text);
      return 0;
    }
    case 'published': {
      const read = new AbortController();
      const { health } = await readClosing(cluster, read.signal);
      read.abort();
      const gaps = gapsAt(health.records(eventId), at);
      const lines = json
        ? [jsonText({ at, ...published, gaps })]
        : publishedLines(published, { at, gaps, width: terminalColumns() });
      printLine(lines.join('\n'));
      return 0;
    }
  }
}

/** Reads the feed health and the halts by hand that exist, and follows them until `signal`. */
async function readClosing(cluster: OpenCluster, signal: AbortSignal): Promise<ClosingTables> {
  const closing = { health: new HealthTable<FeedHealth>(), halts: new HaltTable<TradingHalt>() };
  await followClosing(cluster, closing, signal);
  return closing;
}
