import { expect, test } from 'vitest';
import { untilTrue } from '../../support/poll.ts';
import { TerminalRun } from '../../support/terminal.ts';
import { initializedCluster } from './initialized.ts';

test('touchline status --watch leaves one screen on a terminal, however narrow', async () => {
  const { env } = await initializedCluster();
  const run = new TerminalRun(['status', '--watch'], env, { columns: 44, rows: 12 });
  const draws = (): number => run.raw.split('processes').length - 1;
  await run.shows(/^match-processor +0 +\d/);
  await untilTrue('it is drawn some times', () => draws() > 4);
  expect(run.lines.filter((line) => line.includes('match-processor'))).toHaveLength(1);
  expect(run.lines.length).toBeLessThanOrEqual(12);
  run.interrupt();
  expect(await run.ended).toBe(0);
});
