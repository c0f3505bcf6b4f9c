// Trees of functions: built, summed up, turned round.

/**
 * A function is a name in a binary, called or inlined.
 * @typedef {import('./data.js').Frame} Func
 * @typedef {{func: Int32Array, parent: Int32Array, self: Float64Array, total: Float64Array,
 *	first: Int32Array, children: Int32Array, was?: Float64Array, wasTotal?: Float64Array, madeOf?: Int32Array,
 *	cells?: [Int32Array, Int32Array]}} Tree nodes, parents first; 0 is the root, whose func is -1; children of i:
 *	children[first[i] .. first[i + 1]), the heaviest first; was, wasTotal: the part of self and total that is the
 *	baseline's, in a comparison; madeOf: of a tree that reshape made, by node of the tree before, the node here; cells:
 *	of a tree by time, whose children are in the order of time: first and last cell of each node
 */

/** @param {any} array typed @returns {any} twice as long */
function doubled(array) {
	const longer = new array.constructor(2 * array.length);
	longer.set(array);
	return longer;
}

/** Builds a tree node by node; there may be millions, which Map and plain arrays are too slow for. */
export class TreeBuilder {
	constructor() {
		this.nr = 1;
		this.func = new Int32Array(1024);
		this.func[0] = -1;
		this.parent = new Int32Array(1024);
		this.self = new Float64Array(1024);
		this.was = new Float64Array(1024);
		/** Nodes by hash of parent and function; 0: free. */
		this.table = new Int32Array(4096);
	}

	/** @param {number} parent @param {number} func @returns {number} the place of this child in the table, or a free one */
	place(parent, func) {
		const { table } = this;
		let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(func + 1, 0x85ebca6b);
		hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
		let at = (hash ^ (hash >>> 13)) & (table.length - 1);
		while (table[at] && (this.parent[table[at]] !== parent || this.func[table[at]] !== func))
			at = (at + 1) & (table.length - 1);
		return at;
	}

	/**
	 * @param {number} parent
	 * @param {number} func
	 * @returns {number} the child of parent with this function
	 */
	child(parent, func) {
		const at = this.place(parent, func);
		if (this.table[at])
			return this.table[at];
		const node = this.nr++;
		this.func[node] = func;
		this.parent[node] = parent;
		this.table[at] = node;
		if (this.nr === this.func.length)
			this.grow();
		return node;
	}

	grow() {
		for (const name of /** @type {const} */ (['func', 'parent', 'self', 'was']))
			this[name] = doubled(this[name]);
		this.table = new Int32Array(2 * this.table.length);
		for (let i = 1; i < this.nr; i++)
			this.table[this.place(this.parent[i], this.func[i])] = i;
	}

	/** @param {number} node @param {number} self @param {number} [was] */
	add(node, self, was = 0) {
		this.self[node] += self;
		this.was[node] += was;
	}

	/** @param {boolean} compares @returns {Tree} */
	finish(compares) {
		const { nr } = this;
		return sumTree(this.func.slice(0, nr), this.parent.slice(0, nr), this.self.slice(0, nr),
			compares ? this.was.slice(0, nr) : undefined);
	}
}

/**
 * @param {Int32Array} func
 * @param {Int32Array} parent
 * @param {Float64Array} self
 * @param {Float64Array} [was]
 * @param {boolean} [inOrder] children are in the order of their numbers, not by weight
 * @returns {Tree}
 */
export function sumTree(func, parent, self, was, inOrder = false) {
	const nr = func.length;
	const total = Float64Array.from(self);
	const wasTotal = was && Float64Array.from(was);
	const first = new Int32Array(nr + 2);
	for (let i = nr - 1; i > 0; i--) {
		total[parent[i]] += total[i];
		first[parent[i] + 2]++;
	}
	for (let i = 2; i < nr + 2; i++)
		first[i] += first[i - 1];
	const children = new Int32Array(Math.max(nr - 1, 0));
	for (let i = 1; i < nr; i++)
		children[first[parent[i] + 1]++] = i;
	for (let i = 0; i < nr && !inOrder; i++)
		if (first[i + 1] - first[i] > 1)
			children.subarray(first[i], first[i + 1]).sort((a, b) => total[b] - total[a] || a - b);
	for (let i = nr - 1; wasTotal && i > 0; i--)
		wasTotal[parent[i]] += wasTotal[i];
	return { func, parent, self, total, first, children, was, wasTotal };
}

/**
 * Visit the nodes with a weight, but for the root, depth first.
 * @param {Tree} tree
 * @param {(node: number) => void} enter
 * @param {(node: number) => void} leave
 */
