/** Reads parts of an answer for the tests. */
import { expect } from 'vitest';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import type { RestRecord } from '#contract/rest/records.ts';

/** The operations, each with a path to request. */
export const PATHS = ALL_OPERATIONS.map(({ name, path, open }) => ({
  name,
  open,
  path:
    path.replace('{id}', path.startsWith('/v2/sports') ? '5' : '1005') +
    (name === 'basic-livescore.index' ? '?timestamp=1' : ''),
}));

type EventTree = RestRecord<'eventTree'>;
type Event = EventTree['seasons'][number]['stages'][number]['groups'][number]['events'][number];

export function eventsOf({ competitions }: { readonly competitions: readonly EventTree[] }): Event[] {
  return competitions.flatMap(({ seasons }) =>
    seasons.flatMap(({ stages }) => stages.flatMap(({ groups }) => groups.flatMap(({ events }) => events))),
  );
}

type Answer = { readonly data: { readonly competitions: readonly EventTree[] } };

export const eventIds = ({ data }: Answer): number[] => eventsOf(data).map(({ id }) => id);

export const idsOf = <T extends RestRecord<'sport'>['id'] | string>(
  records: readonly { readonly id: T }[],
): T[] => records.map(({ id }) => id);

/** Returns the distinct ids of a feed's messages: a feed repeats a message that was published again. */
export const messageIds = (messages: readonly { readonly id: number }[]): number[] => [
  ...new Set(messages.map(({ id }) => id)),
];

export function expectParameters(
  api: { readonly method: { readonly parameters: Readonly<Record<string, string>> } },
  parameters: Readonly<Record<string, string>>,
): void {
  expect(api.method.parameters).toMatchObject(parameters);
}
