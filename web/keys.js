// The keys: one table, which is also the help.
import { openDrawer } from './bar.js';
import { element, part } from './dom.js';
import { nodeOfPath } from './layout.js';

/** @typedef {{keys: string[], help: string, run: (key: string, id: string) => void, where?: string[], ofTime?: boolean}} Key ofTime: of a recording, not of a comparison; where: ids of what
 *	may have the focus */

/**
 * @typedef {{selected: import('./selected.js').Selected, actions: import('./actions.js').Actions,
 *	graphs: import('./graphs.js').GraphView, treeTable: import('./table.js').TreeTable,
 *	tables: Record<string, import('./table.js').Table>, help: () => void, open: (view: string) => void}} Parts what keys act on;
 *	tables: by the id of what scrolls them; open: a view
 */

/** @param {Parts} parts @returns {Key[]} */
export function keyTable({ selected, actions, graphs, treeTable, tables, help, open }) {
	const parent = () => graphs.flameTree?.parent[nodeOfPath(graphs.flameTree, selected.state.zoom)] ?? 0;
	/** @type {(view: string) => () => void} */
	const show = (view) => () => open(view);
	const leave = () => {
		focusView();
		graphs.flame.nextMatch(1);
	};
	const ofTime = true;
	return [
		{ keys: ['?'], help: 'this help', run: () => help() },
		{ keys: ['1'], help: 'flame graph', run: show('flame') },
		{ keys: ['2'], help: 'callers and callees of the chosen function', run: show('callers') },
		{ keys: ['3'], help: 'functions', run: show('functions') },
		{ ofTime, keys: ['4'], help: 'tree', run: show('tree') },
		{ ofTime, keys: ['5'], help: 'source and instructions', run: show('source') },
		{ ofTime, keys: ['6'], help: 'the slowest spans', run: () => selected.recording.spans.length && open('spans') },
		{ ofTime, keys: ['s'], help: 'source of the chosen function', run: show('source') },
		{ keys: ['n', 'N'], help: 'next match of the search, the one before', run: (key) => graphs.flame.nextMatch(key === 'n' ? 1 : -1) },
		{ keys: ['Enter'], help: 'in the search: go to the first match, n to the next one', where: ['search'], run: () => leave() },
		{ keys: ['/'], help: 'search', run: () => {
			openDrawer(true);
			part('search').focus();
		} },
		{ keys: ['k'], help: 'keep only stacks that match', run: () => selected.matches && part('keep').click() },
		{ keys: ['h'], help: 'hide stacks that match', run: () => selected.matches && part('hide').click() },
		{ keys: ['i'], help: 'flame graph or icicle', run: () => actions.change({ icicle: !selected.state.icicle }) },
		{ keys: ['d'], help: 'the tree from the innermost functions, or from the outermost', run: () => actions.change({ up: !selected.state.up }) },
		{ keys: ['c'], help: 'collapse recursion, also through other functions', run: () => actions.toggle('collapse') },
		{ ofTime, keys: ['t'], help: 'flame graph in the order of time, or the heaviest first', run: () => actions.toggle('byTime') },
		{ ofTime, keys: ['l'], help: 'each line of a function apart', run: () => actions.toggle('lines') },
		{ ofTime, keys: ['m'], help: 'heat map, or threads over time', run: () => actions.toggle('heat') },
		{ ofTime, keys: ['o'], help: 'processes over time, or threads', run: () => actions.toggle('byProcess') },
		{ ofTime, keys: ['p'], help: 'processors over time, or threads', run: () => part('by-cpu') && actions.toggle('byCpu') },
		{ ofTime, keys: [',', '.'], help: 'move the span of time back, on', run: (key) => actions.moveSpan(key === '.' ? 1 : -1, 0) },
		{ ofTime, keys: ['<', '>'], help: 'halve the span of time, double it', run: (key) => actions.moveSpan(0, key === '>' ? 1 : -0.5) },
		{ ofTime, keys: ['z'], help: 'show the span only, over time; again: all', run: () => actions.zoomTime() },
		{ ofTime, keys: ['b'], help: 'compare with the span (Shift and drag does the same); without a span: no more', run: () => actions.setBaseline() },
		{ keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], help: 'in the flame graph: choose a function',
			where: ['flame-scroll'], run: (key) => graphs.flame.move(key) },
		{ keys: ['Enter'], help: 'in the flame graph: zoom into the chosen function', where: ['flame-scroll'],
			run: () => graphs.flame.chosen && graphs.zoom(graphs.flame.chosen.node) },
		{ keys: ['Shift+F10', 'ContextMenu'], help: 'in the flame graph: the menu of the chosen function (a right click does the same)',
			where: ['flame-scroll'], run: () => graphs.flame.menuOfChosen() },
		{ keys: ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'], help: 'in a table: choose a row',
			where: Object.keys(tables), run: (key, id) => tables[id].move(key) },
		{ keys: ['Enter'], help: 'in a table: open the chosen row, as a click does', where: Object.keys(tables),
			run: (_key, id) => tables[id].open() },
		{ keys: ['ArrowRight', 'ArrowLeft'], help: 'in the tree: open the chosen row, close it', where: ['tree-scroll'],
			run: (key) => treeTable.turn(key === 'ArrowRight') },
		{ keys: ['Backspace'], help: 'zoom out by one', run: () => graphs.zoom(parent()) },
		{ keys: ['0'], help: 'zoom out', run: () => actions.change({ zoom: '' }) },
		{ keys: ['Escape'], help: 'leave the search; else zoom out', run: () => (document.activeElement === part('search')
			? part('search').blur() : actions.change({ zoom: '' })) },
		{ keys: ['r'], help: 'reset filters, spans, search and zoom', run: () => actions.reset() },
	];
}

/** Give the focus to what is shown. */
export function focusView() {
	/** @type {HTMLElement | undefined} */ ([...document.querySelectorAll('main [tabindex="0"]')].find((e) => e.checkVisibility()))?.focus();
}

/** @param {Key[]} table */
export function listenToKeys(table) {
	document.addEventListener('keydown', (e) => {
		const target = /** @type {HTMLElement} */ (e.target);
		const isSearch = target.id === 'search' && e.key === 'Enter';
		const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
		if (e.ctrlKey || e.altKey || e.metaKey || (isTyping && e.key !== 'Escape' && !isSearch))
			return;
		if (/** @type {HTMLDialogElement} */ (document.getElementById('help')).open)
			return;
		if (e.key === 'Enter' && target.tagName === 'BUTTON')
			return;
		const key = e.shiftKey && e.key === 'F10' ? 'Shift+F10' : e.key;
		const found = table.find((k) => k.keys.includes(key) && (!k.where || k.where.includes(target.id)));
		if (!found)
			return;
		e.preventDefault();
		found.run(key, target.id);
	});
}

/** @param {Key[]} table */
export function showHelp(table) {
	const help = /** @type {HTMLDialogElement} */ (document.getElementById('help'));
	help.querySelector('table')?.replaceChildren(...table.map((k) => {
		const row = element('tr');
		row.append(element('th', { scope: 'row' }, k.keys.join(' ')), element('td', {}, k.help));
		return row;
	}));
	help.showModal();
	help.scrollTop = 0;
}
