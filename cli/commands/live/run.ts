import { once } from 'node:events';
import { onStopRequest } from '#service/stop-requests.ts';
import type { Now } from '#tradability/feed-status.ts';
import { findCluster, requireTopic } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { Screen } from '../../screen.ts';
import { terminalColumns } from '../../table.ts';
import { jsonText } from '../../values.ts';
import { boardLines, matchJson } from './board.ts';
import type { live } from './command.ts';
import { LiveMatches } from './live-matches.ts';

const DRAW_EVERY_MS = 200;

/** Shows the live matches. */
export async function runLive({ values }: GivenTo<typeof live>): Promise<number> {
  const place = findCluster(process.env);
  for (const topic of ['match-state', 'match-transitions', 'feed-health'] as const)
    await requireTopic(place, topic);
  const stop = new AbortController();
  const done = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
  const matches = new LiveMatches(place);
  const read = Promise.withResolvers<void>();
  const following = matches.follow(stop.signal, () => read.resolve());
  try {
    await Promise.race([read.promise, following]);
    if (process.stdout.isTTY && !values.once && !values.json) await draw(matches, following, stop.signal);
    else {
      const at = now();
      const shown = matches.matches(at);
      const lines = values.json
        ? shown.map((match) => jsonText(matchJson(match)))
        : boardLines(shown, matches.sources(at), {
            now: at.wall,
            room: { columns: terminalColumns(), rows: null },
          });
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    }
    return 0;
  } finally {
    stop.abort();
    done();
  }
}

async function draw(matches: LiveMatches, following: Promise<void>, signal: AbortSignal): Promise<void> {
  const screen = new Screen(process.stdout);
  const show = (): void => {
    const at = now();
    const room = { columns: process.stdout.columns - 1, rows: process.stdout.rows - 1 };
    screen.draw(boardLines(matches.matches(at), matches.sources(at), { now: at.wall, room }));
  };
  const drawing = setInterval(show, DRAW_EVERY_MS);
  try {
    show();
    if (!signal.aborted) await Promise.race([following, once(signal, 'abort')]);
  } finally {
    clearInterval(drawing);
    screen.end();
  }
}

function now(): Now {
  return { wall: Date.now(), steady: performance.now() };
}
