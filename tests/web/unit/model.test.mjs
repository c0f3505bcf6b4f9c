import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecording } from '../../../web/data.js';
import { foldedText, svgText } from '../../../web/files.js';
import { layoutBoxes, nodeOfPath, pathOf } from '../../../web/layout.js';
import { eventsOf, Model } from '../../../web/model.js';
import { hottestFunctions, sumFunctions, sumMatches } from '../../../web/sums.js';
import { callees, invert, reshape, treeByTime, TreeBuilder } from '../../../web/tree.js';
import { matching, selectByTime, selectTree } from '../../../web/select.js';
import { parseState, stateText } from '../../../web/state.js';
import { duration, percent, shortened, shown } from '../../../web/text.js';
import { page } from './page.mjs';

const model = new Model(readRecording(page()));
const all = parseState('');

/** a (5) calls b (3), which calls a (2), which calls b (4) */
function recursion() {
	const b = new TreeBuilder();
	for (const func of [0, 1, 0, 1])
		b.child(b.nr - 1, func);
	[5, 3, 2, 4].forEach((self, i) => b.add(i + 1, self));
	return b.finish(false);
}

test('the hottest functions have the sums of sumFunctions', () => {
	for (const [tree, nr] of [[recursion(), 2], [selectTree(model, all), model.funcs.length], [selectTree(model, { ...all, baseTo: 0, from: 1 }), model.funcs.length]]) {
		const sums = sumFunctions(tree, nr).filter((s) => s.self > s.was).sort((a, b) => b.self - b.was - a.self + a.was);
		assert.ok(sums.length);
		for (const most of [1, 10])
			assert.deepEqual(hottestFunctions(tree, nr, most), sums.slice(0, most));
	}
});

test('the tree of all samples, of a thread, of a span', () => {
	assert.equal(selectTree(model, all).total[0], 37);
	assert.equal(selectTree(model, { ...all, thread: 1 }).total[0], 7);
	assert.equal(selectTree(model, { ...all, from: 0, to: 1 }).total[0], 30);
	assert.equal(selectTree(model, { ...all, keep: 'leaf' }).total[0], 27);
	assert.equal(selectTree(model, { ...all, hide: 'leaf' }).total[0], 10);
	assert.equal(selectTree(model, { ...all, noKinds: 'inlined' }).total[0], 10);
});

test('functions: recursion counts once', () => {
	assert.deepEqual(sumFunctions(recursion(), 2), [{ func: 0, self: 7, total: 14, was: 0, wasTotal: 0 }, { func: 1, self: 7, total: 9, was: 0, wasTotal: 0 }]);
	const sums = sumFunctions(selectTree(model, all), 3);
	assert.deepEqual(sums.map((s) => [s.self, s.total]), [[0, 37], [10, 37], [27, 27]]);
});

test('matches, callers, callees', () => {
	assert.equal(sumMatches(recursion(), Uint8Array.of(0, 1)), 9);
	const callers = invert(recursion(), 1);
	assert.equal(callers.total[0], 9);
	assert.equal(callers.func[1], 1);
	assert.equal(invert(recursion(), -1).total[0], 14);
	assert.equal(callees(recursion(), 1).total[0], 9);
	assert.deepEqual([...matching(model.funcs, '^LE')], [0, 0, 1]);
	assert.deepEqual([...matching(model.funcs, '(')], [0, 0, 0]);
});

test('a comparison counts both spans as if they were equally long', () => {
	/* cell 0: 30; cells 1 and 2: 7, all of it in leaf */
	const tree = selectTree(model, { ...all, from: 0, to: 0, baseFrom: 1, baseTo: 2 });
	assert.deepEqual([tree.total[0], tree.wasTotal[0]], [33.5, 3.5]);
	const sums = sumFunctions(tree, 3);
	assert.deepEqual(sums.map((s) => [s.total - s.wasTotal, s.wasTotal]), [[30, 3.5], [30, 3.5], [20, 3.5]]);
	assert.equal(invert(tree, 2).wasTotal[0], 3.5);
	assert.equal(callees(tree, 1).wasTotal[0], 3.5);
});

test('a tree of many nodes finds each of them again', () => {
	const b = new TreeBuilder();
	for (let i = 0; i < 100000; i++)
		assert.equal(b.child(i >> 2, i % 7), i + 1);
	for (let i = 0; i < 100000; i++)
		assert.equal(b.child(i >> 2, i % 7), i + 1);
	assert.equal(b.finish(false).func.length, 100001);
});

test('fewer nodes: recursion, binaries', () => {
	const b = new TreeBuilder();
	for (const func of [0, 0, 0, 1])
		b.child(b.nr - 1, func);
	[1, 2, 3, 4].forEach((self, i) => b.add(i + 1, self));
	const deep = b.finish(false);
	const flat = reshape(deep, new Uint8Array(2), true);
	assert.deepEqual([[...flat.func], [...flat.self], flat.total[0]], [[-1, 0, 1], [0, 6, 4], 10]);
	assert.deepEqual([...reshape(deep, Uint8Array.of(1, 0), false).self], [6, 4]);
	assert.equal(selectTree(model, { ...all, noBinaries: 'prog' }).self[0], 37);
	assert.equal(selectTree(model, { ...all, collapse: true }).total[0], 37);
	assert.equal(model.func[model.hottest(0, 0, [0])], 2);
	assert.equal(model.hottest(1, 1, [0]), 0);
});

