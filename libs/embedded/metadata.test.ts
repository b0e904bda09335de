import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { answersMetadata } from './metadata.ts';
import { HOST } from './ports.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  server = undefined;
});

/** A server that is not a broker. */
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  server = createServer((socket) => {
    sockets.add(socket);
    onConnection(socket);
  }).listen(0, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function answer(...parts: [size: 16 | 32, value: number][]): Buffer {
  const body = Buffer.concat(
    parts.map(([size, value]) => {
      const bytes = Buffer.alloc(size / 8);
      bytes.writeIntBE(value, 0, size / 8);
      return bytes;
    }),
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

test('without a listener it is not ready', async () => {
  const port = await listening(() => {});
  server?.close();
  expect(await answersMetadata(HOST, port)).toBe(false);
});

test('a listener that sends nothing is not ready', async () => {
  const port = await listening(() => {});
  expect(await answersMetadata(HOST, port, undefined, 100)).toBe(false);
});

test.each([
  ['hangs up', (socket: Socket) => socket.end()],
  ['talks HTTP', (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['cuts its answer short', (socket: Socket) => socket.write(answer([32, 1], [32, 1]))],
  ['knows no broker', (socket: Socket) => socket.write(answer([32, 1], [32, 0], [16, -1], [32, 1], [32, 0]))],
])('a listener that %s is not ready', async (_what, onConnection) => {
  expect(await answersMetadata(HOST, await listening(onConnection), undefined, 1_000)).toBe(false);
});

/** A broker's answer: one broker, the cluster `AB`, and the controller. */
function brokerAnswer(controller: number): Buffer {
  return answer(
    [32, 1], // correlation id
    [32, 1], // brokers
    [32, 1], // node id
    [16, 0], // host
    [32, 9092], // port
    [16, -1], // no rack
    [16, 2], // length of the cluster id
    [16, 0x4142],
    [32, controller],
    [32, 0], // topics
  );
}

test('a broker without a controller is not ready', async () => {
  const port = await listening((socket) => socket.write(brokerAnswer(-1)));
  expect(await answersMetadata(HOST, port)).toBe(false);
});

test('a broker with a controller is ready, and known by its cluster', async () => {
  const whole = brokerAnswer(1);
  const port = await listening((socket) => {
    socket.write(whole.subarray(0, 3));
    setImmediate(() => socket.write(whole.subarray(3)));
  });
  expect(await answersMetadata(HOST, port)).toBe(true);
  expect(await answersMetadata(HOST, port, 'AB')).toBe(true);
  expect(await answersMetadata(HOST, port, 'another')).toBe(false);
});
