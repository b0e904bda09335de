/** A customer of the year: a receiver of webhooks that keeps which versions of each match it was sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { generate } from 'selfsigned';

/** What a customer holds of a match. */
export type HeldMatch = {
  readonly versions: Set<number>;
  home: string | null;
  away: string | null;
  last: number;
};

type Delivered = {
  readonly uuid: string;
  readonly data: {
    readonly event?: {
      readonly participants?: readonly {
        readonly counter: 1 | 2;
        readonly results: readonly { readonly id: number; readonly value: number | string | null }[];
      }[];
    };
  };
};

export class Customer {
  /** By event id. */
  readonly matches = new Map<number, HeldMatch>();
  /** Messages that came. */
  messages = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#receive(request, response));
  }

  /** Starts with a certificate that is valid until then, Unix milliseconds. Returns it too: nobody else signs it. */
  static async start(
    validFrom: number,
    validTo: number,
  ): Promise<{ customer: Customer; certificate: ServerCertificate }> {
    const certificate = await certificateUntil(validFrom, validTo);
    const server = createServer(certificate);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { customer: new Customer(server), certificate };
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}/webhook`;
  }

  /** Serves another certificate from the next connection on; ends the open ones. */
  renew(certificate: ServerCertificate): void {
    this.#server.setSecureContext(certificate);
    this.#server.closeAllConnections();
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#server.unref();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const message of (await json(request)) as Delivered[]) this.#keep(message);
    response.end('Accepted');
  }

  #keep({ uuid, data }: Delivered): void {
    this.messages += 1;
    const [eventId = 0, version = 0] = uuid.split(':').map(Number);
    const held = this.matches.get(eventId) ?? { versions: new Set(), home: null, away: null, last: 0 };
    this.matches.set(eventId, held);
    held.versions.add(version);
    if (version < held.last || data.event?.participants === undefined) return;
    held.last = version;
    for (const { counter, results } of data.event.participants) {
      const score = results.find(({ id }) => id === 2)?.value ?? null;
      held[counter === 1 ? 'home' : 'away'] = score === null ? null : String(score);
    }
  }
}

/** A certificate for localhost and its key, as PEM. */
export type ServerCertificate = { readonly key: string; readonly cert: string };

/** Creates a certificate for localhost and 127.0.0.1 that is its own authority. */
export async function certificateUntil(validFrom: number, validTo: number): Promise<ServerCertificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'year' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(validFrom),
    notAfterDate: new Date(validTo),
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key, cert };
}
