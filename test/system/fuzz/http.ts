import { Client, type Dispatcher } from 'undici';

export type RawAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly body: string };

/**
 * Sends requests to a server, one after the other over one connection, and verbatim: it does not encode, decode or
 * normalize a path.
 */
export class RawClient {
  readonly #client: Client;

  constructor(url: string) {
    this.#client = new Client(url);
  }

  async send(method: string, path: string): Promise<RawAnswer> {
    const request = () => this.#client.request({ method, path });
    // The server may close the connection after the previous answer, for example to invalid HTTP.
    const { statusCode, headers, body } = await request().catch(request);
    return { statusCode, headers, body: await body.text() };
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }
}
