import { UsageError } from '../command.ts';

/** Options that each action of a command takes. The name of an action may have two words. */
type Actions = Readonly<Record<string, { readonly options: readonly string[] }>>;

/** Returns the action that the first words name, and the remaining words. Throws `UsageError` for an unknown action or option. */
export function actionOf<A extends Actions>(
  actions: A,
  { values, positionals }: { readonly values: object; readonly positionals: readonly string[] },
): { readonly name: keyof A & string; readonly words: readonly string[] } {
  const names: (keyof A & string)[] = Object.keys(actions);
  const name = names.find((one) => one.split(' ').every((word, at) => positionals[at] === word));
  if (name === undefined) throw new UsageError(`name an action: ${names.join(', ')}`);
  const stray = Object.keys(values).find((option) => !actions[name]?.options.includes(option));
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with ${name}`);
  return { name, words: positionals.slice(name.split(' ').length) };
}

/** Returns the words that may follow `before` in the name of an action. */
export function actionWords(actions: Actions, before: readonly string[]): string[] {
  return Object.keys(actions)
    .map((action) => action.split(' '))
    .flatMap((action) =>
      before.every((word, at) => action[at] === word) ? (action[before.length] ?? []) : [],
    );
}
