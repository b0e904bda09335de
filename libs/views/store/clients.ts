import { accessOf } from '#clients/contracts.ts';
import { supersedes } from '#clients/versioned-topic.ts';
import type { Access } from '#contract/rest/provider.ts';
import type { Client } from '#topics/generated/types.ts';
import { type Served, servedAccess } from './served.ts';
import type { Statements } from './sql.ts';

/** A client and what its contract covers of what is served. */
export type KnownClient = { readonly client: Client; readonly access: Access };

/** The clients, all of them in memory: every request asks for one. */
export class ClientView {
  readonly #sql: Statements;
  readonly #served: Served;
  readonly #clients = new Map<number, KnownClient>();

  /** `served`: the competitions that are served, null is all. */
  constructor(sql: Statements, served: Served) {
    this.#sql = sql;
    this.#served = served;
    for (const json of sql.column<string>('SELECT json FROM clients')) this.#keep(JSON.parse(json));
  }

  apply(client: Client): void {
    if (!supersedes(client, this.#clients.get(client.client_id)?.client)) return;
    this.#sql
      .of('INSERT OR REPLACE INTO clients VALUES (?, ?, ?)')
      .run(client.client_id, client.version, JSON.stringify(client));
    this.#keep(client);
  }

  /** Undefined where there is none, or it is not active. */
  find(id: number): KnownClient | undefined {
    const known = this.#clients.get(id);
    return known?.client.active === true ? known : undefined;
  }

  #keep(client: Client): void {
    const access = servedAccess(accessOf(client), this.#served);
    this.#clients.set(client.client_id, { client, access });
  }
}
