import { hash } from 'node:crypto';
import type { DerivedTable } from '#domain/standings/season-tables.ts';
import type { Cause, Standings } from '#records/types.ts';
import type { Codec } from '#topics/codec.ts';

/** The last published version of a table. `digest`: that of its content. */
type PublishedVersion = { readonly version: number; readonly ut: number; readonly digest: string };
type TableContent = Omit<Standings, 'version' | 'ut' | 'cause'>;

/** The id of a type that no source shows. */
const UNKNOWN_TYPE = 0;
const NO_CAUSE: Cause = { topic: '', partition: 0, offset: 0, ut: 0, received_at: 0, message_id: '' };

/**
 * The versions of all tables of a partition: only a change of the content makes a new one. They stay in memory: 140 bytes a
 * table (100,000 tables restored, heap after a collection), some 5 KB a season with every kind of table.
 */
export class KnownTables {
  readonly #codec: Codec<Standings>;
  readonly #known = new Map<number, PublishedVersion>();

  constructor(codec: Codec<Standings>) {
    this.#codec = codec;
  }

  restore({ version, ut, cause: _, ...content }: Standings): void {
    this.#known.set(content.standings_id, { version, ut, digest: this.#digestOf(content) });
  }

  /** Returns the record to publish of a derived table, from then on the last published one; null if unchanged. */
  update({ id, type, name, object, groups, later }: DerivedTable, cause: Cause): Standings | null {
    const last = this.#known.get(id);
    // A table that never had a row was never published.
    if (groups.length === 0 && last === undefined) return null;
    const content: TableContent = {
      standings_id: id,
      name,
      type_id: type.type_id ?? UNKNOWN_TYPE,
      type_name: type.type_name,
      subtype: type.subtype,
      ranks: type.ranks,
      object_type: object.type,
      object_id: object.id,
      competition_id: object.competitionId,
      season_id: object.seasonId,
      groups,
      later,
    };
    const digest = this.#digestOf(content);
    if (last?.digest === digest) return null;
    // `ut` never decreases: readers of changes since a time must not miss a change that an old message caused.
    const next = { version: (last?.version ?? 0) + 1, ut: Math.max(last?.ut ?? 0, cause.ut), digest };
    this.#known.set(id, next);
    return { ...content, version: next.version, ut: next.ut, cause };
  }

  #digestOf(content: TableContent): string {
    const bytes = this.#codec.encode({ ...content, version: 0, ut: 0, cause: NO_CAUSE });
    return hash('sha1', bytes, 'base64');
  }
}
