/**
 * Reads the findings of a review without JSON. A finding is a heading, list item, labelled paragraph or table
 * row that names a severity, or is in a section that does ("## Blockers"). Without any severity, `otherwise`
 * is the severity of everything except praise and summaries. The lines below a finding are its severity,
 * place, evidence and fix.
 */
import type { MarkdownLine } from '../markdown/markdown-lines.ts';
import {
  boundText,
  type Field,
  type FindingParts,
  findingsMax,
  findPlace,
  type Place,
  placeAtStart,
  placeIn,
  plain,
  type Row,
  readField,
  rowsOf,
  type Severity,
  splitPlace,
} from './finding.ts';
import {
  isNoFinding,
  type Label,
  plainLines,
  readLabel,
  readSeverity,
  readTag,
  sectionSeverity,
} from './severity-words.ts';

interface Draft {
  /** Null while unknown. */
  severity: Severity | null;
  place: Place;
  claim: string;
  evidence: string[];
  fix: string[];
  indent: number;
  /** It is a heading, an item or a row, so the paragraphs below belong to it. */
  isListed: boolean;
  /** It began as a list item, so the next item of the same depth is another finding. */
  isItem: boolean;
  /** How it began, unless with a title or an item. */
  opening: 'severity' | 'label' | null;
}

interface Section {
  severity: Severity | null;
  level: number;
  /** The file that a heading names. Places below it may give only a line. */
  file: string | null;
}

const lineCharsMax = 3000;
const noPlace: Place = { file: null, line: null };

export function proseFindings(
  lines: readonly MarkdownLine[],
  otherwise: Severity | null = null,
): readonly FindingParts[] {
  const reader = new ProseReader(otherwise);
  const rows = rowsOf(lines);
  for (const { text: whole, standing, number } of lines) {
    const row = rows.get(number);
    if (reader.drafts.length > findingsMax * 2) break;
    if (standing !== 'hidden' && row !== undefined) reader.row(row);
    else if (standing !== 'hidden' || whole.trim() === '') {
      for (const line of plainLines(whole.slice(0, lineCharsMax))) reader.line(line);
    }
  }
  return reader.drafts.flatMap((draft) => finish(draft) ?? []);
}

class ProseReader {
  readonly drafts: Draft[] = [];
  /** The previous line was empty. */
  isApart = false;
  readonly #otherwise: Severity | null;
  /** The current section, or the last one. */
  #section: Section;
  #open: Draft | null = null;

  constructor(otherwise: Severity | null) {
    this.#otherwise = otherwise;
    this.#section = { severity: otherwise, level: 7, file: null };
  }

  row(row: Row | 'head'): void {
    if (row === 'head') return;
    const severity = row.severity ?? this.#section.severity;
    this.#begin({ ...row, severity, indent: 0, isListed: true, isItem: true, opening: null });
  }

  line(text: string): void {
    if (text.trim() === '') {
      this.isApart = true;
      return;
    }
    const heading = /^\s{0,3}(#{1,6})\s+(.*)$/.exec(text);
    if (heading !== null) {
      this.#heading(heading[2] ?? '', heading[1]?.length ?? 0);
      return;
    }
    const item = /^(\s*)(?:[-*•+]|\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(text);
    const body = item?.[2] ?? text;
    if (!this.#field(body, item?.[1]?.length ?? null)) {
      if (item === null) this.#paragraph(text);
      else this.#item(body, item[1]?.length ?? 0);
    }
    this.isApart = false;
  }

  #begin(draft: Draft | null): void {
    this.#open = draft;
    if (draft !== null) this.drafts.push(draft);
  }

  #heading(title: string, level: number): void {
    const draft = readTitle(title, this.#section, level);
    this.#begin(draft);
    if (draft === null) this.#section = sectionOf(title, level, this.#section, this.#otherwise);
  }

  /** `indent`: indentation of a list item; null for other lines. */
  #isDetail(indent: number | null): boolean {
    return this.#open !== null && (indent === null || indent > this.#open.indent);
  }

