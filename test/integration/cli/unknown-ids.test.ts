import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type CommandOutput, touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

const NAMES = [
  'match-state',
  'match-incidents',
  'match-transitions',
  'standings',
  'clients',
  'access-tokens',
  'webhook-progress',
  'dead-letters',
] as const;
const MATCH = sampleOf('match-state');

let topics: TestTopics;
let folder: string;

beforeAll(async () => {
  topics = await TestTopics.create(NAMES, 1);
  await topics.write('match-state', [{ key: String(MATCH.event_id), value: MATCH }]);
  folder = temporaryFolder();
});

const run = (line: string): Promise<CommandOutput> => touchlineHere(line.split(' '), topics.env);

describe('an id that no topic has', () => {
  test.each([
    ['export states --season 99', 'season 99 is unknown here'],
    ['export transitions --season 99', 'season 99 is unknown here'],
    ['export incidents --competition 99', 'competition 99 is unknown here'],
    ['export tables --season 99', 'season 99 is unknown here'],
    ['match 99', 'event 99 is unknown here'],
    ['match 99 --follow', 'event 99 is unknown here'],
    ['tail match-state --key 99 --from-beginning --exit-at-end', '99 is unknown here'],
    ['tokens list --client 99', 'client 99 is unknown here'],
    ['tokens revoke --client 99', 'client 99 is unknown here'],
    ['tokens revoke 0123456789abcdef', 'there is no token 0123456789abcdef'],
    ['clients show 99', 'there is no client 99'],
    ['webhooks undelivered 9999', 'there is no webhook 9999'],
    ['dead-letters show 9999', 'there is no dead letter 9999'],
  ])('fails `touchline %s`', async (line, words) => {
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(words);
  });

  test('leaves no file of an export', async () => {
    const file = join(folder, 'a.parquet');
    expect(await run(`export states --season 99 --out ${file}`)).toMatchObject({ code: 1 });
    expect(existsSync(file)).toBe(false);
  });
});

describe('a known id without matching records', () => {
  test.each([
    `export states --season ${MATCH.season_id} --to 2018-01-01T00:00:00Z`,
    `export tables --season ${MATCH.season_id} --competition ${MATCH.competition_id}`,
    `tail match-transitions --key ${MATCH.event_id} --exit-at-end`,
  ])('prints nothing and succeeds: `touchline %s`', async (line) => {
    expect(await run(line)).toEqual({ code: 0, out: '', err: '' });
  });
});
