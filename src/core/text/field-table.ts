/** Generates the tables of docs/tasks.md, between their marks, from the table of fields. */

import { allRows, isList, namesOf } from '../task/task-fields.ts';
import type { DocSection, FieldRow } from '../task/task-json.ts';

export function withFieldTables(page: string): string {
  return page.replaceAll(
    /(<!-- fields: (what|order|files|work) -->\n)[^]*?(<!-- \/fields -->)/g,
    (_, start: string, section: DocSection, end: string) => `${start}\n${fieldTable(section)}\n\n${end}`,
  );
}

function fieldTable(section: DocSection): string {
  const rows = allRows
    .filter(([, row]) => row.section === section)
    .flatMap(([name, row]) => lines(name, row));
  return ['| field | |', '|---|---|', ...rows].join('\n');
}

function lines(name: string, row: FieldRow): string[] {
  const [first, ...others] = namesOf(name, row).map((one) => `\`${one}\``);
  const said = `${row.about} ${row.more ?? ''}`.trim();
  const values = (row.values ?? []).map((value) => `\`${value}\``);
  const choices = values.every((value) => said.includes(value)) ? '' : ` One of ${values.join(', ')}.`;
  const about = `${isList(row) ? '*list.* ' : ''}${said}${choices}`;
  const same = others.length > 0 ? [`| ${others.join(', ')} | The same as ${first}. |`] : [];
  return [`| ${first} | ${about} |`, ...same];
}
