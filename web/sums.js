// Sums over a tree: of each function, of the hottest ones, of what matches.
import { walk } from './tree.js';

/**
 * @typedef {import('./tree.js').Tree} Tree
 * @typedef {{func: number, self: number, total: number, was: number, wasTotal: number}} FuncSum
 */

/**
 * Self and total of each function; a recursion counts once.
 * @param {Tree} tree
 * @param {number} nrFuncs
 * @returns {FuncSum[]} those that are in the tree
 */
export function sumFunctions(tree, nrFuncs) {
	const self = new Float64Array(nrFuncs);
	const total = new Float64Array(nrFuncs);
	const was = new Float64Array(nrFuncs);
	const wasTotal = new Float64Array(nrFuncs);
	const open = new Int32Array(nrFuncs);
	walk(tree, (i) => {
		const f = tree.func[i];
		self[f] += tree.self[i];
		was[f] += tree.was?.[i] ?? 0;
		if (open[f]++)
			return;
		total[f] += tree.total[i];
		wasTotal[f] += tree.wasTotal?.[i] ?? 0;
	}, (i) => open[tree.func[i]]--);
	const sums = [];
	for (let f = 0; f < nrFuncs; f++)
		if (total[f])
			sums.push({ func: f, self: self[f], total: total[f], was: was[f], wasTotal: wasTotal[f] });
	return sums;
}

/**
 * The functions with most self weight of what is selected now, without sums over all others: it is shown after each step.
 * @param {Tree} tree
 * @param {number} nrFuncs
 * @param {number} most
 * @returns {FuncSum[]} as sumFunctions has them, the hottest first
 */
export function hottestFunctions(tree, nrFuncs, most) {
	const self = new Float64Array(nrFuncs);
	const was = new Float64Array(nrFuncs);
	for (let i = 1; i < tree.func.length; i++) {
		self[tree.func[i]] += tree.self[i];
		was[tree.func[i]] += tree.was?.[i] ?? 0;
	}
	/** @type {FuncSum[]} */
	const sums = [];
	for (let func = 0; func < nrFuncs; func++) {
		const now = self[func] - was[func];
		const at = sums.findIndex((s) => now > s.self - s.was);
		if (now > 0 && (at >= 0 || sums.length < most)) {
			sums.splice(at < 0 ? sums.length : at, 0, { func, self: self[func], total: 0, was: was[func], wasTotal: 0 });
			sums.length = Math.min(sums.length, most);
		}
	}
	/* By node: a bit for each of them that is the node's function or one of its callers. */
	const inside = new Uint32Array(tree.func.length);
	const bits = new Map(sums.map((s, i) => [s.func, 1 << i]));
	for (let i = 1; i < inside.length; i++) {
		const above = inside[tree.parent[i]];
		const bit = bits.get(tree.func[i]) ?? 0;
		inside[i] = above | bit;
		if (!bit || above & bit)
			continue;
		const sum = sums[31 - Math.clz32(bit)];
		sum.total += tree.total[i];
		sum.wasTotal += tree.wasTotal?.[i] ?? 0;
	}
	return sums;
}

/**
 * The share of the stacks with a function that matches.
 * @param {Tree} tree
 * @param {Uint8Array} matches by function
 * @returns {number} weight
 */
export function sumMatches(tree, matches) {
	const inside = new Uint8Array(tree.func.length);
	let sum = 0;
	for (let i = 1; i < tree.func.length; i++) {
		const above = inside[tree.parent[i]];
		inside[i] = above | matches[tree.func[i]];
		if (inside[i] && !above)
			sum += tree.total[i];
	}
	return sum;
}
