import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { parseAnswer } from './client.ts';
import { isOperationName } from './operations.ts';
import { ANSWERS, READINGS } from './records.ts';
import { type AnswerDifference, findingsOf, fixtures, haveFixtures } from './testing/fixtures.ts';

const published = fixtures();
const ofTheSpec = published.filter(({ name }) => isOperationName(name));

/** Our records in operations beside the contract. */
const NEIGHBOURS: Readonly<Record<string, (data: never) => readonly [z.ZodType, unknown]>> = {
  'competitions.show': (data: { competition: unknown }) => [READINGS.competition, data.competition],
  'seasons.index': (data: { competitions: unknown }) => [READINGS.competition.array(), data.competitions],
  'seasons.show': (data: { competition: unknown }) => [READINGS.stageChain, data.competition],
  'stages.show': (data: { competition: unknown }) => [READINGS.stageChain, data.competition],
  'groups.index': (data: { competition: unknown }) => [READINGS.stageChain, data.competition],
  'participants.compare.index': (data: { h2h_events: { competitions: unknown } }) => [
    READINGS.eventTree.array(),
    data.h2h_events.competitions,
  ],
};

/** Operations beside the contract without any record of ours. */
const STRANGERS = [
  'booked-events.destroy',
  'booked-events.index',
  'booked-events.store',
  'participants.index',
  'participants.show',
  'rounds.index',
  'tours.index',
  'venues.index',
  'venues.show',
];

/** The rows of the table in docs/reference/rest-answers.md, one for each operation. */
function documented(): AnswerDifference[] {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reference/rest-answers.md'), 'utf8');
  return [...text.matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)].flatMap(
    ([, place = '', spec = '', seen = '', operations = '']) =>
      operations.split(', ').map((operation) => ({ operation, place, spec, seen })),
  );
}

const byText = (findings: AnswerDifference[]): string[] =>
  findings.map((one) => JSON.stringify(one)).toSorted();

describe.skipIf(!haveFixtures)('published answers of a provider (they are in ../shared)', () => {
  test('are there for these operations of the contract', () => {
    expect(ofTheSpec.map(({ name }) => name).toSorted()).toEqual([
      'areas.index',
      'competitions.index',
      'events.index',
      'events.show',
      'feed.index',
      'feed.show',
      'incidents.index',
      'languages.index',
      'livescore.index',
      'oauth',
      'sports.index',
      'sports.show',
      'standings-types.index',
      'standings.index',
      'standings.show',
      'statuses.index',
    ]);
  });

  test.each(ofTheSpec)('$file is parsed without losing a field', ({ name, json }) => {
    if (!isOperationName(name)) throw new Error('not of the spec');
    const answer = parseAnswer(name, json);
    expect(answer.data).toEqual(json.api.data);
    expect(answer.timestamp).toBeGreaterThan(1_500_000_000);
  });

  test('differ from our answers exactly where docs/reference/rest-answers.md says', () => {
    expect(byText(documented())).toEqual(byText(published.flatMap(findingsOf)));
  });

  test('of other operations can be parsed where they have records of ours', () => {
    const others = published.filter(({ name }) => !isOperationName(name));
    for (const { name, json, file } of others) {
      const [schema, records] = NEIGHBOURS[name]?.(json.api.data as never) ?? [];
      if (schema === undefined) expect(STRANGERS, file).toContain(name);
      else expect(schema.parse(records), file).toEqual(records);
    }
    expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(NEIGHBOURS)));
  });
});

describe('records', () => {
  const incident = {
    id: '5-1',
    incident_id: 413,
    incident_name: 'Goal',
    participant_id: 1,
    participant_name: 'A',
    subparticipant_id: null,
    subparticipant_name: null,
    event_status_id: 33,
    event_status_name: '1st half',
    event_time: '01:02',
    for: 'own',
    confirmation: 'tbd',
    attribute_ids: [],
    properties: null,
    additional_info: {},
    ut: 1_500_000_000,
    parent_id: null,
  };

  test('keep unknown fields', () => {
    const odd = { ...incident, x_pos: 7, more: { deep: [1] } };
    expect(ANSWERS.incident.parse(odd)).toEqual(odd);
    expect(READINGS.incident.parse(odd)).toEqual(odd);
  });

  test.each(Object.keys(incident))('an incident of ours always has %s', (field) => {
    const { [field as keyof typeof incident]: _missing, ...rest } = incident;
    expect(ANSWERS.incident.safeParse(rest).success).toBe(false);
  });

  test('of a provider’s incident need its identity only', () => {
    expect(READINGS.incident.safeParse({ id: '5-1', incident_id: '413', participant_id: '' }).success).toBe(
      true,
    );
    expect(READINGS.incident.safeParse({ incident_id: 413 }).success).toBe(false);
  });

  test('of a feed are independent: one unreadable message does not spoil the others', () => {
    const json = { api: { timestamp: 1, method: { name: 'feed.index' }, data: [{ type: 7 }, 'odd'] } };
    expect(parseAnswer('feed.index', json).data).toEqual([{ type: 7 }, 'odd']);
    expect(ANSWERS.feedMessage.safeParse({ type: 7 }).success).toBe(false);
  });
});
