import { Connection } from './library.ts';

/** Protocol keys of the authentication requests. */
const SASL_HANDSHAKE = 17;
const SASL_AUTHENTICATE = 36;

/** A connection that is authenticated again (KIP-368): holds back requests meanwhile, which the broker would reject. */
export class SessionConnection extends Connection {
  /** Requests that wait for a running authentication; null when none runs. */
  #waiting: (() => void)[] | null = null;

  constructor(...options: ConstructorParameters<typeof Connection>) {
    super(...options);
    this.on('sasl:authentication:extended', () => this.#release());
    this.on('error', () => this.#release());
    this.on('close', () => {
      this.#release();
      // Clears the timer of the next authentication: the library leaves it running when the broker closes the connection.
      void this.close();
    });
  }

  /** Whether requests may be sent; also true while it authenticates again, as requests then wait. */
  override isConnected(): boolean {
    return this.#waiting !== null || super.isConnected();
  }

  /** Authenticates again. Called by the library's timer. */
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

  /** Sends the waiting requests. After a failed authentication they fail like requests on a closed connection. */
  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const send of waiting) send();
  }
}
