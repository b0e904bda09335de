import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placed } from '#domain/standings/testing/seasons.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

/** Writes a folder of rules: `changes` to those of competition 7. */
function rulesFolder(changes: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'touchline-rules-'));
  const rules = { format: 1, name: 'rules', points: { won: 2, draw: 1, lost: 0 }, tie_break: ['points'] };
  writeFileSync(join(folder, 'default.json'), JSON.stringify({ ...rules, applies_to: [] }));
  const own = { ...rules, applies_to: [{ competition_id: 7 }], ...changes };
  writeFileSync(join(folder, 'my-league.json'), JSON.stringify(own));
  return folder;
}

test('touchline rules check prints the tables that files give, publishes nothing, and names every problem', async () => {
  const topics = await TestTopics.create(['match-results']);
  const of = { ...sampleOf('match-results'), competition_id: 7, season_id: 31 };
  const value = {
    ...of,
    ...placed(1, 'A 2-0 B', 310, { shoot_out: null }),
    cause: of.cause,
    shoot_out: null,
  };
  await topics.write('match-results', [
    { key: '7/31/310/-/1', value },
    { key: '7/32/310/-/2', value: { ...value, event_id: 2, season_id: 32 } },
    { key: '7/31/311/-/1', value: { ...value, stage_id: 311, removed: true } },
  ]);
  const correction = { participant_id: 1, value: -1, reason: 'Quit', from: '2024-02-01' };
  const folder = rulesFolder({ corrections: [correction] });
  const checked = await touchlineHere(['rules', 'check', folder, '--season', '31'], topics.env);
  expect(checked).toMatchObject({ code: 0, err: '' });
  expect(checked.out.split('\n').map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
    'League standings: competition 7, season 31, stage 310',
    '# team mp won draw lost goals_scored goals_allowed pts zone',
    '1 A 1 1 0 0 2 0 1',
    '2 B 1 0 0 1 0 2 0',
    'A: -1 points (Quit)',
    '',
  ]);
  const wrong = rulesFolder({ tie_break: [], corrections: [{ ...correction, reason: 'x' }] });
  const refused = await touchlineHere(['rules', 'check', wrong], topics.env);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(
    'my-league.json is no file of competition rules:\n  tie_break: expected at least one',
  );
  expect(refused.err).toContain(
    '\n  corrections[0].reason: expected one of Association decision, Disqualified,',
  );
});
