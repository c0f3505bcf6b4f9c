// What of the recording is shown: event, thread, span of time, kinds and names to keep or hide.
import { FRAME_IDLE, FRAME_INLINED, FRAME_JIT, FRAME_KERNEL, FRAME_UNKNOWN, FRAME_WAIT } from './data.js';
import { reshape, sumTree, treeByTime } from './tree.js';

/**
 * @typedef {{event: number, thread: number, from: number, to: number, keep: string, hide: string,
 *	noKinds: string, idle: boolean, baseFrom: number, baseTo: number, collapse: boolean, noBinaries: string}} Selection thread -1:
 *	all; idle: waits for work are shown; from, to: cells, to -1: all; baseFrom, baseTo: to compare with, baseTo -1: nothing; noKinds: kinds that are
 *	hidden; noBinaries: names between slashes, their functions count as their callers; collapse: so do functions
 *	that were called by themselves
 */

const AROUND = 2; /* cells around a span that is shown, at least */

/* Of the tree by time: */
const MOST_SLICES = 500;
const MANY_STACKS = 200; /* in a slice: leave out those below a part of all that is too narrow to be seen */
const NARROWEST_PART = 4000;

/** The kinds of code, in the order of the legend. */
export const KINDS = ['user', 'inlined', 'kernel', 'jit', 'unknown', 'waiting', 'idle'];

/**
 * @param {import('./tree.js').Func} func
 * @returns {string}
 */
export function kindOf(func) {
	if (func.flags & FRAME_IDLE)
		return 'idle';
	if (func.flags & FRAME_WAIT)
		return 'waiting';
	if (func.flags & FRAME_KERNEL)
		return 'kernel';
	if (func.flags & FRAME_UNKNOWN)
		return 'unknown';
	if (func.flags & FRAME_JIT)
		return 'jit';
	return func.flags & FRAME_INLINED ? 'inlined' : 'user';
}

/**
 * @param {string} text
 * @returns {RegExp | null} null: it is empty, or no regular expression
 */
export function pattern(text) {
	try {
		return text ? new RegExp(text, 'i') : null;
	} catch {
		return null;
	}
}

/**
 * @param {import('./tree.js').Func[]} funcs
 * @param {string} text
 * @returns {Uint8Array} by function: does the name or the binary match?
 */
export function matching(funcs, text) {
	const p = pattern(text);
	const matches = new Uint8Array(funcs.length);
	/** By binary: does its name match? @type {boolean[]} */
	const ofBinary = [];
	for (let i = 0; p && i < funcs.length; i++) {
		const { name, binary, binaryId } = funcs[i];
		matches[i] = (ofBinary[binaryId] ??= p.test(binary)) || p.test(name) ? 1 : 0;
	}
	return matches;
}

/**
 * @param {import('./data.js').Recording} recording
 * @returns {number} cells of the whole recording
 */
export function cellsOf(recording) {
	return Math.floor(recording.facts.duration / recording.facts.cell) + 1;
}

/**
 * @param {import('./data.js').Recording} recording
 * @param {import('./data.js').Span} span
 * @returns {{from: number, to: number, timeFrom: number, timeTo: number}} the cells of its time, and those with as much around it
 */
export function timeOf(recording, { begin, ns }) {
	const last = cellsOf(recording) - 1;
	const [from, to] = [begin, begin + ns].map((time) => Math.min(last, Math.floor(time / recording.facts.cell)));
	const around = to - from + AROUND;
	return { from, to, timeFrom: Math.max(0, from - around), timeTo: Math.min(last, to + around) };
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} s
 * @returns {import('./model.js').Span}
 */
function spanOf(model, s) {
	const last = cellsOf(model.recording) - 1;
	return { ...s, to: s.to < 0 ? last : Math.min(s.to, last) };
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} s
 * @returns {Float64Array} the weight at each place in the code
 */
export function selectCosts(model, s) {
	return model.costs(spanOf(model, s), stackFilter(model, s));
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} selection
 * @returns {import('./tree.js').Tree} with a baseline: both spans, which count as if they were equally long
 */
