/** Orders to halt and to resume trading by hand, given on the board by a session of a client that may. */
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type HaltOrder, NotHaltedError, orderReason, SCOPE } from '#topics/halt-orders.ts';
import type { Operator } from '../sessions.ts';
import { refuseOtherSites } from './gate.ts';
import { problemPage, sendPage } from './pages/html.ts';

/** Publishes an order; rejects as `orderHalt`. */
export type GiveHaltOrder = (order: HaltOrder) => Promise<unknown>;

const MINUTE_MS = 60_000;
const BODY_LIMIT = 4 * 1024;

/** The fields of the form. `minutes`: how long the halt lasts; empty: until it is resumed. */
const haltForm = z.object({
  scope: z.string().regex(SCOPE),
  action: z.enum(['halt', 'resume']),
  reason: z.string(),
  minutes: z.literal('').or(z.coerce.number().int().min(1).max(10_080)).default(''),
});

export async function haltOrderRoute(
  app: FastifyInstance,
  {
    operatorOf,
    covers,
    give,
    publicUrl,
  }: {
    /** Returns who may give orders by this request; null: nobody. */
    readonly operatorOf: (request: FastifyRequest) => Operator | null;
    /** Whether the operator's contract covers what a scope is about. */
    readonly covers: (operator: Operator, scope: string) => boolean;
    readonly give: GiveHaltOrder;
    readonly publicUrl: string | undefined;
  },
): Promise<void> {
  const refuse = (reply: FastifyReply, code: number, words: string): FastifyReply =>
    sendPage(reply.code(code), problemPage('The order was not given', words), 'no-store');
  await app.register(async (scope) => {
    refuseOtherSites(scope, publicUrl, BODY_LIMIT, (reply) =>
      refuse(reply, 403, 'This form came from another address.'),
    );
    scope.post('/halts', async (request, reply) => {
      const operator = operatorOf(request);
      if (operator === null) return refuse(reply, 403, 'Sign in as a client that may halt trading.');
      const given = haltForm.safeParse(request.body);
      const reason = orderReason(given.data?.reason);
      if (!given.success || reason === null)
        return refuse(reply, 400, 'It needs a reason, in one line of up to 200 characters.');
      const { scope: about, action, minutes } = given.data;
      if (!covers(operator, about))
        return refuse(reply, 403, 'The contract of this client does not cover it.');
      const at = Date.now();
      const order = { at, user: operator.name, host: `board on ${hostname()}`, reason };
      const until = minutes === '' ? null : at + minutes * MINUTE_MS;
      const common = { scope: about, order };
      try {
        await give(action === 'halt' ? { ...common, action, until } : { ...common, action });
      } catch (error) {
        if (error instanceof NotHaltedError) return refuse(reply, 409, 'It is not halted by hand any more.');
        request.log.warn({ err: error }, 'an order to halt trading could not be published');
        return refuse(reply, 503, `It was not published: try again, or use touchline ${action}.`);
      }
      request.log.info({ scope: about, action, user: operator.name }, 'order by hand');
      return reply.redirect(about.startsWith('match:') ? `/match/${about.slice(6)}` : '/halts', 303);
    });
  });
}
