/** Small helpers to put a query together. */

import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import type { Paging } from '#contract/rest/provider.ts';

/** The conditions of a query, all of which must hold, with their values. */
export class Conditions {
  readonly #conditions: string[] = [];
  readonly values: SQLInputValue[] = [];

  /** Adds a condition where there is a value; each `?` in it stands for the value. */
  where(condition: string, value: SQLInputValue | undefined): this {
    if (value === null || value === undefined) return this;
    this.#conditions.push(condition);
    for (const character of condition) if (character === '?') this.values.push(value);
    return this;
  }

  also(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }

  /** Only these; null is all of them. `column` is null where it is not known, and then outside. */
  among(column: string, allowed: ReadonlySet<number | string> | null): this {
    if (allowed === null) return this;
    return this.where(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify([...allowed]));
  }

  /** As the text after the table. */
  get text(): string {
    return this.#conditions.length === 0 ? '' : ` WHERE ${this.#conditions.join(' AND ')}`;
  }
}

/** A page of a list, and how many items all pages have. */
export type CountedPage<T> = { readonly total: number; readonly items: readonly T[] };

type Row = Readonly<Record<string, SQLInputValue>>;

/** Statements made once for each text; texts come from code, with values apart from them. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #made = new Map<string, StatementSync>();
  /** Those of `insert` and of `insertNewer`, by what stands before the columns. */
  readonly #inserts = new Map<string, StatementSync>();
  readonly #upserts = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  of(text: string): StatementSync {
    let statement = this.#made.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#made.set(text, statement);
    }
    return statement;
  }

  /**
   * Writes a row, by the names of its columns. `into` stands before them: `INSERT INTO sides`. One `into` has one set of columns
   * in one order: values are bound by position, as binding by name takes 10 µs for 14 columns where this takes 4.
   */
  insert(into: string, row: Row): StatementResultingChanges {
    return this.#write(this.#inserts, insertText, into, row);
  }

  /** As `insert`, also over a row of the same key, unless its `version` is as new; whether it was written. */
  insertNewer(into: string, row: Row): boolean {
    return this.#write(this.#upserts, upsertText, into, row).changes === 1;
  }

  /** Rows by their columns. */
  rows<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.of(text).all(...values) as T[];
  }

  /** The values of one column. */
  column<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.rows<Row>(text, ...values).map((row) => Object.values(row)[0] as T);
  }

  /** As `column`, of JSON. */
  records<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.column<string>(text, ...values).map((json) => JSON.parse(json));
  }

  /** How many rows of a table meet the conditions, and those of a page in an order, by their columns. */
  page<T>(
    columns: string,
    table: string,
    { text, values }: Conditions,
    order: string,
    { limit, page }: Paging,
  ): CountedPage<T> {
    const list = `SELECT ${columns} FROM ${table}${text} ORDER BY ${order} LIMIT ? OFFSET ?`;
    return {
      total: this.value<number>(`SELECT count(*) FROM ${table}${text}`, ...values) ?? 0,
      items: this.rows<T>(list, ...values, limit, (page - 1) * limit),
    };
  }

  /** The first column of the first row; undefined where there is no row. */
  value<T>(text: string, ...values: SQLInputValue[]): T | undefined {
    const row = this.of(text).get(...values);
    return row === undefined ? undefined : (Object.values(row)[0] as T);
  }

  #write(
    made: Map<string, StatementSync>,
    textOf: (into: string, columns: readonly string[]) => string,
    into: string,
    row: Row,
  ): StatementResultingChanges {
    let statement = made.get(into);
    if (statement === undefined) {
      statement = this.#database.prepare(textOf(into, Object.keys(row)));
      made.set(into, statement);
    }
    return statement.run(...Object.values(row));
  }
}

/** A part of the views: some tables, and what is asked of them. */
export abstract class SqlView {
  protected readonly sql: Statements;

  constructor(sql: Statements) {
    this.sql = sql;
  }
}

function insertText(into: string, columns: readonly string[]): string {
  return `${into} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

function upsertText(into: string, columns: readonly string[]): string {
  const replaced = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `${insertText(into, columns)} ON CONFLICT DO UPDATE SET ${replaced} WHERE excluded.version > version`;
}
