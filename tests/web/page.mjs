// What a user does in the page, in headless Chromium. Run by tests/web/run, in the folder of the pages.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { CHROMIUM, TOOLS, SRC } = /** @type {Record<string, string>} */ (process.env);
const require = createRequire(TOOLS + '/');
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
context.setDefaultTimeout(10000);

/** Requests, errors and violations of the policy; there must be none. @type {string[]} */
const faults = [];

/** @param {string} name @param {string} hash */
async function open(name, hash = '') {
	const page = await context.newPage();
	const url = pathToFileURL(`${name}.html`).href;
	page.on('request', (r) => !r.url().startsWith(url) && !r.url().startsWith('blob:') && faults.push(`request: ${r.url()}`));
	page.on('console', (m) => ['error', 'warning'].includes(m.type()) && faults.push(`console: ${m.text()}`));
	page.on('pageerror', (e) => faults.push(`error: ${e.stack}`));
	await page.addInitScript(() => addEventListener('securitypolicyviolation', (e) => console.error('policy', e.violatedDirective)));
	await page.goto(url + hash);
	await page.waitForSelector('#main:not([hidden]), #message.error');
	return page;
}

/** The address: Playwright's own lags behind. @param {any} page */
const where = (page) => page.evaluate(() => location.href);

/** The rows of a table, all of them: it has only those that can be seen. @param {any} page @param {string} id */
async function rows(page, id) {
	const all = new Map();
	/* The rows are drawn when the browser tells that the table was scrolled: before its next frame but one. */
	const scroll = (/** @type {number} */ by) => page.$eval(`#${id}-scroll`, async (e, y) => {
		const before = e.scrollTop;
		e.scrollTop = y ? before + y : 0;
		await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
		return e.scrollTop !== before;
	}, by);
	await scroll(0);
	do {
		for (const [i, cells] of await page.$$eval(`#${id} tbody tr[data-row]`, (trs) =>
			trs.map((tr) => [Number(tr.dataset.row), [...tr.cells].filter((td) => td.offsetParent).map((td) => td.textContent)])))
			all.set(i, cells);
	} while (await scroll(400));
	return [...all.keys()].sort((a, b) => a - b).map((i) => all.get(i));
}

/** @param {any} page @param {string} name */
async function shots(page, name) {
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		await page.waitForTimeout(100);
		await page.screenshot({ path: `${name}-${colorScheme}.png` });
		await page.evaluate(axe);
		const { violations } = await page.evaluate(() => axe.run());
		assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`), [], `${name} ${colorScheme}`);
	}
}

/** The rows of the text report, "children%|self%|[.] name|dso": least and greatest total, self, rows; N/A: without callers. @param {string} file @param {string} event */
function reportRows(file, event) {
	let on = false;
	const sums = new Map();
	for (const line of readFileSync(file, 'utf8').split('\n')) {
		if (line.startsWith('# Samples:'))
			on = line.includes(`'${event}'`);
		const m = /^ *([0-9.]+%|N\/A) *\| *([0-9.]+)% *\|\[.\] (.*?) *\|(.*?) *$/.exec(line);
		if (!on || !m)
			continue;
		/* Functions of one name are one in the page; where one calls the other, its total is less than their sum. */
		const [least, most, self, nr] = sums.get(`${m[3]}|${m[4]}`) ?? [0, 0, 0, 0];
		const total = parseFloat(m[1] === 'N/A' ? m[2] : m[1]);
		sums.set(`${m[3]}|${m[4]}`, [Math.max(least, total), most + total, self + Number(m[2]), nr + 1]);
	}
	return sums;
}

/** "1.23 s" or "45.6 ms" @param {string} text @returns {number} seconds */
const seconds = (text) => parseFloat(text) * (/^[0-9.]+ ms/.test(text) ? 1e-3 : 1);

/** @type {[string, () => Promise<void>][]} */
const tests = [];
/** @param {string} name @param {() => Promise<void>} run */
const test = (name, run) => tests.push([name, run]);

/** What rounding may change in a sum of rows. @param {number} nr */
const near = (nr) => 0.006 * nr + 0.005;

/** Each recording and each of its events. */
const numbers = ['prog', 'demo', ...(process.env.KINDS ?? '').split(' ').filter(Boolean)].flatMap((name) =>
	[...readFileSync(`${name}.txt`, 'utf8').matchAll(/^# Samples:.* of event '(.*)'/gm)].map((m) => [name, m[1]]))
	.filter(([, event]) => event !== 'offcpu-time'); /* stock perf's table of it has no kinds of waits; another test compares those */
for (const [name, event] of numbers)
	test(`${name}, ${event}: the numbers of functions are the report's`, async () => {
		const page = await open(name);

		await page.selectOption('#event', { label: event });
		await page.keyboard.press('Escape');
		await page.click('[data-view=functions]');
		const want = reportRows(`${name}.txt`, event);
		const got = (await rows(page, 'functions')).filter((r) => !r[3].startsWith('[unknown]'));
		assert.ok(want.size && got.length, `${want.size} ${got.length}`);
		/** @type {string[]} */
		const wrong = [];
		for (const [self, total, , fn, dso] of got) {
			/* The report shows an address that has no function alone; of a caller, that behind the call. */
			const at = parseInt(/@0x([0-9a-f]+)$/.exec(fn)?.[1] ?? '', 16);
			const [address, behind] = [at, at + 1].map((a) => `0x${a.toString(16).padStart(16, '0')}|${dso}`);
			const row = want.get(`${fn}|${dso}`) ?? want.get(address) ?? want.get(behind);
			if (!row)
				wrong.push(`${fn} ${dso} is not in the report`);
			else if (parseFloat(total) < row[0] - near(row[3]) || parseFloat(total) > row[1] + near(row[3]) ||
				Math.abs(row[2] - parseFloat(self)) > near(row[3]))
				wrong.push(`${fn}: ${total} ${self}, in the report ${row}`);
		}
		assert.deepEqual(wrong, []);
		await page.close();
	});

test('each view, in light and dark, for all', async () => {
	const page = await open('demo');
	for (const [key, view] of [['1', 'flame'], ['2', 'callers'], ['3', 'functions'], ['4', 'tree'], ['5', 'source']]) {
		await page.keyboard.press(key);
		assert.equal(await page.$eval('[data-view][aria-pressed=true]', (e) => e.dataset.view), view);
		await shots(page, view);
	}
	await page.keyboard.press('?');
	assert.ok((await page.$$('#help tr')).length > 10);
	await shots(page, 'help');
	await page.keyboard.press('Escape');
	assert.equal(await page.$eval('#help', (e) => e.open), false);
	await page.close();
});

/** What the list of the hottest functions has: whole name, binary, self and total. @param {any} page @returns {Promise<string[][]>} */
const hottest = (page) => page.$$eval('#hottest-list button', (all) => all.map((b) =>
	[b.title.replace(/: click to see its callers and callees$/, ''), b.querySelector('.binary').textContent, ...b.querySelector('.costs').textContent.match(/[0-9.]+%/g)]));

for (const name of ['demo', 'inlined', 'prog'])
	test(`${name}: the hottest functions are those of the table, each once`, async () => {
		const page = await open(name);
		const list = await hottest(page);
		await page.keyboard.press('3');
		const table = (await rows(page, 'functions')).map((r) => [r[3], r[4], r[0], r[1]]);
		assert.equal(list.length, Math.min(10, table.filter((r) => r[2] !== '0.00%').length));
		assert.deepEqual(list.map((r) => r[2]), table.slice(0, list.length).map((r) => r[2]));
		assert.equal(new Set(list.map((r) => `${r[0]} ${r[1]}`)).size, list.length);
		const known = table.map((r) => r.join('|'));
		assert.deepEqual(list.filter((r) => !known.includes(r.join('|'))), []);
		assert.equal(list.some((r) => r[0].endsWith(' (inlined)')), name === 'inlined', JSON.stringify(list));
		await page.close();
	});

