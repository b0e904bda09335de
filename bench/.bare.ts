import { fastify } from 'fastify';
import { verify } from '#signing/signing.ts';

const app = fastify({ bodyLimit: 5 << 20 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_r, body, done) => done(null, body));
const secrets = ['0123456789abcdef0123456789abcdef'];
app.post('/webhook', async (request: any, reply: any) => {
  const v = verify(
    request.body,
    {
      timestamp: request.headers['x-signature-expiration-timestamp'],
      signature: request.headers['x-signature-sha256'],
    },
    secrets,
    Date.now(),
  );
  return reply
    .code(v === 'ok' ? 200 : 401)
    .type('text/plain; charset=utf-8')
    .send(v === 'ok' ? 'Accepted' : 'no');
});
await app.listen({ port: 18090, host: '127.0.0.1' });
setInterval(() => {}, 1000);
process.on('SIGTERM', () => process.exit());
