// The flame graph: a canvas as large as what can be seen of it.
import { colorOfVerdict, costText, nearEdge, verdictText } from './compare.js';
import { part, showTip } from './dom.js';
import { layoutBoxes } from './layout.js';
import { kindOf } from './select.js';
import { duration, percent, shortened, shown, weightText } from './text.js';
import { changeColor, colorOf, isPrinting, styleColor } from './theme.js';

const ROW = 18;
const MOST_PRINTED_ROWS = 30; /* have room on one page, with the hottest functions */
const FONT = '12px system-ui, sans-serif';

/** @typedef {import('./layout.js').Box} Box */

export class Flame {
	/**
	 * @param {string} id of the canvas
	 * @param {{zoom: (node: number) => void, menu: (node: number, x: number, y: number) => void, choose: (text: string, func: number) => void, name: (func: number) => string, short: (func: number) => string}} calls short: in a box
	 */
	constructor(id, calls) {
		/** @type {import('./tree.js').Func[]} */
		this.funcs = [];
		this.calls = calls;
		this.colors = new Map();
		this.scroller = /** @type {HTMLElement} */ (document.getElementById(`${id}-scroll`));
		this.space = /** @type {HTMLElement} */ (document.getElementById(`${id}-space`));
		this.canvas = /** @type {HTMLCanvasElement} */ (document.getElementById(id));
		this.tip = /** @type {HTMLElement} */ (document.getElementById('tip'));
		/** @type {Box[]} */
		this.boxes = [];
		/** @type {Box | undefined} */
		this.chosen = undefined;
		this.icicle = true;
		this.scroller.addEventListener('scroll', () => this.draw());
		this.canvas.addEventListener('mousemove', (e) => this.hover(e));
		this.canvas.addEventListener('mouseleave', () => (this.tip.hidden = true));
		this.scroller.addEventListener('contextmenu', (e) => this.openMenu(e));
		this.canvas.addEventListener('click', (e) => {
			const box = this.boxAt(e);
			if (box)
				this.calls.zoom(box.node);
		});
	}

	/** @param {MouseEvent} e by the mouse, or by a finger */
	openMenu(e) {
		e.preventDefault();
		/* The key that opened the menu comes again as this event. */
		if (e.button !== 2 && !part('menu').hidden)
			return;
		const box = e.target === this.canvas ? this.boxAt(e) : undefined;
		if (box)
			this.choose(box);
		this.menuOfChosen(box && e.clientX, box && e.clientY);
	}

	/** @param {number} [x] @param {number} [y] in the window; else at the box */
	menuOfChosen(x, y) {
		const { chosen } = this;
		if (!chosen)
			return;
		this.tip.hidden = true;
		const at = this.canvas.getBoundingClientRect();
		this.calls.menu(chosen.node, x ?? at.left + chosen.x * at.width, y ?? at.top + this.top(chosen) + ROW);
	}

	/** @param {import('./tree.js').Func[]} funcs of the trees that follow */
	reset(funcs) {
		this.funcs = funcs;
		this.colors.clear();
	}

	/**
	 * @param {import('./tree.js').Tree} tree
	 * @param {{zoom: number, icicle: boolean, matches: Uint8Array | null, isTime: boolean, whole: number, cell: number,
	 *	noRoot?: boolean, comparison?: import('./data.js').Comparison}} how cell: ns
	 */
	show(tree, how) {
		const isOther = tree !== this.tree || how.zoom !== this.how?.zoom || how.icicle !== this.how.icicle;
		this.tree = tree;
		this.how = how;
		this.icicle = how.icicle;
		this.width = this.scroller.clientWidth;
		this.boxes = layoutBoxes(tree, how.zoom, 0.5 / Math.max(this.width, 1));
		if (how.noRoot)
			this.boxes = this.boxes.filter((b) => b.node).map((b) => ({ ...b, depth: b.depth - 1 }));
		this.rows = this.boxes.reduce((n, b) => Math.max(n, b.depth + 1), 1);
		this.space.style.height = `${this.rows * ROW}px`;
		this.chosen = this.boxes.find((b) => b.node === (isOther ? how.zoom : this.chosen?.node)) ?? this.boxes[0];
		if (isOther)
			this.scroller.scrollTop = this.icicle ? 0 : this.scroller.scrollHeight;
		this.draw();
	}

	/** @returns {number} the innermost rows that are left out on paper */
	get left() {
		const most = this.how?.noRoot ? MOST_PRINTED_ROWS / 2 : MOST_PRINTED_ROWS; /* there are two graphs */
		return isPrinting() ? Math.max(0, (this.rows ?? 1) - most) : 0;
	}

