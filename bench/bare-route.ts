/** The receiver's peer: the least that a Fastify route must do to take a signed delivery. It checks the signature and keeps nothing. */
import { fastify } from 'fastify';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';

const [port, secret] = process.argv.slice(2);
if (port === undefined || secret === undefined) throw new Error('usage: bare-route.ts PORT SECRET');

const app = fastify({ bodyLimit: 5 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/webhook', async (request, reply) => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const headers = {
    timestamp: String(request.headers[TIMESTAMP_HEADER]),
    signature: String(request.headers[SIGNATURE_HEADER]),
  };
  const authentic = verify(body, headers, [secret], Date.now()) === 'ok';
  return reply
    .code(authentic ? 200 : 401)
    .type('text/plain; charset=utf-8')
    .send(authentic ? 'Accepted' : 'Refused');
});
await app.listen({ port: Number(port), host: '127.0.0.1' });

process.on('SIGTERM', () => process.exit());
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();