  #field(body: string, indent: number | null): boolean {
    const named = readField(body);
    const open = this.#open;
    const isBlock = open === null || (this.isApart && open.opening === 'severity');
    if (named !== null && indent === null && isBlock && /^(?:severity|what)$/.test(named.name)) {
      const [said, severity] = named.name === 'what' ? [named.value, null] : ['', readSeverity(named.value)];
      this.#begin(opened(draftOf(said, severity, null), 'severity'));
      return true;
    }
    if (open === null || !(this.#isDetail(indent) || !open.isItem)) return false;
    return !(this.isApart && isAnother(open, named)) && addField(open, named);
  }

  #item(body: string, indent: number): void {
    const open = this.#open;
    const label = readLabel(body);
    const isDetail = this.#isDetail(indent);
    const severity = isDetail ? null : this.#section.severity;
    if (label === 'none') this.#open = null;
    else if (open !== null && label === null && isDetail) addDetail(open, body);
    else this.#begin(readItem(body, label, { ...this.#section, severity }, indent));
  }

  #paragraph(text: string): void {
    const open = this.#open;
    const label = readLabel(text);
    const severity = sectionSeverity(text);
    if (label === 'none') this.#open = null;
    else if (label !== null && label.rest !== '') {
      this.#begin(opened(readItem(text, label, this.#section, null), 'label'));
    } else if (severity !== null && /[:*_]\s*$/.test(text) && !isNumbered(text)) {
      this.#section = { severity, level: 6, file: this.#section.file };
      this.#open = null;
    } else {
      const draft = readParagraph(text, this.#otherwise);
      const isNew = open === null || isNumbered(text) || !open.isListed;
      const isBegun = this.isApart || open === null || placeAtStart(text) !== null;
      if (draft !== null && isNew && isBegun) this.#begin(draft);
      else if (open !== null) addDetail(open, text);
    }
  }
}

const nothing =
  /^(?:verdict\b|none\b|nothing\b(?! \w+s\b)|n\/?a\b|no[.!]?$|no (?:more |further |other |new |open )?(?:blockers?|issues?|findings?|follow-?ups?|problems?|concerns?|changes?|suggestions?)\b|-+$|all (?:clear|good|fixed|resolved|addressed))/i;

const settled =
  /^(?:✅|✔)|(?:[:–—-]|✅|✔|\))\s*(?:✅\s*)?(?:is |was |now |has been |been )*(?:fixed|resolved|addressed|done|closed|withdrawn|gone|settled|no longer)\b(?! (?:only|but|partly|partially))/i;

/** `indent`: indentation of a list item; null for other lines. */
function draftOf(text: string, severity: Severity | null, indent: number | null): Draft | null {
  const said = text.replace(/^[\s:–—.-]+/, '');
  if (nothing.test(said) || settled.test(said)) return null;
  // "Nothing tests the endpoint" is a finding.
  const isClaim = /^nothing \w+s\b/i.test(said);
  if (said !== '' && !isClaim && isNoFinding(said.toLowerCase())) return null;
  const front = placeAtStart(said);
  const place = front?.place ?? findPlace(said);
  const isItem = indent !== null;
  return {
    severity,
    place,
    claim: front?.rest ?? said,
    evidence: [],
    fix: [],
    indent: indent ?? 0,
    isListed: true,
    isItem,
    opening: null,
  };
}

function readItem(body: string, label: Label | null, section: Section, indent: number | null): Draft | null {
  const isMild = mild.test(body);
  const inherited = section.severity !== null && isMild ? 'follow-up' : section.severity;
  const own = label?.isSure === false ? (section.severity ?? label.severity) : label?.severity;
  const severity = own ?? (indent === null ? null : (readTag(body) ?? inherited));
  if (severity === null) return null;
  const draft = draftOf(label?.rest ?? plain(body), severity, indent);
  return draft && withFile(draft, body, section.file);
}

/** Adds the file that a heading names to a finding like "Line 34: …". */
function withFile(draft: Draft, body: string, file: string | null): Draft {
  const line = file === null ? undefined : lineNamed.exec(body)?.[1];
  if (file === null || draft.place.file !== null) return draft;
  return { ...draft, place: splitPlace(line === undefined ? file : `${file}:${line}`) };
}

const lineNamed = /^\W{0,6}(?:lines?\s+|L)(\d{1,8})\b/i;

const mild =
  /\bsmall thing\b|\bfor later\b|🔵|\bnon-?blocking\b|\bnot (?:a )?block|\((?:nit|optional|minor)\)/i;

/**
 * Reads a heading that is itself a finding: it names a severity, or it has a number or a place within a
 * section.
 */
