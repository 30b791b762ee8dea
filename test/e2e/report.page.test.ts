/** The report in a real browser. Set SCREENSHOTS to a folder to keep what it looks like. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ReportData, reportHtml } from '../../src/core/report/report-data.ts';
import { manyTasks, reportOf } from '../core/report-world.ts';
import { type Browser, findChromium, openBrowser, type Page, type PageOptions } from './browser.ts';

const chromium = findChromium();
const inBrowser = chromium === null ? describe.skip : describe;

inBrowser(`the report in Chromium${chromium === null ? ' (skipped: no Chromium is installed)' : ''}`, () => {
  let browser: Browser;
  let dir: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'gza-report-'));
    browser = await openBrowser(chromium as string);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true, force: true });
  });

  async function show(data: ReportData, options?: PageOptions & { at?: string }): Promise<Page> {
    const built = join(import.meta.dirname, '..', '..', 'dist', 'report.html');
    const html = reportHtml(readFileSync(built, 'utf8'), data);
    const file = join(dir, 'report.html');
    writeFileSync(file, html);
    const url = pathToFileURL(file).href;
    return browser.open(`${url}${options?.at ? `#${options.at}` : ''}`, options);
  }

  async function keep(page: Page, name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS'];
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.png`), await page.screenshot());
  }

  const small = reportOf(manyTasks(60));
  const tabs = ['waiting', 'board', 'graph', 'timeline', 'cost'];

  test.each([
    ['desktop', { width: 1280, height: 900 }],
    ['phone', { width: 390, height: 844, touch: true, dark: false }],
    ['dark', { width: 1280, height: 900, dark: true }],
  ])('each part is drawn without an error, a request or a sideways scroll: %s', async (name, options) => {
    const page = await show(small, options);
    for (const tab of tabs) {
      await page.click(`#tab-${tab}`);
      await page.until(`!document.getElementById('${tab}').hidden`);
      await keep(page, `${name}-${tab}`);
      expect(await page.value(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true);
      expect(await page.value<number>(`document.getElementById('${tab}').innerText.length`)).toBeGreaterThan(
        30,
      );
    }
    expect(page.complaints).toEqual([]);
    expect(page.requests.slice(1)).toEqual([]);
    await page.close();
  });

  test('a team lead sees what waits and why, opens a task, and follows it in the graph', async () => {
    const page = await show(small);
    expect(await page.value(`document.getElementById('tab-waiting').textContent`)).toBe(
      `Needs you (${small.waiting.length})`,
    );
    expect(await page.value(`document.querySelector('.wait').innerText`)).toMatch(/gza retry/);
    await page.click('#tab-graph');
    expect(await page.value(`document.querySelectorAll('.node').length`)).toBe(60);
    const before = await page.value<string>(
      `document.querySelector('#view svg > g').getAttribute('transform')`,
    );
    await page.click('#in');
    expect(await page.value(`document.querySelector('#view svg > g').getAttribute('transform')`)).not.toBe(
      before,
    );
    await page.click('#fit');
    await page.click('.node');
    await page.until(`document.getElementById('task').open`);
    await keep(page, 'desktop-task');
    expect(await page.value(`document.getElementById('body').innerText`)).toMatch(
      /Add the login page 0[\s\S]*Steps[\s\S]*implement/,
    );
    await page.close();
  });

  test('everything is reached by keyboard', async () => {
    const page = await show(small, { at: 'board' });
    await page.value(`document.getElementById('tab-board').focus()`);
    await page.key('ArrowRight');
    expect(await page.value(`document.activeElement.id`)).toBe('tab-graph');
    await page.value(`document.querySelector('#view svg').focus()`);
    await page.key('n');
    await page.key('n');
    expect(await page.value(`document.querySelectorAll('.node.on').length`)).toBe(1);
    await page.key('Enter');
    await page.until(`document.getElementById('task').open`);
    await page.key('Escape');
    await page.until(`!document.getElementById('task').open`);
    await page.key('/');
    expect(await page.value(`document.activeElement.id`)).toBe('find');
    await page.type('avatars');
    await page.until(`document.querySelectorAll('.node.dull').length > 40`);
    await page.close();
  });

  test('nothing in a task can run, load, or become part of the page', async () => {
    const hostile = [
      '</script><script>window.pwned=1</script>',
      '<img src=x onerror="window.pwned=2">',
      '<!--<script>',
      '"><svg onload=alert(1)>',
      'javascript:alert(1)',
      '\u2028alert(1)\u2029',
      '${window.pwned=3}`+alert(1)+`',
      '__proto__',
    ];
    const given = manyTasks(hostile.length * 2, (n) => {
      const text = hostile[n % hostile.length] as string;
      return {
        title: text,
        content: `${text}\n${text}`,
        group: text,
        milestone: text,
        error: text,
        stop: { reason: text, detail: text, at: 'x' },
        pull_request: { number: 1, url: text, state: 'open' },
        steps: [
          {
            step: 'review',
            outcome: 'ok',
            started_at: text,
            ended_at: text,
            agent: text,
            verdict: text as never,
          },
        ],
      };
    });
    const page = await show(reportOf(given, hostile.join(' ')));
    for (const tab of tabs) await page.click(`#tab-${tab}`);
    const cards = await page.value<number>(`document.querySelectorAll('.card').length`);
    expect(cards).toBe(given.length);
    for (let n = 0; n < cards; n += 1) await page.value(`document.querySelectorAll('.card')[${n}].click()`);
    expect(await page.value(`window.pwned`)).toBeUndefined();
    expect(
      await page.value(`document.querySelectorAll('main img, dialog img, main script, dialog a').length`),
    ).toBe(0);
    expect(await page.value(`document.querySelectorAll('script').length`)).toBe(2);
    expect(page.complaints).toEqual([]);
    expect(page.requests.slice(1)).toEqual([]);
    await page.value(
      `(() => { const s = document.createElement('script'); try { s.text = 'window.pwned=4'; document.body.append(s); } catch {} })()`,
    );
    expect(await page.value(`window.pwned`)).toBeUndefined();
    await page.close();
  });

  test('ten thousand tasks open as groups that can be entered, and are found by a word', async () => {
    const page = await show(reportOf(manyTasks(10_000)), { at: 'graph' });
    expect(await page.value(`document.querySelectorAll('.node').length`)).toBe(6);
    await keep(page, 'large-graph');
    await page.click('.node');
    await page.until(`document.querySelectorAll('.node').length === 1500`);
    await keep(page, 'large-group');
    await page.click('#tab-board');
    expect(await page.value<number>(`document.querySelectorAll('.card').length`)).toBeLessThan(250);
    await page.value(`document.getElementById('find').focus()`);
    await page.type('invoices 9967');
    await page.until(`document.querySelectorAll('.card').length === 1`);
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('no tasks at all make a page that says so', async () => {
    const page = await show(reportOf([]));
    expect(await page.value(`document.getElementById('board').innerText`)).toBe('No tasks yet.');
    for (const tab of tabs) await page.click(`#tab-${tab}`);
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});
