/** A match that tests read as its surfaces do: the pages and tools from views, the export from records. */
import type { MatchIncident, MatchState, MatchTransition, NormalizedMessage } from '#records/types.ts';
import { ViewsWorld } from '#views/testing/world.ts';
import { matchDetails } from '../../../../services/api/board/pages/match-page.ts';
import { scopeOf } from '../../../../services/tool-gateway/mcp/testing/tool-calls.ts';
import { wholeMatch } from '../../../../services/tool-gateway/mcp/tools/match.ts';
import type { ExportCell, ExportShape } from '../../export/datasets.ts';
import type { StoryFacts } from '../page.ts';

/** A match in views, with the last records that its messages gave. */
export class PlayedMatch {
  readonly #eventId: number;
  readonly #world = new ViewsWorld();
  readonly #transitions: MatchTransition[] = [];
  readonly #incidents = new Map<string, MatchIncident>();
  #state: MatchState | null = null;

  constructor(eventId: number, messages: readonly NormalizedMessage[] = []) {
    this.#eventId = eventId;
    for (const message of messages) this.take(message);
  }

  take(message: NormalizedMessage): void {
    const records = this.#world.recordsOf(message);
    this.#world.give(...records);
    for (const { topic, value } of records) {
      if (topic === 'match-state') this.#state = value;
      if (topic === 'match-transitions' && value !== null) this.#transitions.push(value);
      if (topic === 'match-incidents' && value !== null) this.#incidents.set(value.id, value);
    }
  }

  /** What `touchline match` reads; null before the first accepted message. */
  get records(): StoryFacts | null {
    const [state, incidents, transitions] = [this.#state, [...this.#incidents.values()], this.#transitions];
    return state === null ? null : { state, incidents, transitions };
  }

  /** The match state. Throws before the first accepted message. */
  get state(): MatchState {
    if (this.#state === null) throw new Error('no message was accepted');
    return this.#state;
  }

  /** The page of the board; null when the match was deleted. */
  get details() {
    return matchDetails(this.#world.views, this.#eventId, this.state.cause.ut);
  }

  /** The answer of the tool, with the whole timeline. */
  get tool(): MatchAnswer {
    return wholeMatch(this.#eventId, scopeOf(this.#world)) as MatchAnswer;
  }
}

type MatchAnswer = {
  readonly status: string | null;
  readonly missing: readonly string[];
  readonly periods?: readonly string[];
  readonly timeline: readonly {
    readonly incident_id: string;
    readonly minute?: string;
    readonly type_id: number;
    readonly stands: boolean;
    readonly why?: string;
  }[];
};

/** Returns the rows of an export of a record, by their ids. */
export function exportedOf<V>(
  { columns, rows }: ExportShape<V>,
  values: readonly V[],
): Map<string, Readonly<Record<string, ExportCell>>> {
  const cells = values.flatMap((value) => rows(value, { competition: null, season: null }));
  const found = cells.map((row) =>
    Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])),
  );
  return new Map(found.map((row) => [String(row.id), row]));
}
