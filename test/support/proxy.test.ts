import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { untilTrue } from './poll.ts';
import { TcpProxy } from './proxy.ts';

/** How long a test looks on while nothing must happen, milliseconds. */
const QUIET_MS = 200;
const DELAY_MS = 120;

/** A server that sends back what it gets, and the proxy before it. */
async function startEcho(): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = await TcpProxy.start();
  proxy.forwardTo((server.address() as AddressInfo).port);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

/** A connection through the proxy, and all that came back by it. */
class Peer {
  readonly socket: Socket;
  received = '';
  failure: string | undefined;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.failure = error.code;
    });
    this.socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString();
    });
    onTestFinished(() => void this.socket.destroy());
  }

  async echo(text: string): Promise<void> {
    const all = this.received + text;
    this.socket.write(text);
    await untilTrue(`${text} comes back`, () => this.received === all, 5_000);
  }
}

const peerOf = (proxy: TcpProxy) => new Peer(proxy.ports[0] as number);
const quiet = () => delay(QUIET_MS);

describe('a proxy', { timeout: 60_000 }, () => {
  test('forwards both ways, the end of one direction too, and counts connections', async () => {
    const proxy = await startEcho();
    const [first, second] = [peerOf(proxy), peerOf(proxy)];
    await first.echo('a');
    await second.echo('b');
    expect([proxy.accepted, proxy.open]).toEqual([2, 2]);
    const rest = buffer(first.socket);
    first.socket.end('the last');
    expect((await rest).toString()).toBe('the last');
    await untilTrue('one is closed', () => proxy.open === 1, 5_000);
    expect(proxy.accepted).toBe(2);
  });

  test('carries more than it holds back, whole and in order', async () => {
    const proxy = await startEcho();
    const sent = Buffer.alloc(8 << 20, 'all of it, in order; ');
    const { socket } = peerOf(proxy);
    const back = buffer(socket);
    socket.end(sent);
    expect((await back).equals(sent)).toBe(true);
  });

  test('cuts every connection, or one of them', async () => {
    const proxy = await startEcho();
    const peers = [peerOf(proxy), peerOf(proxy), peerOf(proxy)] as const;
    for (const peer of peers) await peer.echo('x');
    const order = peers.map(({ socket }) => socket);
    expect(proxy.cut(1)).toBe(1);
    await untilTrue('one is cut', () => proxy.open === 2, 5_000);
    await untilTrue('it notices', () => order.filter(({ closed }) => closed).length === 1, 5_000);
    expect(proxy.cut()).toBe(2);
    await untilTrue('all are cut', () => order.every(({ closed }) => closed), 5_000);
    expect(peers.map(({ failure }) => failure)).toEqual(Array(3).fill('ECONNRESET'));
    await peerOf(proxy).echo('a new one works');
  });

  test('frozen it accepts connections, keeps them open, forwards nothing, and resumes where it was', async () => {
    const proxy = await startEcho();
    const before = peerOf(proxy);
    await before.echo('a');
    proxy.freeze();
    const during = peerOf(proxy);
    before.socket.write('b');
    during.socket.write('c');
    await untilTrue('the new one is accepted', () => proxy.accepted === 2, 5_000);
    await quiet();
    expect([before.received, during.received]).toEqual(['a', '']);
    expect([before.socket.closed, during.socket.closed, proxy.open]).toEqual([false, false, 2]);
    proxy.resume();
    await untilTrue('what was held back arrives', () => before.received + during.received === 'abc', 5_000);
  });

  test('slow it delays everything and keeps the order', async () => {
    const proxy = await startEcho();
    const peer = peerOf(proxy);
    await peer.echo('warm ');
    proxy.slow(DELAY_MS);
    const started = performance.now();
    const words = Array.from({ length: 20 }, (_, index) => `${index},`);
    for (const word of words) peer.socket.write(word);
    await untilTrue('all is back', () => peer.received === `warm ${words.join('')}`, 5_000);
    // There and back; timers may fire a millisecond early.
    expect(performance.now() - started).toBeGreaterThan(2 * DELAY_MS - 5);
  });

  test('resumes at once, also what it was about to delay for long', async () => {
    const proxy = await startEcho();
    const peer = peerOf(proxy);
    await peer.echo('a');
    proxy.slow(3_600_000);
    peer.socket.write('b');
    await quiet();
    expect(peer.received).toBe('a');
    proxy.resume();
    await untilTrue('it arrives', () => peer.received === 'ab', 5_000);
    await peer.echo('c');
  });

  test('breaks connections to what is not there', async () => {
    const proxy = await startEcho();
    proxy.forwardTo(1);
    const peer = peerOf(proxy);
    await untilTrue('it notices', () => peer.socket.closed, 5_000);
    expect(peer.failure).toBe('ECONNRESET');
  });
});
