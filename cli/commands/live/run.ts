import { findClusterWith } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { showFollowed } from '../../match-follower.ts';
import { jsonText } from '../../values.ts';
import { LIVE_TOPICS, liveMatches, matchJson } from './board.ts';
import type { command } from './command.ts';

export async function run(...[{ json }]: GivenTo<typeof command>): Promise<number> {
  const matches = liveMatches(await findClusterWith(LIVE_TOPICS));
  return showFollowed(matches, json !== true, (width) =>
    json ? matches.matches().map((match) => jsonText(matchJson(match))) : matches.boardLines(width),
  );
}
