import { describe, expect, test } from 'vitest';
import { answers, type HostileAnswer, HttpsReceiver } from '../../test/support/https-receiver.ts';
import { untilTrue } from '../../test/support/poll.ts';
import { endpointOf, endpointTo, tcpServer } from './testing/endpoints.ts';

const headThatDrips: HostileAnswer = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket?.write('x: y\r\n'), 20);
  socket?.on('close', () => clearInterval(timer));
};

const hints: HostileAnswer = (response) => {
  for (let n = 0; n < 16; n++) response.writeEarlyHints({ link: '</a>' });
};

/** Writes informational answers as fast as the connection takes them. */
const floods: HostileAnswer = ({ socket }) => {
  const many = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000));
  const write = (): void => {
    while (socket?.destroyed === false && socket.write(many));
  };
  socket?.on('drain', write);
  write();
};

const BODY = '[]';
const SHORT_MS = 300;
/** Timeout for tests that need one answer in time, also on a busy machine. */
const FAIR_MS = 3_000;

describe('Events, Timeout', () => {
  test.each<[string, HostileAnswer]>([
    ['no answer', answers.silent],
    ['an answer that drips', answers.drip],
    ['a head that drips', headThatDrips],
    ['informational answers up to the limit, without one behind them', hints],
  ])('ends %s', async (_name, answer) => {
    const closed = Promise.withResolvers<void>();
    const { endpoint, receiver } = await endpointTo(
      (response, request, n) => {
        response.on('close', () => closed.resolve());
        answer(response, request, n);
      },
      { timeoutMs: SHORT_MS },
    );
    const started = performance.now();
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    expect(performance.now() - started).toBeGreaterThan(SHORT_MS - 20);
    await closed.promise;
    expect(receiver.received).toHaveLength(1);
  });

  test('keeps the status of an answer whose body drips', async () => {
    const drips: HostileAnswer = (response) => void response.writeHead(500).write('x');
    const { endpoint } = await endpointTo(drips, { timeoutMs: SHORT_MS });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'status', status: 500, retryAfterMs: null });
  });

  test('ends a TLS handshake that hangs', async () => {
    const endpoint = endpointOf(await tcpServer(() => {}), { timeoutMs: SHORT_MS });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
  });

  test('ends a resolution that hangs', async () => {
    const aborted = Promise.withResolvers<void>();
    const endpoint = endpointOf('https://a.example.test/', { timeoutMs: SHORT_MS }, (_name, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => {});
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'timeout' });
    await aborted.promise;
  });

  test('ends a delivery that waits for a connection', async () => {
    const { endpoint, receiver } = await endpointTo(answers.silent, { timeoutMs: FAIR_MS });
    const outcomes = await Promise.all([endpoint.post(BODY), endpoint.post(BODY), endpoint.post(BODY)]);
    expect(outcomes).toEqual([{ kind: 'timeout' }, { kind: 'timeout' }, { kind: 'timeout' }]);
    receiver.answerWith(answers.accepted);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
  });
});

describe('a delivery fails with a code', () => {
  test('where informational answers have no end, and its connection is closed at once', async () => {
    const closed = Promise.withResolvers<void>();
    const { endpoint, receiver } = await endpointTo((response, request, n) => {
      response.on('close', () => closed.resolve());
      floods(response, request, n);
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'failed', reason: 'INFORMATIONAL_FLOOD' });
    await closed.promise;
    receiver.answerWith((response, request, n) => {
      hints(response, request, n);
      response.end('Accepted');
    });
    expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(receiver.received.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test('where no server listens', async () => {
    const receiver = await HttpsReceiver.start();
    const { url, ca } = receiver;
    await receiver.close();
    expect(await endpointOf(url, { ca }).post(BODY)).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
  });

  test('where the name has no address', async () => {
    const unknown = Object.assign(new Error('queryA ENOTFOUND a.example.test'), { code: 'ENOTFOUND' });
    const endpoint = endpointOf('https://a.example.test/', {}, () => Promise.reject(unknown));
    expect(await endpoint.post(BODY)).toEqual({ kind: 'failed', reason: 'ENOTFOUND' });
  });

  test.each([
    ['is not trusted', { trusted: false }, 'localhost', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', { validity: 'expired' }, 'localhost', 'CERT_HAS_EXPIRED'],
    ['is not valid yet', { validity: 'early' }, 'localhost', 'CERT_NOT_YET_VALID'],
    ['has another name', {}, 'other.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)('where the certificate %s', async (_, options, name, reason) => {
    const receiver = await HttpsReceiver.start(answers.accepted, options);
    const url = `https://${name}:${receiver.port}/`;
    const endpoint = endpointOf(url, { ca: receiver.ca }, async () => ['127.0.0.1']);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'failed', reason });
    expect(receiver.received).toEqual([]);
  });

  test('where the server does not speak TLS', async () => {
    const url = await tcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const outcome = await endpointOf(url).post(BODY);
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^[A-Z0-9_]+$/) });
  });
});

describe('an endpoint', () => {
  test('ends a delivery when it is stopped', async () => {
    const { endpoint, receiver } = await endpointTo(answers.silent);
    const stop = new AbortController();
    const outcome = endpoint.post(BODY, stop.signal);
    await untilTrue('it is sent', () => receiver.received.length === 1);
    stop.abort();
    expect(await outcome).toEqual({ kind: 'failed', reason: 'STOPPED' });
    expect(await endpoint.post(BODY, stop.signal)).toEqual({ kind: 'failed', reason: 'STOPPED' });
    expect(receiver.received).toHaveLength(1);
  });

  test('ends all deliveries and connections on close', async () => {
    const { endpoint, receiver } = await endpointTo(answers.silent);
    const outcomes = [endpoint.post(BODY), endpoint.post(BODY)];
    await untilTrue('one is sent', () => receiver.received.length === 1);
    await endpoint.close();
    const stopped = { kind: 'failed', reason: 'STOPPED' };
    expect(await Promise.all(outcomes)).toEqual([stopped, stopped]);
    expect(await endpoint.post(BODY)).toEqual(stopped);
    await untilTrue('the connection is closed', async () => (await receiver.open()) === 0);
  });

  test('closes a connection in progress on close', async () => {
    const connected = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const url = await tcpServer((socket) => {
      socket.on('close', () => closed.resolve()).resume();
      connected.resolve();
    });
    const endpoint = endpointOf(url);
    const outcome = endpoint.post(BODY);
    await connected.promise;
    await endpoint.close();
    await closed.promise;
    expect(await outcome).toEqual({ kind: 'failed', reason: 'STOPPED' });
  });
});
