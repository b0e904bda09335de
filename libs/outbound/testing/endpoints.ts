import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type HostileAnswer, HttpsReceiver } from '../../../test/support/https-receiver.ts';
import { AllowedRanges, type ResolveName } from '../addresses.ts';
import { type EndpointOptions, WebhookEndpoint } from '../endpoint.ts';

/** The signing secret of the tests. */
export const SECRET = '0123456789abcdef0123456789ABCDEF';
/** Timeout for tests that do not depend on it. */
const LONG_MS = 60_000;

type TestOptions = Partial<Omit<EndpointOptions, 'url'>>;

/** Creates an endpoint that may call this machine, and is closed with the test. */
export function endpointOf(url: string, options: TestOptions = {}, resolve?: ResolveName): WebhookEndpoint {
  const allowed = new AllowedRanges(['127.0.0.0/8']);
  const endpoint = new WebhookEndpoint(
    { url, secret: SECRET, allowed, timeoutMs: LONG_MS, now: Date.now, ...options },
    resolve,
  );
  onTestFinished(() => endpoint.close());
  return endpoint;
}

/** Starts a receiver with this answer, and creates an endpoint that posts to it. */
export async function endpointTo(
  answer: HostileAnswer,
  options: TestOptions = {},
): Promise<{ endpoint: WebhookEndpoint; receiver: HttpsReceiver }> {
  const receiver = await HttpsReceiver.start(answer);
  return { receiver, endpoint: endpointOf(receiver.url, { ca: receiver.ca, ...options }) };
}

/** Starts a server that calls `onConnection` instead of TLS for every connection, and returns its URL. */
export async function tcpServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
}
