// Where the boxes of a flame graph are.

/** @typedef {{node: number, depth: number, x: number, width: number}} Box x and width: parts of the whole width */

/**
 * @param {import('./tree.js').Tree} tree
 * @param {number} zoom the node that is as wide as all
 * @param {number} narrowest boxes below this part of the width are left out, with what they call
 * @returns {Box[]} callers of zoom first, then depth first, from the left
 */
export function layoutBoxes(tree, zoom, narrowest) {
	/** @type {Box[]} */
	const boxes = [];
	for (let i = zoom; i; i = tree.parent[i])
		boxes.unshift({ node: tree.parent[i], depth: 0, x: 0, width: 1 });
	boxes.forEach((box, depth) => (box.depth = depth));
	if (!tree.total[zoom])
		return boxes;
	const open = [{ node: zoom, depth: boxes.length, x: 0, width: 1 }];
	for (let box = open.pop(); box; box = open.pop()) {
		boxes.push(box);
		const wide = [];
		let x = box.x;
		for (let k = tree.first[box.node]; k < tree.first[box.node + 1]; k++) {
			const node = tree.children[k];
			const width = tree.total[node] / tree.total[zoom];
			if ((width < narrowest || !width) && !tree.cells)
				break; /* the following ones are narrower */
			if (width >= narrowest && width)
				wide.push({ node, depth: box.depth + 1, x, width });
			x += width;
		}
		for (let child = wide.pop(); child; child = wide.pop())
			open.push(child);
	}
	return boxes;
}

/**
 * @param {import('./tree.js').Tree} tree
 * @param {number} node
 * @returns {string} the way to the node, for the hash: functions; by time, places among the children
 */
export function pathOf(tree, node) {
	const path = [];
	for (let i = node; i; i = tree.parent[i])
		path.unshift(tree.cells ? tree.children.indexOf(i) - tree.first[tree.parent[i]] : tree.func[i]);
	return path.join('.');
}

/**
 * @param {import('./tree.js').Tree} tree
 * @param {string} path as of pathOf
 * @returns {number} the node, or the last one on its way that the tree has
 */
export function nodeOfPath(tree, path) {
	let node = 0;
	for (const step of path ? path.split('.').map(Number) : []) {
		const children = tree.children.subarray(tree.first[node], tree.first[node + 1]);
		const next = tree.cells ? children[step] : children.find((i) => tree.func[i] === step && tree.total[i] > 0);
		if (next === undefined)
			break;
		node = next;
	}
	return node;
}
