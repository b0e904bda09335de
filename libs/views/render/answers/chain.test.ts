import { expect, test } from 'vitest';
import { workload } from '../../../../test/support/workload.ts';
import { ViewsWorld } from '../../testing/world.ts';

/** Returns all that the laws derive of the matches, except what depends on the order of messages. */
function statesOf(world: ViewsWorld, events: readonly number[]): unknown[] {
  return events.map((id) => {
    const { version: _, cause: __, ...state } = world.views.matches.state(id) ?? {};
    const incidents = world.views.incidentLog.shown(id).map(({ received_at: ___, ...incident }) => incident);
    return { state, incidents };
  });
}

test.each([1, 2, 3])('gives a reader of the feed the same states (seed %i)', async (seed) => {
  const messages = workload({ events: 4, perEvent: 60, seed });
  const events = [...new Set(messages.map(({ event_id }) => event_id))];
  const upstream = new ViewsWorld();
  for (const message of messages) upstream.take(message);
  const app = await upstream.server();
  const times = messages.map(({ ut }) => ut);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const downstream = new ViewsWorld();
  // Contiguous windows, as a poller requests them.
  for (let start = from; start <= to; start += 100) {
    const answer = await app.inject(`/v2/feed?token=t&timestamp=${start}&timestamp_to=${start + 99}`);
    downstream.play(...answer.json().api.data);
  }
  expect(statesOf(downstream, events)).toEqual(statesOf(upstream, events));
  expect(statesOf(upstream, events)).not.toEqual(statesOf(new ViewsWorld(), events));
});
