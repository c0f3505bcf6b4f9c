// The table of functions: self and total of each.
import { sumFunctions } from './sums.js';
import { nowOf } from './selected.js';
import { Table } from './table.js';
import { percent, shown, weightText } from './text.js';

/** @type {import('./table.js').Column[]} */
const COLUMNS = [
	{ id: 'self', title: 'Self', isNumber: true, help: 'of the function itself' },
	{ id: 'total', title: 'Total', isNumber: true, help: 'of the function and what it calls' },
	{ id: 'weight', title: 'Self weight', isNumber: true, help: 'time or number of events' },
	{ id: 'change', title: 'Change', isNumber: true, help: 'of the total, in parts of the whole baseline' },
	{ id: 'name', title: 'Function', isNumber: false, leads: true, help: 'click a row to see its callers and callees' },
	{ id: 'binary', title: 'Binary', isNumber: false, help: 'program, library, kernel' },
	{ id: 'source', title: 'Source', isNumber: false, help: 'where its code was seen first' },
];

export class FunctionsView {
	/** @param {import('./selected.js').Selected} selected @param {import('./actions.js').Actions} actions */
	constructor(selected, actions) {
		this.selected = selected;
		/** @type {import('./sums.js').FuncSum[]} */
		this.sums = [];
		this.table = new Table('functions', COLUMNS, {
			row: (i) => this.row(i),
			click: (i, column) => actions.openFunction(this.sums[i].func, column === 'source'),
			choose: (i) => actions.choose(this.sums[i].func),
			sort: (sort) => actions.change({ sort: sort === 'weight' ? 'self' : sort }),
		});
	}

	/** @param {import('./tree.js').Tree} tree */
	show(tree) {
		const { matches, model, state } = this.selected;
		const { funcs } = model;
		const { sort } = state;
		/** @type {(s: import('./sums.js').FuncSum) => string} */
		const text = (s) => (sort === 'name' ? funcs[s.func].name : sort === 'binary' ? funcs[s.func].binary : funcs[s.func].file);
		this.sums = sumFunctions(tree, funcs.length).filter((s) => !matches || matches[s.func]);
		this.table.table.classList.toggle('plain', !tree.was);
		/** @type {(s: import('./sums.js').FuncSum) => number} */
		const change = (s) => Math.abs(s.total - 2 * s.wasTotal);
		this.sums.sort((a, b) => (sort === 'self' ? b.self - a.self || b.total - a.total
			: sort === 'total' ? b.total - a.total || b.self - a.self
				: sort === 'change' ? change(b) - change(a) : text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) || a.func - b.func);
		this.table.show(this.sums.length, sort);
		this.table.choose(this.sums.findIndex((s) => s.func === state.focus));
		this.table.draw();
	}

	/** @param {number} i @returns {import('./table.js').Row} */
	row(i) {
		const { selected } = this;
		const { func, self, total, was, wasTotal } = this.sums[i];
		const f = selected.model.funcs[func];
		const tree = selected.tree();
		const whole = nowOf(tree);
		const change = tree.wasTotal ? (100 * (total - 2 * wasTotal)) / (tree.wasTotal[0] || 1) : 0;
		return {
			cells: [percent(self - was, whole), percent(total - wasTotal, whole), weightText(self - was, selected.event.time),
				`${change < 0 ? '' : '+'}${change.toFixed(2)}%`, selected.nameOf(func), shown(f.binary), f.file ? `${shown(f.file)}:${f.line}` : ''],
			link: selected.sourceOf(func) >= 0 ? 'source' : undefined,
		};
	}
}
