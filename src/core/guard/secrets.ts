/**
 * Finds what looks like a credential in text that is about to become public. Returns the line and the kind,
 * never the value, because the result goes into logs and pull requests.
 */

interface SecretFound {
  /** Counted from 1. */
  readonly line: number;
  readonly kind: string;
}

/** The kind with its article: `an AWS access key`, `a GitHub token`. */
export function namedSecret({ kind }: Pick<SecretFound, 'kind'>): string {
  return `${/^(?:[AEIOa]|npm|NVIDIA|xAI)/.test(kind) ? 'an' : 'a'} ${kind}`;
}

const lineLengthMax = 20_000;
const foundMax = 100;

export function findSecrets(text: string): SecretFound[] {
  const found: SecretFound[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const kind = secretKind(line.slice(0, lineLengthMax)) ?? secretKindAfter(line);
    if (kind) found.push({ line: index + 1, kind });
    if (found.length === foundMax) break;
  }
  return found;
}

/**
 * Searches very long lines, as in minified files, in overlapping pieces, so that no key is cut at an edge.
 */
function secretKindAfter(line: string): string | null {
  for (let at = lineLengthMax - 4000; at + 4000 < line.length; at += lineLengthMax - 4000) {
    const kind = secretKind(line.slice(at, at + lineLengthMax));
    if (kind) return kind;
  }
  return null;
}

function secretKind(line: string): string | null {
  if (line.length < shapeCharsMin) return null;
  if (inLine.test(line)) for (const { kind, pattern } of secretKinds) if (pattern.test(line)) return kind;
  return assignsSecret(line) ? 'secret value' : null;
}

