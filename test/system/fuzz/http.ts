/** Sends requests verbatim: it does not encode, decode or normalize a path. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Any answer. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** Sends requests to a server, one after the other over one connection. */
export class RawClient {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async send(method: string, path: string): Promise<RawAnswer> {
    try {
      return await this.#send(method, path);
    } catch (error) {
      // The server has closed the connection after the previous answer, for example to invalid HTTP.
      if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
        return this.#send(method, path);
      throw error;
    }
  }

  /** Sends one byte for each character, and returns everything that the server sends until it closes the connection. */
  async raw(bytes: string): Promise<string> {
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    socket.write(bytes, 'latin1');
    return text(socket);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string): Promise<RawAnswer> {
    const { hostname, port } = this.#url;
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, agent: this.#agent }, (response) => {
        const { statusCode = 0, headers } = response;
        text(response).then((body) => resolve({ status: statusCode, headers, body }), reject);
      });
      request.on('error', reject).end();
    });
  }
}
