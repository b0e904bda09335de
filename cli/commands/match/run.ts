import { feedPast } from '#story/feed-past.ts';
import type { Now } from '#trading/feed-status.ts';
import { isAbout } from '#trading/halts.ts';
import { findClusterWith } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { followClosing, machineNow } from '../../followed-topics.ts';
import { drawWhile } from '../../screen.ts';
import { summaryOf } from '../../summaries.ts';
import { terminalColumns } from '../../table.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { printPermissions } from '../../trading-permissions.ts';
import { escapeLine, jsonText } from '../../values.ts';
import type { command } from './command.ts';
import { FollowedMatch, MATCH_TOPICS, unknownEvent } from './followed-match.ts';
import { pageJson, pageLines, timeText } from './page.ts';

export async function run(...[eventId, options]: GivenTo<typeof command>): Promise<number> {
  const { follow: follows = false, json = false } = options;
  const cluster = await findClusterWith(MATCH_TOPICS);
  const match = await FollowedMatch.read(cluster, eventId);
  if (match === null) throw unknownEvent(cluster, eventId);
  const page = (width: number | null): string[] => {
    const now = machineNow();
    return pageLines(match.facts, match.trading(now), { now: now.wall, width });
  };
  await untilStopped(async (signal) => {
    await followClosing(cluster, match.reader, signal);
    const read = Promise.withResolvers<void>();
    let isListed = false;
    const following = match.follow(signal, {
      whole: json,
      onRead: read.resolve,
      onChange(change, written) {
        if (isListed)
          printLine(escapeLine(`${timeText(written)}  ${summaryOf('match-transitions', change)}`));
      },
    });
    await Promise.race([read.promise, following]);
    if (signal.aborted) return;
    if (json) return printLine(jsonText(jsonOf(match)));
    if (follows && process.stdout.isTTY) return drawWhile(following, () => page(process.stdout.columns));
    printLine(page(terminalColumns()).join('\n'));
    if (!follows) return;
    isListed = true;
    const traded = { eventIds: () => [eventId], guard: (_: number, now: Now) => match.trading(now).trading };
    await Promise.race([following, printPermissions(traded, signal)]);
  });
  return 0;
}

function jsonOf(match: FollowedMatch): object {
  const now = machineNow();
  const { facts, reader } = match;
  const past = {
    feed: feedPast(reader.health.records(facts.state.event_id), now.wall),
    halts: reader.halts.records().filter(({ scope }) => isAbout(scope, facts.state)),
  };
  return pageJson(facts, match.trading(now), past, now.wall);
}
