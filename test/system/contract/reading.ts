/** Reads parts of an answer for the tests. */
import { expect } from 'vitest';
import type { RestRecord } from '#contract/rest/records.ts';

type EventTree = RestRecord<'eventTree'>;
type Event = EventTree['seasons'][number]['stages'][number]['groups'][number]['events'][number];

/** Returns the events of a tree in order. */
export function eventsOf({ competitions }: { readonly competitions: readonly EventTree[] }): Event[] {
  return competitions.flatMap(({ seasons }) =>
    seasons.flatMap(({ stages }) => stages.flatMap(({ groups }) => groups.flatMap(({ events }) => events))),
  );
}

type Answer = { readonly data: { readonly competitions: readonly EventTree[] } };

/** Returns the ids of the events of an answer. */
export const eventIds = ({ data }: Answer): number[] => eventsOf(data).map(({ id }) => id);

/** Returns the ids of a list of records. */
export const idsOf = <T extends RestRecord<'sport'>['id'] | string>(
  records: readonly { readonly id: T }[],
): T[] => records.map(({ id }) => id);

/** Returns the distinct ids of a feed's messages: a feed repeats a message that was published again. */
export const messageIds = (messages: readonly { readonly id: number }[]): number[] => [
  ...new Set(messages.map(({ id }) => id)),
];

/** Expects the echoed parameters of an answer. */
export function expectParameters(
  api: { readonly method: { readonly parameters: Readonly<Record<string, string>> } },
  parameters: Readonly<Record<string, string>>,
): void {
  expect(api.method.parameters).toMatchObject(parameters);
}
