import { findClusterWith } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { machineNow } from '../../followed-topics.ts';
import { MATCH_TOPICS } from '../../match-follower.ts';
import { drawWhile, terminalColumns } from '../../table.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import type { command } from './command.ts';
import { FollowedMatch, unknownEvent } from './followed-match.ts';
import { pageJson, pageLines } from './page.ts';

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
    const read = Promise.withResolvers<void>();
    const following = match.follow(signal, read.resolve);
    await Promise.race([read.promise, following]);
    if (signal.aborted) return;
    if (follows && process.stdout.isTTY) return drawWhile(following, () => page(process.stdout.columns));
    printLine(
      json
        ? jsonText(pageJson(match.facts, match.trading(machineNow())))
        : page(terminalColumns()).join('\n'),
    );
  });
  return 0;
}
