import type { Client } from '#topics/generated/types.ts';
import { type DirectoryConnection, type RecordDraft, VersionedTopic } from './versioned-topic.ts';

/** A client as it is to become. */
export type ClientDraft = RecordDraft<Client>;

/** The clients of the served contract, on their compacted topic. */
export class ClientDirectory {
  readonly #clients: VersionedTopic<'clients'>;

  private constructor(place: DirectoryConnection) {
    this.#clients = new VersionedTopic('clients', place);
  }

  /** Asks nothing of the broker yet. */
  static open(place: DirectoryConnection): ClientDirectory {
    return new ClientDirectory(place);
  }

  /** All clients, by id. Throws `StreamError`. */
  async list(): Promise<Client[]> {
    return (await this.#clients.list()).sort((a, b) => a.client_id - b.client_id);
  }

  /** Edits a client as `VersionedTopic.edit` does, and throws what that throws. */
  edit(clientId: number, change: (client: Client | undefined) => ClientDraft): Promise<Client> {
    return this.#clients.edit(String(clientId), change);
  }
}