export function walk(tree, enter, leave) {
	const stack = [0];
	const next = [tree.first[0]];
	while (stack.length) {
		const i = stack[stack.length - 1];
		const k = next[next.length - 1]++;
		if (k < tree.first[i + 1] && tree.total[tree.children[k]] > 0) {
			const child = tree.children[k];
			enter(child);
			stack.push(child);
			next.push(tree.first[child]);
		} else {
			stack.pop();
			next.pop();
			if (i)
				leave(i);
		}
	}
}

/** @param {Tree} tree @param {number} func @returns {number} the node where it costs most; 0: none */
export function heaviestOf(tree, func) {
	let best = 0;
	tree.func.forEach((f, i) => (best = i && f === func && tree.total[i] > tree.total[best] * Number(best > 0) ? i : best));
	return best;
}

/**
 * The tree of callers: innermost functions first.
 * @param {Tree} tree
 * @param {number} from the callers of this function only; -1: of all
 * @returns {Tree}
 */
export function invert(tree, from) {
	const b = new TreeBuilder();
	const [weights, was] = from < 0 ? [tree.self, tree.was] : [tree.total, tree.wasTotal];
	for (let i = 1; i < tree.func.length; i++) {
		if (!weights[i] || (from >= 0 && (tree.func[i] !== from || isBelow(tree, i))))
			continue;
		let node = 0;
		for (let k = i; k; k = tree.parent[k])
			node = b.child(node, tree.func[k]);
		b.add(node, weights[i], was?.[i]);
	}
	return b.finish(Boolean(was));
}

/**
 * What a function calls, wherever it is called.
 * @param {Tree} tree
 * @param {number} of
 * @returns {Tree}
 */
export function callees(tree, of) {
	const b = new TreeBuilder();
	const node = new Int32Array(tree.func.length);
	for (let i = 1; i < tree.func.length; i++) {
		const above = node[tree.parent[i]];
		if (!above && tree.func[i] !== of)
			continue;
		node[i] = b.child(above, tree.func[i]);
		b.add(node[i], tree.self[i], tree.was?.[i]);
	}
	return b.finish(Boolean(tree.was));
}

/**
 * A tree with fewer nodes: what they cost goes to their callers.
 * @param {Tree} tree
 * @param {Uint8Array} leftOut by function
 * @param {boolean} collapses leave out functions that are below themselves: they go on where they were first
 * @returns {Tree}
 */
export function reshape(tree, leftOut, collapses) {
	const b = new TreeBuilder();
	const node = new Int32Array(tree.func.length);
	for (let i = 1; i < tree.func.length; i++) {
		const above = node[tree.parent[i]];
		const func = tree.func[i];
		let known = leftOut[func] ? above : 0;
		for (let k = above; collapses && !known && k; k = b.parent[k])
			known = b.func[k] === func ? k : 0;
		node[i] = leftOut[func] ? above : known || b.child(above, func);
		b.add(node[i], tree.self[i], tree.was?.[i]);
	}
	return { ...b.finish(Boolean(tree.was)), madeOf: node };
}

/**
 * The tree by time: stacks of columns of cells follow each other; equal outer functions of neighbours are one node.
 * @param {Tree} tree the order of stacks within a column: of its children
 * @param {{node: number, weight: number}[][]} columns nodes of the tree that samples end in
 * @param {(column: number) => number} cellOf the first cell of a column
 * @returns {Tree}
 */
export function treeByTime(tree, columns, cellOf) {
	const order = new Int32Array(tree.func.length);
	let nr = 0;
	walk(tree, (i) => (order[i] = ++nr), () => {});
	/** @type {number[][]} */
	const [func, parent, self, from, to] = [[-1], [0], [0], [0], [0]];
	/** The nodes that the last stack is made of: in the tree, and here. */
	let open = [0];
	let made = [0];
	columns.forEach((column, k) => {
		for (const { node, weight } of column.sort((a, b) => order[a.node] - order[b.node])) {
			const path = [];
			for (let i = node; i; i = tree.parent[i])
				path.push(i);
			path.push(0);
			path.reverse();
			let same = 1;
			while (same < path.length && open[same] === path[same])
				same++;
			made = made.slice(0, same);
			for (; same < path.length; same++) {
				parent.push(made[same - 1]);
				made.push(func.push(tree.func[path[same]]) - 1);
				self.push(0);
				from.push(cellOf(k));
				to.push(0);
			}
			open = path;
			self[made[made.length - 1]] += weight;
			for (const i of made)
				to[i] = cellOf(k + 1) - 1;
		}
	});
	const summed = sumTree(Int32Array.from(func), Int32Array.from(parent), Float64Array.from(self), undefined, true);
	return { ...summed, cells: [Int32Array.from(from), Int32Array.from(to)] };
}

/**
 * @param {Tree} tree
 * @param {number} i
 * @returns {boolean} whether the node's function is among its callers, too
 */
function isBelow(tree, i) {
	for (let k = tree.parent[i]; k; k = tree.parent[k])
		if (tree.func[k] === tree.func[i])
			return true;
	return false;
}
