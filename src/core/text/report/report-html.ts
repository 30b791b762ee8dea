/**
 * The report as one page that needs nothing else: style, program and data in it, no network. What came from tasks
 * is only ever data: JSON in a script element of a kind that no browser runs, escaped so that it cannot end it,
 * and a policy that allows this page's own program and style by their hashes and nothing besides.
 */
import type { ReportData } from '../../report/report-data.ts';
import { reportClient } from './report-client.ts';
import { reportStyle } from './report-style.ts';

/** `sha256` gives the digest of a text in base64. */
export function reportHtml(data: ReportData, sha256: (text: string) => string): string {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${sha256(reportClient)}'`,
    `style-src 'sha256-${sha256(reportStyle)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Report</title>
<style>${reportStyle}</style>
</head>
<body>
${body}
<script type="application/json" id="data">${jsonForScript(data)}</script>
<script>${reportClient}</script>
</body>
</html>
`;
}

/** No `<` ends the element or opens a comment; the two line separators end lines in older engines. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

const body = `<header>
<h1 id="title" dir="auto"></h1>
<p id="made" class="dim"></p>
<div id="bar" class="bar" role="img"></div>
<ul id="legend" class="legend small"></ul>
</header>
<nav><div class="tabs" role="tablist" aria-label="Parts of the report">
${['waiting', 'board', 'graph', 'timeline', 'cost'].map(tabButton).join('\n')}
</div></nav>
<main>
<noscript><p>This report needs JavaScript; it loads nothing from the network.</p></noscript>
<div class="filters" id="filters">
<input id="find" type="search" placeholder="Find a task (/)" aria-label="Find a task" autocomplete="off">
<select id="group" aria-label="Group"></select>
<select id="milestone" aria-label="Milestone"></select>
</div>
<section id="waiting" role="tabpanel" aria-labelledby="tab-waiting" hidden><h2>What waits for a person</h2><div id="waits"></div></section>
<section id="board" role="tabpanel" aria-labelledby="tab-board" hidden><div class="columns" id="columns"></div></section>
<section id="graph" role="tabpanel" aria-labelledby="tab-graph" hidden>
<div class="tools">
<button type="button" id="back">Back</button>
<select id="which" aria-label="Part of the graph"></select>
<button type="button" id="in" aria-label="Zoom in">+</button>
<button type="button" id="out" aria-label="Zoom out">−</button>
<button type="button" id="fit">Fit</button>
<span class="dim small" id="cut"></span>
</div>
<div class="view" id="view"></div>
<p class="dim small">What is waited for stands to the left. Drag or use the arrow keys to move, + and − to zoom, n and p to walk, Enter to open.</p>
<p class="small" id="said" aria-live="polite"></p>
</section>
<section id="timeline" role="tabpanel" aria-labelledby="tab-timeline" hidden>
<div class="tools"><label>The last <select id="days"><option value="1">day</option><option value="7" selected>7 days</option><option value="30">30 days</option><option value="0">all</option></select> with work</label></div>
<div class="gantt" id="gantt"></div>
<h2>Steps, the newest first</h2>
<div id="steps"></div>
</section>
<section id="cost" role="tabpanel" aria-labelledby="tab-cost" hidden>
<p id="sum"></p>
<h2>By group</h2><div id="by-group"></div>
<h2>By agent</h2><div id="by-agent"></div>
</section>
</main>
<dialog id="task" aria-labelledby="task-title"><button type="button" class="close" id="close" aria-label="Close">✕</button><div id="body"></div></dialog>
<footer>Made by gza. Times are those of this device.</footer>`;

function tabButton(name: string): string {
  const label = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return `<button type="button" role="tab" id="tab-${name}" aria-controls="${name}" aria-selected="false">${label}</button>`;
}
