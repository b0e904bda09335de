import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveName } from './resolve.ts';

const A = 1;
const AAAA = 28;
const NAME_ERROR = 3;
const NAME = 'a.example.test';

/** Returns a name server's answer to a query of a type: addresses in bytes; `silent` is no answer. */
type Zone = (type: number) => readonly (readonly number[])[] | 'no such name' | 'silent';

/** Starts a name server, and returns its address. */
async function nameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    // The question is a name as lengths with labels, ended by 0, its type and its class.
    const end = query.indexOf(0, 12) + 5;
    const answer = zone(query.readUInt16BE(end - 4));
    if (answer === 'silent') return;
    const records = answer === 'no such name' ? [] : answer;
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(0x8180 | (answer === 'no such name' ? NAME_ERROR : 0), 2);
    head.writeUInt16BE(records.length, 6);
    // No authority and no additional records.
    head.fill(0, 8, 12);
    const type = [...query.subarray(end - 4, end)];
    const rows = records.map((bytes) =>
      Buffer.from([0xc0, 12, ...type, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([head, ...rows]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const { signal } = new AbortController();
const IPV6 = [0x20, 1, 0x48, 0x60, ...Array.from({ length: 11 }, () => 0), 1];

describe('the addresses of a name', () => {
  test('are those of both families, IPv4 first', async () => {
    const server = await nameServer((type) =>
      type === A
        ? [
            [8, 8, 8, 8],
            [9, 9, 9, 9],
          ]
        : [IPV6],
    );
    expect(await resolveName(NAME, signal, [server])).toEqual(['8.8.8.8', '9.9.9.9', '2001:4860::1']);
  });

  test('are those of one family if the other has none', async () => {
    const only = (wanted: number, bytes: number[]) => nameServer((type) => (type === wanted ? [bytes] : []));
    expect(await resolveName(NAME, signal, [await only(A, [8, 8, 8, 8])])).toEqual(['8.8.8.8']);
    expect(await resolveName(NAME, signal, [await only(AAAA, IPV6)])).toEqual(['2001:4860::1']);
  });

  test('are those of one family if the other gets no answer', async () => {
    const server = await nameServer((type) => (type === A ? [[8, 8, 8, 8]] : 'silent'));
    const started = performance.now();
    expect(await resolveName(NAME, signal, [server])).toEqual(['8.8.8.8']);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  test('do not exist: rejects with a code', async () => {
    const unknown = await nameServer(() => 'no such name');
    await expect(resolveName(NAME, signal, [unknown])).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const empty = await nameServer(() => []);
    await expect(resolveName(NAME, signal, [empty])).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('are no longer awaited after an abort', async () => {
    const asked = Promise.withResolvers<void>();
    const server = await nameServer(() => {
      asked.resolve();
      return 'silent';
    });
    const stop = new AbortController();
    const resolved = resolveName(NAME, stop.signal, [server]);
    void asked.promise.then(() => stop.abort());
    await expect(resolved).rejects.toMatchObject({ code: 'ECANCELLED' });
    await expect(resolveName(NAME, stop.signal, [server])).rejects.toBe(stop.signal.reason);
  });

  test.each(['localhost', 'LocalHost', 'a.localhost'])(
    'of %s are loopback, without any server',
    async (name) => {
      const server = await nameServer(() => 'silent');
      expect(await resolveName(name, signal, [server])).toEqual(['127.0.0.1', '::1']);
    },
  );
});
