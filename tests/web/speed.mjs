// How fast pages are: node tests/web/speed.mjs PAGE..., after make check-page. For each page a line of its size and
// times: until it shows something, until all is there, frames of zoom, search and a span that moves. A
// page of speedscope (an address with #localProfilePath=) has the first two only.
import { createRequire } from 'node:module';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { CHROMIUM = '/usr/bin/chromium', TOOLS = resolve('build/page-tools/node_modules') } = process.env;
const { chromium } = createRequire(TOOLS + '/')('playwright-core');
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
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

for (const file of process.argv.slice(2)) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	/* How long handlers of keys and of input take, with what they draw. */
	await page.addInitScript(() => {
		for (const type of ['keydown', 'input']) {
			addEventListener(type, () => (window['begun'] = performance.now()), true);
			addEventListener(type, () => (window['busy'] = performance.now() - window['begun']));
		}
	});
	const [path] = file.split('#');
	await page.goto(pathToFileURL(resolve(path)).href + file.slice(path.length));
	const isOurs = !file.includes('#localProfilePath');
	await page.waitForSelector(isOurs ? '#main:not([hidden])' : 'canvas', { timeout: 120000 });
	const ready = await page.evaluate(() => performance.now());
	const first = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
	const size = isOurs ? statSync(path).size : statSync(file.split('#localProfilePath=')[1]).size;
	const parts = [file.split('/').pop(), `${(size / 1e6).toFixed(2)} MB`, `first paint ${ms(first)}`, `all there ${ms(ready)}`];
	if (isOurs) {
		parts.push(await frames(page, 'zoom', (i) => page.keyboard.press(i % 2 ? '0' : 'i')));
		await page.keyboard.press('.');
		parts.push(await frames(page, 'span', (i) => page.keyboard.press(i < 20 ? '.' : ',')));
		await page.keyboard.press('r');
		await page.focus('#search');
		parts.push(await frames(page, 'search', (i) => page.keyboard.press(i % 2 ? 'Backspace' : 'e')));
	}
	console.log(parts.join('; '));
	await page.close();
}
await browser.close();
