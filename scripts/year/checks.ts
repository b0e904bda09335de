/** What must hold after each month: scores on REST, every change once in the topics and at the customer. */
import { topicBounds } from '#cluster/logs.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { readEvery } from '../../test/support/read-records.ts';
import { ask } from './ask.ts';
import type { Customer } from './customer.ts';
import { seasonOf, type YearMatch } from './season.ts';
import { PREFIX, type YearSystem } from './system.ts';

/** Fails a check: the message says what differs. */
export class CheckError extends Error {
  override readonly name = 'CheckError';
}

/** Throws `CheckError` with the message unless the condition holds. */
export function require(condition: boolean, message: string): void {
  if (!condition) throw new CheckError(message);
}

/** Id and secret key of a client. */
export type Credentials = { readonly id: string; readonly secret: string };

/** A client of the REST contract. */
export class RestClient {
  readonly #base: string;
  credentials: Credentials;

  constructor(base: string, credentials: Credentials) {
    this.#base = base;
    this.credentials = credentials;
  }

  /** Returns `api.data` of a path. Throws `CheckError` for any status but 200. */
  async data<T>(path: string): Promise<T> {
    const { id, secret } = this.credentials;
    const login = await ask(`${this.#base}/v2/oauth?client_id=${id}&secret_key=${secret}`);
    const { token } = JSON.parse(login.body).api.data ?? {};
    const { status, body } = await ask(`${this.#base}${path}${path.includes('?') ? '&' : '?'}token=${token}`);
    require(status === 200, `${path} answers ${status}: ${body.slice(0, 200)}`);
    return JSON.parse(body).api.data;
  }
}

type Result = { readonly id: number; readonly value: string | number | null };
type ListedEvent = {
  readonly id: number;
  readonly status_id: number;
  readonly participants: readonly { readonly counter: number; readonly results: readonly Result[] }[];
};
type Tree = {
  readonly competitions: readonly {
    readonly seasons: readonly {
      readonly stages: readonly { readonly groups: readonly { readonly events: readonly ListedEvent[] }[] }[];
    }[];
  }[];
};
const FINISHED = 11;

/** Compares the events of each season with the matches: exactly these, played ones with their final score. */
export async function checkEvents(
  client: RestClient,
  announced: readonly YearMatch[],
  played: ReadonlySet<YearMatch>,
): Promise<void> {
  for (const [season, matches] of Map.groupBy(announced, seasonOf)) {
    const { competitions } = await client.data<Tree>(`/v2/events?season_id=${season}&limit=150`);
    const events = competitions.flatMap(({ seasons }) =>
      seasons.flatMap(({ stages }) =>
        stages.flatMap(({ groups }) => groups.flatMap((group) => group.events)),
      ),
    );
    require(events.length ===
      matches.length, `season ${season} lists ${events.length} events, not ${matches.length}`);
    const byId = new Map(events.map((event) => [event.id, event]));
    for (const match of matches) {
      const event = byId.get(match.eventId);
      require(event !== undefined, `event ${match.eventId} is missing`);
      const isOver = event?.status_id === FINISHED;
      require(isOver ===
        played.has(match), `event ${match.eventId} of ${match.day} has status ${event?.status_id}`);
      if (!isOver) continue;
      const score = [1, 2].map(
        (side) =>
          event.participants.find(({ counter }) => counter === side)?.results.find(({ id }) => id === 2)
            ?.value,
      );
      require(score.join(':') ===
        `${match.final.home}:${match.final.away}`, `event ${match.eventId} ended ${match.final.home}:${match.final.away}, and is shown ${score.join(':')}`);
    }
  }
}

/** Compares the input with what was accepted, and requires every change exactly once in the log. Returns versions by event. */
export async function checkTopics(
  { kafka, registry }: YearSystem,
  accepted: number,
): Promise<Map<number, number>> {
  const { brokers } = kafka;
  const input = await topicBounds({ brokers, clientId: 'year' }, [topicName(PREFIX, 'normalized-messages')]);
  const stored = input.reduce((sum, { end }) => sum + end, 0);
  require(stored ===
    accepted, `normalized-messages has ${stored} records, and ${accepted} messages were accepted`);
  const ids = new Set<string>();
  const versions = new Map<number, number>();
  const repeated: string[] = [];
  const gaps: string[] = [];
  const source = { brokers, prefix: PREFIX, registry: new Registry({ url: registry.url, prefix: PREFIX }) };
  await readEvery('match-transitions', source, ({ id, event_id, version }) => {
    if (ids.has(id)) repeated.push(id);
    ids.add(id);
    const before = versions.get(event_id) ?? 0;
    if (version !== before && version !== before + 1) gaps.push(`${event_id}: ${before} to ${version}`);
    versions.set(event_id, version);
  });
  require(repeated.length === 0, `transitions occur twice: ${repeated.slice(0, 5).join(', ')}`);
  require(gaps.length === 0, `versions are missing: ${gaps.slice(0, 5).join(', ')}`);
  return versions;
}

/** Requires that the customer was sent every version of every match, and the final score of those that are over. */
export function checkCustomer(
  { matches }: Customer,
  versions: ReadonlyMap<number, number>,
  played: ReadonlySet<YearMatch>,
): void {
  for (const [eventId, version] of versions) {
    const held = matches.get(eventId)?.versions ?? new Set();
    const missing = Array.from({ length: version }, (_, n) => n + 1).filter((n) => !held.has(n));
    require(missing.length ===
      0, `the customer lacks versions ${missing.slice(0, 5).join(', ')} of event ${eventId}`);
  }
  for (const { eventId, final } of played) {
    const { home, away } = matches.get(eventId) ?? {};
    require(`${home}:${away}` ===
      `${final.home}:${final.away}`, `the customer holds ${home}:${away} of event ${eventId}, not ${final.home}:${final.away}`);
  }
}
