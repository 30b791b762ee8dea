/** What a step's standard output means to the runner: `::add-mask::`, `::error::` and the like. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

export interface CommandReader {
  /** One line as the log shows it, or null when the log does not show it. */
  line(text: string): string | null;
  mask(text: string): string;
  readonly masks: Set<string>;
  readonly annotations: Annotation[];
}

const unescape = (text: string) =>
  text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');

export function createCommandReader(secrets: Iterable<string>): CommandReader {
  const masks = new Set([...secrets].filter((secret) => secret.length > 0));
  const annotations: Annotation[] = [];
  let stopped: string | null = null;
  const mask = (text: string) =>
    [...masks].toSorted((a, b) => b.length - a.length).reduce((at, one) => at.replaceAll(one, '***'), text);
  return {
    masks,
    annotations,
    mask,
    line(text) {
      const [, name = '', properties = '', data = ''] =
        /^::([\w-]+)(?: ([^:]*))?::(.*)$/.exec(text.trimStart()) ?? [];
      if (stopped !== null) {
        if (name === stopped) stopped = null;
        return mask(text);
      }
      const value = unescape(data);
      switch (name) {
        case 'add-mask':
          for (const line of value.split(/\r?\n/)) if (line.trim()) masks.add(line);
          return '::add-mask::***';
        case 'stop-commands':
          stopped = value;
          return mask(text);
        case 'error':
        case 'warning':
        case 'notice': {
          const title = /(?:^|,)title=([^,]*)/.exec(properties)?.[1] ?? '';
          annotations.push({ level: name, title: unescape(title), message: mask(value) });
          return mask(`##[${name}]${value}`);
        }
        case 'debug':
          return null;
        default:
          return mask(text);
      }
    },
  };
}
