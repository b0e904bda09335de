import { Connection } from './library.ts';

/** The requests of an authentication, by their keys in the protocol. */
const SASL_HANDSHAKE = 17;
const SASL_AUTHENTICATE = 36;

/**
 * A connection whose authentication the broker limits in time (KIP-368). The library authenticates again after 80 % of that
 * time, while other requests go on: the broker answers one between the handshake and the authentication with
 * ILLEGAL_SASL_STATE. Here these wait until it is over; requests that were sent before it are answered before it.
 */
export class SessionConnection extends Connection {
  /** Requests that wait for an authentication; null without one. */
  #waiting: (() => void)[] | null = null;

  constructor(...options: ConstructorParameters<typeof Connection>) {
    super(...options);
    this.on('sasl:authentication:extended', () => this.#release());
    this.on('error', () => this.#release());
    this.on('close', () => {
      this.#release();
      // Clears the timer of the next authentication, which the library leaves where the broker closed the connection.
      void this.close();
    });
  }

  /** Also while it authenticates again: requests wait for that. */
  override isConnected(): boolean {
    return this.#waiting !== null || super.isConnected();
  }

  /** Called by the library's timer. */
  override reauthenticate(): void {
    if (!super.isConnected()) return;
    this.#waiting = [];
    super.reauthenticate();
  }

  override send<T>(...request: Parameters<typeof Connection.prototype.send<T>>): void {
    const [apiKey] = request;
    const isOfAuthentication = apiKey === SASL_HANDSHAKE || apiKey === SASL_AUTHENTICATE;
    if (this.#waiting === null || isOfAuthentication) super.send(...request);
    else this.#waiting.push(() => super.send(...request));
  }

  /** After a failed authentication they fail as requests of a closed connection do. */
  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const send of waiting) send();
  }
}
