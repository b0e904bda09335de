import { hash } from 'node:crypto';
import { SOCCER } from '#contract/soccer.ts';
import { typeFields } from '#domain/standings/body.ts';
import type { DerivedTable } from '#domain/standings/season-tables.ts';
import { FIRST_STANDINGS_ID } from '#domain/standings/standings-id.ts';
import type { Cause, Standings, StandingsEntry } from '#topics/generated/types.ts';

/** The last published record: a new version differs from it in a visible field. */
type Published = { version: number; ut: number; digest: string };

/** The last published table. */
type Known = { table: Published | null; entry: Published | null };

/** The records to publish of a table; null where nothing changed. */
export type TableChange = { readonly table: Standings | null; readonly entry: StandingsEntry | null };

/**
 * The versions of all tables of a partition: only a change makes a new one. They stay in memory: 290 bytes a table
 * (100,000 tables restored, heap after a collection), some 5 KB a season with every kind of table.
 */
export class KnownTables {
  readonly #known = new Map<number, Known>();

  restoreTable({ standings_id, version, ut, body }: Standings): void {
    // Passed-through tables are not ours.
    if (standings_id < FIRST_STANDINGS_ID) return;
    this.#of(standings_id).table = { version, ut, digest: digestOf(body) };
  }

  restoreEntry(entry: StandingsEntry): void {
    if (entry.standings_id < FIRST_STANDINGS_ID) return;
    const { version, ut } = entry;
    this.#of(entry.standings_id).entry = { version, ut, digest: digestOf(shownOf(entry)) };
  }

  /** Compares a derived table with the last published one, and replaces that. */
  update(derived: DerivedTable, cause: Cause): TableChange {
    // A table that never had a row was never published.
    if (!derived.active && !this.#known.has(derived.id)) return { table: null, entry: null };
    const known = this.#of(derived.id);
    return { table: newTable(known, derived, cause), entry: newEntry(known, derived, cause) };
  }

  #of(id: number): Known {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const none: Known = { table: null, entry: null };
    this.#known.set(id, none);
    return none;
  }
}

function newTable(known: Known, { id, type, object, body }: DerivedTable, cause: Cause): Standings | null {
  const digest = digestOf(body);
  if (known.table?.digest === digest) return null;
  const version = (known.table?.version ?? 0) + 1;
  // Readers of changes since a time must not miss a change that an old message caused.
  const ut = Math.max(known.table?.ut ?? 0, cause.ut);
  known.table = { version, ut, digest };
  return {
    standings_id: id,
    version,
    type_id: typeFields(type).type_id,
    object_type: object.type,
    object_id: object.id,
    competition_id: object.competitionId,
    season_id: object.seasonId,
    body,
    ut,
    cause,
  };
}

function newEntry(
  known: Known,
  { id, type, object, active }: DerivedTable,
  cause: Cause,
): StandingsEntry | null {
  const entry: StandingsEntry = {
    standings_id: id,
    version: (known.entry?.version ?? 0) + 1,
    ...typeFields(type),
    object_type: object.type,
    object_id: object.id,
    object_name: '',
    item_status: active ? 'active' : 'deleted',
    sport_id: SOCCER,
    competition_id: object.competitionId,
    season_id: object.seasonId,
    ut: Math.max(known.entry?.ut ?? 0, cause.ut),
    cause,
  };
  const digest = digestOf(shownOf(entry));
  if (known.entry?.digest === digest) return null;
  known.entry = { version: entry.version, ut: entry.ut, digest };
  return entry;
}

function digestOf(text: string): string {
  return hash('sha1', text, 'base64');
}

/** The fields of an entry that make a version. */
function shownOf({ version: _, ut: __, cause: ___, ...shown }: StandingsEntry): string {
  return JSON.stringify(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
}
