import type { Paging, RestAnswer } from '../provider.ts';
import { type PlacedEvent, type PlaceLookup, pageOf, renderTree } from '../tree.ts';

/** The answer of a list of events: a page is cut by events, wherever in a round or a group it ends. */
export function eventsAnswer(events: readonly PlacedEvent[], paging: Paging, place: PlaceLookup): RestAnswer {
  const competitions = renderTree(pageOf(events, paging), place);
  return { data: `{"competitions":${competitions}}`, total: events.length };
}
