/** What must hold after each month: scores and tables on REST, every change once in the topics and at the customer. */
import { topicBounds } from '#cluster/logs.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { readEvery } from '../../test/support/read-records.ts';
import { ask } from './ask.ts';
import type { Customer } from './customer.ts';
import { type ExpectedRow, seasonId, tableOf, type YearMatch } from './season.ts';
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
  for (const [season, matches] of bySeason(announced)) {
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

type Entry = { readonly id: number; readonly type_id: number };
type Row = {
  readonly id: number;
  readonly rank: number;
  readonly columns: readonly { readonly code: string; readonly value: number | string }[];
};
type Table = { readonly groups: readonly { readonly participants: readonly Row[] }[] };
const LEAGUE_TABLE = 2;
const COLUMNS = [
  'mp',
  'pts',
  'goals_scored',
  'goals_allowed',
] as const satisfies readonly (keyof ExpectedRow)[];

/** Compares the league table of each season with the sums of the final scores. */
export async function checkTables(client: RestClient, played: ReadonlySet<YearMatch>): Promise<void> {
  for (const [season, matches] of bySeason([...played])) {
    const { standings_list } = await client.data<{ standings_list: Entry[] }>(
      `/v2/standings?object_type=season&object_id=${season}`,
    );
    const entry = standings_list.find(({ type_id }) => type_id === LEAGUE_TABLE);
    require(entry !== undefined, `season ${season} has no league table`);
    const { standings } = await client.data<{ standings: Table }>(`/v2/standings/${entry?.id}`);
    const rows = standings.groups.flatMap(({ participants }) => participants);
    const expected = tableOf(matches);
    require(rows.length ===
      expected.size, `the table of season ${season} has ${rows.length} teams, not ${expected.size}`);
    let above = Number.POSITIVE_INFINITY;
    for (const { id, columns } of rows.toSorted((a, b) => a.rank - b.rank)) {
      const values = Object.fromEntries(columns.map(({ code, value }) => [code, Number(value)]));
      const row = expected.get(id);
      for (const column of COLUMNS)
        require(values[column] ===
          row?.[
            column
          ], `team ${id} of season ${season} has ${column} ${values[column]}, not ${row?.[column]}`);
      require((values.pts ?? 0) <=
        above, `team ${id} of season ${season} stands below one with fewer points`);
      above = values.pts ?? 0;
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
  const source = { brokers, prefix: PREFIX, registry: Registry.open({ url: registry.url, prefix: PREFIX }) };
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

function bySeason(matches: readonly YearMatch[]): Map<number, YearMatch[]> {
  return Map.groupBy(matches, ({ league, season }) => seasonId(league, season));
}
