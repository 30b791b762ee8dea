/**
 * git's report of a push says "hook declined" for every refusal; GitHub says why, in that very place, and
 * clients read it there. This puts GitHub's words into git's report.
 */
interface Packet {
  readonly data: Buffer | null;
}

function split(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.subarray(at, at + 4).toString('latin1'), 16);
    packets.push({ data: length < 4 ? null : bytes.subarray(at + 4, at + length) });
    at += Math.max(4, length);
  }
  return packets;
}

function join(packets: readonly Packet[]): Buffer {
  return Buffer.concat(
    packets.flatMap(({ data }) =>
      data === null
        ? [Buffer.from('0000')]
        : [Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data],
    ),
  );
}

/** `said`: lines of `ref<TAB>reason`. */
export function renameReasons(body: Buffer, said: string): Buffer {
  const reasons = new Map(
    said
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t') as [string, string]),
  );
  const rename = (line: string) => {
    const [, ref = '', end = ''] = /^ng (\S+) hook declined(\n?)$/.exec(line) ?? [];
    const reason = reasons.get(ref);
    return reason ? `ng ${ref} ${reason}${end}` : line;
  };
  const report = (bytes: Buffer) =>
    join(split(bytes).map(({ data }) => ({ data: data && Buffer.from(rename(data.toString('utf8'))) })));
  const packets = split(body);
  // Band 1 of the side band carries the report, itself in packets.
  return join(
    packets.map(({ data }) =>
      data?.[0] === 1 ? { data: Buffer.concat([Buffer.from([1]), report(data.subarray(1))]) } : { data },
    ),
  );
}
