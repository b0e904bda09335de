import { findClusterWith } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { machineNow } from '../../followed-topics.ts';
import { MATCH_TOPICS, showFollowed } from '../../match-follower.ts';
import { jsonText } from '../../values.ts';
import type { command } from './command.ts';
import { readMatch, unknownEvent } from './followed-match.ts';
import { pageJson, pageLines } from './page.ts';

export async function run(...[eventId, options]: GivenTo<typeof command>): Promise<number> {
  const { follow: follows = false, json = false } = options;
  const cluster = await findClusterWith(MATCH_TOPICS);
  const match = await readMatch(cluster, eventId);
  if (match === null) throw unknownEvent(cluster, eventId);
  return showFollowed(match, follows, (width) => {
    const now = machineNow();
    const trading = match.trading(now);
    if (json) return [jsonText(pageJson(match.facts, trading))];
    return pageLines(match.facts, trading, { now: now.wall, width });
  });
}
