/** Results → one Markdown table: a row for each verb and program, a column for each size. */
const verbs = ['start', 'ready', 'list', 'add', 'claim', 'show'];

export function tableText(results, sizes) {
  const head = ['', 'program', ...sizes.map((size) => size.toLocaleString('en'))];
  const lines = [
    'Wall ms / CPU ms / peak MB, medians; in brackets the wall time as a multiple of bare node in the same run.',
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
  ];
  for (const verb of verbs) {
    const programs = new Set(results.filter((one) => one.verb === verb).map(({ program }) => program));
    for (const program of programs) {
      const cells = sizes.map((size) => cellText(results, { size, verb, program }));
      lines.push(`| ${[verb, program, ...cells].join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

export function findResult(results, { size, verb, program }) {
  return results.find((one) => one.size === size && one.verb === verb && one.program === program);
}

function cellText(results, wanted) {
  const found = findResult(results, wanted);
  if (!found) return '';
  if (found.failed) return 'failed';
  const { wallMs, cpuMs, memoryMb } = found;
  const node = findResult(results, { ...wanted, verb: 'start', program: 'node -e 0' });
  const memory = memoryMb === null ? '–' : Math.round(memoryMb);
  return `${Math.round(wallMs)} / ${Math.round(cpuMs)} / ${memory} (${(wallMs / node.wallMs).toFixed(1)}×)`;
}