test('the hottest functions: beside the flame graph or below it; a click', async () => {
	const page = await open('demo');
	const box = (/** @type {string} */ id) => page.locator(id).boundingBox();
	/* The page opens with a graph that fills its room. */
	const room = Math.min((await box('#flame-scroll')).height, await page.$eval('#flame-space', (e) => e.offsetHeight));
	assert.ok(Math.abs((await box('#flame')).height - room) < 1, `${room}`);
	for (const [width, isBeside] of [[1280, true], [1100, true], [1099, false], [390, false]]) {
		await page.setViewportSize({ width, height: 844 });
		const [graph, list] = [await box('#flame-scroll'), await box('#hottest')];
		assert.equal(list.x >= graph.x + graph.width, isBeside, `${width}`);
		assert.equal(list.y >= graph.y + graph.height, !isBeside, `${width}`);
		assert.ok(list.x + list.width <= width && graph.width > 300, `${width}: ${graph.width}`);
	}
	await page.setViewportSize({ width: 1280, height: 800 });
	const bars = await page.$$eval('#hottest .bar', (all) => all.map((b) => b.offsetWidth / b.parentElement.clientWidth));
	const shares = (await hottest(page)).map((r) => parseFloat(r[2]));
	bars.forEach((bar, i) => assert.ok(Math.abs(bar - shares[i] / shares[0]) < 0.02, `${bars} ${shares}`));
	const [, second] = await hottest(page);
	await page.click('#hottest-list li:nth-child(2) button');
	assert.match(await page.textContent('#chosen'), /^Callers of /);
	assert.ok((await page.textContent('#chosen')).startsWith(`Callers of ${second[0]},`));
	assert.ok((await page.getAttribute('#hottest button[aria-pressed=true]', 'title'))?.startsWith(`${second[0]}: `));
	/* What is selected is what the list is of. */
	await page.keyboard.press('1');
	await page.click('[data-kind=user]');
	assert.ok(!(await hottest(page)).some((r) => r[0] === second[0]));
	await page.close();
});

test('what is chosen in one view is chosen in the next', async () => {
	const page = await open('demo');
	const current = (/** @type {string} */ id) => page.$eval(`#${id} tr[aria-current] td[data-column=name]`, (td) => td.textContent.replace(/^[−+ ] /, ''));
	const chosen = () => page.textContent('#chosen');
	await page.keyboard.press('3');
	const names = (await rows(page, 'functions')).map((r) => r[3]);
	await page.focus('#functions-scroll');
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('1');
	assert.ok((await chosen()).startsWith(`${names[1]} - `), `${await chosen()} ${names[1]}`);
	assert.ok((await page.getAttribute('#hottest button[aria-pressed=true]', 'title'))?.startsWith(`${names[1]}: `));
	await page.click('[data-view=callers]');
	assert.ok((await chosen()).startsWith(`Callers of ${names[1]},`));
	await page.keyboard.press('4');
	assert.equal(await current('tree'), names[1]);
	await page.keyboard.press('5');
	assert.ok((await page.$eval('#source-function', (e) => e.selectedOptions[0].textContent)).startsWith(`${names[1]} - `));
	await page.keyboard.press('3');
	assert.equal(await current('functions'), names[1]);
	/* From a frame: by keys, by a click, and in a page that is opened again. */
	await page.keyboard.press('1');
	await page.focus('#flame-scroll');
	await page.keyboard.press('ArrowUp');
	const caller = (await chosen()).split(' - ')[0];
	assert.notEqual(caller, names[1]);
	await page.keyboard.press('2');
	assert.ok((await chosen()).startsWith(`Callers of ${caller},`));
	await page.keyboard.press('3');
	assert.equal(await current('functions'), caller);
	const again = await open('demo', new URL(await where(page)).hash.replace('view=functions', 'view=flame'));
	assert.ok((await again.textContent('#chosen')).startsWith(`${caller} - `));
	await again.hover('#flame', { position: { x: 50, y: 4.5 * 18 } });
	const [clicked] = (await again.textContent('#tip')).split('\n');
	await again.click('#flame', { position: { x: 50, y: 4.5 * 18 } });
	await again.keyboard.press('2');
	assert.ok((await again.textContent('#chosen')).startsWith(`Callers of ${clicked},`));
	await again.close();
	await page.close();
});

test('zoom by mouse and keys, back, and the hash', async () => {
	const page = await open('demo');
	const box = await page.locator('#flame').boundingBox();
	await page.mouse.move(box.x + 50, box.y + 4.5 * 18);
	const tip = await page.textContent('#tip');
	assert.match(tip, /run_sandpile\nuser, demo.*\n.* of all, self/);
	await page.mouse.click(box.x + 50, box.y + 4.5 * 18);
	assert.match(await where(page), /zoom=/);
	await page.keyboard.press('Backspace');
	const out = await where(page);
	await page.goBack();
	assert.notEqual(await where(page), out);
	await page.keyboard.press('0');
	assert.doesNotMatch(await where(page), /zoom=/);
	await page.focus('#flame-scroll');
	for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp'])
		await page.keyboard.press(key);
	assert.match(await page.textContent('#chosen'), /of all/);
	await page.keyboard.press('Enter');
	const url = await where(page);
	assert.match(url, /zoom=/);
	const again = await open('demo', new URL(url).hash);
	await again.focus('#flame-scroll');
	assert.equal(await where(again), url);
	await again.close();
	await page.keyboard.press('i');
	assert.match(await where(page), /icicle=0/);
	await page.screenshot({ path: 'upright.png' });
	await page.close();
});

test('search, keep, hide, kinds, reset', async () => {
	const page = await open('demo');
	await page.keyboard.press('/');
	await page.keyboard.type('topple');
	const share = parseFloat(await page.textContent('#matched'));
	assert.ok(share > 5 && share < 100, String(share));
	await page.screenshot({ path: 'search.png' });
	await page.keyboard.press('Escape');
	await page.keyboard.press('k');
	assert.match(await page.textContent('#filters'), /stacks with topple\..* ([0-9.]+)% of all/);
	assert.ok(Math.abs(parseFloat((await page.textContent('#filters')).match(/([0-9.]+)% of all/)[1]) - share) < 0.011);
	await page.keyboard.press('r');
	assert.equal(await page.isHidden('#filters'), true);
	await page.fill('#search', 'topple');
	await page.click('#hide');
	assert.ok(Math.abs(parseFloat((await page.textContent('#filters')).match(/([0-9.]+)% of all/)[1]) + share - 100) < 0.011);
	await page.click('#reset');
	await page.fill('#search', '(');
	assert.equal(await page.textContent('#matched'), 'no regular expression');
	await page.fill('#search', '');
	await page.click('[data-kind=user]');
	assert.match(await page.textContent('#filters'), /without user/);
	await page.click('[data-kind=user]');
	assert.equal(await page.isHidden('#filters'), true);
	await page.close();
});

test('a span of time, a thread', async () => {
	const page = await open('demo');
	const box = await page.locator('#time').boundingBox();
	await page.mouse.move(box.x + 400, box.y + 5);
	assert.match(await page.textContent('#tip'), /after the first sample, 20.0 ms\n/);
	await page.mouse.down();
	await page.mouse.move(box.x + 700, box.y + 5);
	await page.mouse.up();
	assert.match(await page.textContent('#filters'), /from .* to .*% of all/);
	await page.screenshot({ path: 'span.png' });
	await page.mouse.click(box.x + 500, box.y + 5);
	assert.equal(await page.isHidden('#filters'), true);
	const shares = [];
	for (const value of await page.$$eval('#thread option', (all) => all.map((o) => o.value).filter((v) => v !== '-1'))) {
		await page.selectOption('#thread', value);
		await page.keyboard.press('Escape');
		await page.click('[data-view=flame]');
		await page.hover('#flame', { position: { x: 20, y: 5 } });
		shares.push(parseFloat((await page.textContent('#tip')).match(/([0-9.]+)% of all/)[1]));
	}
	assert.ok(shares.length > 1);
	await page.close();
});

/** Drag over the canvas of time, from and to parts of what is right of the names. @param {any} page */
async function drag(page, from, to, y = 5) {
	const box = await page.locator('#time').boundingBox();
	const at = (part) => box.x + 130 + part * (box.width - 130);
	await page.mouse.move(at(from), box.y + y);
	await page.mouse.down();
	await page.mouse.move(at(to), box.y + y);
	await page.mouse.up();
}

/** Percentages of a column of functions that have a name of their own. @param {any} page @param {number} column */
async function percentages(page, column) {
	const all = await rows(page, 'functions');
	const name = (r) => `${r.at(-3)} ${r.at(-2)}`;
	return new Map(all.filter((r) => all.filter((x) => name(x) === name(r)).length === 1).map((r) => [name(r), parseFloat(r[column])]));
}

/** @param {any} page */
const changesOf = (page) => percentages(page, 3);

