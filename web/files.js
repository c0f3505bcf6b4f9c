// The view as a file: folded stacks, JSON, SVG, PNG.
import { walk } from './tree.js';
import { shown } from './text.js';

/**
 * @param {import('./tree.js').Tree} tree
 * @param {import('./tree.js').Func[]} funcs
 * @returns {string} a line "outermost;...;innermost weight" for each stack; in a comparison, with the old and the new weight
 */
export function foldedText(tree, funcs) {
	/** @type {string[]} */
	const lines = [];
	/** @type {string[]} */
	const path = [];
	walk(tree, (i) => {
		path.push(shown(funcs[tree.func[i]].name).replaceAll(';', ':'));
		const was = tree.was?.[i] ?? 0;
		if (tree.self[i])
			lines.push(`${path.join(';')} ${tree.was ? `${Math.round(was)} ${Math.round(tree.self[i] - was)}` : tree.self[i]}`);
	}, () => path.pop());
	return lines.map((line) => line + '\n').join('');
}

/**
 * @param {import('./sums.js').FuncSum[]} sums
 * @param {import('./tree.js').Func[]} funcs
 * @param {object} selection
 * @returns {string}
 */
export function jsonText(sums, funcs, selection) {
	return JSON.stringify({
		selection,
		functions: sums.map((s) => ({ name: funcs[s.func].name, binary: funcs[s.func].binary, self: s.self, total: s.total })),
	}, null, '\t') + '\n';
}

/**
 * @param {import('./data.js').Comparison} comparison
 * @param {import('./tree.js').Func[]} funcs
 * @returns {string}
 */
export function comparedJson(comparison, funcs) {
	return JSON.stringify({
		total: comparison.total, changes: comparison.changes,
		functions: funcs.map((f) => ({ name: f.name, binary: f.binary, ...comparison.rows[f.number],
			verdict: comparison.verdicts[comparison.rows[f.number].verdict] })),
	}, null, '\t') + '\n';
}

/** @param {string} text lines @returns {string} as XML has it */
function xml(text) {
	return text.split('\n').map(shown).join('\n').replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/**
 * @param {import('./layout.js').Box[]} boxes
 * @param {{width: number, icicle: boolean, name: (node: number) => string, text: (node: number) => string,
 *	color: (node: number) => string}} how
 * @returns {string}
 */
export function svgText(boxes, how) {
	const rows = boxes.reduce((n, b) => Math.max(n, b.depth + 1), 1);
	const parts = boxes.map((b) => {
		const [x, width] = [b.x * how.width, b.width * how.width];
		const y = (how.icicle ? b.depth : rows - 1 - b.depth) * 18;
		const letters = Math.floor((width - 6) / 7);
		const name = how.name(b.node);
		const label = letters < 3 ? '' : name.length > letters ? name.slice(0, letters - 1) + '…' : name;
		return `<g><title>${xml(how.text(b.node))}</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(width - 0.5, 0.5).toFixed(1)}" ` +
			`height="17" fill="${how.color(b.node)}"/><text x="${(x + 3).toFixed(1)}" y="${y + 13}">${xml(label)}</text></g>\n`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${how.width}" height="${rows * 18}" ` +
		`font-family="monospace" font-size="11">\n${parts.join('')}</svg>\n`;
}

/**
 * @param {string} name
 * @param {Blob} blob
 */
export function save(name, blob) {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
