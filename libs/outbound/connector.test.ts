import { getEventListeners, once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { HttpsReceiver } from '../../test/support/https-receiver.ts';
import { untilTrue } from '../../test/support/poll.ts';
import { AllowedRanges } from './addresses.ts';
import { createConnector, trusting } from './connector.ts';

/** Starts a receiver. Returns a function that connects to it, until `closing` is aborted. */
async function connector(closing: AbortSignal, address: string): Promise<() => Promise<TLSSocket>> {
  const { port, ca } = await HttpsReceiver.start();
  const connect = createConnector({
    allowed: new AllowedRanges(['127.0.0.1/32']),
    resolve: async () => [address],
    timeoutMs: 60_000,
    secureContext: trusting(ca),
    closing,
  });
  return () =>
    new Promise((resolve, reject) =>
      connect({ hostname: 'a.example.test', protocol: 'https:', port: String(port) }, (error, socket) =>
        error === null ? resolve(socket as TLSSocket) : reject(error),
      ),
    );
}

test('leaves no listener on the signal of the endpoint, which outlives connections', async () => {
  const { signal } = new AbortController();
  const connect = await connector(signal, '127.0.0.1');
  for (let n = 0; n < 3; n++) {
    const socket = await connect();
    socket.destroy();
    await once(socket, 'close');
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const refused = await connector(signal, '10.0.0.1');
  await expect(refused()).rejects.toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('leaves nothing of a closed connection in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const connect = await connector(new AbortController().signal, '127.0.0.1');
  const closed = async () => {
    const socket = (await connect()).destroy();
    await once(socket, 'close');
    return new WeakRef(socket);
  };
  const socket = await closed();
  // What the last connection leaves in the library is that of another one.
  await closed();
  await untilTrue(
    'the socket is collected',
    () => {
      collect();
      return socket.deref() === undefined;
    },
    10_000,
  );
});

test('opens no connection once the endpoint is closed', async () => {
  const connect = await connector(AbortSignal.abort(), '127.0.0.1');
  await expect(connect()).rejects.toMatchObject({ code: 'ABORT_ERR' });
});

test('resumes the TLS session of the previous connection', async () => {
  const connect = await connector(new AbortController().signal, '127.0.0.1');
  const first = await connect();
  await once(first, 'session');
  const reused = [first.isSessionReused()];
  first.destroy();
  const second = await connect();
  reused.push(second.isSessionReused());
  second.destroy();
  expect(reused).toEqual([false, true]);
});
