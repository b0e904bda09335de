/** A system of real processes with webhooks, polling or both, and the answers of its api. */
import { expect } from 'vitest';
import { CLIENT, type JsonRecord, TestProvider } from '../../integration/feed-poller/provider.ts';
import { atEnd } from '../../support/at-end.ts';
import { deliverSigned, System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export type Feeding = 'webhooks' | 'polling' | 'both';

/** The services of a system; not all of them run with each ingress. */
const SERVICES = [
  'webhook-receiver',
  'feed-poller',
  'match-processor',
  'standings-processor',
  'api',
] as const;

/** Ids of the competition, season, stage and group of the provider's matches. */
export const LEVEL_IDS = { competition_id: 46, season_id: 460, stage_id: 4_600, group_id: 0 } as const;

type Message = JsonRecord & {
  readonly ut: number;
  readonly data: { readonly event: JsonRecord; readonly incident?: JsonRecord };
};

/**
 * Starts a system with the provider's messages: pushed to the receiver, or in the feed and the lists before the poller's
 * first request, because a provider adds nothing to a window that was read.
 */
export async function startFed(feeding: Feeding, messages: readonly Message[]) {
  const system = await System.create({ services: SERVICES });
  const tables = system.start('standings-processor', { SESSION_TIMEOUT_MS: '6000' });
  if (feeding !== 'webhooks') {
    const provider = await TestProvider.start();
    atEnd(() => provider.close());
    list(messages, provider);
    const client = { id: CLIENT.id, secret: CLIENT.secret };
    system.startPoller({ url: provider.url, client }, { FOLLOW_SEASONS: String(LEVEL_IDS.season_id) });
  }
  if (feeding !== 'polling') {
    const answer = await deliverSigned((await system.startReceiver()).url, messages);
    expect([answer.status, await answer.text()]).toEqual([200, 'Accepted']);
  }
  await tables.ready();
  const client = await system.addClient('fed');
  const api = await system.startApi(temporaryFolder());
  const token = await api.token(client);
  return {
    /** Requests a path, expects 200 and returns `api` of the answer. */
    ask: (path: string) => api.api(`${path}${path.includes('?') ? '&' : '?'}token=${token}`),
    /** Returns the event; undefined while it is unknown. */
    async event(id: number): Promise<JsonRecord | undefined> {
      const answer = await api.get(`/v2/events/${id}?token=${token}`);
      if (answer.status === 404) return undefined;
      return JSON.parse(await answer.text()).api.data.competition.season.stage.group.event;
    },
  };
}

/** Adds messages to a provider's feed, and their events and incidents to its lists. */
function list(messages: readonly Message[], provider: TestProvider): void {
  for (const message of messages) {
    const { event, incident } = message.data;
    const id = Number(event.id);
    provider.feed.push(message);
    if (event.competition_id === LEVEL_IDS.competition_id)
      provider.events.set(id, { ...event, ut: message.ut });
    if (incident === undefined) continue;
    const others = (provider.incidents.get(id) ?? []).filter((one) => one.id !== incident.id);
    provider.incidents.set(id, [...others, { ...incident, ut: message.ut }]);
  }
}