const assignment =
  /(?:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[A-Za-z0-9_-]{0,30}["']?\s{0,4}(?::|=>|:=|=)\s{0,4}(["'`]?)([^\s"'`,;]{12,200})/gi;

const saysSecret = /passw|secret|token|key|credential/i;

/**
 * A name like `secret` or `token`, assigned a value that looks random: long, mixed, and not an expression.
 */
function assignsSecret(line: string): boolean {
  if (!saysSecret.test(line)) return false;
  for (const match of line.matchAll(assignment)) {
    const [, quote, value = ''] = match;
    if (looksRandom(value, quote !== '')) return true;
  }
  return false;
}

function looksRandom(value: string, isQuoted: boolean): boolean {
  if (/[${}<>()[\]]|\.\.\.|^(?:https?|file):|example|placeholder|changeme|dummy|x{4}|\*{3}/i.test(value))
    return false;
  if (/^[a-z]+([._/-][a-z0-9]+)*$/i.test(value)) return false;
  if (!isQuoted && !/^[A-Za-z0-9+/=_-]{20,}$/.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((one) => one.test(value)).length;
  const isHex = /^[0-9a-f]{32,}$/i.test(value);
  return (isHex || classes >= 3) && entropyBits(value) >= (isHex ? 3 : 3.4);
}

/** Shannon entropy in bits per character. */
function entropyBits(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/**
 * Known forms of credentials: the single list for searching patches and redacting texts. Each part of a
 * pattern is bounded, so that the time grows only linearly with the text.
 */
interface SecretShape {
  readonly kind: string;
  readonly pattern: string;
  /** It begins where a word begins. */
  readonly isWord?: boolean;
  /** What to redact, where that is more than `pattern` needs to recognise it. */
  readonly whole?: string;
  /** It contains characters at which a stream may be cut, so it is searched for only in whole lines. */
  readonly isOfLines?: boolean;
}

const before = '(?<![A-Za-z0-9_-])';
const after = '(?![A-Za-z0-9_-])';
const word = (kind: string, pattern: string): SecretShape => ({ kind, pattern, isWord: true });

const shapes: readonly SecretShape[] = [
  word('AWS access key', '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  word('GitHub token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{36,255}'),
  word('GitLab token', 'gl(?:pat|rt|ptt|dt|cbt|soat|ft|imt|agent)-[A-Za-z0-9_-]{20,64}'),
  {
    kind: 'private key',
    pattern: '-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----',
    whole:
      '-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?(?:-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----|$)',
  },
  word('Slack token', 'xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\\d-[A-Z0-9]{8,20}-\\d{8,20}-[a-f0-9]{40,80}'),
  {
    kind: 'Slack webhook',
    pattern: 'hooks\\.slack\\.com/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{20,30}',
  },
  word('Anthropic key', 'sk-ant-[A-Za-z0-9_-]{20,200}'),
  word('OpenRouter key', 'sk-or-v1-[a-f0-9]{40,80}'),
  word('OpenAI key', 'sk-(?:proj-|svcacct-|admin-)?(?=[A-Za-z_-]{0,100}[0-9])[A-Za-z0-9_-]{32,250}'),
  word('Google API key', `AIza[A-Za-z0-9_-]{35}${after}`),
  word('Google OAuth secret', `GOCSPX-[A-Za-z0-9_-]{28}${after}|ya29\\.[A-Za-z0-9_-]{30,500}`),
  word('Groq key', 'gsk_[A-Za-z0-9]{40,80}'),
  word('xAI key', 'xai-[A-Za-z0-9]{60,120}'),
  word('Hugging Face token', `hf_[A-Za-z0-9]{30,60}${after}|api_org_[A-Za-z0-9]{30,60}`),
  word('Perplexity key', 'pplx-[A-Za-z0-9]{40,80}'),
  word('Replicate token', `r8_[A-Za-z0-9]{37}${after}`),
  word('Cerebras key', 'csk-[a-z0-9]{40,60}'),
  word('NVIDIA key', 'nvapi-[A-Za-z0-9_-]{60,80}'),
  word('LangSmith key', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  word('Vault token', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}'),
  word('Azure key', '[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}'),
  word('Azure client secret', `[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}${after}`),
  {
    kind: 'Azure storage key',
    pattern: '(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{43,86}={1,2}',
  },
  word('Databricks token', `dapi[a-f0-9]{32}(?:-\\d)?${after}`),
  word('DigitalOcean token', 'do[opr]_v1_[a-f0-9]{64}'),
  word('Docker token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,60}'),
  word('Terraform token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,70}'),
  word('Atlassian token', 'AT(?:ATT|CTT|BB)[A-Za-z0-9_-]{20,250}(?:=[A-F0-9]{8})?'),
  word('Cloudflare key', 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}'),
  word('Doppler token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,64}'),
  word('Grafana token', 'glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}'),
  word('Sentry token', 'sntry[su]_[A-Za-z0-9+/_=-]{40,250}'),
  word('Heroku key', 'HRKU-[A-Za-z0-9_-]{36,60}'),
  word('Netlify token', 'nfp_[A-Za-z0-9]{36,40}'),
  word('Supabase key', 'sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60}'),
  word('PlanetScale token', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}'),
  word('Pulumi token', 'pul-[a-f0-9]{40}'),
  word('Tailscale key', 'tskey-[a-z]{3,10}-[A-Za-z0-9-]{20,80}'),
  word('New Relic key', 'NRAK-[A-Z0-9]{27}'),
  word('Postman key', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  word('Notion token', 'ntn_[A-Za-z0-9]{40,60}'),
  word('Figma token', 'figd_[A-Za-z0-9_-]{40,60}'),
  word('Airtable token', 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}'),
  word('Shopify token', `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}${after}`),
  word('Telegram token', `\\d{8,10}:AA[A-Za-z0-9_-]{33}${after}`),
  word('Discord token', `[MNO][A-Za-z0-9_-]{23,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}${after}`),
  word('npm token', 'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])'),
  word('PyPI token', 'pypi-AgEI[A-Za-z0-9_-]{50,250}'),
  word('RubyGems key', 'rubygems_[a-f0-9]{48}'),
  word('Stripe key', '[rs]k_live_[A-Za-z0-9]{20,250}'),
  word('SendGrid key', 'SG\\.[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{40,50}'),
  word('Brevo key', 'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  word('Linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'),
  word('age key', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  {
    kind: 'JSON web token',
    pattern: 'eyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,4000}\\.[A-Za-z0-9_-]{20,1000}',
    isWord: true,
    // Starts at the beginning of a word: starting at each `eyJ` of a long word would take quadratic time.
    whole:
      '(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*?eyJ[A-Za-z0-9_-]{10})[A-Za-z0-9_-]+\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{5,}',
  },
  {
    kind: 'password in a URL',
    pattern:
      '[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\\s:/@\'"<>]{1,80}:(?![$<{*%])[^\\s:/@\'"<>]{6,200}@[a-zA-Z0-9.-]',
    isOfLines: true,
  },
];

/** One pattern per kind, to name the kind found in a line. */
const secretKinds: readonly { readonly kind: string; readonly pattern: RegExp }[] = shapes.map(
  ({ kind, pattern, isWord }) => ({
    kind,
    pattern: new RegExp(isWord === true ? `${before}(?:${pattern})` : pattern),
  }),
);

/** All kinds in one pattern, because most lines contain none. */
const inLine = new RegExp(
  [true, undefined]
    .map((words) =>
      shapes
        .filter(({ isWord }) => isWord === words)
        .map(({ pattern }) => pattern)
        .join('|'),
    )
    .map((all, at) => (at === 0 ? `${before}(?:${all})` : all))
    .join('|'),
);
/** The length of the shortest shape. */
const shapeCharsMin = 14;

/**
 * All shapes as one pattern, for redacting a text of any length. Word starts are tested once for all shapes.
 */
export const anySecret: string = (() => {
  const inText = shapes.filter(({ isOfLines }) => isOfLines !== true);
  const words = inText.filter(({ isWord, whole }) => isWord === true && whole === undefined);
  const others = inText.filter((shape) => !words.includes(shape));
  const one = `${before}(?:${words.map(({ pattern }) => pattern).join('|')})`;
  return [one, ...others.map(({ pattern, whole = pattern }) => whole)].join('|');
})();
