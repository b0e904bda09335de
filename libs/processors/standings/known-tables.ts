import { hash } from 'node:crypto';
import { typeFields } from '#domain/standings/body.ts';
import type { DerivedTable } from '#domain/standings/season-tables.ts';
import type { Cause, Standings, StandingsEntry } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';

/** The last published version of a record. `digest`: that of its visible fields. */
type PublishedVersion = { version: number; ut: number; digest: string };

/** The last published records of a table: the table and its catalogue entry; null if never published. */
type KnownTable = { table: PublishedVersion | null; entry: PublishedVersion | null };

/** The records to publish of a table; null if unchanged. */
type TableChange = { readonly table: Standings | null; readonly entry: StandingsEntry | null };

/**
 * The versions of all tables of a partition: only a change of a visible field makes a new one. They stay in memory: 290 bytes a
 * table (100,000 tables restored, heap after a collection), some 5 KB a season with every kind of table.
 */
export class KnownTables {
  readonly #known = new Map<number, KnownTable>();

  restoreTable({ standings_id, version, ut, body, later }: Standings): void {
    this.#knownTable(standings_id).table = { version, ut, digest: digestOf(textOf({ body, later })) };
  }

  restoreEntry({ version, ut, cause: _, ...shown }: StandingsEntry): void {
    this.#knownTable(shown.standings_id).entry = { version, ut, digest: digestOf(shownOf(shown)) };
  }

  /** Returns the records to publish of a derived table. From then on these are the last published ones. */
  update({ id, type, name, object, active, body, later }: DerivedTable, cause: Cause): TableChange {
    // A table that never had a row was never published.
    if (!active && !this.#known.has(id)) return { table: null, entry: null };
    const known = this.#knownTable(id);
    const { type_id, ...named } = typeFields(type);
    const shared = {
      standings_id: id,
      type_id,
      object_type: object.type,
      object_id: object.id,
      competition_id: object.competitionId,
      season_id: object.seasonId,
    };
    const shown = {
      ...shared,
      ...named,
      name,
      object_name: '',
      item_status: active ? 'active' : 'deleted',
      sport_id: SOCCER,
    };
    const table = nextOf(known.table, digestOf(textOf({ body, later })), cause);
    const entry = nextOf(known.entry, digestOf(shownOf(shown)), cause);
    known.table = table ?? known.table;
    known.entry = entry ?? known.entry;
    return {
      table: table && {
        ...shared,
        body,
        later: later.map((one) => ({ ...one })),
        version: table.version,
        ut: table.ut,
        cause,
      },
      entry: entry && { ...shown, version: entry.version, ut: entry.ut, cause },
    };
  }

  #knownTable(id: number): KnownTable {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const none: KnownTable = { table: null, entry: null };
    this.#known.set(id, none);
    return none;
  }
}

/** Returns the version after the last published one; null if no visible field changed. */
function nextOf(last: PublishedVersion | null, digest: string, cause: Cause): PublishedVersion | null {
  if (last?.digest === digest) return null;
  // `ut` never decreases: readers of changes since a time must not miss a change that an old message caused.
  return { version: (last?.version ?? 0) + 1, ut: Math.max(last?.ut ?? 0, cause.ut), digest };
}

function textOf({ body, later }: Pick<DerivedTable, 'body' | 'later'>): string {
  return later.reduce((text, one) => `${text}\n${one.day}\n${one.body}`, body);
}

function digestOf(text: string): string {
  return hash('sha1', text, 'base64');
}

/** Returns the visible fields of a catalogue entry as text, for its digest. */
function shownOf(shown: Omit<StandingsEntry, 'version' | 'ut' | 'cause'>): string {
  return JSON.stringify(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
}
