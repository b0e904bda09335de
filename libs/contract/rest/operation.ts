import { z } from 'zod';
import { RestError } from './errors.ts';
import type { Access, AnyAnswer, Paging, ProviderData } from './provider.ts';

/** The source of shapes that the spec does not show, in `notShown`. */
export const AS_PUBLISHED = "as in the examples of the provider's published client";

/** The static part of an operation: `N` is its name, `D` the schema of its data. */
export type OperationInfo<N extends string = string, D extends z.ZodType = z.ZodType> = {
  /** The name in `api.method.name`, such as `events.index`. */
  readonly name: N;
  /** The path relative to the base URL, with the id as `{id}`: `/v2/events/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** What the spec does not show, and how we answer instead; null if the spec shows everything. */
  readonly notShown: string | null;
  readonly open: boolean;
  /** The name of the path's id among the echoed parameters; null if the path has no id. */
  readonly idName: string | null;
  readonly params: z.ZodObject;
  readonly data: D;
};

/** A request with valid parameters. */
export type Prepared = {
  /** Every effective parameter as text: sent ones, defaults, and the path's id. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The parameters without the path's id: the query of another page's URL. */
  readonly query: Readonly<Record<string, string>>;
  readonly paging: Paging | null;
  answer(data: ProviderData, access: Access): AnyAnswer;
};

/** An operation that answers from `ProviderData`. */
export type Operation<N extends string = string, D extends z.ZodType = z.ZodType> = OperationInfo<N, D> & {
  /** Validates a request: its parsed query, the id of its path or 0, Unix seconds. Throws `RestError` INVALID_PARAMETER. */
  prepare(query: unknown, id: number, now: number): Prepared;
};

type Definition<N extends string, D extends z.ZodType, P extends z.ZodRawShape, V extends object> = Pick<
  OperationInfo<N, D>,
  'name' | 'summary' | 'data'
> &
  Partial<Pick<OperationInfo, 'notShown' | 'open' | 'idName'>> & {
    readonly params?: P;
    /** Checks rules over several parameters, and sets defaults that depend on the time. */
    readonly settle?: (values: z.output<z.ZodObject<P>>, now: number) => V;
    /** `now`: Unix seconds, as in `prepare`. */
    answer(data: ProviderData, values: V, id: number, access: Access, now: number): AnyAnswer;
  };

/** Returns the path of an operation: `events.index` is at `/v2/events`, `events.show` at `/v2/events/{id}`, another one below that. */
function pathOf(name: string): string {
  const [resource, action] = name.split('.');
  if (action === 'index') return `/v2/${resource}`;
  return `/v2/${resource}/{id}${action === 'show' ? '' : `/${action}`}`;
}

/** Returns the operation of a definition. */
export function operation<
  N extends string,
  D extends z.ZodType,
  P extends z.ZodRawShape = Record<never, never>,
  V extends object = z.output<z.ZodObject<P>>,
>({ params: shape, settle, answer, ...info }: Definition<N, D, P, V>): Operation<N, D> {
  const params = z.object((shape ?? {}) as P);
  const { notShown = null, open = false, idName = null } = info;
  return {
    ...info,
    path: pathOf(info.name),
    notShown,
    open,
    idName,
    params,
    prepare(raw, id, now) {
      const parsed = params.safeParse(raw);
      if (!parsed.success) throw new RestError('INVALID_PARAMETER');
      // Without `settle` the values stay as parsed, and so have type `V`.
      const values = settle?.(parsed.data, now) ?? (parsed.data as unknown as V);
      const query = echo(values);
      return {
        query,
        parameters: idName === null ? query : { [idName]: String(id), ...query },
        paging: 'page' in params.shape ? { limit: Number(query.limit), page: Number(query.page) } : null,
        answer: (source, access) => answer(source, values, id, access, now),
      };
    },
  };
}

function echo(values: object): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
