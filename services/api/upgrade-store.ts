import { ClientDirectory, type DirectoryPlace } from '#clients/directory.ts';
import { poll } from '#timing/poll.ts';
import type { ClientView } from '#views/store/clients.ts';
import type { StoreUpgrade } from './stretched-secrets.ts';

/** How long the change of a client takes to come back from the topic, milliseconds, at most. */
const KNOWN_WITHIN = { timeoutMs: 3_000, everyMs: 20 };

/** Stores upgraded secrets on the topic of clients. One that cannot be stored is logged: the next process tries again. */
export function upgradeStore({
  place,
  clients,
}: {
  readonly place: DirectoryPlace;
  readonly clients: ClientView;
}): StoreUpgrade {
  const directory = ClientDirectory.open(place);
  return async (clientId, from, to) => {
    try {
      await directory.upgradeSecret(clientId, from, to);
      const isKnown = async () => clients.find(clientId)?.client.secret_hash !== from || undefined;
      await poll(isKnown, KNOWN_WITHIN);
      place.log.info({ client: clientId }, 'the hash of a secret of a former release is upgraded');
    } catch (error) {
      place.log.warn({ client: clientId, err: error }, 'the hash of a secret cannot be upgraded');
    }
  };
}
