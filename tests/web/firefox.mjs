// A smoke run in Firefox ESR: each view shows the recording, and nothing is amiss. Run by tests/web/run.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { FIREFOX, TOOLS } = /** @type {Record<string, string>} */ (process.env);
const puppeteer = createRequire(TOOLS + '/')('puppeteer-core');
const browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX, headless: true });
const page = await browser.newPage();
/** @type {string[]} */
const faults = [];
page.on('console', (/** @type {any} */ m) => ['error', 'warn'].includes(m.type()) && faults.push(m.text()));
page.on('pageerror', (/** @type {any} */ e) => faults.push(e.message));
await page.setViewport({ width: 1280, height: 800 });
await page.goto(pathToFileURL('demo.html').href);
await page.waitForSelector('#main:not([hidden])');
const colors = () => page.$eval('#flame', (/** @type {any} */ e) =>
	new Set(new Uint32Array(e.getContext('2d').getImageData(0, 0, e.width, e.height).data.buffer)).size);
assert.ok((await colors()) > 3, 'the flame graph is empty');
for (const [key, id] of [['3', 'functions'], ['4', 'tree'], ['5', 'lines']]) {
	await page.keyboard.press(key);
	const nr = await page.$$eval(`#${id} tbody tr[data-row]`, (/** @type {any[]} */ rows) => rows.filter((r) => r.offsetHeight).length);
	assert.ok(nr > 3, `${id}: ${nr} rows`);
	await page.screenshot({ path: `firefox-${id}.png` });
}
for (const key of ['2', 'm', 'c', 'l', '.', 'b', '.', 'z', '1']) {
	await page.keyboard.press(key);
	assert.ok((await colors()) > 3, `the flame graph is empty after ${key}`);
}
await page.screenshot({ path: 'firefox-flame.png' });
assert.deepEqual(faults, []);
console.log(`ok    the views in ${await browser.version()}`);
await browser.close();
