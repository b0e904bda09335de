import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Certificate, createCertificate } from './certificates.ts';
import { listen } from './listen.ts';

const DAY_MS = 86_400_000;

export type ReceivedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Number of its connection, from 1. */
  readonly connection: number;
};

/** Answers the nth complete request of a receiver, from 1. */
export type HostileAnswer = (response: ServerResponse, request: ReceivedRequest, n: number) => void;

const DRIP_MS = 20;

export const answers = {
  accepted: (response) => void response.end('Accepted'),
  silent: () => {},
  reset: (response) => void response.destroy(),
  error: (response) => void response.writeHead(500).end('Accepted'),
  unavailable: (response) => void response.writeHead(503, { 'retry-after': '120' }).end(),
  redirect: (response, { headers }) =>
    void response.writeHead(307, { location: `https://${headers.host}/elsewhere` }).end('Accepted'),
  otherText: (response) => void response.end('OK'),
  lowerCase: (response) => void response.end('accepted'),
  newline: (response) => void response.end('Accepted\n'),
  huge: (response) => void response.end(Buffer.alloc(1 << 20, 'Accepted')),
  cut: (response) => {
    response.writeHead(200, { 'content-length': '8' }).write('Acc', () => response.destroy());
  },
  drip: (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  },
} as const satisfies Record<string, HostileAnswer>;

type Validity = 'expired' | 'early' | 'valid';
const certificates = new Map<string, Promise<Certificate>>();

/**
 * A customer's receiver of webhooks in the test's own process: HTTPS on a free port of the loopback interface, with a
 * new certificate for localhost, *.example.test and 127.0.0.1.
 */
export class HttpsReceiver {
  readonly received: ReceivedRequest[] = [];
  /** Number of connections since the start that completed the TLS handshake. */
  connections = 0;
  /** Certificate (PEM) of its authority. */
  readonly ca: string;
  readonly #server: Server;
  #answer: HostileAnswer;

  private constructor(server: Server, ca: string, answer: HostileAnswer) {
    this.#server = server;
    this.ca = ca;
    this.#answer = answer;
    const numbers = new WeakMap<object, number>();
    server.on('secureConnection', (socket) => {
      this.connections += 1;
      numbers.set(socket, this.connections);
    });
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      const body = await buffer(request).catch(() => null);
      if (body === null) return;
      const { method = '', url: path = '', headers, socket } = request;
      const whole = { method, path, headers, body, connection: numbers.get(socket) ?? 0 };
      this.#answer(response, whole, this.received.push(whole));
    });
  }

  /**
   * Starts a receiver that listens until the test or the file ends. With `trusted: false` its certificate is not that
   * of `ca`. `validity`: whether its certificate has expired, or is not valid yet. `at`: default a free port of 127.0.0.1.
   */
  static async start(
    answer: HostileAnswer = answers.accepted,
    options: { trusted?: boolean; validity?: Validity; at?: { host: string; port: number } } = {},
  ): Promise<HttpsReceiver> {
    const { trusted = true, validity = 'valid', at } = options;
    const { cert: ca } = await certificate('trusted', validity);
    // Only the client closes idle connections.
    const server = createServer({
      ...(await certificate(trusted ? 'trusted' : 'untrusted', validity)),
      keepAliveTimeout: 0,
    });
    await listen(server, at);
    return new HttpsReceiver(server, ca, answer);
  }

  answerWith(answer: HostileAnswer): void {
    this.#answer = answer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://localhost:${this.port}/webhook`;
  }

  open(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))();
  }

  async close(): Promise<void> {
    const closed = promisify(this.#server.close.bind(this.#server))();
    this.#server.closeAllConnections();
    await closed;
  }
}

const DAYS: Readonly<Record<Validity, readonly [from: number, to: number]>> = {
  expired: [-2, -1],
  early: [1, 2],
  valid: [-1, 365],
};

/** Returns a certificate, which is created once for each process. */
function certificate(kind: 'trusted' | 'untrusted', validity: Validity): Promise<Certificate> {
  const name = `${kind} ${validity}`;
  const [from, to] = DAYS[validity];
  const made =
    certificates.get(name) ??
    createCertificate(name, {
      notBeforeDate: new Date(Date.now() + from * DAY_MS),
      notAfterDate: new Date(Date.now() + to * DAY_MS),
      extensions: [
        { name: 'basicConstraints', cA: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 2, value: '*.example.test' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
  certificates.set(name, made);
  return made;
}
