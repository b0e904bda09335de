import type { Cluster } from '../broker/cluster.ts';
import type { Respond, SimulatedConnection } from './network.ts';

/** Returns an API whose handler responds at once. */
export function api<A extends readonly unknown[], T>(
  name: string,
  handle: (cluster: Cluster, broker: number, ...args: A) => T,
) {
  return deferred<A, T>(name, (cluster, broker, respond, args) => {
    let value: T;
    try {
      value = handle(cluster, broker, ...args);
    } catch (error) {
      respond({ error: error as Error });
      return;
    }
    respond({ value });
  });
}

/** Returns an API whose handler may respond later. */
export function deferred<A extends readonly unknown[], T>(
  name: string,
  handle: (cluster: Cluster, broker: number, respond: Respond, args: A) => void,
) {
  const async = (connection: SimulatedConnection, ...args: A): Promise<T> =>
    connection.request(name, handle as never, args) as Promise<T>;
  return { async, api: { async } };
}