/** The totals of functions in a span, and its weight for each cell. @param {number} from @param {number} to */
async function sharesIn(from, to) {
	const page = await open('demo', `#view=functions&from=${from}&to=${to}`);
	const shares = await percentages(page, 1);
	const weight = parseFloat(/([0-9.]+)% of all/.exec(await page.textContent('#filters'))[1]);
	await page.close();
	return { shares, rate: weight / (to - from + 1) };
}

test('a second span is the baseline of a difference', async () => {
	const page = await open('demo');
	await drag(page, 0.02, 0.3);
	await page.keyboard.down('Shift');
	await drag(page, 0.75, 0.98);
	await page.keyboard.up('Shift');
	assert.match(await page.textContent('#baseline'), /Compared with [\d.]+ m?s to [\d.]+ m?s, as if that were as long/);
	await shots(page, 'difference');
	await page.hover('#flame', { position: { x: 20, y: 5 } });
	assert.match(await page.textContent('#tip'), /baseline, as if it were as long: .*100.00%/);
	const spans = new URLSearchParams(new URL(await where(page)).hash.slice(1));
	await page.keyboard.press('3');
	const forth = await changesOf(page);
	await page.keyboard.press('1');
	await page.keyboard.press('r');
	assert.equal(await page.isHidden('#baseline'), true);
	await drag(page, 0.02, 0.3);
	await page.keyboard.press('b');
	assert.match(await where(page), /baseFrom=/);
	await drag(page, 0.75, 0.98);
	await page.keyboard.press('3');
	const back = await changesOf(page);
	/* A change is what the span has more than the baseline, in parts of the baseline; each for the same time. */
	const now = await sharesIn(Number(spans.get('from') ?? 0), Number(spans.get('to')));
	const before = await sharesIn(Number(spans.get('baseFrom') ?? 0), Number(spans.get('baseTo')));
	assert.ok(forth.size > 3);
	for (const [changes, one, two] of [[forth, now, before], [back, before, now]])
		for (const [name, change] of changes) {
			const want = ((one.shares.get(name) ?? 0) * one.rate) / two.rate - (two.shares.get(name) ?? 0);
			assert.ok(Math.abs(change - want) < 0.05 + 0.01 * Math.abs(want), `${name}: ${change}, from the spans ${want}`);
		}
	await page.close();
});

test('the heat map; the span by keys; time zoomed', async () => {
	const page = await open('demo');
	await page.keyboard.press('m');
	await shots(page, 'heat');
	const box = await page.locator('#time').boundingBox();
	await page.mouse.move(box.x + 135, box.y + 20);
	assert.match(await page.textContent('#tip'), /after the first sample, 20.0 ms/);
	await page.mouse.down();
	await page.mouse.move(box.x + 135, box.y + 50);
	await page.mouse.up();
	/* rows of three pixels: cells 6 to 16 */
	assert.match(await page.textContent('#filters'), /from 120 ms to 340 ms/);
	await page.keyboard.press('.');
	assert.match(await page.textContent('#filters'), /from 340 ms to 560 ms/);
	await page.keyboard.press('>');
	assert.match(await page.textContent('#filters'), /from 340 ms to 780 ms/);
	await page.keyboard.press('<');
	await page.keyboard.press(',');
	assert.match(await page.textContent('#filters'), /from 120 ms to 340 ms/);
	await page.keyboard.press('m');
	await page.keyboard.press('z');
	assert.match(await page.textContent('#filters'), /time zoomed to 120 ms to 340 ms/);
	await page.mouse.move(box.x + 132, box.y + 5);
	assert.match(await page.textContent('#tip'), /120 ms after the first sample, 20.0 ms\n/);
	let tips = '';
	for (let x = 132; x < box.width; x += 90) {
		await page.mouse.move(box.x + x, box.y + 5);
		tips += await page.textContent('#tip');
	}
	assert.match(tips, /mostly in /);
	await page.keyboard.press('z');
	assert.doesNotMatch(await page.textContent('#filters'), /zoomed/);
	await page.close();
});

test('the flame graph by time', async () => {
	const page = await open('demo');
	await page.keyboard.press('t');
	assert.equal(await page.getAttribute('#by-time', 'aria-pressed'), 'true');
	await shots(page, 'by-time');
	/* In the order of the span that they were in; together they have all samples. */
	const ranges = [];
	const box = await page.locator('#flame').boundingBox();
	for (let x = 3; x < box.width; x += 12) {
		await page.mouse.move(box.x + x, box.y + 4 * 18 + 5);
		const m = /from ([0-9.]+ m?s|0 ns) to /.exec(await page.textContent('#tip'));
		if (m)
			ranges.push(seconds(m[1]));
	}
	assert.ok(ranges.length > 10 && ranges.at(-1) > ranges[0]);
	assert.deepEqual(ranges, [...ranges].sort((a, b) => a - b));
	await page.mouse.click(box.x + box.width - 20, box.y + 2 * 18 + 5);
	assert.match(await where(page), /byTime=1.*zoom=|zoom=.*byTime=1/);
	const again = await open('demo', new URL(await where(page)).hash);
	await again.mouse.move(box.x + 200, box.y + 2 * 18 + 5);
	await page.mouse.move(box.x + 200, box.y + 2 * 18 + 5);
	assert.equal(await again.textContent('#tip'), await page.textContent('#tip'));
	await again.close();
	await page.keyboard.press('t');
	assert.doesNotMatch(await where(page), /zoom=|byTime/);
	await page.close();
});

test('by line, recursion, binaries, matches', async () => {
	const page = await open('demo');
	await page.keyboard.press('3');
	const [byFunction] = await rows(page, 'functions');
	await page.keyboard.press('l');
	const lines = (await rows(page, 'functions')).filter((r) => r[3].startsWith('grains::Pile::topple:'));
	assert.ok(lines.length > 1, 'no lines');
	const sum = lines.reduce((n, r) => n + parseFloat(r[0]), 0);
	assert.ok(Math.abs(sum - parseFloat(byFunction[0])) < 0.005 * lines.length + 0.011, `${sum} is not ${byFunction[0]}`);
	await page.keyboard.press('l');
	await page.keyboard.press('1');
	const depth = () => page.$eval('#flame-space', (e) => e.offsetHeight);
	const deep = await depth();
	await page.keyboard.press('c');
	assert.ok((await depth()) < deep);
	assert.equal(await page.getAttribute('#collapse', 'aria-pressed'), 'true');
	await page.click('[data-binary=demo]');
	assert.match(await page.textContent('#filters'), /functions of demo count as their callers\. .* 100.00% of all/);
	await page.keyboard.press('3');
	assert.ok((await rows(page, 'functions')).every((r) => r[4] !== 'demo'));
	await page.keyboard.press('r');
	await page.keyboard.press('1');
	await page.fill('#search', '^run_');
	await page.keyboard.press('Escape');
	const seen = [];
	for (const key of ['n', 'n', 'N']) {
		await page.keyboard.press(key);
		seen.push(await page.textContent('#chosen'));
	}
	assert.match(seen[0], /run_/);
	assert.notEqual(seen[0], seen[1]);
	assert.equal(seen[0], seen[2]);
	await page.close();
});

test('source: the costs are those of perf annotate', async () => {
	const page = await open('demo');
	await page.keyboard.press('3');
	await page.click('#functions tbody tr[data-row]:nth-child(2) td[data-column=source]');
	assert.equal(await page.isVisible('#source-view'), true);
	const name = (await page.$eval('#source-function', (e) => e.selectedOptions[0].textContent)).split(' - ')[0];
	const want = new Map(readFileSync('annotate.txt', 'utf8').split('\n').map((l) => /^ *([0-9.]+) +\|? *:? +([0-9a-f]+): /.exec(l))
		.filter(Boolean).map((m) => [m[2], Number(m[1])]).filter(([, cost]) => cost));
	const got = (await rows(page, 'insns')).filter((r) => r[0]);
	assert.ok(got.length > 3, name);
	for (const [cost, address] of got)
		assert.ok(Math.abs((want.get(address) ?? 0) - parseFloat(cost)) < 0.011, `${name} ${address}: ${cost}, annotate has ${want.get(address)}`);
	const lines = (await rows(page, 'lines')).filter((r) => r[0] && r[1]);
	assert.ok(Math.abs(lines.reduce((n, r) => n + parseFloat(r[0]), 0) - 100) < 0.2, 'lines are not all');
	assert.match((await page.textContent('#source-hot button')), /:[0-9]+ [0-9.]+%/);
	await page.click('#source-hot button');
	assert.ok((await page.$$('#insns tr.marked')).length > 0);
	assert.equal((await page.$$('#lines tr.marked')).length, 1);
	await page.close();
});

