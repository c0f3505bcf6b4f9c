// What a user does in the page, in headless Chromium. Run by tests/web/run, in the folder of the pages.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
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
	await page.$eval(`#${id}-scroll`, (e) => (e.scrollTop = 0));
	for (let nr = -1; all.size > nr;) {
		nr = all.size;
		for (const [i, cells] of await page.$$eval(`#${id} tbody tr[data-row]`, (trs) =>
			trs.map((tr) => [Number(tr.dataset.row), [...tr.cells].map((td) => td.textContent)])))
			all.set(i, cells);
		await page.$eval(`#${id}-scroll`, (e) => (e.scrollTop += 400));
		await page.waitForTimeout(30);
	}
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
		const bad = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
		assert.deepEqual(bad.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`), [], `${name} ${colorScheme}`);
	}
}

/** The rows of the text report: "children%|self%|[.] name|dso". @param {string} file @param {string} event */
function reportRows(file, event) {
	let on = false;
	const sums = new Map();
	for (const line of readFileSync(file, 'utf8').split('\n')) {
		if (line.startsWith('# Samples:'))
			on = line.includes(`'${event}'`);
		const m = /^ *([0-9.]+)% *\| *([0-9.]+)% *\|\[.\] (.*?) *\|(.*?) *$/.exec(line);
		if (on && m)
			sums.set(`${m[3]}|${m[4]}`, [Number(m[1]), Number(m[2])]);
	}
	return sums;
}

/** @type {[string, () => Promise<void>][]} */
const tests = [];
/** @param {string} name @param {() => Promise<void>} run */
const test = (name, run) => tests.push([name, run]);

for (const [name, event] of [['prog', 'cpu-clock:u'], ['prog', 'page-faults:u'], ['demo', 'cpu-clock']])
	test(`${name}, ${event}: the numbers of functions are the report's`, async () => {
		const page = await open(name);

		await page.selectOption('#event', { label: event });
		await page.keyboard.press('Escape');
		await page.click('[data-view=functions]');
		const want = reportRows(`${name}.txt`, event);
		const got = (await rows(page, 'functions')).filter((r) => !r[3].startsWith('[unknown]'));
		assert.ok(want.size > 3 && got.length > 3, `${want.size} ${got.length}`);
		/** @type {string[]} */
		const wrong = [];
		for (const [self, total, , fn, dso] of got) {
			const row = want.get(`${fn}|${dso}`);
			if (!row)
				wrong.push(`${fn} ${dso} is not in the report`);
			else if (Math.abs(row[0] - parseFloat(total)) > 0.011 || Math.abs(row[1] - parseFloat(self)) > 0.011)
				wrong.push(`${fn}: ${total} ${self}, in the report ${row}`);
		}
		assert.deepEqual(wrong, []);
		await page.close();
	});

test('each view, in light and dark, for all', async () => {
	const page = await open('demo');
	for (const [key, view] of [['1', 'flame'], ['2', 'callers'], ['3', 'functions'], ['4', 'tree']]) {
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
	assert.match(await page.textContent('#tip'), /after the first sample\n/);
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
	await page.keyboard.press('d');
	assert.match(await page.textContent('#chosen'), /called by .*topple/);
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

test('the view as a file', async () => {
	const page = await open('demo');
	for (const type of ['svg', 'png', 'folded', 'json']) {
		const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save-${type}`)]);
		const data = readFileSync(await download.path());
		assert.equal(download.suggestedFilename(), `flame.${type}`);
		if (type === 'json')
			assert.ok(JSON.parse(data.toString()).functions.length > 3);
		else if (type === 'folded')
			assert.match(data.toString(), /^(\S.*;.* [0-9]+\n)+$/);
		else
			assert.ok(data.toString('latin1').includes(type === 'svg' ? '</svg>' : 'PNG'));
	}
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
for (const [name, run] of tests) {
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
console.log(`check-page: ${tests.length - failed} passed, ${failed} failed; screenshots in ${process.cwd()}`);
process.exit(failed ? 1 : 0);