	/** @param {Box} box @returns {number} */
	top(box) {
		return (this.icicle ? box.depth : (this.rows ?? 1) - this.left - 1 - box.depth) * ROW - this.scroller.scrollTop;
	}

	/** @param {number} node @returns {string} */
	name(node) {
		const func = this.tree?.func[node] ?? -1;
		return func < 0 ? 'all' : this.calls.name(func);
	}

	draw() {
		const { tree, how } = this;
		if (!tree || !how)
			return;
		const ratio = isPrinting() ? 2 : devicePixelRatio || 1;
		const all = Math.max((this.rows ?? 1) - this.left, 1) * ROW;
		const room = isPrinting() ? all : this.scroller.clientHeight;
		const height = Math.min(room, all);
		this.canvas.width = Math.round((this.width ?? 0) * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${height}px`;
		this.canvas.style.marginTop = this.icicle || isPrinting() ? '' : `${Math.max(0, room - height)}px`;
		const g = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
		g.scale(ratio, ratio);
		g.clearRect(0, 0, this.width ?? 0, height);
		g.font = FONT;
		g.textBaseline = 'middle';
		for (const box of this.boxes) {
			const y = this.top(box);
			if (y > -ROW && y < height)
				this.drawBox(g, box, y);
		}
	}

	/** @param {CanvasRenderingContext2D} g @param {Box} box @param {number} y */
	drawBox(g, box, y) {
		const x = box.x * (this.width ?? 0);
		const width = box.width * (this.width ?? 0);
		g.fillStyle = this.color(box.node);
		g.fillRect(x, y, Math.max(width - 0.5, 0.5), ROW - 1);
		const isHollow = this.isGone(box.node) && width > 4;
		if (isHollow) {
			g.fillStyle = styleColor('--back');
			g.fillRect(x + 2, y + 2, width - 4.5, ROW - 5);
		}
		if (box === this.chosen) {
			g.strokeStyle = styleColor('--text');
			g.lineWidth = 2;
			g.strokeRect(x + 1, y + 1, Math.max(width - 2, 1), ROW - 3);
		}
		if (width < 30)
			return;
		g.fillStyle = isHollow ? styleColor('--text') : '#000';
		const func = this.tree?.func[box.node] ?? -1;
		g.fillText(fit(g, func < 0 ? 'all' : this.calls.short(func), width - 8), x + 4, y + ROW / 2);
	}

	/** @param {number} node @returns {number} -1: only in the baseline, to 1: only now */
	change(node) {
		const { tree } = this;
		return tree?.wasTotal && tree.total[node] ? 1 - (2 * tree.wasTotal[node]) / tree.total[node] : 0;
	}

	/** @param {number} node @returns {boolean} whether the new side does not have it */
	isGone(node) {
		const { tree, how } = this;
		return Boolean(how?.comparison && tree?.wasTotal && tree.wasTotal[node] === tree.total[node]);
	}

	/** @param {number} node @returns {string} */
	color(node) {
		const func = this.tree?.func[node] ?? -1;
		if (func < 0)
			return '#cfd6dd';
		if (this.how?.matches?.[func])
			return '#e8b7f5';
		if (this.how?.comparison) {
			const row = this.how.comparison.rows[this.funcs[func].number];
			return colorOfVerdict(this.how.comparison.verdicts[row.verdict], nearEdge(row));
		}
		if (this.tree?.wasTotal)
			return changeColor(this.change(node));
		let color = this.colors.get(func);
		if (!color)
			this.colors.set(func, (color = colorOf(kindOf(this.funcs[func]), this.funcs[func].name)));
		return color;
	}

	/** @param {MouseEvent} e @returns {Box | undefined} */
	boxAt(e) {
		const at = this.canvas.getBoundingClientRect();
		const x = (e.clientX - at.left) / at.width;
		const y = e.clientY - at.top;
		return this.boxes.find((b) => x >= b.x && x < b.x + b.width && y >= this.top(b) && y < this.top(b) + ROW);
	}

	/** @param {number} node @returns {string} */
	text(node) {
		const { tree, how } = this;
		if (!tree || !how)
			return '';
		const func = tree.func[node];
		const lines = [this.name(node)];
		if (how.comparison)
			return [...lines, ...this.comparedLines(node, how.comparison, how.isTime)].join('\n');
		if (func >= 0) {
			const f = this.funcs[func];
			lines.push([kindOf(f), shown(f.binary), f.file && `${shown(f.file)}:${f.line}`].filter(Boolean).join(', '));
		}
		const [was, wasSelf] = [tree.wasTotal?.[node] ?? 0, tree.was?.[node] ?? 0];
		const self = `, self ${percent(tree.self[node] - wasSelf, how.whole)}`;
		/* By time, callees that are too narrow are part of their callers. */
		lines.push(`${weightText(tree.total[node] - was, how.isTime)}, ${percent(tree.total[node] - was, how.whole)} of all${tree.cells ? '' : self}`);
		if (tree.cells && func >= 0)
			lines.push(`from ${duration(tree.cells[0][node] * how.cell)} to ${duration((tree.cells[1][node] + 1) * how.cell)}`);
		if (tree.wasTotal)
			lines.push(`baseline, as if it were as long: ${weightText(Math.round(was), how.isTime)}, ${percent(was, tree.wasTotal[0])}`);
		return lines.join('\n');
	}

	/** @param {number} node @param {import('./data.js').Comparison} comparison @param {boolean} isTime @returns {string[]} */
	comparedLines(node, comparison, isTime) {
		const { tree } = this;
		const f = this.funcs[tree?.func[node] ?? -1];
		const [was, all] = [tree?.wasTotal?.[node] ?? 0, tree?.total[node] ?? 0];
		const here = `here, with what it calls: ${costText(was, isTime)} -> ${costText(all - was, isTime)}`;
		return f ? [shown(f.binary), verdictText(comparison, comparison.rows[f.number]), here] : [here];
	}

	/** @param {MouseEvent} e */
	hover(e) {
		const box = this.boxAt(e);
		if (box)
			showTip(this.tip, this.text(box.node), e);
		else
			this.tip.hidden = true;
	}

	/**
	 * Choose the box above, below or beside the chosen one.
	 * @param {string} key ArrowUp etc.
	 */
	move(key) {
		const { tree, chosen } = this;
		if (!tree || !chosen)
			return;
		const isOut = key === (this.icicle ? 'ArrowUp' : 'ArrowDown');
		const isBeside = key === 'ArrowLeft' || key === 'ArrowRight';
		const beside = this.boxes.filter((b) => b.depth === chosen.depth && b.node !== chosen.node)
			.filter((b) => (key === 'ArrowLeft' ? b.x < chosen.x : b.x > chosen.x))
			.sort((a, b) => Math.abs(a.x - chosen.x) - Math.abs(b.x - chosen.x))[0];
		const next = isBeside ? beside : isOut ? this.boxes.find((b) => b.node === tree.parent[chosen.node] && b !== chosen)
			: this.boxes.find((b) => b.depth === chosen.depth + 1 && tree.parent[b.node] === chosen.node && b.node > 0);
		if (next)
			this.choose(next);
	}

	/**
	 * Choose the next function that matches the search, or the one before.
	 * @param {number} step 1, -1
	 */
	nextMatch(step) {
		const { tree, how } = this;
		const boxes = step > 0 ? this.boxes : [...this.boxes].reverse();
		const at = boxes.findIndex((b) => b === this.chosen);
		/** @type {(b: Box) => boolean} */
		const isMatch = (b) => tree !== undefined && how?.matches?.[tree.func[b.node]] === 1;
		const next = boxes.slice(at + 1).find(isMatch) ?? boxes.find(isMatch);
		if (next)
			this.choose(next);
	}

	/** Choose where it is widest, unless a box of it is chosen. @param {number} func -1: what is zoomed into */
	chooseFunction(func) {
		const { tree, chosen } = this;
		if (!tree)
			return;
		const boxes = this.boxes.filter((b) => tree.func[b.node] === func);
		if (func < 0)
			this.chosen = this.boxes.find((b) => b.node === this.how?.zoom);
		const next = boxes.find((b) => b === chosen) ?? boxes.reduce((a, b) => (b.width > a.width ? b : a), boxes[0]);
		if (next && func >= 0)
			this.choose(next);
		else
			this.draw();
	}

	/** @param {number} node chosen if it is shown */
	chooseNode(node) {
		const box = this.boxes.find((b) => b.node === node);
		if (box)
			this.choose(box);
	}

	/** @param {Box} next */
	choose(next) {
		this.chosen = next;
		const top = this.top(next);
		if (top < 0 || top + ROW > this.scroller.clientHeight)
			this.scroller.scrollTop += top - this.scroller.clientHeight / 2;
		this.calls.choose(this.text(next.node).replaceAll('\n', ' - '), this.tree?.func[next.node] ?? -1);
		this.draw();
	}
}

/** @param {CanvasRenderingContext2D} g @param {string} text @param {number} width @returns {string} */
function fit(g, text, width) {
	let most = Math.min(text.length, Math.floor(width / 5)); /* a letter is hardly narrower */
	while (most > 3 && g.measureText(shortened(text, most)).width > width)
		most = Math.floor(most * 0.9);
	return most > 3 || most === text.length ? shortened(text, most) : '';
}