test('source: the costs follow the span, the thread, the filters', async () => {
	const costs = [];
	for (const hash of ['', '&to=39', '&from=40&to=99999', '&from=40&to=50', '&noKinds=user,inlined']) {
		const page = await open('demo', `#view=source${hash.replace('99999', await lastCell())}`);
		const note = await page.textContent('#source-note');
		assert.equal(/of what is selected/.test(note), hash !== '', note);
		costs.push(seconds(note));
		const sum = (await rows(page, 'insns')).reduce((n, r) => n + (parseFloat(r[0]) || 0), 0);
		assert.ok(!costs.at(-1) || Math.abs(sum - 100) < 1, `${hash}: ${sum}%`);
		await page.close();
	}
	assert.ok(costs[0] && Math.abs(costs[0] - costs[1] - costs[2]) < 0.02 * costs[0], costs.join(' '));
	assert.ok(costs[3] < costs[2], costs.join(' '));
	assert.equal(costs[4], 0);
	assert.doesNotMatch(await (await open('demo', '#view=source')).textContent('#source-note'), /NaN/);
});

/** @returns {Promise<string>} of demo */
async function lastCell() {
	const page = await open('demo');
	const box = await page.locator('#time').boundingBox();
	await page.mouse.move(box.x + 200, box.y + 5);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 1, box.y + 5);
	await page.mouse.up();
	const to = /to=([0-9]+)/.exec(await where(page))[1];
	await page.close();
	return to;
}

test('functions: sort, search, callers; the tree opens and closes', async () => {
	const page = await open('demo');
	await page.keyboard.press('3');
	for (const sort of ['name', 'binary', 'total', 'self']) {
		await page.click(`[data-sort=${sort}]`);
		const column = { self: 0, total: 1, name: 3, binary: 4 }[sort];
		const cells = (await rows(page, 'functions')).map((r) => r[column]);
		const sorted = [...cells].sort((a, b) => (column > 1 ? (a < b ? -1 : 1) : parseFloat(b) - parseFloat(a)));
		assert.deepEqual(cells.map((c) => c.replace(' (inlined)', '')), sorted.map((c) => c.replace(' (inlined)', '')), sort);
	}
	await page.fill('#search', 'topple');
	assert.ok((await rows(page, 'functions')).every((r) => /topple/.test(r[3])));
	await page.click('#functions tbody tr[data-row]');
	assert.match(await page.textContent('#chosen'), /Callers of .*topple/);
	await page.keyboard.press('Escape');
	await page.locator('#flame-scroll').focus();
	assert.match(await page.textContent('#chosen'), /and below it what it calls/);
	await page.hover('#callees', { position: { x: 20, y: 10 } });
	assert.match(await page.textContent('#tip'), /topple/);
	await page.mouse.down();
	await page.mouse.up();
	assert.match(await where(page), /down=/);
	await page.screenshot({ path: 'callees.png' });
	await page.keyboard.press('4');
	const first = () => page.$$eval('#tree tbody tr[data-row]', (trs) => trs.slice(0, 2).map((tr) => tr.cells[2].textContent));
	const before = await first();
	assert.match(before[0], /^−/);
	await page.click('#tree tbody tr[data-row]');
	const after = await first();
	assert.equal(after[0], before[0].replace('−', '+'));
	assert.notEqual(after[1], before[1]);
	await page.close();
});

test('lanes of processes', async () => {
	const page = await open('all');
	/** @returns {Promise<string[]>} the second line of the tip of each lane */
	const lanes = async () => {
		const box = await page.locator('#time').boundingBox();
		const tips = [];
		for (let y = 5; y < box.height - 2; y += 14) {
			await page.mouse.move(box.x + 200, box.y + y);
			tips.push((await page.textContent('#tip')).split('\n').find((line) => line.includes('(')));
		}
		return tips;
	};
	const threads = await lanes();
	assert.equal(threads.every((tip) => / \(\d+\) of /.test(tip)), true);
	await page.keyboard.press('o');
	assert.equal(await page.getAttribute('#by-process', 'aria-pressed'), 'true');
	await shots(page, 'processes');
	const processes = await lanes();
	assert.equal(processes.every((tip) => / \(\d+\), \d+ threads?$/.test(tip)), true, processes.join('\n'));
	const pids = processes.map((tip) => tip.match(/\((\d+)\), \d+ thread/)[1]);
	assert.equal(new Set(pids).size, pids.length);
	/* one kind of lanes at a time */
	await page.keyboard.press('p');
	assert.doesNotMatch(await where(page), /byProcess/);
	await page.keyboard.press('o');
	assert.match(await where(page), /byProcess=1/);
	assert.doesNotMatch(await where(page), /byCpu/);
	await page.close();
});

test('lanes of processors', async () => {
	const page = await open('all');
	await page.keyboard.press('p');
	assert.equal(await page.getAttribute('#by-cpu', 'aria-pressed'), 'true');
	await shots(page, 'processors');
	const box = await page.locator('#time').boundingBox();
	/* What the tips say of all columns is what the recording has. */
	const lanes = Math.round((box.height - 2) / 14);
	let tips = '';
	for (let lane = 0; lane < lanes; lane++)
		for (let x = 140; x < box.width - 1; x += 20) {
			await page.mouse.move(box.x + x, box.y + lane * 14 + 5);
			tips += (await page.textContent('#tip')) + '\n';
		}
	assert.match(tips, /processor 0: [1-9]/);
	await drag(page, 0.1, 0.6);
	assert.match(await page.textContent('#filters'), /from .* to /);
	await page.keyboard.press('p');
	assert.doesNotMatch(await where(page), /byCpu/);
	await page.close();
	/* A recording without processors has no button. */
	const without = await open('prog');
	assert.equal(await without.$('#by-cpu'), null);
	await without.keyboard.press('p');
	assert.doesNotMatch(await where(without), /byCpu/);
	await without.close();
});

test('many processors share lanes', async () => {
	const page = await open('many');
	await page.keyboard.press('p');
	await shots(page, 'many-processors');
	const box = await page.locator('#time').boundingBox();
	assert.equal(Math.round((box.height - 2) / 14), 16);
	/** The name of a lane, and what the tip says of it. @type {(lane: number) => Promise<string>} */
	const name = async (lane) => {
		await page.mouse.move(box.x + 20, box.y + lane * 14 + 5);
		await page.mouse.move(box.x + 21, box.y + lane * 14 + 6);
		return page.textContent('#tip');
	};
	assert.equal(await name(3), 'processors 12-15\nclick to see each of them');
	await page.mouse.click(box.x + 20, box.y + 3 * 14 + 5);
	assert.equal(await name(2), 'processor 14\nclick to see all processors');
	/* The samples are on one processor after the other. */
	const seen = new Set();
	for (let lane = 0; lane < 4; lane++)
		for (let x = 140; x < box.width - 1; x += 3) {
			await page.mouse.move(box.x + x, box.y + lane * 14 + 5);
			const [cpu] = (await page.textContent('#tip')).match(/processor \d+: [1-9]/) ?? [];
			if (cpu)
				seen.add(cpu.slice(0, -3));
		}
	assert.deepEqual([...seen], ['processor 12', 'processor 13', 'processor 14', 'processor 15']);
	await page.mouse.click(box.x + 20, box.y + 5);
	assert.equal(await name(15), 'processors 60-63\nclick to see each of them');
	await page.close();
});

if ((process.env.KINDS ?? '').split(' ').includes('waits'))
	test('a wait is in the lane of its thread, with its stack', async () => {
		const page = await open('waits');
		const box = await page.locator('#time').boundingBox();
		/** Tips by what they say of a wait. @type {Map<string, number>} */
		const tips = new Map();
		for (let y = 5; y < box.height; y += 14)
			for (let x = 135; x < box.width - 1; x += 15) {
				await page.mouse.move(box.x + x, box.y + y);
				const wait = /\nwaiting in\n([^]*)/.exec(await page.textContent('#tip'))?.[1];
				if (wait)
					tips.set(wait, (tips.get(wait) ?? 0) + 1);
			}
		/* The sleep is most of the recording's time. */
		assert.ok([...tips].some(([stack, nr]) => stack.split('\n').length > 3 && nr > 5), JSON.stringify([...tips]));
		await shots(page, 'waits');
		await page.close();
	});

