import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { listen } from './listen.ts';

const DAY_MS = 86_400_000;

/** A completely received request. */
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

/** Interval between the bytes of a slow answer, milliseconds. */
const DRIP_MS = 20;

/** All kinds of answers of a customer's receiver that a sender must handle. */
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

type Certificate = { readonly key: string; readonly cert: string };
type Validity = 'expired' | 'early' | 'valid';
const certificates = new Map<string, Promise<Certificate>>();

/**
 * A customer's receiver of webhooks in the test's own process: HTTPS on a free port of the loopback interface, with a
 * new certificate for localhost, *.example.test and 127.0.0.1.
 */
export class HttpsReceiver {
  /** Complete requests, in their order. */
  readonly received: ReceivedRequest[] = [];
  /** Certificate (PEM) of its authority. */
  readonly ca: string;
  readonly #server: Server;
  #connections = 0;
  #answer: HostileAnswer;

  private constructor(server: Server, ca: string, answer: HostileAnswer) {
    this.#server = server;
    this.ca = ca;
    this.#answer = answer;
    const numbers = new WeakMap<object, number>();
    server.on('secureConnection', (socket) => {
      this.#connections += 1;
      numbers.set(socket, this.#connections);
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
    {
      trusted = true,
      validity = 'valid',
      at,
    }: {
      readonly trusted?: boolean;
      readonly validity?: Validity;
      readonly at?: { readonly host: string; readonly port: number };
    } = {},
  ): Promise<HttpsReceiver> {
    const { cert: ca } = await certificate('trusted', validity);
    // Only the client closes idle connections.
    const server = createServer({
      ...(await certificate(trusted ? 'trusted' : 'untrusted', validity)),
      keepAliveTimeout: 0,
    });
    await listen(server, at);
    return new HttpsReceiver(server, ca, answer);
  }

  /** Sets the answer to all further requests. */
  answerWith(answer: HostileAnswer): void {
    this.#answer = answer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://localhost:${this.port}/webhook`;
  }

  /** Number of connections since the start that completed the TLS handshake. */
  get connections(): number {
    return this.#connections;
  }

  /** Returns the number of open connections. */
  open(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  /** Destroys all connections and stops listening. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Returns a certificate, which is created once for each process. */
function certificate(kind: 'trusted' | 'untrusted', validity: Validity): Promise<Certificate> {
  const name = `${kind} ${validity}`;
  const made = certificates.get(name) ?? createCertificate(name, validity);
  certificates.set(name, made);
  return made;
}

/** Days from now on at which a certificate is valid. */
const DAYS: Readonly<Record<Validity, readonly [from: number, to: number]>> = {
  expired: [-2, -1],
  early: [1, 2],
  valid: [-1, 365],
};

async function createCertificate(name: string, validity: Validity): Promise<Certificate> {
  const [from, to] = DAYS[validity].map((days) => new Date(Date.now() + days * DAY_MS)) as [Date, Date];
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: to,
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
  return { key, cert };
}
