/** Another user on a machine that has none to spare: a number that is nobody's, and what stands for `sudo`. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../e2e/cli.ts';

/** To be another user one has to be root; the number is nobody's. */
export const uid = 61_234;
export const canSwitch =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--reuid', String(uid), 'true']).status === 0;

export function putSudo(tools: string): void {
  // What sudo does, but for a number instead of a name that this machine does not have.
  const script = `#!/bin/bash
[ "$(id -u)" = 0 ] || exit 1
while [[ "$1" == -* ]]; do case "$1" in -u) shift ;; --preserve-env=*) kept="\${1#*=}" ;; esac; shift; done
case "$1" in
  true) ;;
  timeout | sysctl) echo "$*" >> ${tools}/asked ;;
  useradd) ;;
  chown | pkill)
    words=(); for word in "$@"; do [ "$word" = gza-agent ] && word=${uid}; words+=("$word"); done
    exec "\${words[@]}" ;;
  rm) exec "$@" ;;
  env)
    cp -r ${join(root, 'dist')}/. "$(dirname "$(realpath -m .)")/dist/"
    clean=(); for name in \${kept//,/ }; do clean+=("$name=\${!name}"); done
    exec env -i "\${clean[@]}" setpriv --reuid ${uid} --regid ${uid} --clear-groups "$@" ;;
esac
`;
  writeFileSync(join(tools, 'sudo'), script, { mode: 0o755 });
}
