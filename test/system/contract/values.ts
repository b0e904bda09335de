/** Tracks which fields of the contract's records had a value other than their default in the answers of a run. */
import type { z } from 'zod';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';

type Schema = z.core.$ZodType;
type ObjectSchema = z.ZodObject;
/** Default values of fields: a test of such a value cannot fail. */
const DEFAULTS: ReadonlySet<unknown> = new Set([undefined, null, '', 0, 'no', false]);

/** Fields that no answer sets, each with its reason; the names are those of `never`. */
export const NEVER_SET: Readonly<Record<string, string>> = {
  ...reason(
    'the specification does not show the shape; the provider alone answers them',
    'sports.show.sport',
    [
      'participant_quantity',
      'venues_details',
      'results.code',
      'results.data_type',
      'results.is_season_detail',
      'results.related_statuses',
      'results.possible_values',
      'results.possible_values.key',
      'results.possible_values.value',
      'stats.person',
      'incidents.code',
      'incidents.group',
      'incidents.details',
    ],
  ),
  ...reason('of tables of the provider, which the poller copies as they are', 'standings', [
    'index.standings_list.stage_name_id',
    'index.standings_list.reset_group_rank',
    'show.standings.stage_name_id',
  ]),
  ...reason('the specification has it empty: columns are on each participant', 'standings.show.standings', [
    'columns',
  ]),
  ...reason(
    'empty in lists without events: events are in lists of events',
    'competitions.index.competitions.seasons.stages',
    ['rounds', 'standings-types', 'participants', 'groups.events'],
  ),
  ...reason(
    'an addition: no list of this provider omits an incident (libs/views/render/event.test.ts)',
    'events.show.competition.season.stage.group.event.events_incidents',
    ['missing'],
  ),
};

function reason(why: string, of: string, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [`${of}.${field}`, why]));
}

export class SeenValues {
  /** A record in several answers is one object of the schema. */
  readonly #records = new Map<ObjectSchema, { readonly name: string; readonly unset: Set<string> }>();

  readonly #answers = new Map<string, Schema>(ALL_OPERATIONS.map(({ name, data }) => [name, data]));

  constructor() {
    for (const [name, schema] of this.#answers) this.#list(schema, name);
  }

  note(operation: string, data: unknown): void {
    const schema = this.#answers.get(operation);
    if (schema !== undefined) this.#note(schema, data);
  }

  #note(schema: Schema, value: unknown): void {
    for (const one of alternatives(schema)) {
      if (isObject(one)) {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
        for (const [field, inner] of Object.entries(one.shape)) {
          const found = (value as Record<string, unknown>)[field];
          if (!isDefault(found)) this.#records.get(one)?.unset.delete(field);
          this.#note(inner, found);
        }
      } else if (Array.isArray(value)) for (const item of value) this.#note(elementOf(one), item);
    }
  }

  /** The fields that were never set, as `<operation>.<path>`. */
  get never(): string[] {
    return [...this.#records.values()].flatMap(({ name, unset }) =>
      [...unset].map((field) => `${name}.${field}`),
    );
  }

  #list(schema: Schema, name: string): void {
    for (const one of alternatives(schema)) {
      if (!isObject(one)) {
        const element = elementOf(one);
        if (element !== one) this.#list(element, name);
      } else if (!this.#records.has(one)) {
        this.#records.set(one, { name, unset: new Set(Object.keys(one.shape)) });
        for (const [field, inner] of Object.entries(one.shape)) this.#list(inner, `${name}.${field}`);
      }
    }
  }
}

function isDefault(value: unknown): boolean {
  if (DEFAULTS.has(value)) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function isObject(schema: Schema): schema is ObjectSchema {
  return schema._zod.def.type === 'object';
}

/** Returns the alternatives of a schema, without those for null and undefined. */
function alternatives(schema: Schema): Schema[] {
  const { def } = schema._zod;
  if ('options' in def) return (def.options as Schema[]).flatMap(alternatives);
  if ('innerType' in def) return alternatives(def.innerType as Schema);
  return [schema];
}

function elementOf(schema: Schema): Schema {
  const { def } = schema._zod;
  return 'element' in def ? (def.element as Schema) : schema;
}
