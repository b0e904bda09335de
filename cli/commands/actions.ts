import { UsageError } from '../command.ts';

/** The options that each action of a command takes; the name of an action may be two words. */
type Actions = Readonly<Record<string, { readonly options: readonly string[] }>>;

/** The action that the first words name, and the words after it. Throws `UsageError` where there is none, or an option is not one of its. */
export function actionOf<A extends Actions>(
  actions: A,
  { values, positionals }: { readonly values: object; readonly positionals: readonly string[] },
): { readonly name: keyof A & string; readonly words: readonly string[] } {
  const names: (keyof A & string)[] = Object.keys(actions);
  const name = names.find((one) => one.split(' ').every((word, at) => positionals[at] === word));
  if (name === undefined) throw new UsageError(`say ${names.join(', ')}`);
  const stray = Object.keys(values).find((option) => !actions[name]?.options.includes(option));
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with ${name}`);
  return { name, words: positionals.slice(name.split(' ').length) };
}

/** The words that may follow those before them. */
export function actionWords(actions: Actions, before: readonly string[]): string[] {
  return Object.keys(actions)
    .map((action) => action.split(' '))
    .flatMap((action) =>
      before.every((word, at) => action[at] === word) ? (action[before.length] ?? []) : [],
    );
}
