/** The first choice of sandbox: bubblewrap. */
import { findProgram } from '../agent-environment.ts';
import { isRoot, type Placed, type Probed, placesOf, probing, type Rung, saidBy, trial } from './places.ts';

/**
 * Everything ends with the first process, in whatever session it is. User namespaces stay allowed inside,
 * because some agents and browsers bring a sandbox of their own. That is safe: the kernel lets nobody undo
 * inherited mounts, so what is hidden stays hidden.
 */
const bubblewrap = (file: string): Rung => ({
  name: 'bubblewrap',
  file,
  wrap: (view, { env, cwd, script }) => {
    const set = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
    const words = [
      '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent'.split(
        ' ',
      ),
      view.ownNetwork ? ['--unshare-net'] : [],
      ['--cap-drop', 'ALL'],
      placesOf(view).flatMap(wordsOf),
      // Root must become `nobody`, or it could not create user namespaces inside.
      isRoot ? ['--uid', '65534', '--gid', '65534'] : [],
      ['--clearenv', ...set, '--chdir', cwd],
    ].flat();
    return { args: ['--args', '3', '--', ...script], options: words.map((word) => `${word}\0`).join('') };
  },
});

const binds = { ro: '--ro-bind-try', rw: '--bind-try', dev: '--dev-bind-try' } as const;

function wordsOf(place: Placed): string[] {
  switch (place.put) {
    case 'folder':
      return ['--dir', place.at];
    case 'proc':
      return ['--proc', place.at];
    case 'devices':
      return ['--dev', place.at];
    case 'memory':
      return ['--size', String(place.bytes), '--tmpfs', place.at];
    case 'link':
      return ['--symlink', place.to, place.at];
    case 'closed':
      return ['--remount-ro', place.at];
    default:
      return [binds[place.put], place.from, place.at];
  }
}

export const probeBubblewrap = probing(async (): Promise<Probed> => {
  const file = findProgram('bwrap', `/usr/bin:/usr/local/bin:${process.env['PATH'] ?? ''}`, '/');
  if (file === undefined)
    return { why: 'bubblewrap is not installed (for example: sudo apt-get install bubblewrap)' };
  const options = '--unshare-user --unshare-pid --unshare-net --cap-drop ALL --ro-bind / /';
  const places = '--proc /proc --dev /dev --size 65536 --tmpfs /tmp --remount-ro / -- /bin/sh -c :';
  const failed = await trial(file, `${options} ${places}`.split(' '));
  return failed === null ? bubblewrap(file) : { why: whyNot(failed) };
});

function whyNot(stderr: string): string {
  const said = saidBy(stderr);
  const isRefused = /uid map|new namespace|Operation not permitted|Permission denied/i.test(said);
  return isRefused
    ? `bubblewrap may not make a user namespace here (${said}). On Ubuntu 24.04: an AppArmor profile for /usr/bin/bwrap with \`userns,\`, or sysctl kernel.apparmor_restrict_unprivileged_userns=0`
    : `bubblewrap does not work here (${said})`;
}