function readTitle(title: string, section: Section, level: number): Draft | null {
  const label = readLabel(title);
  if (label === 'none') return null;
  if (label !== null) return label.rest === '' ? null : draftOf(label.rest, label.severity, 0);
  const isWithin = section.severity !== null && level > section.level;
  const own = readTag(title);
  if (own === null && !isNumbered(title) && findPlace(title).line === null) return null;
  return draftOf(
    plain(title).replace(/^(?:finding |issue )?#?\d{1,3}[.):]?\s*/i, ''),
    own ?? (isWithin ? section.severity : null),
    null,
  );
}

function opened(draft: Draft | null, opening: Draft['opening']): Draft | null {
  return draft && { ...draft, opening };
}

/** Whether a field like "Suggestion: …" after "Blocker: …" begins a new finding. */
function isAnother(draft: Draft, named: Field | null): boolean {
  return draft.opening === 'label' && named !== null && /^(?:suggestion|issue|problem)$/.test(named.name);
}

function isNumbered(text: string): boolean {
  return /^[\s*_]*(?:(?:finding|issue) #?\d{1,3}\b|#?\d{1,3}[.):])/i.test(text);
}

/**
 * Reads a paragraph that begins a finding: "**Finding 1**", or one that names a line if everything counts as
 * a finding.
 */
function readParagraph(text: string, otherwise: Severity | null): Draft | null {
  if (isNumbered(text)) {
    const claim = plain(text).replace(/^(?:finding|issue) #?\d{1,3}\W*/i, '');
    return draftOf(claim, readTag(text) ?? otherwise, null);
  }
  if (otherwise === null || findPlace(text).line === null) return null;
  const front = placeAtStart(plain(text));
  const label = front === null ? null : readLabel(front.rest);
  if (label === 'none') return null;
  const own = label?.severity ?? readTag(text) ?? (mild.test(text) ? 'follow-up' : otherwise);
  const draft = draftOf(plain(text), own, null);
  return draft && { ...draft, isListed: false };
}

/** Adds a line like "Evidence: …" to the finding; false when it belongs to no finding. */
function addField(draft: Draft, named: Field | null): boolean {
  if (named === null) return false;
  const { name, value } = named;
  switch (name) {
    case 'severity':
      draft.severity = readSeverity(value) ?? draft.severity;
      return true;
    case 'status':
      // The finding is from an earlier review and is settled.
      if (settled.test(`: ${value}`)) draft.severity = null;
      return true;
    case 'file':
    case 'path':
    case 'location':
    case 'where':
      if (draft.place.file === null) draft.place = placeIn(value);
      return true;
    case 'line':
    case 'lines':
      draft.place = { ...draft.place, line: draft.place.line ?? (Number.parseInt(value, 10) || null) };
      return true;
    case 'evidence':
    case 'why':
    case 'why it matters':
    case 'because':
    case 'impact':
      draft.evidence.push(value);
      return true;
    case 'what':
    case 'issue':
    case 'problem':
    case 'claim':
    case 'description':
    case 'title':
      // The finding already has a claim, so this may be another finding.
      if (draft.claim !== '') return false;
      draft.claim = value;
      return true;
    default:
      draft.fix.push(value);
      return true;
  }
}

const evidenceLinesMax = 40;

function addDetail(draft: Draft, text: string): void {
  const body = plain(text);
  const front = draft.claim === '' && draft.place.file === null ? placeAtStart(body) : null;
  if (front !== null) draft.place = front.place;
  if (draft.claim === '') draft.claim = front?.rest ?? body;
  else if (draft.evidence.length < evidenceLinesMax) draft.evidence.push(body);
}

/** The section after a heading. A lower heading without a severity stays in the current section. */
function sectionOf(text: string, level: number, section: Section, otherwise: Severity | null): Section {
  const named = placeAtStart(plain(text));
  if (named?.rest === '') return { ...section, file: named.place.file };
  const severity = sectionSeverity(text) ?? (noFindings.test(text) ? null : otherwise);
  if (severity !== null || level <= section.level) return { severity, level, file: null };
  return section;
}

const noFindings =
  /\b(?:summary|verdict|strengths?|positives?|good|well|praise|verified|checked|checks|tests?|overview|scope|files|next steps)\b/i;

/** Null when neither the text nor its section gives a severity. */
function finish({ severity, place, claim, evidence, fix }: Draft): FindingParts | null {
  if (severity === null) return null;
  const found = place.file === null ? findPlace(evidence.join('\n').slice(0, lineCharsMax)) : noPlace;
  return {
    severity,
    ...(found.file === null ? place : found),
    claim: boundText(claim) || 'No claim given.',
    evidence: boundText(evidence.join('\n')),
    fix: boundText(fix.join('\n')),
  };
}