if (existsSync('spans.html'))
	test('the slowest spans are listed, and blocks in the lane of their thread; both lead to their time', async () => {
		const page = await open('spans');
		await page.keyboard.press('6');
		assert.match(await page.textContent('#spans-note'), /^300 spans handle_request: half took at most /);
		const rows = await page.$$eval('#spans tbody tr[data-row]', (all) => all.map((r) => [...r.children].map((c) => c.textContent ?? '')));
		assert.deepEqual(rows.slice(0, 4).map(([took]) => parseFloat(took) >= 80 && took.endsWith(' ms')), [true, true, true, false], JSON.stringify(rows));
		await shots(page, 'spans');
		await page.click('#spans tbody tr[data-row="0"]');
		assert.match(await where(page), /view=spans/);
		assert.match(await page.textContent('#filters'), /from .* to .*time zoomed/);
		await page.keyboard.press('r');
		/* The block of a slow one. */
		const box = await page.locator('#time').boundingBox();
		/** @type {[number, string][]} */
		const tips = [];
		for (let x = 131; x < box.width - 1; x += 3) {
			await page.mouse.move(box.x + x, box.y + 16);
			tips.push([x, await page.textContent('#tip')]);
		}
		const [at] = tips.find(([, tip]) => /^handle_request took (8|9|1\d)\d\.?\d* ms/.test(tip)) ?? [0];
		assert.ok(at, JSON.stringify(tips));
		await page.mouse.click(box.x + at, box.y + 16);
		assert.match(await page.textContent('#filters'), /from .* to .*time zoomed/);
		await page.close();
		/* Only the time in slow ones. */
		const slow = await open('slow');
		assert.match(await slow.textContent('#facts'), /^only time in spans handle_request of at least .* \(p99\): \d+ of 300/);
		await slow.close();
		const without = await open('prog');
		assert.equal(await without.$('[data-view=spans]'), null);
		await without.keyboard.press('6');
		assert.doesNotMatch(await where(without), /spans/);
		await without.close();
	});

if ((process.env.KINDS ?? '').split(' ').includes('waits'))
	test('CPU and waits are together, by the names and times of the report; idle waits are hidden', async () => {
		const page = await open('waits');
		const { rows: all } = JSON.parse(readFileSync('waits.json', 'utf8')).tables[0];
		/** By name: what the function takes itself. @param {(symbol: any) => boolean} wanted @returns {Map<string, number>} */
		const expected = (wanted) => {
			const sums = new Map();
			for (const { symbol, self_time: self } of all.filter((r) => r.self_time && r.symbol.name && wanted(r.symbol))) {
				const name = symbol.name.replace(/@@?GLIBC_[0-9.]+$/, symbol.wait ? '' : '$&') +
					(symbol.wait ? ` (${symbol.wait}${symbol.idle ? ', idle' : ''})` : symbol.inlined ? ' (inlined)' : '');
				sums.set(name, (sums.get(name) ?? 0) + self);
			}
			return sums;
		};
		/** @param {(symbol: any) => boolean} wanted */
		const check = async (wanted) => {
			const sums = expected(wanted);
			const ofAll = all.filter((r) => wanted(r.symbol)).reduce((n, r) => n + r.self_time, 0);
			let nr = 0;
			for (const [name, , self] of await hottest(page)) {
				if (!sums.has(name))
					continue;
				assert.ok(Math.abs(parseFloat(self) - (100 * sums.get(name)) / ofAll) < 0.02, `${name}: ${self}, ${sums.get(name)} of ${ofAll}`);
				nr++;
			}
			assert.ok(nr > 2, JSON.stringify([...sums]));
		};
		const kind = (/** @type {string} */ name) => page.getAttribute(`#legend [data-kind=${name}]`, 'aria-pressed');
		assert.equal(await page.$eval('#event', (e) => e.selectedOptions[0].textContent), 'CPU and waits');
		assert.deepEqual([await kind('waiting'), await kind('idle')], ['true', 'false']);
		assert.ok(!(await hottest(page)).some((r) => r[0].includes(', idle)')));
		assert.match(await page.textContent('#filters'), /without idle waits/);
		await check((symbol) => !symbol.idle);
		await page.click('[data-kind=idle]');
		assert.equal(await kind('idle'), 'true');
		assert.ok((await hottest(page)).some((r) => r[0].endsWith(' (child, idle)')), JSON.stringify(await hottest(page)));
		await check(() => true);
		/* An event alone, and back. */
		await page.selectOption('#event', { label: 'cpu-clock' });
		assert.ok(!(await hottest(page)).some((r) => r[0].endsWith(')') && !r[0].endsWith(' (inlined)')));
		await page.selectOption('#event', { label: 'CPU and waits' });
		await check(() => true);
		/* Each colour has a name. */
		assert.match(await page.textContent('#legend'), /on the CPU.*waits.*user.*waiting.*idle/);
		await page.close();
	});

/** @param {any} page @returns {Promise<string>} the id of what has the focus */
const focused = (page) => page.evaluate(() => document.activeElement.id);

test('by keys, the flame graph is near: the skip button, Enter in the search', async () => {
	const page = await open('demo');
	let nr = 0;
	for (; nr < 6 && await focused(page) !== 'skip'; nr++)
		await page.keyboard.press('Tab');
	assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).clipPath), 'none');
	await page.keyboard.press('Enter');
	assert.equal(await focused(page), 'flame-scroll');
	assert.ok(nr + 1 <= 5, `${nr + 1} keys`);
	await page.keyboard.press('/');
	await page.keyboard.type('^run_');
	await page.keyboard.press('Enter');
	assert.equal(await focused(page), 'flame-scroll');
	const first = await page.textContent('#chosen');
	assert.match(first, /^run_/);
	await page.keyboard.press('n');
	const next = await page.textContent('#chosen');
	assert.match(next, /^run_/);
	assert.notEqual(next, first);
	for (const [key, id] of [['3', 'functions-scroll'], ['4', 'tree-scroll'], ['5', 'lines-scroll']]) {
		await page.keyboard.press(key);
		await page.focus('#skip');
		await page.keyboard.press('Enter');
		assert.equal(await focused(page), id);
	}
	await page.setViewportSize({ width: 700, height: 300 });
	await page.keyboard.press('?');
	assert.ok(await page.$eval('#help', (e) => e.scrollHeight > e.clientHeight));
	assert.equal(await page.$eval('#help', (e) => e.scrollTop), 0);
	await page.keyboard.press('Escape');
	await page.close();
});

test('a click on the name of a lane shows its thread only; a second one all', async () => {
	const page = await open('prog');
	assert.ok((await page.$$('#thread option')).length > 2);
	const box = await page.locator('#time').boundingBox();
	await page.mouse.move(box.x + 20, box.y + 14 + 7);
	const tip = await page.textContent('#tip');
	assert.match(tip, /^\S+ \(\d+\) of .*\nclick to see it only$/);
	await page.mouse.down();
	await page.mouse.up();
	const chosen = () => page.$eval('#thread', (e) => e.selectedOptions[0].textContent);
	assert.ok((await chosen()).endsWith(`/${/\((\d+)\)/.exec(tip)[1]})`), `${await chosen()}, ${tip}`);
	assert.doesNotMatch(await where(page), /to=/);
	/* The lanes of the others stay. */
	assert.equal((await page.locator('#time').boundingBox()).height, box.height);
	await page.mouse.down();
	await page.mouse.up();
	assert.match(await chosen(), /^all/);
	await page.close();
});

