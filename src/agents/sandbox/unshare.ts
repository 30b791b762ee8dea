/**
 * The second choice of sandbox, for machines without bubblewrap that allow user namespaces. A shell script
 * builds the same view with the programs of util-linux. It is slower, because each command starts some
 * fifty programs.
 */
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../agent-environment.ts';
import {
  type Inside,
  isRoot,
  type Placed,
  type Probed,
  placesOf,
  probing,
  type Rung,
  readableFor,
  saidBy,
  trial,
  type View,
} from './places.ts';

/**
 * The sandbox ends with gza (`--pdeathsig`), and everything inside ends with it (`--kill-child`). The
 * script runs as root of a first user namespace, so it can mount. The command runs in a second one, as the
 * user, where it cannot change those mounts.
 */
const outer = '--pdeathsig KILL unshare --user --map-root-user --mount --pid --ipc --uts --cgroup --fork';
const readScript = 'script=$(cat <&3); exec 3<&-; eval "$script"';

const unshare = (file: string): Rung => ({
  name: 'unshare',
  file,
  wrap: (view, inside) => {
    const network = view.ownNetwork ? ['--net'] : [];
    const args = [...outer.split(' '), '--kill-child=KILL', ...network, '/bin/sh', '-c', readScript, 'sh'];
    return { args: [...args, ...inside.script], options: scriptFor(view, inside) };
  },
});

const searched = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Nothing may be created outside of $top: a link in the tree could point there. `mount --rbind` brings
 * along the mounts below a folder, so each of them is remounted with the wanted flags, in addition to those
 * that the kernel locks.
 */
const functions = `set -ef
PATH=${searched}
unshare=$(command -v unshare) setpriv=$(command -v setpriv)
within() {
  case $(realpath -m -- "$top$1") in "$top" | "$top"/*) ;; *)
    echo "gza: in the sandbox $1 leads elsewhere" >&2; exit 126 ;;
  esac
}
folder() { within "$1"; mkdir -p -- "$top$1"; }
memory() { folder "$2"; mount -t tmpfs -o "size=$1,mode=1777,nosuid,nodev" none "$top$2"; }
proc() { folder "$1"; mount -t proc -o nosuid,nodev,noexec none "$top$1"; }
link() { within "$(dirname -- "$2")"; mkdir -p -- "$(dirname -- "$top$2")"; [ -L "$top$2" ] || ln -s -- "$1" "$top$2"; }
closed() { mount -o remount,bind,ro,nosuid,nodev none "$top$1"; }
bind() {
  [ -e "$2" ] || return 0
  if [ -d "$2" ]; then folder "$3"; else
    within "$3"
    [ -e "$top$3" ] || { mkdir -p -- "$(dirname -- "$top$3")"; : > "$top$3"; }
  fi
  mount --rbind -- "$2" "$top$3"
  while read -r _ _ _ _ at flags _; do
    case $at in *\\\\*) at=$(printf "$at") ;; esac
    case $at in "$top$3" | "$top$3"/*) mount -o "remount,bind,$flags,$1" none "$at" ;; esac
  done < /proc/self/mountinfo
}
devices() {
  folder "$1"
  mount -t tmpfs -o size=65536,mode=755 none "$top$1"
  for one in null zero full random urandom tty; do bind nosuid "/dev/$one" "$1/$one"; done
  mkdir "$top$1/pts" "$top$1/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 none "$top$1/pts"
  for one in fd:/proc/self/fd stdin:/proc/self/fd/0 stdout:/proc/self/fd/1 stderr:/proc/self/fd/2 ptmx:pts/ptmx; do
    ln -s "\${one#*:}" "$top$1/\${one%%:*}"
  done
}
`;

const flags = { ro: 'nosuid,nodev,ro', rw: 'nosuid,nodev', dev: 'nosuid' } as const;

function scriptFor(view: View, { env, cwd }: Inside): string {
  const nobody = isRoot ? [65534, 65534] : [process.getuid?.(), process.getgid?.()];
  const isName = ([name]: readonly [string, string]) => /^[A-Za-z_]\w*$/.test(name);
  const places = placesOf(view);
  return [
    `${functions}top=${quote(topFolder())}`,
    'mount -t tmpfs -o size=1048576,mode=755 none "$top"',
    ...(view.ownNetwork ? ['ip link set lo up'] : []),
    ...places.filter(({ put }) => put !== 'closed').map(lineOf),
    'cd "$top"; mkdir .old; pivot_root . .old; umount -l /.old; rmdir /.old; top=',
    ...places.filter(({ put }) => put === 'closed').map(lineOf),
    `cd ${quote(cwd)}`,
    ...Object.entries(env)
      .filter(isName)
      .map(([name, value]) => `export ${name}=${quote(value)}`),
    `"$unshare" --user --map-user=${nobody[0]} --map-group=${nobody[1]} "$setpriv" --no-new-privs "$@" || exit $?`,
  ].join('\n');
}

let made: string | undefined;

/** One empty folder is enough for all sandboxes: what is mounted on it is visible only inside. */
function topFolder(): string {
  if (made === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'gza-root-'));
    process.once('exit', () => rmdirSync(folder));
    made = folder;
  }
  return made;
}

function lineOf(place: Placed): string {
  const at = quote(place.at);
  switch (place.put) {
    case 'memory':
      return `memory ${place.bytes} ${at}`;
    case 'link':
      return `link ${quote(place.to)} ${at}`;
    case 'folder':
    case 'proc':
    case 'devices':
    case 'closed':
      return `${place.put} ${at}`;
    default:
      return `bind ${flags[place.put]} ${quote(place.from)} ${at}`;
  }
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export const probeUnshare = probing(async (): Promise<Probed> => {
  const file = findProgram('setpriv', searched, '/');
  if (file === undefined) return { why: 'util-linux (setpriv, unshare) is not installed' };
  const view = { readable: readableFor({}, [], []), read: [], write: [], bound: [], tmpBytes: 65_536 };
  const { args, options } = unshare(file).wrap(
    { ...view, ownNetwork: true },
    { env: {}, cwd: '/', script: ['/bin/sh', '-c', ':'] },
  );
  const failed = await trial(file, args, options);
  return failed === null ? unshare(file) : { why: `unshare does not work here (${saidBy(failed)})` };
});
