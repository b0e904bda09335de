/** Sends requests verbatim: it does not encode, decode or normalize a path. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, type Dispatcher } from 'undici';

export type RawAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly body: string };

/** Sends requests to a server, one after the other over one connection. */
export class RawClient {
  readonly #url: URL;
  readonly #client: Client;

  constructor(url: string) {
    this.#url = new URL(url);
    this.#client = new Client(this.#url);
  }

  async send(method: string, path: string): Promise<RawAnswer> {
    // The server may close the connection after the previous answer, for example to invalid HTTP.
    const { statusCode, headers, body } = await this.#request(method, path).catch(() =>
      this.#request(method, path),
    );
    return { statusCode, headers, body: await body.text() };
  }

  /** Sends one byte for each character, and returns everything that the server sends until it closes the connection. */
  async raw(bytes: string): Promise<string> {
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    socket.write(bytes, 'latin1');
    return text(socket);
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }

  #request(method: string, path: string): Promise<Dispatcher.ResponseData> {
    return this.#client.request({ method, path });
  }
}
