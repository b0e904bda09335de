import type { Client } from '#topics/generated/types.ts';
import { type DirectoryConnection, type RecordDraft, VersionedTopic } from './versioned-topic.ts';

/** A client as it is to become. */
export type ClientDraft = RecordDraft<Client>;

/** The clients of the served contract, on their compacted topic. */
export class ClientDirectory extends VersionedTopic<'clients'> {
  /** Asks nothing of the broker yet. */
  static open(place: DirectoryConnection): ClientDirectory {
    return new ClientDirectory('clients', place);
  }

  /** All clients, by id. Throws `StreamError`. */
  override async list(): Promise<Client[]> {
    return (await super.list()).sort((a, b) => a.client_id - b.client_id);
  }
}
