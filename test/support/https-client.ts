import { Agent, request } from 'undici';

type RequestOptions = {
  readonly method?: 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** Returns a function that requests servers with a certificate of this authority. */
export function httpsClient(ca: string) {
  return async (url: string, options: RequestOptions = {}) => {
    const dispatcher = new Agent({ connect: { ca } });
    try {
      const { statusCode, body } = await request(url, { ...options, dispatcher });
      return { status: statusCode, text: await body.text() };
    } finally {
      await dispatcher.close();
    }
  };
}
