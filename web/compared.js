// The table of functions of a comparison.
import { changeText, colorOfVerdict, COMPARED_COLUMNS, costText, intervalText, nearEdge, plainText, sortCompared } from './compare.js';
import { sumFunctions } from './sums.js';
import { Table } from './table.js';
import { shown } from './text.js';

export class ComparedView {
	/**
	 * @param {import('./selected.js').Selected} selected
	 * @param {import('./data.js').Comparison} comparison
	 * @param {import('./actions.js').Actions} actions
	 * @param {(func: number) => void} reveal show a function in the flame graph
	 */
	constructor(selected, comparison, actions, reveal) {
		this.selected = selected;
		this.comparison = comparison;
		/** Those of the rows. @type {number[]} */
		this.funcs = [];
		this.table = new Table('functions', COMPARED_COLUMNS, {
			row: (i) => this.row(this.funcs[i]),
			click: (i) => reveal(this.funcs[i]),
			choose: (i) => actions.choose(this.funcs[i]),
			sort: (sort) => actions.change({ sort }),
		});
		this.table.table.classList.add('compared');
	}

	/** @param {import('./tree.js').Tree} tree */
	show(tree) {
		const { matches, model, state } = this.selected;
		const { funcs } = model;
		const { sort, keep, hide, noBinaries } = state;
		const rows = funcs.map((f) => this.comparison.rows[f.number]);
		const kept = keep || hide || noBinaries ? new Set(sumFunctions(tree, funcs.length).map((s) => s.func)) : null;
		const which = funcs.map((_, i) => i).filter((i) => (!matches || matches[i]) && (!kept || kept.has(i)));
		this.funcs = sortCompared(rows, sort, (i) => (sort === 'name' ? funcs[i].name : funcs[i].binary), which);
		this.table.show(this.funcs.length, COMPARED_COLUMNS.some((c) => c.id === sort) ? sort : 'verdict');
		this.table.choose(this.funcs.indexOf(state.focus));
		this.table.draw();
	}

	/** @param {number} func @returns {import('./table.js').Row} */
	row(func) {
		const { comparison, selected } = this;
		const f = selected.model.funcs[func];
		const row = comparison.rows[f.number];
		if (!row)
			return { cells: [] };
		return {
			cells: [comparison.verdicts[row.verdict], plainText(row), changeText(row.change), intervalText(row),
				...[...row.self, ...row.total].map((cost) => costText(cost, selected.event.time)), selected.nameOf(func) + shown(row.remark), shown(f.binary)],
			color: colorOfVerdict(comparison.verdicts[row.verdict], nearEdge(row)),
		};
	}
}