test('tips wrap long names, and stay in the window', async () => {
	const page = await open('names');
	await page.keyboard.press('3');
	const name = (await rows(page, 'functions')).map((r) => r[3]).sort((a, b) => b.length - a.length)[0];
	assert.ok(name.length > 200, name);
	await page.fill('#search', '^' + name.slice(0, 40).replace(/[^a-z0-9]/gi, '.'));
	await page.click('#functions tbody tr[data-row]');
	await page.fill('#search', '');
	for (const [width, height] of [[390, 844], [700, 900], [1280, 800]]) {
		await page.setViewportSize({ width, height });
		await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
		await page.waitForTimeout(100);
		const box = await page.locator('#flame').boundingBox();
		for (const x of [box.x + 3, box.x + box.width - 5]) {
			/* Where a short tip was, at the right, there is no room for a long one. */
			await page.$eval('#tip', (e) => (e.style.left = `${innerWidth - 60}px`));
			await page.mouse.move(x, box.y + box.height - 5);
			const tip = await page.$eval('#tip', (e) => ({ ...e.getBoundingClientRect().toJSON(), text: e.textContent, wide: e.scrollWidth - e.clientWidth, line: parseFloat(getComputedStyle(e).lineHeight) }));
			assert.ok(tip.text.length > 200, tip.text);
			assert.ok(tip.left >= 0 && tip.right <= width && tip.top >= 0 && tip.bottom <= height, JSON.stringify(tip));
			assert.ok(tip.width > 0.6 * Math.min(width, 60 * 14), JSON.stringify(tip));
			assert.ok(tip.wide <= 0 && tip.height > (tip.text.split('\n').length + 1) * tip.line, JSON.stringify(tip));
		}
	}
	await page.close();
});

test('a telephone: title, flame graph and hottest functions come first, the rest is in a drawer', async () => {
	for (const name of ['demo', 'inlined', 'names', 'all', 'waits'].filter((n) => existsSync(`${n}.html`))) {
		const page = await open(name);
		await page.setViewportSize({ width: 390, height: 844 });
		assert.ok((await page.locator('#title').boundingBox()).y >= 0);
		assert.ok((await page.locator('#flame').boundingBox()).height >= 36);
		const { y, height } = await page.locator('#hottest-list li').last().boundingBox();
		assert.ok(y + height <= 844, `${name}: ${y + height}`);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		for (const id of ['#facts', '#search', '#time', '#legend'])
			assert.equal(await page.isVisible(id), false, id);
		await page.click('#drawer');
		assert.equal(await page.getAttribute('#drawer', 'aria-expanded'), 'true');
		for (const id of ['#facts', '#search', '#time', '#legend'])
			assert.equal(await page.isVisible(id), true, id);
		assert.ok(await page.$eval('#time', (e) => e.width) > 300);
		await page.click('#drawer');
		await page.keyboard.press('/');
		assert.equal(await focused(page), 'search');
		await page.close();
	}
	const page = await open('demo');
	assert.equal(await page.isVisible('#drawer'), false);
	await page.setViewportSize({ width: 390, height: 844 });
	await shots(page, 'telephone');
	await page.click('#drawer');
	await shots(page, 'telephone-open');
	await page.click('[data-view=functions]');
	await page.click('#drawer');
	await shots(page, 'telephone-functions');
	await page.close();
});

for (const name of ['demo', 'compared'])
	test(`${name}: names of functions have room in each window`, async () => {
		const page = await open(name, '#view=functions');
		for (const width of [390, 480, 699, 700, 1000, 1280]) {
			await page.setViewportSize({ width, height: 844 });
			/* The table is drawn anew in the frame after that of the new size. */
			await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
			const { first, room, letters } = await page.$eval('#functions', (table) => {
				const cell = table.querySelector('tbody tr[data-row] td[data-column=name]');
				const text = document.createElement('span');
				text.textContent = 'n'.repeat(12);
				text.style.position = 'absolute';
				document.body.append(text);
				const letters = text.offsetWidth;
				text.remove();
				return { first: table.querySelector('th').dataset.column, room: cell.clientWidth - 12, letters };
			});
			assert.equal(first === 'name', width < 700, String(width));
			assert.ok(room >= letters, `${width}: ${room} of ${letters}`);
			const [head, row] = await page.$eval('#functions', (t) => [t.querySelector('tr'), t.querySelector('tr[data-row]')].map((tr) =>
				[...tr.cells].map((c) => c.dataset.column)));
			assert.deepEqual(head, row);
		}
		await page.setViewportSize({ width: 390, height: 844 });
		await page.click('#functions tbody tr[data-row]');
		assert.match(await where(page), /focus=/);
		await page.close();
	});

test('the menu of a frame: by the mouse, by keys', async () => {
	const page = await open('demo');
	const titles = () => page.$$eval('#menu [role=menuitem]', (all) => all.map((e) => e.textContent));
	const at = { position: { x: 50, y: 4.5 * 18 } };
	await page.hover('#flame', at);
	const [name] = (await page.textContent('#tip')).split('\n');
	await page.click('#flame', { ...at, button: 'right' });
	assert.equal(await page.isVisible('#tip'), false);
	assert.equal(await page.getAttribute('#menu', 'aria-label'), name);
	assert.deepEqual((await titles()).slice(0, 4), ['Zoom', 'Callers and callees', 'Hide stacks with it', 'Copy name']);
	assert.equal(await page.textContent('#menu :focus'), 'Zoom');
	await shots(page, 'menu');
	await page.keyboard.press('Escape');
	assert.equal(await page.isVisible('#menu'), false);
	await page.keyboard.press('r');
	/* Each item, from the chosen frame, by keys. */
	const run = async (/** @type {string} */ title, /** @type {string} */ key) => {
		await page.focus('#flame-scroll');
		for (let i = 0; i < 30 && !(await page.textContent('#chosen')).startsWith(`${name} `); i++)
			await page.keyboard.press('ArrowDown');
		await page.keyboard.press(key);
		const nr = (await titles()).indexOf(title);
		assert.ok(nr >= 0, `${title}: ${await titles()}`);
		for (let i = 0; i < nr; i++)
			await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		assert.equal(await page.isVisible('#menu'), false);
	};
	await run('Zoom', 'Shift+F10');
	assert.match(await where(page), /zoom=/);
	assert.equal(await focused(page), 'flame-scroll');
	await page.keyboard.press('0');
	await run('Callers and callees', 'ContextMenu');
	assert.ok((await page.textContent('#chosen')).startsWith(`Callers of ${name},`), `${await page.textContent('#chosen')} ${name} ${await where(page)}`);
	await page.keyboard.press('1');
	await context.grantPermissions(['clipboard-read', 'clipboard-write']);
	await run('Copy name', 'Shift+F10');
	assert.equal(await page.evaluate(() => navigator.clipboard.readText()), name);
	assert.equal(await page.textContent('#said'), `copied ${name}`);
	await run('Hide stacks with it', 'Shift+F10');
	await page.keyboard.press('3');
	assert.ok(!(await rows(page, 'functions')).some((r) => r[3] === name));
	assert.match(await page.textContent('#filters'), new RegExp(`stacks without \\^${name}\\$`));
	await page.keyboard.press('r');
	/* A function with source, and one box of all. */
	await page.keyboard.press('1');
	await page.fill('#search', 'Pile::topple');
	await page.focus('#search');
	await page.keyboard.press('Enter');
	await page.keyboard.press('Shift+F10');
	assert.equal((await titles()).at(-1), 'Source');
	await page.keyboard.press('End');
	await page.keyboard.press('Enter');
	assert.match(await page.$eval('#source-function', (e) => e.selectedOptions[0].textContent), /Pile::topple/);
	await page.keyboard.press('r');
	await page.keyboard.press('1');
	await page.focus('#flame-scroll');
	await page.keyboard.press('ContextMenu');
	assert.deepEqual(await titles(), ['Zoom']);
	await page.mouse.click(5, 5);
	assert.equal(await page.isVisible('#menu'), false);
	await page.close();
});

