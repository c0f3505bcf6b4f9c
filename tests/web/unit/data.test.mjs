import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { DataError, Reader, readRecording, unpack } from '../../../web/data.js';
import { page } from './page.mjs';

test('numbers of all sizes', () => {
	assert.deepEqual(new Reader(Uint8Array.of(0, 0x7f, 0x80, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f)).all(),
		[0, 127, 128, 2 ** 53 - 1]);
	assert.equal(new Reader(Uint8Array.of(3)).signed(), -2);
	assert.throws(() => new Reader(Uint8Array.of(0x80)).varint(), DataError);
	assert.throws(() => new Reader(new Uint8Array(20).fill(0xff)).varint(), DataError);
});

test('a recording is what was written', () => {
	const r = readRecording(page());
	assert.deepEqual(r.frames.map((f) => f.name), ['main', 'work', 'leaf']);
	assert.deepEqual([...r.cells.weight], [20, 10, 7]);
	assert.deepEqual([...r.cells.cell], [0, 0, 2]);
	assert.deepEqual([...r.cells.stack], [3, 2, 3]);
});

test('damaged data is told, whatever byte is wrong', () => {
	const good = page();
	for (let i = 0; i < good.length; i++) {
		for (const byte of [0, 0x7f, 0x80, 0xff]) {
			const bad = good.slice();
			bad[i] = byte;
			try {
				const r = readRecording(bad);
				assert.ok(r.cells.stack.every((s) => s < r.stacks.parent.length));
			} catch (error) {
				assert.ok(error instanceof DataError || error instanceof TypeError, String(error));
			}
		}
		assert.throws(() => readRecording(good.subarray(0, i)), Error);
	}
});

test('unpacking', async () => {
	const packed = deflateSync(page());
	assert.deepEqual(await unpack(packed.toString('base64')), new Uint8Array(page()));
	await assert.rejects(unpack(packed.subarray(0, 20).toString('base64')), DataError);
	await assert.rejects(unpack('?'), DataError);
	await assert.rejects(unpack('AAAA'), DataError);
});
