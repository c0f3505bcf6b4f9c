import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { DataError, Reader, readRecording, unpack } from '../../../web/data.js';
import { describe } from '../../../web/header.js';
import { Model } from '../../../web/model.js';
import { selectCosts, timeOf } from '../../../web/select.js';
import { parseState } from '../../../web/state.js';
import { insnRows, sumLines } from '../../../web/source.js';
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
	assert.deepEqual(r.cpus, { cell: [0, 1], lane: [0, 1], weight: [30, 7] });
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
				assert.ok(error instanceof DataError, String(error));
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

test('facts of a wrong shape are told by their place', () => {
	for (const [name, value, text] of [['threads', {}, 'threads is no list'], ['cell', '20', 'cell is no number'], ['strings', ['', 1], 'strings\\[1\\] is no string'],
		['events', [{ name: 'cycles' }], 'events\\[0\\].nr is no number'], ['headers', null, 'headers is no object'], ['format', 9, 'the format is 9, not 4']])
		assert.throws(() => readRecording(page({ [name]: value })), (error) => error instanceof DataError && new RegExp(text).test(error.message));
});

test('doubts are about more than 1% of the weight, notes about less', () => {
	/** @type {(wrong: object, flags?: number[]) => {doubts: string[], notes: string[]}} */
	const told = (wrong, flags) => {
		const recording = readRecording(page(wrong));
		flags?.forEach((f, i) => (recording.frames[i].flags = f));
		return describe(recording);
	};
	assert.deepEqual(told({ lost: 0 }).doubts, []);
	assert.match(told({ lost: 1 }).doubts[0], /^1 samples were lost \(25.00%\)/);
	assert.match(told({ lost: 0, stacks: 1000, cut: 9 }).notes[0], /^9 of 1,000 stacks are truncated/);
	assert.match(told({ lost: 0, stacks: 1000, cut: 11 }).doubts[0], /^11 of 1,000 stacks are truncated/);
	/* leaf has no symbol: 27 of 37; main has none: nothing of the weight. */
	assert.match(told({ lost: 0 }, [0, 0, 8]).doubts[0], /^1 of 3 places .* 72.97% of the weight/);
	assert.match(told({ lost: 0 }, [8, 0, 4]).notes[0], /^1 of 3 places .* 0.00% of the weight/);
	/* main, work, and leaf, which is inlined or not. */
	assert.deepEqual(told({ lost: 0, limit: 3 }).doubts, []);
	assert.match(told({ lost: 0, limit: 3 }, [0, 0, 0]).doubts[0], /^72.97% of the weight is in stacks of 3 frames/);
	assert.match(told({ lost: 0, limit: 2 }).doubts[0], /^100.00% of the weight is in stacks of 2 frames/);
});

test('the code of functions', () => {
	const recording = readRecording(page());
	const [source] = recording.sources;
	assert.deepEqual([source.name, source.binary, source.insns[2].file, source.place], ['work', 'prog', -1, 1]);
	assert.deepEqual(source.insns.map((i) => i.addr), ['ffffffff81000010', 'ffffffff81000011', 'ffffffff81000014']);
	assert.deepEqual(insnRows(source), [{ insn: -1, heading: 'work  work.c:1' }, { insn: 0, heading: '' },
		{ insn: -1, heading: 'twice (inlined)  work.c:2' }, { insn: 1, heading: '' }, { insn: -1, heading: 'work' }, { insn: 2, heading: '' }]);
	const model = new Model(recording);
	const costs = selectCosts(model, parseState(''));
	assert.deepEqual([...costs], [27, 0, 0, 10, 0]);
	assert.deepEqual(sumLines(source, costs.subarray(2)).map((l) => [l.number, l.cost]), [[0, 10], [1, 0], [2, 10]]);
	assert.equal(selectCosts(model, parseState('thread=1'))[3], 0);
	assert.equal(selectCosts(model, parseState('from=1&to=2'))[3], 0);
	for (const insn of [[16, 'ret'], [16, 7, 0, 1, 0], [-1, 'ret', 0, 1, 0], [0.5, 'ret', 0, 1, 0], [1, 'ret', 0, -1, 0],
		[1, 'ret', 0, 1], [1, 'ret', 0, 1, 2]])
		assert.throws(() => readRecording(page({}, [insn])), DataError);
	/* A place that the code does not have. */
	assert.throws(() => readRecording(page({}, [])), DataError);
});

test('spans: the slowest first, with the cells of their time', () => {
	const kind = { name: 'handle', nr: 1000, fast: 2e6, slow: 30e6 };
	const other = { name: 'flush', nr: 2, fast: 1e6, slow: 5e6, slowest: [[1, 1e6, 25e6]] };
	const { spans } = readRecording(page({ spans: [{ ...kind, slowest: [[1, 15e6, 31e6], [0, 0, 30e6], [0, 5e6, 2]] }, other] }));
	assert.deepEqual(spans.map((s) => [s.kind.name, s.thread, s.ns]), [['handle', 1, 31e6], ['handle', 0, 30e6], ['flush', 1, 25e6], ['handle', 0, 2]]);
	const recording = readRecording(page({ duration: 2e9, spans: [] }));
	assert.deepEqual(recording.spans, []);
	assert.deepEqual(timeOf(recording, { ...spans[0], begin: 215e6 }), { from: 10, to: 12, timeFrom: 6, timeTo: 16 });
	assert.deepEqual(timeOf(recording, { ...spans[0], begin: 0, ns: 1 }), { from: 0, to: 0, timeFrom: 0, timeTo: 2 });
	assert.deepEqual(readRecording(page()).spans, []);
	for (const slowest of [[[2, 0, 1]], [[-1, 0, 1]], [[0, -1, 1]], [[0, 1]], [['0', 1, 1]], [5], 'none'])
		assert.throws(() => readRecording(page({ spans: [{ ...kind, slowest }] })), DataError);
	assert.throws(() => readRecording(page({ spans: [{ ...kind, name: 7, slowest: [] }] })), DataError);
	assert.throws(() => readRecording(page({ spans: 1 })), DataError);
});
