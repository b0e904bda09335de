import { once } from 'node:events';
import { findClusterWith } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { drawWhile, terminalColumns } from '../../table.ts';
import { untilStopped } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import { LIVE_TOPICS, LiveMatches, matchJson } from './board.ts';
import type { command } from './command.ts';

export async function run(...[{ json }]: GivenTo<typeof command>): Promise<number> {
  const cluster = await findClusterWith(LIVE_TOPICS);
  const matches = new LiveMatches(cluster);
  const { stdout } = process;
  await untilStopped(async (signal) => {
    const read = Promise.withResolvers<void>();
    const following = matches.follow(signal, read.resolve);
    // A request to stop is answered at once, also while the broker is silent.
    const stopped = once(signal, 'abort');
    await Promise.race([read.promise, following, stopped]);
    if (signal.aborted) return;
    if (stdout.isTTY && !json) {
      return drawWhile(Promise.race([following, stopped]), () => matches.boardLines(stdout.columns - 1));
    }
    const lines = json
      ? matches.matches().map((match) => jsonText(matchJson(match)))
      : matches.boardLines(terminalColumns());
    stdout.write(lines.map((line) => `${line}\n`).join(''));
  });
  return 0;
}
