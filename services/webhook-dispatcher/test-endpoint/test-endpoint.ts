/** `POST /test-webhook-url/` (spec, "Webhook test"): tests a customer's address before it is used. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { webhookInput } from '#clients/webhooks.ts';
import { object } from '#domain/values.ts';
import { parseJson } from '#json/values.ts';
import { type DeliveryOutcome, type EndpointOptions, probeEndpoint } from '#outbound/endpoint.ts';
import { createSilentApp, type SilentAppOptions } from '#service/silent-app.ts';

export type TestEndpointOptions = SilentAppOptions &
  Omit<EndpointOptions, 'url' | 'secret'> & {
    /** Number of proxies in front; their X-Forwarded-For names the client address. */
    readonly proxies: number;
    /** Maximum requests in a minute from one client address (of IPv6 a /64 network), valid or not. */
    readonly attemptsPerMinute: number;
    readonly maxConcurrent?: number;
  };

type TestAnswer = { readonly code: number; readonly status: string; readonly message: string };

const PATH = '/test-webhook-url/';
const MINUTE_MS = 60_000;
/** Maximum size of a body, bytes. Up to it a field that is too long is named in `details`. */
const BODY_LIMIT = 1024 * 1024;
const MAX_CONCURRENT = 64;
const RETRY_AFTER_SECONDS = 10;

const CLIENT_ID = 'the client id must be a positive whole number';
const testInput = webhookInput.extend({ clientId: z.int(CLIENT_ID).positive(CLIENT_ID) });
type TestInput = z.output<typeof testInput>;
type FailedFields = Partial<Record<keyof TestInput, string[]>>;

const answer = (code: number, status: string, message: string): TestAnswer => ({ code, status, message });
const OK = answer(200, 'Ok', 'the webhook answered Accepted');
const INVALID = answer(400, 'ValidationFailed', 'these fields are missing or wrong');
const TOO_LARGE = answer(413, 'RequestTooLarge', `the body is larger than ${BODY_LIMIT} bytes`);
const LIMITED = answer(429, 'RateLimitExceeded', 'too many tests from this address, try again later');
const FAILED = answer(500, 'Failed', 'the test could not be run');
const BUSY = answer(503, 'Busy', 'too many tests are running, try again later');

/** Messages of failures, in the spec's words. That of a refused address is that of an unreachable one. */
const MESSAGES: Readonly<Record<Exclude<DeliveryOutcome['kind'], 'accepted'>, string>> = {
  timeout: 'request timed out (no answer within 10 seconds)',
  refused: 'request failed (network or connection error)',
  failed: 'request failed (network or connection error)',
  status: 'non-200 status',
  unreadable: 'response body could not be read',
  different: 'response text different from `Accepted`',
};

/** Creates the server on DISPATCHER_PORT: `POST /test-webhook-url/`. Nothing of a request, which has a customer's secret, is logged or stored. */
export async function createApp(options: TestEndpointOptions): Promise<FastifyInstance> {
  const app = createSilentApp(options, {
    trustProxy: (_address, hop) => hop < options.proxies,
    badRequest: { error: 'bad_request' },
    notFound: { error: 'not_found' },
  });
  await app.register(async (scope) => {
    let running = 0;
    await scope.register(rateLimit, { max: options.attemptsPerMinute, timeWindow: MINUTE_MS });
    scope.removeAllContentTypeParsers();
    // Accepts any content type: a body that is not JSON has no fields.
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      const { statusCode = 500 } = error;
      if (statusCode === 429) return send(reply, LIMITED);
      if (statusCode === 413) return send(reply, TOO_LARGE);
      if (statusCode < 500) return send(reply, INVALID, failedFields(testInput.safeParse({})));
      app.log.error({ err: error }, 'a webhook test failed');
      return send(reply, FAILED);
    });
    scope.post(PATH, async (request, reply) => {
      // Anything but a JSON object has no fields.
      const input = testInput.safeParse(object(parseJson(String(request.body))) ?? {});
      if (!input.success) return send(reply, INVALID, failedFields(input));
      if (running >= (options.maxConcurrent ?? MAX_CONCURRENT)) {
        return send(reply.header('retry-after', RETRY_AFTER_SECONDS), BUSY);
      }
      running += 1;
      try {
        return send(reply, answerOf(await probeEndpoint({ ...options, ...input.data })));
      } finally {
        running -= 1;
      }
    });
  });
  return app;
}

function answerOf({ kind }: DeliveryOutcome): TestAnswer {
  return kind === 'accepted' ? OK : answer(400, 'WebhookRequestError', MESSAGES[kind]);
}

function failedFields({ error }: z.ZodSafeParseResult<TestInput>): FailedFields {
  return error === undefined ? {} : z.flattenError(error).fieldErrors;
}

function send(
  reply: FastifyReply,
  { code, status, message }: TestAnswer,
  details?: FailedFields,
): FastifyReply {
  const body = { status, message, ...(details === undefined ? {} : { details }) };
  return reply.code(code).header('cache-control', 'no-store').send(body);
}
