/** What the tests look at in an answer. */
import { expect } from 'vitest';
import type { EventTree, SportRecord } from '#contract/rest/records.ts';

type Event = EventTree['seasons'][number]['stages'][number]['groups'][number]['events'][number];

/** The events of a tree, in the order in which they stand there. */
export function eventsOf({ competitions }: { readonly competitions: readonly EventTree[] }): Event[] {
  return competitions.flatMap(({ seasons }) =>
    seasons.flatMap(({ stages }) => stages.flatMap(({ groups }) => groups.flatMap(({ events }) => events))),
  );
}

type Answer = { readonly data: { readonly competitions: readonly EventTree[] } };

/** The ids of the events of an answer. */
export const eventIds = ({ data }: Answer): number[] => eventsOf(data).map(({ id }) => id);

/** The ids of a list of records. */
export const idsOf = <T extends SportRecord['id'] | string>(records: readonly { readonly id: T }[]): T[] =>
  records.map(({ id }) => id);

/** The ids of the messages of a feed. One that was published again is there again: whoever reads a feed copes. */
export const messageIds = (messages: readonly { readonly id: number }[]): number[] => [
  ...new Set(messages.map(({ id }) => id)),
];

/** Expects what an answer says of itself. */
export function expectParameters(
  api: { readonly method: { readonly parameters: Readonly<Record<string, string>> } },
  parameters: Readonly<Record<string, string>>,
): void {
  expect(api.method.parameters).toMatchObject(parameters);
}
