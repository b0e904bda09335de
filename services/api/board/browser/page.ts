/** A page that the server draws, kept up to date: when something changed it is asked for again, and only that changes. */
import { newsWords, scoreNews } from '../shown/arrange.ts';
import type { BoardMatch } from '../shown/match.ts';
import { whenCell } from '../shown/row.ts';
import { announce, byId, showConnection } from './head.ts';
import { flash, morph, morphChildren, parse } from './morph.ts';
import { followStream, ServerClock } from './stream.ts';

const main = byId('main');
const clock = new ServerClock();
let match: BoardMatch | undefined;
let refreshing = false;
let stale = false;

followStream(main.dataset.stream ?? '', {
  onConnection: (connected) => showConnection(connected, clock),
  on: {
    snapshot: (data) => {
      clock.set((data as { now: number }).now);
      refresh();
    },
    match: (data) => take(data as BoardMatch),
    table: refresh,
    beat: (data) => clock.set((data as { now: number }).now),
  },
});
setInterval(tick, 1_000);

function take(after: BoardMatch): void {
  const kind = match === undefined ? null : scoreNews(match, after);
  match = after;
  if (kind !== null) {
    announce(newsWords(kind, after));
    const score = document.getElementById('scoreline');
    if (score !== null) flash(score, kind);
  }
  refresh();
}

/** Asks for the page again; what changes while it is on its way is asked for once more after it. */
function refresh(): void {
  stale = true;
  if (refreshing) return;
  refreshing = true;
  void redraw().finally(() => {
    refreshing = false;
  });
}

async function redraw(): Promise<void> {
  while (stale) {
    stale = false;
    try {
      const response = await fetch(location.href);
      if (!response.ok) return;
      const wanted = parse(await response.text()).getElementById('main');
      if (wanted !== null) morph(main, wanted);
    } catch {
      // The stream says that the connection is lost, and brings the page up to date when it is back.
      return;
    }
  }
}

function tick(): void {
  const cell = document.getElementById('when');
  if (cell !== null && match !== undefined) morphChildren(cell, parse(String(whenCell(match, clock.now()))));
}
