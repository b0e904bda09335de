/** Prints a shell script that runs a tool of Kafka once for each line of arguments, with the operator's own brokers and credentials. */
export function printCommands(tool: string, lines: readonly string[]): void {
  const head = [
    '#!/bin/sh',
    '# BOOTSTRAP: a broker, host:port. COMMAND_CONFIG: optional file with the security settings of the client.',
    'set -eu',
    `run() { ${tool} --bootstrap-server "$BOOTSTRAP" \${COMMAND_CONFIG:+--command-config "$COMMAND_CONFIG"} "$@"; }`,
  ];
  process.stdout.write(`${[...head, ...lines.map((line) => `run ${line}`)].join('\n')}\n`);
}