test('the menu: hostile names are text, and hide what they name', async () => {
	for (const search of ['^</script>', 'window.ran=1}$']) {
		const page = await open('names');
		await page.keyboard.press('3');
		await page.fill('#search', search);
		const [[, , , name]] = await rows(page, 'functions');
		assert.match(name, /^<\/script>|^\$\{/);
		await page.click('#functions tbody tr[data-row]');
		await page.fill('#search', '');
		await page.click('[data-view=flame]');
		await page.focus('#flame-scroll');
		await page.keyboard.press('Shift+F10');
		assert.equal(await page.getAttribute('#menu', 'aria-label'), name);
		assert.equal(await page.$$eval('#menu *', (all) => all.filter((e) => e.tagName !== 'BUTTON').length), 0);
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		await page.keyboard.press('3');
		const left = (await rows(page, 'functions')).map((r) => r[3]);
		assert.ok(left.length && !left.includes(name));
		assert.equal(await page.evaluate(() => window['ran']), undefined);
		await page.close();
	}
});

test('tables by keys alone', async () => {
	const page = await open('demo');
	await page.keyboard.press('3');
	for (let i = 0; i < 60 && await page.evaluate(() => document.activeElement.id) !== 'functions-scroll'; i++)
		await page.keyboard.press('Tab');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	const chosen = () => page.$$eval('tr[aria-current] td', (tds) => tds.filter((td) => td.offsetParent).map((td) => td.textContent));
	const second = (await rows(page, 'functions'))[1];
	await page.focus('#functions-scroll');
	await page.keyboard.press('End');
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowDown');
	assert.deepEqual(await chosen(), second);
	assert.match(await page.textContent('#said'), /%.*, /);
	await page.keyboard.press('Enter');
	assert.ok((await page.textContent('#chosen')).startsWith(`Callers of ${second[3]}`));
	await page.keyboard.press('4');
	await page.focus('#tree-scroll');
	await page.keyboard.press('Home');
	const nr = async () => Number(await page.getAttribute('#tree', 'aria-rowcount'));
	const open_ = await nr();
	await page.keyboard.press('ArrowLeft');
	const closed = await nr();
	assert.ok(closed < open_);
	await page.keyboard.press('ArrowRight');
	assert.equal(await nr(), open_);
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowLeft');
	await page.keyboard.press('ArrowLeft');
	assert.match((await chosen())[2], /^[−+]/);
	await page.keyboard.press('5');
	await page.focus('#lines-scroll');
	await page.keyboard.press('PageDown');
	await page.keyboard.press('Enter');
	assert.ok((await page.$$('#lines tr.marked')).length <= 1);
	await page.close();
});

test('the view as a file', async () => {
	const page = await open('demo', '#keep=topple');
	const file = async (type) => {
		const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save-${type}`)]);
		assert.equal(download.suggestedFilename(), `flame.${type}`);
		return readFileSync(await download.path());
	};
	/* Folded stacks have all samples that are shown, and no others. */
	const folded = (await file('folded')).toString();
	assert.match(folded, /^(\S.*;.* [0-9]+\n)+$/);
	const lines = folded.trimEnd().split('\n');
	assert.ok(lines.every((line) => line.includes('topple')));
	const sum = lines.reduce((n, line) => n + Number(line.split(' ').at(-1)), 0);
	const [, shown, unit] = /\. ([0-9.]+) (m?s), /.exec(await page.textContent('#filters'));
	assert.ok(Math.abs(sum / (unit === 's' ? 1e9 : 1e6) - Number(shown)) <= 0.01 * Number(shown), `${sum}, ${shown} ${unit}`);
	/* JSON has the table of functions. */
	const { functions, selection } = JSON.parse((await file('json')).toString());
	assert.equal(selection.keep, 'topple');
	const table = await open('demo', '#view=functions&keep=topple');
	const [first] = await rows(table, 'functions');
	const hottest = functions.toSorted((x, y) => y.self - x.self)[0];
	assert.ok(first[3].startsWith(hottest.name) && Math.abs((100 * hottest.self) / sum - parseFloat(first[0])) < 0.006, JSON.stringify(hottest));
	assert.equal(functions.reduce((n, f) => n + f.self, 0), sum);
	await table.close();
	/* SVG is a drawing of the boxes, with their names; PNG is the canvas. */
	const svg = (await file('svg')).toString();
	const drawn = await page.evaluate((text) => {
		const doc = new DOMParser().parseFromString(text, 'image/svg+xml');
		return { faults: doc.querySelectorAll('parsererror, script').length, boxes: doc.querySelectorAll('rect').length,
			widths: [...doc.querySelectorAll('rect')].slice(0, 1).map((r) => Number(r.getAttribute('width'))),
			titles: [...doc.querySelectorAll('title')].map((t) => t.textContent) };
	}, svg);
	assert.ok(drawn.faults === 0 && drawn.boxes > 10 && drawn.widths[0] > 1190, JSON.stringify(drawn).slice(0, 300));
	assert.ok(drawn.titles.some((t) => /topple\n.*\n.*of all, self/.test(t)));
	const png = await file('png');
	assert.equal(png.subarray(1, 4).toString(), 'PNG');
	assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], await page.$eval('#flame', (e) => [e.width, e.height]));
	await page.close();
});

test('on paper, views are as long as what they show, and light', async () => {
	const page = await open('demo');
	await page.emulateMedia({ colorScheme: 'dark' });
	for (const [key, view] of [['1', 'flame'], ['3', 'functions'], ['4', 'tree'], ['5', 'source']]) {
		await page.keyboard.press(key);
		const nrRows = () => page.$$eval('tbody tr[data-row]', (trs) => trs.filter((tr) => tr.offsetHeight).length);
		const before = await nrRows();
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
		assert.equal(await page.$eval('body', (e) => getComputedStyle(e).backgroundColor), 'rgb(255, 255, 255)');
		assert.equal(await page.isVisible('#bar'), false);
		if (view === 'flame')
			assert.equal(await page.$eval('#flame', (e) => e.height), 2 * Math.min(30 * 18, await page.$eval('#flame-space', (e) => parseInt(e.style.height))));
		if (view === 'functions') {
			const shown = await page.$$eval('#functions tbody tr[data-row]', (trs) => trs.length);
			const nr = Number(await page.getAttribute('#functions', 'aria-rowcount')) - 1;
			assert.equal(shown, Math.min(nr, 200));
		}
		await page.screenshot({ path: `print-${view}.png`, fullPage: true });
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
		await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
		assert.equal((await nrRows()) > 3, before > 3, view);
		assert.equal(await page.isVisible('#bar'), true);
	}
	assert.ok((await page.pdf({ format: 'A4' })).length > 10000);
	await page.close();
});

test('on paper, the flame graph and the ten functions are one page', async () => {
	for (const [name, hash] of [['demo', ''], ['inlined', '#icicle=0'], ['all', ''], ['inlined', '#view=callers&focus=1'], ['deep', ''], ['deep', '#icicle=0']]) {
		if (!existsSync(`${name}.html`))
			continue;
		const page = await open(name, hash);
		const nr = (await hottest(page)).length;
		for (const format of ['A4', 'Letter']) {
			const pdf = (await page.pdf({ format })).toString('latin1');
			assert.equal(pdf.match(/\/Type \/Page\b(?!s)/g)?.length, 1, `${name}${hash} ${format}`);
		}
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		await page.emulateMedia({ media: 'print' });
		assert.equal(await page.$$eval('#hottest-list li', (all) => all.filter((e) => e.offsetHeight).length), nr);
		const rows = await page.$eval('#flame-space', (e) => parseInt(e.style.height) / 18);
		if (!hash.includes('callers'))
			assert.equal(/Not printed: the ([0-9]+) innermost rows/.exec(await page.textContent('#chosen'))?.[1], rows > 30 ? String(rows - 30) : undefined);
		await page.close();
	}
});

test('the limit of frames is told where stacks reach it', async () => {
	const page = await open('deep');
	const rows = await page.$eval('#flame-space', (e) => parseInt(e.style.height) / 18);
	assert.equal(rows, 41);
	const [, share] = /([0-9.]+)% of the weight is in stacks of 40 frames, .*--max-stack 1024/.exec(await page.textContent('#doubts')) ?? [];
	assert.ok(Number(share) > 90, share);
	assert.equal(await page.$eval('#doubts', (e) => getComputedStyle(e).color), 'rgb(164, 14, 38)');
	await page.close();
	const all = await open('deep-all');
	assert.doesNotMatch(await all.textContent('header'), /the most that this page has/);
	assert.ok(await all.$eval('#flame-space', (e) => parseInt(e.style.height) / 18) > 100);
	await all.close();
});

test('stacks that are truncated are told', async () => {
	const page = await open('cut');
	const [, share] = /^Call chains: .* ([0-9.]+)% complete/.exec(readFileSync('cut.stats', 'utf8')) ?? [];
	const told = await page.$eval('#doubts', (e) => e.textContent);
	assert.match(told, /[0-9]+ of [0-9]+ stacks are truncated/);
	const cut = Number(/stacks are truncated \(([0-9.]+)%\)/.exec(told)?.[1]);
	assert.ok(Math.abs(100 - Number(share) - cut) < 0.1, `${told}: ${share}% are complete`);
	await page.close();
});

/** What perf diff says. @param {string} name @returns {{functions: any[], total: any}} */
const compared = (name) => JSON.parse(readFileSync(`${name}.json`, 'utf8'));

/** "1.23 s", "45.6 ms", "7 ns", "1,234" @param {string} text @returns {number} ns or a number */
const cost = (text) => parseFloat(text.replaceAll(',', '')) * (/ s$/.test(text) ? 1e9 : / ms$/.test(text) ? 1e6 : / µs$/.test(text) ? 1e3 : 1);

for (const name of ['compared', 'compared-names', 'compared-same', 'compared-requests'])
	test(`${name}: verdicts and costs are those of perf diff --json`, async () => {
		const page = await open(name);
		await page.keyboard.press('3');
		const got = await rows(page, 'functions');
		const { functions } = compared(name);
		assert.ok(functions.length > 3);
		/* Functions of one name in one binary are one in the page: the first. */
		const firstOf = new Map(functions.map((f) => [`${f.function}\t${f.binary}`, f]).reverse());
		assert.equal(got.length, firstOf.size);
		const want = functions.filter((f) => firstOf.get(`${f.function}\t${f.binary}`) === f);
		const near = (/** @type {string} */ text, /** @type {number} */ x) => Math.abs(cost(text) - x) <= 0.006 * x;
		/** @type {string[]} */
		const wrong = [];
		want.forEach((f, i) => {
			const [verdict, plain, change, , ...costs] = got[i];
			const numbers = [f.self.old, f.self.new, f.total.old, f.total.new];
			const isRatio = (/** @type {string} */ text, /** @type {number | null | undefined} */ x) => {
				const ratio = /^[+−]/.test(text) ? 1 + parseFloat(text.replace('−', '-')) / 100 : text.startsWith('x') ? parseFloat(text.slice(1)) : null;
				return ratio === null ? (x ?? null) === null : Math.abs(ratio - x) <= (ratio < 10 ? 0.0006 : 0.6);
			};
			if (verdict !== f.verdict || !isRatio(plain, f.self.plain) || !isRatio(change, f.self.change) || !numbers.every((x, k) => near(costs[k], x)) || costs[5] !== f.binary)
				wrong.push(`${got[i]}: ${JSON.stringify(f)}`);
		});
		assert.deepEqual(wrong, []);
		await page.close();
	});

test('comparison: flame graph, a click on a row, keys, search, files', async () => {
	const page = await open('compared');
	assert.match(await page.textContent('#facts'), /Total cpu-clock:u for a run: .* functions? changed/);
	for (const id of ['#time', '#event', '#thread', '[data-kind]', '[data-view=tree]'])
		assert.equal(await page.isVisible(id), false, id);
	await shots(page, 'compared-flame');
	await page.keyboard.press('3');
	await shots(page, 'compared-functions');
	await page.fill('#search', '^sort$');
	assert.deepEqual((await rows(page, 'functions')).map((r) => r[8]), ['sort']);
	await page.click('#functions tbody tr[data-row]');
	const sort = compared('compared').functions.find((f) => f.function === 'sort');
	assert.match(await page.textContent('#chosen'), new RegExp(`^sort - work - itself: ${sort.verdict}`));
	const here = /: ([^:]*) -> (.*)$/.exec(await page.textContent('#chosen'));
	assert.ok(Math.abs(cost(here[2]) - sort.total.new) <= 0.006 * sort.total.new, here[0]);
	await page.keyboard.press('2');
	assert.match(await page.textContent('#chosen'), /^Callers of sort/);
	await shots(page, 'compared-callers');
	await page.keyboard.press('r');
	await page.keyboard.press('1');
	/* What is slower is orange, what nobody can tell about is grey. */
	await page.emulateMedia({ colorScheme: 'light' });
	await page.click('[data-view=functions]');
	for (const f of compared('compared').functions.filter((x) => ['sort', 'parse'].includes(x.function))) {
		await page.fill('#search', `^${f.function}$`);
		await page.click('#functions tbody tr[data-row]');
		await page.fill('#search', '');
		const box = await page.evaluate(() => {
			const copy = document.querySelector('#flame').cloneNode();
			const g = copy.getContext('2d', { willReadFrequently: true });
			g.drawImage(document.querySelector('#flame'), 0, 0);
			const { width, height } = copy;
			const { data } = g.getImageData(0, 0, width, height);
			const at = (/** @type {number} */ x, /** @type {number} */ y) => [...data.subarray(4 * (y * width + x)).subarray(0, 4)];
			/* The chosen box has a frame of the text's colour. */
			for (let y = 0; y + 15 < height; y += 18)
				for (let x = 1; x < width - 6; x++)
					if ([3, 9, 15].every((dy) => at(x, y + dy).every((c, k) => (k === 3 ? c > 200 : c < 60))))
						return at(x + 3, y + 14);
			return null;
		});
		assert.ok(box, f.function);
		const [r, g, b] = box;
		const color = r > b + 20 ? 'orange' : b > r + 20 ? 'blue' : Math.abs(r - g) < 4 ? 'grey' : 'other';
		assert.equal(color, { slower: 'orange', faster: 'blue', same: 'grey', 'cannot tell': 'grey' }[f.verdict], `${f.function} ${box}`);
		await page.click('[data-view=functions]');
	}
	await page.keyboard.press('t'); /* not of comparisons */
	assert.doesNotMatch(await where(page), /byTime/);
	const [folded] = await Promise.all([page.waitForEvent('download'), page.click('#save-folded')]);
	const lines = readFileSync(await folded.path(), 'utf8').trimEnd().split('\n');
	const want = readFileSync('compared.folded', 'utf8').trimEnd().split('\n');
	assert.equal(lines.length, want.length);
	const sums = (/** @type {string[]} */ v) => [1, 0].map((k) => v.reduce((n, l) => n + Number(l.split(' ').at(-1 - k)), 0));
	sums(lines).forEach((x, i) => assert.ok(Math.abs(x - sums(want)[i]) <= 1e-4 * x, `${sums(lines)} ${sums(want)}`));
	await page.keyboard.press('?');
	assert.doesNotMatch(await page.textContent('#help'), /order of time/);
	await page.close();
});

test('comparison: hostile names, and a hash of nonsense', async () => {
	const page = await open('compared-names', '#view=source&from=3&to=9&byTime=1&lines=1&thread=4&sort=nonsense&noKinds=user');
	assert.equal(await page.$eval('[data-view][aria-pressed=true]', (e) => e.dataset.view), 'flame');
	await page.click('[data-view=functions]');
	const names = (await rows(page, 'functions')).map((r) => r[8]);
	assert.ok(names.some((n) => n.includes('<script>')), names.join(' '));
	await shots(page, 'compared-names');
	await page.close();
});

test('hostile names are text', async () => {
	const page = await open('names');
	await page.keyboard.press('3');
	const names = (await rows(page, 'functions')).map((r) => r[3]);
	const list = readFileSync(`${SRC}/tests/web/hostile.txt`, 'utf8').trimEnd().split('\n');
	const shown = list.map((n) => n.replace(/[\u0001-\u001f\u200b\u202e]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')));
	assert.ok(list.length >= 20);
	assert.deepEqual(shown.filter((n) => !names.includes(n)), []);
	for (const key of ['1', '2', '4'])
		await page.keyboard.press(key);
	await page.keyboard.press('1');
	await page.hover('#flame', { position: { x: 100, y: 45 } });
	const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-svg')]);
	assert.ok(!/<(img|script|style|base)/.test(readFileSync(await download.path(), 'utf8')));
	assert.equal(await page.evaluate(() => window['ran']), undefined);
	assert.ok((await page.textContent('#thread')).includes('<b onx=1>&"'));
	await shots(page, 'names');
	await page.close();
});

test('damaged data is told', async () => {
	for (const [name, text] of [['base64', 'base64'], ['cut', 'unpacked'], ['empty', 'unpacked']]) {
		const page = await open(`damaged-${name}`);
		await page.waitForSelector('#message.error');
		assert.match(await page.textContent('#message'), new RegExp(`cannot show its samples: .*${text}`));
		assert.equal(await page.isHidden('#main'), true);
		await page.close();
	}
});

let failed = 0;
const wanted = tests.filter(([name]) => name.includes(process.env.TESTS ?? ''));
for (const [name, run] of wanted) {
	try {
		await run();
		assert.deepEqual(faults, []);
		console.log(`ok    ${name}`);
	} catch (error) {
		failed++;
		console.log(`FAIL  ${name}: ${error instanceof Error ? error.stack : error}`);
	}
	faults.length = 0;
	await Promise.all(context.pages().map((page) => page.close()));
}
await browser.close();
console.log(`screenshots are in ${process.cwd()}\n${wanted.length - failed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
