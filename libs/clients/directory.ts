import type { Client } from '#records/types.ts';
import { newInstance } from '#signing/token.ts';
import { type RecordDraft, VersionedTopic } from '#topics/versioned-topic.ts';

/** A client before its edit is published; the directory gives and keeps its identity. */
export type ClientDraft = Omit<RecordDraft<Client>, 'identity'>;

/** The clients of the served contract, on their compacted topic. */
export class ClientDirectory extends VersionedTopic<'clients'> {
  /** Edits a client as `VersionedTopic` does: a new one gets an identity that no earlier client of its id had. */
  override edit(id: string | number, change: (known: Client | undefined) => ClientDraft): Promise<Client> {
    const identity = newInstance();
    return super.edit(id, (known) => ({ ...change(known), identity: known?.identity ?? identity }));
  }

  /** Returns all clients, ordered by id. Throws `StreamError`. */
  override async list(): Promise<Client[]> {
    return (await super.list()).sort((a, b) => a.client_id - b.client_id);
  }
}
