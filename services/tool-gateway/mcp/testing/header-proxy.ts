/** A proxy that adds a token to every request, for programs that cannot send one. */
import { request as send } from 'node:http';
import { serve } from '../../../../test/support/listen.ts';

/** Starts the proxy, and returns the URL of the target behind it. It passes everything else of a request on unchanged. */
export async function withToken(target: URL, token: string): Promise<URL> {
  const origin = await serve((request, response) => {
    const { method, url, headers } = request;
    const onward = send(
      {
        host: target.hostname,
        port: target.port,
        method,
        path: url,
        headers: { ...headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  return new URL(target.pathname, origin);
}