export function selectTree(model, selection) {
	/* The cells of a comparison are the old side and the new one. */
	const s = model.recording.facts.comparison ? { ...selection, from: 1, to: 1, baseFrom: 0, baseTo: 0 } : selection;
	const span = spanOf(model, s);
	const keeps = stackFilter(model, s);
	const self = model.weights(span, keeps);
	let was;
	if (s.baseTo >= 0) {
		const baseTo = Math.min(s.baseTo, cellsOf(model.recording) - 1);
		const scale = (span.to - s.from + 1) / (baseTo - s.baseFrom + 1);
		was = model.weights({ ...s, from: s.baseFrom, to: baseTo }, keeps).map((w) => w * scale);
		was.forEach((w, i) => (self[i] += w));
	}
	const tree = sumTree(model.func, model.parent, self, was);
	if (!s.collapse && !s.noBinaries)
		return tree;
	const binaries = new Set(s.noBinaries.split('/'));
	return reshape(tree, Uint8Array.from(model.funcs, (f) => (s.noBinaries && binaries.has(f.binary) ? 1 : 0)), s.collapse);
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} s the baseline does not count
 * @param {import('./tree.js').Tree} tree of selectTree
 * @returns {import('./tree.js').Tree}
 */
export function selectByTime(model, s, tree) {
	const span = spanOf(model, s);
	const keeps = stackFilter(model, s);
	const size = Math.max(1, (span.to - span.from + 1) / MOST_SLICES); /* cells in a slice */
	const least = (tree.total[0] - (tree.wasTotal?.[0] ?? 0)) / NARROWEST_PART;
	const sums = new Float64Array(tree.func.length);
	/** @type {{node: number, weight: number}[][]} */
	const slices = [[]];
	const endSlice = () => {
		if (slices[slices.length - 1].length > MANY_STACKS)
			slices[slices.length - 1] = withoutNarrow(tree, sums, least);
		for (const end of slices[slices.length - 1]) {
			end.weight ||= sums[end.node];
			sums[end.node] = 0;
		}
	};
	model.visit(span, (stack, weight, cell) => {
		const node = model.nodeOf[stack];
		if (!keeps(node))
			return;
		for (const slice = Math.floor((cell - span.from) / size); slices.length <= slice; slices.push([]))
			endSlice();
		const to = tree.madeOf ? tree.madeOf[node] : node;
		if (!sums[to])
			slices[slices.length - 1].push({ node: to, weight: 0 });
		sums[to] += weight;
	});
	endSlice();
	return treeByTime(tree, slices, (slice) => span.from + Math.ceil(slice * size));
}

/**
 * The stacks of a slice of time: those that are too narrow to be seen are part of their callers.
 * @param {import('./tree.js').Tree} tree
 * @param {Float64Array} sums by node of what samples end there; on return, 0 at the nodes that are left out
 * @param {number} least weight that can be seen
 * @returns {{node: number, weight: number}[]}
 */
function withoutNarrow(tree, sums, least) {
	const slice = [];
	for (let i = sums.length - 1; i >= 0; i--) {
		if (!sums[i])
			continue;
		if (i && sums[i] < least) {
			sums[tree.parent[i]] += sums[i];
			sums[i] = 0;
		} else {
			slice.push({ node: i, weight: sums[i] });
		}
	}
	return slice;
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} s
 * @returns {(node: number) => boolean}
 */
function stackFilter(model, s) {
	const kinds = [...s.noKinds.split(','), ...(s.idle ? [] : ['idle'])];
	const hasKinds = s.noKinds || (model.hasIdle && !s.idle);
	if (!s.keep && !s.hide && !hasKinds)
		return () => true;
	const wanted = matching(model.funcs, s.keep);
	const unwanted = matching(model.funcs, s.hide);
	const kept = new Uint8Array(model.func.length);
	const hidden = new Uint8Array(model.func.length);
	for (let i = 1; i < kept.length; i++) {
		kept[i] = kept[model.parent[i]] | wanted[model.func[i]];
		hidden[i] = hidden[model.parent[i]] | unwanted[model.func[i]];
	}
	/* A kind is that of the innermost function. */
	return (i) => (!s.keep || kept[i] === 1) && !hidden[i] &&
		!(i && hasKinds && kinds.includes(kindOf(model.funcs[model.func[i]])));
}
