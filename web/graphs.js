// The flame graph, and the callers of a function above what it calls: both are drawn by Flame.
import { copy, part } from './dom.js';
import { comparedJson, foldedText, jsonText, save, svgText } from './files.js';
import { Flame } from './flame.js';
import { layoutBoxes, nodeOfPath, pathOf } from './layout.js';
import { Menu } from './menu.js';
import { sumFunctions } from './sums.js';
import { callees, heaviestOf, invert } from './tree.js';
import { nowOf } from './selected.js';

export class GraphView {
	/** @param {import('./selected.js').Selected} selected @param {import('./actions.js').Actions} actions */
	constructor(selected, actions) {
		this.selected = selected;
		this.actions = actions;
		/** @type {(text: string, func: number) => void} */
		const choose = (text, func) => {
			part('chosen').textContent = text;
			if (selected.state.view === 'flame' && selected.state.focus !== func)
				actions.choose(func);
		};
		/** @type {(func: number) => string} */
		const name = (func) => selected.nameOf(func);
		/** @type {(func: number) => string} */
		const short = (func) => selected.shortOf(func);
		/** @type {(tree: import('./tree.js').Tree | undefined, node: number, zoom: (node: number) => void, x: number, y: number) => void} */
		const menu = (tree, node, zoom, x, y) => this.openMenu(tree?.func[node] ?? -1, () => zoom(node), x, y);
		/** @type {(node: number) => void} */
		const zoom = (node) => this.zoom(node);
		/** @type {(node: number) => void} */
		const down = (node) => this.calleeTree && actions.change({ down: pathOf(this.calleeTree, node) });
		this.menu = new Menu();
		this.flame = new Flame('flame', { choose, name, short, zoom, menu: (node, x, y) => menu(this.flameTree, node, zoom, x, y) });
		this.callees = new Flame('callees', { choose, name, short, zoom: down, menu: (node, x, y) => menu(this.calleeTree, node, down, x, y) });
		/** @type {import('./tree.js').Tree | undefined} */
		this.tree = undefined;
	}

	/** @param {import('./tree.js').Tree} tree */
	show(tree) {
		const { selected } = this;
		const { state } = selected;
		if (this.tree !== tree)
			for (const flame of [this.flame, this.callees])
				flame.reset(selected.model.funcs);
		this.tree = tree;
		const isCallers = state.view === 'callers';
		const hasBoth = isCallers && state.focus >= 0;
		const how = { noRoot: hasBoth, matches: selected.matches, isTime: selected.event?.time ?? false, whole: nowOf(tree),
			cell: selected.recording.facts.cell, comparison: selected.comparison };
		this.flameTree = isCallers ? invert(tree, state.focus) : state.byTime ? selected.treeByTime() : tree;
		part('chosen').textContent = !isCallers ? '' : !hasBoth ? 'Callers of all functions; choose one in Functions'
			: `Callers of ${selected.nameOf(state.focus)}, and below it what it calls`;
		part('callees-scroll').hidden = !hasBoth;
		part('flame-view').classList.toggle('both', hasBoth);
		this.flame.show(this.flameTree, { ...how, zoom: nodeOfPath(this.flameTree, state.zoom), icicle: !hasBoth && state.icicle });
		if (!isCallers)
			this.flame.chooseFunction(state.focus);
		if (hasBoth) {
			this.calleeTree = callees(tree, state.focus);
			this.callees.show(this.calleeTree, { ...how, zoom: nodeOfPath(this.calleeTree, state.down), icicle: true });
		}
		const left = this.flame.left + (hasBoth ? this.callees.left : 0);
		if (left)
			part('chosen').textContent += ` Not printed: the ${left} innermost rows. Zoom in to print them.`;
	}

	/** @param {number} func -1: of the box of all @param {() => void} zoom @param {number} x @param {number} y */
	openMenu(func, zoom, x, y) {
		const { actions, selected } = this;
		const source = selected.sourceOf(func);
		const items = [{ title: 'Zoom', run: zoom }];
		if (func >= 0)
			items.push({ title: 'Callers and callees', run: () => actions.openFunction(func, false) },
				{ title: 'Hide stacks with it', run: () => actions.hideFunction(selected.model.funcs[func].name) },
				{ title: 'Copy name', run: () => copy(selected.nameOf(func)) });
		if (source >= 0)
			items.push({ title: 'Source', run: () => actions.openFunction(func, true) });
		this.menu.open(x, y, func < 0 ? 'all' : selected.nameOf(func), items);
	}

	/** Show where a function costs most in the flame graph, zoomed so far that it can be seen. @param {number} func -1: all */
	reveal(func) {
		const { selected } = this;
		const tree = selected.state.byTime ? selected.treeByTime() : selected.tree();
		const best = heaviestOf(tree, func);
		const isNarrow = tree.total[best] < tree.total[0] / 50;
		this.actions.change({ view: 'flame', focus: func, zoom: best && isNarrow ? pathOf(tree, tree.parent[best]) : '' });
		if (best)
			this.flame.chooseNode(best);
		else if (func >= 0)
			part('chosen').textContent = `${selected.nameOf(func)} has no stacks of its own`;
	}

	/** @param {number} node */
	zoom(node) {
		const { flameTree } = this;
		if (!flameTree)
			return;
		const focus = this.selected.state.view === 'callers' ? {} : { focus: flameTree.func[node] };
		this.actions.change({ ...focus, zoom: pathOf(flameTree, node) });
	}

	/** Save the view as a file. @param {string} type */
	saveAs(type) {
		const { comparison, state } = this.selected;
		const tree = this.selected.tree();
		const { funcs } = this.selected.model;
		if (type === 'png') {
			this.flame.canvas.toBlob((blob) => blob && save('flame.png', blob));
			return;
		}
		const text = type === 'folded' ? foldedText(tree, funcs)
			: type === 'svg' ? this.svg() : comparison ? comparedJson(comparison, funcs)
				: jsonText(sumFunctions(tree, funcs.length), funcs, state);
		save(`flame.${type}`, new Blob([text], { type: type === 'svg' ? 'image/svg+xml' : 'text/plain' }));
	}

	/** @returns {string} */
	svg() {
		const { flame } = this;
		const { state } = this.selected;
		const tree = this.flameTree ?? this.selected.tree();
		return svgText(layoutBoxes(tree, nodeOfPath(tree, state.zoom), 0.0004), {
			width: 1200, icicle: state.icicle, name: (i) => flame.name(i), text: (i) => flame.text(i),
			color: (i) => flame.color(i),
		});
	}
}
