/** The page of the feeds and the page for an unknown address, in Chromium. */
import { describe, expect, test } from 'vitest';
import { leagueTable } from '../../../services/api/board/testing/provider-tables.ts';
import { firstHalf, SERBIA_BRAZIL as match } from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

describe.runIf(CHROMIUM !== null)(`the feeds${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      const now = Date.now();
      played.publish(match, Math.floor(now / 1000), { ...firstHalf(3), reported: [0, 0] });
      played.health(match.id);
      const times = { from: now - 90_000, to: now - 60_000 };
      const gap = {
        ...times,
        reason: 'network',
        action: 'caught_up',
        published_from: times.from,
        published_to: times.to,
      };
      played.health(null, { heard_at: now - 3_000, written_at: now, gaps: [gap], gap_count: 1 });
    },
  });

  test('are shown in words with their interruptions, and are updated', async () => {
    const visit = await stage.follow('/feeds');
    const source = '#source-webhook';
    await visit.shows(source, 'Webhooks');
    await visit.shows(`${source}[data-guard="safe"] .facts`, 'Statealive');
    await visit.shows(
      `${source} .gaps`,
      '30 s: provider unreachable. All messages from this time were read later. Nothing is missing.',
    );
    await visit.shows('.lead', '1 live match, of which none is without a feed to rely on.');
    stage.served.played.health(null, { state: 'down', reason: 'network', written_at: Date.now() });
    await visit.shows(`${source}[data-guard="halted"] .facts`, 'down (provider unreachable)');
    await visit.shows('.doubted', 'Serbia – Brazil');
    expect(visit.complaints).toEqual([]);
  });

  test.each(['/', `/match/${match.id}`, '/standings', '/feeds'])(
    'that are not believed are named in the head of %s, which no longer says that it is up to date',
    async (path) => {
      const { played } = stage.served;
      played.table(39_720, 2, 'League standings', leagueTable());
      const visit = await stage.follow(path);
      await visit.shows('#connection[data-feeds="all"]', 'Up to date');
      played.health(null, { state: 'down', reason: 'network', written_at: Date.now() });
      await visit.shows('#connection[data-feeds="none"]', 'Webhooks down');
      expect(await visit.texts('#connection')).toEqual(['Webhooks down']);
      await visit.page.reload();
      await visit.shows('#connection[data-feeds="none"]', 'Webhooks down');
      played.health(null, { source: 'feed' });
      await visit.shows('#connection[data-feeds="some"]', 'Webhooks down');
      played.health(null, { written_at: Date.now() });
      await visit.shows('#connection[data-feeds="all"]', 'Up to date');
      expect(visit.complaints).toEqual([]);
    },
  );

  test('answers a browser at an unknown address with a page, and a program with a record', async () => {
    const visit = await stage.open('/nope');
    expect(await visit.texts('h1')).toEqual(['No such page']);
    await Promise.all([visit.page.waitForNavigation(), visit.page.click('main a[href="/"]')]);
    expect(await visit.page.title()).toContain('Live board');
    const answer = await fetch(`${stage.origin}/nope`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('json');
  });
});
