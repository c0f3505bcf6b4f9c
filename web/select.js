// What of the recording is shown: event, thread, span of time, kinds and names to keep or hide.
import { FRAME_INLINED, FRAME_JIT, FRAME_KERNEL, FRAME_UNKNOWN } from './data.js';

/**
 * @typedef {{event: number, thread: number, from: number, to: number, keep: string, hide: string,
 *	noKinds: string}} Selection thread -1: all; from, to: cells, to -1: all; noKinds: kinds that are hidden
 */

/** The kinds of code, in the order of the legend. */
export const KINDS = ['user', 'inlined', 'kernel', 'jit', 'unknown'];

/**
 * @param {import('./model.js').Func} func
 * @returns {string}
 */
export function kindOf(func) {
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
 * @param {import('./model.js').Func[]} funcs
 * @param {string} text
 * @returns {Uint8Array} by function: does the name or the binary match?
 */
export function matching(funcs, text) {
	const p = pattern(text);
	return Uint8Array.from(funcs, (f) => (p && (p.test(f.name) || p.test(f.binary)) ? 1 : 0));
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} s
 * @returns {import('./model.js').Tree}
 */
export function selectTree(model, s) {
	const { cell, lane } = model.recording.cells;
	const nrEvents = model.recording.facts.events.length;
	const to = s.to < 0 ? Infinity : s.to;
	return model.tree(
		(i) => lane[i] % nrEvents === s.event && cell[i] >= s.from && cell[i] <= to &&
			(s.thread < 0 || Math.floor(lane[i] / nrEvents) === s.thread),
		stackFilter(model, s));
}

/**
 * @param {import('./model.js').Model} model
 * @param {Selection} s
 * @returns {(node: number) => boolean}
 */
function stackFilter(model, s) {
	const kinds = s.noKinds.split(',');
	if (!s.keep && !s.hide && !s.noKinds)
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
		!(i && s.noKinds && kinds.includes(kindOf(model.funcs[model.func[i]])));
}