test('recursion through other functions collapses into the first call', () => {
	const flat = reshape(recursion(), new Uint8Array(2), true);
	assert.deepEqual([[...flat.func], [...flat.self]], [[-1, 0, 1], [0, 7, 7]]);
	assert.deepEqual([...(flat.madeOf ?? [])], [0, 1, 2, 1, 2]);
});

test('by time: neighbours are joined, the order is that of time', () => {
	const tree = selectByTime(model, all, selectTree(model, all));
	/* cell 0: work 10, leaf 20; cell 2: leaf 7 */
	assert.deepEqual([...tree.total], [37, 37, 37, 27]);
	assert.deepEqual(tree.cells?.map((c) => [...c]), [[0, 0, 0, 0], [2, 2, 2, 2]]);
	const late = { node: 3, weight: 1 };
	const apart = treeByTime(selectTree(model, all), [[late], [{ node: 1, weight: 5 }], [late]], (k) => k);
	assert.deepEqual([...apart.func], [-1, 0, 1, 2, 1, 2]);
	assert.deepEqual([...apart.total], [7, 7, 1, 1, 1, 1]);
	assert.equal(nodeOfPath(apart, pathOf(apart, 5)), 5);
	assert.deepEqual(layoutBoxes(apart, 0, 0).map((b) => b.x).sort(), [0, 0, 0, 0, 1 / 7, 1 / 7]);
});

test('a wait is found wherever it lasted', () => {
	/* leaf waits in lane 1 from the middle of cell 0 to cell 2 */
	const recording = readRecording(page());
	recording.cells.weight[2] = 30e6;
	const waits = new Model(recording);
	assert.deepEqual([0, 1, 2, 3].map((cell) => waits.func[waits.waitAt(cell, cell, 1)]), [-1, 2, 2, -1]);
	assert.equal(waits.waitAt(1, 1, 0), 0);
});

test('boxes come from the left: the heaviest callee is the first one below its caller', () => {
	const b = new TreeBuilder();
	b.add(b.child(0, 0), 1);
	b.add(b.child(0, 1), 2);
	b.add(b.child(0, 2), 3);
	assert.deepEqual(layoutBoxes(b.finish(false), 0, 0).map((box) => box.node), [0, 3, 2, 1]);
});

test('boxes, and the way to a node', () => {
	const tree = selectTree(model, all);
	const boxes = layoutBoxes(tree, 0, 0);
	assert.deepEqual(boxes.map((b) => b.width), [1, 1, 1, 27 / 37]);
	const node = boxes[3].node;
	assert.equal(nodeOfPath(tree, pathOf(tree, node)), node);
	assert.equal(nodeOfPath(tree, '0.9.x'), 1);
	assert.deepEqual(layoutBoxes(tree, node, 0).map((b) => b.depth), [0, 1, 2, 3]);
});

test('state and its text', () => {
	const state = { ...all, search: 'a&b=#ä', from: 3, to: 9, icicle: false };
	assert.deepEqual(parseState('#' + stateText(state)), state);
	assert.equal(stateText(all), '');
	assert.equal(parseState('#event=x&from=1.5&unknown=1').event, -1);
});

test('text', () => {
	assert.equal(shown('a\u202eb\u0000\n'), 'a\\u202eb\\u0000\\u000a');
	assert.equal(percent(1, 3), '33.33%');
	assert.equal(percent(0, 0), '0.00%');
	assert.equal(shortened('abcdefghijklmnopqrstuvwxyz', 26), 'abcdefghijklmnopqrstuvwxyz');
	assert.equal(shortened('abcdefghijklmnopqrstuvwxyz', 16), 'abcde…qrstuvwxyz');
	assert.equal(shortened('abcdefghijklmnopqrstuvwxyz', 5), 'abcd…');
	assert.equal(shortened('abcdefghijklmnop (inlined)', 20), 'abcdefghijklmnop');
	assert.equal(duration(2.134e9), '2.13 s');
	assert.equal(duration(417e6), '417 ms');
	assert.equal(foldedText(selectTree(model, all), model.funcs), 'main;work 10\nmain;work;leaf 27\n');
	const svg = svgText(layoutBoxes(selectTree(model, all), 0, 0),
		{ width: 100, icicle: true, name: () => '<a&"', text: () => '</title>', color: () => 'red' });
	assert.ok(!svg.includes('<a&') && svg.includes('&#60;a&#38;&#34;') && !svg.includes('</title></title>'));
});

test('a function that is called and inlined is one; CPU and waits are shown together, idle waits only on demand', () => {
	const events = [['cpu-clock', false], ['offcpu-time', true], ['faults', false]]
		.map(([name, waits]) => ({ name, nr: 1, weight: 10, period: 0, time: name !== 'faults', waits }));
	const facts = /** @type {any} */ ({ events });
	assert.deepEqual([eventsOf(facts, -1), eventsOf(facts, 2)], [[0, 1], [2]]);
	events[1].nr = 0;
	assert.deepEqual(eventsOf(facts, -1), [0]);
	const recording = readRecording(page());
	/* leaf is inlined; the sample that is in work is one in leaf that was called, as its name is. */
	Object.assign(recording.frames[1], { nameId: recording.frames[2].nameId, name: 'leaf' });
	const joined = new Model(recording);
	assert.deepEqual(joined.funcs.map((f) => [f.name, f.flags]), [['main', 0], ['leaf', 0]]);
	recording.frames[2].flags = 16 | 32;
	const waits = new Model(recording);
	assert.equal(waits.funcs.length, 3);
	assert.equal(selectTree(waits, all).total[0], 10);
	assert.equal(selectTree(waits, { ...all, idle: true }).total[0], 37);
});
