// How fast pages are: node tests/web/speed.mjs FILE... For each page of perf report --html a line of its size and
// times: until it shows something, until all is there; frames of zoom, of search, of a span that moves; the slowest
// view; peak memory of the browser's process for it. NAME.speedscope.json is shown by speedscope, for comparison:
// the size, the first two times, the memory. Run by tests/web/run and tests/web/large.
import { createRequire } from 'node:module';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { CHROMIUM = '/usr/bin/chromium', TOOLS = resolve('build/page-tools/node_modules') } = process.env;
const { chromium } = createRequire(TOOLS + '/')('playwright-core');
const ms = (/** @type {number} */ x) => `${x.toFixed(0)} ms`;

/** Do something in each of 40 frames. @param {any} page @param {string} name @param {(i: number) => Promise<any>} act */
async function frames(page, name, act) {
	const times = [];
	for (let i = 0; i < 40; i++) {
		await act(i);
		times.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window['busy']))))));
	}
	times.sort((a, b) => a - b);
	return `${name} ${ms(times[20])}, p99 ${ms(times[39])}`;
}

/** @param {any} page @returns {Promise<string>} */
async function slowestView(page) {
	const times = [];
	for (const key of ['3', '4', 'd', '2', '1']) {
		await page.keyboard.press(key);
		times.push(await page.evaluate(() => window['busy']));
	}
	return `slowest view ${ms(Math.max(...times))}`;
}

/** @param {string} file @returns {string} the address at which the browser shows it */
function addressOf(file) {
	if (file.endsWith('.html'))
		return pathToFileURL(resolve(file)).href;
	/* As the program "speedscope" opens a file. */
	const script = resolve(`${file}.js`);
	writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, '${readFileSync(file).toString('base64')}')`);
	return `${pathToFileURL(`${TOOLS}/speedscope/dist/release/index.html`).href}#localProfilePath=${script}`;
}

/** @param {any} browser @returns {Promise<string>} peak memory of the largest process that shows a page */
async function memory(browser) {
	const session = await browser.newBrowserCDPSession();
	const { processInfo } = await session.send('SystemInfo.getProcessInfo');
	const peaks = processInfo.filter((/** @type {any} */ p) => p.type === 'renderer').map((/** @type {any} */ p) =>
		Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${p.id}/status`, 'utf8'))?.[1] ?? 0));
	return `${(Math.max(...peaks) / 1024).toFixed(0)} MiB`;
}

/** @param {any} browser @param {string} file */
async function measure(browser, file) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	/* How long handlers of keys and of input take, with what they draw. */
	await page.addInitScript(() => {
		for (const type of ['keydown', 'input']) {
			addEventListener(type, () => (window['begun'] = performance.now()), true);
			addEventListener(type, () => (window['busy'] = performance.now() - window['begun']));
		}
	});
	const isOurs = file.endsWith('.html');
	await page.goto(addressOf(file));
	await page.waitForSelector(isOurs ? '#main:not([hidden])' : 'canvas', { timeout: 120000 });
	const ready = await page.evaluate(() => performance.now());
	const first = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
	const parts = [`${basename(file)}: ${(statSync(file).size / 1e6).toFixed(2)} MB`, `first paint ${ms(first)}`, `all there ${ms(ready)}`];
	if (isOurs) {
		parts.push(await frames(page, 'zoom', (i) => page.keyboard.press(i % 2 ? '0' : 'i')));
		await page.keyboard.press('.');
		parts.push(await frames(page, 'span', (i) => page.keyboard.press(i < 20 ? '.' : ',')));
		await page.keyboard.press('r');
		await page.focus('#search');
		parts.push(await frames(page, 'search', (i) => page.keyboard.press(i % 2 ? 'Backspace' : 'e')));
		await page.keyboard.press('Escape');
		parts.push(await slowestView(page));
	}
	console.log([...parts, await memory(browser)].join('; '));
}

for (const file of process.argv.slice(2)) {
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
	try {
		await measure(browser, file);
	} catch (error) {
		console.log(`${basename(file)}: ${String(error).split('\n')[0]}`);
		process.exitCode = 1;
	}
	await browser.close();
}
