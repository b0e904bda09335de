/** A proxy that adds a token to every request, for programs that cannot send one. */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts the proxy, and returns the URL of the target behind it. It passes everything else of a request on unchanged. */
export async function withToken(target: URL, token: string): Promise<URL> {
  const server = createServer((request, response) => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(target.pathname, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
