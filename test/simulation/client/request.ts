import type { Cluster } from '../broker/cluster.ts';
import type { Respond, SimulatedConnection } from './network.ts';

/** Returns an API whose handler responds at once. */
export function api<A extends readonly unknown[], T>(
  name: string,
  handle: (cluster: Cluster, broker: number, ...args: A) => T,
) {
  return deferred<A, T>(name, (cluster, broker, respond, args) =>
    respond({ value: handle(cluster, broker, ...args) }),
  );
}

/** Returns an API whose handler may respond later. An error that it throws is its response. */
export function deferred<A extends readonly unknown[], T>(
  name: string,
  handle: (cluster: Cluster, broker: number, respond: Respond, args: A) => void,
) {
  const handler = (cluster: Cluster, broker: number, respond: Respond, args: readonly unknown[]): void => {
    try {
      handle(cluster, broker, respond, args as A);
    } catch (error) {
      respond({ error: error as Error });
    }
  };
  const async = (connection: SimulatedConnection, ...args: A): Promise<T> =>
    connection.request(name, handler, args) as Promise<T>;
  return { async, api: { async } };
}
