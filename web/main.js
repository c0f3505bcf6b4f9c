// Start: unpack, build, and show what the state says. Every action changes the state; show() does the rest.
import { DataError, readRecording, unpack } from './data.js';
import { callees, invert, Model, sumFunctions, sumMatches } from './model.js';
import { cellsOf, KINDS, kindOf, matching, pattern, selectByTime, selectCosts, selectTree } from './select.js';
import { colorOf } from './theme.js';
import { parseState, stateText } from './state.js';
import { layoutBoxes, nodeOfPath, pathOf } from './layout.js';
import { Flame } from './flame.js';
import { TimeView } from './time.js';
import { element, Table, TreeTable } from './table.js';
import { SourceView } from './source.js';
import { describe } from './header.js';
import { count, duration, percent, shown, weightText } from './text.js';
import { colorOfVerdict, COMPARED_COLUMNS, costText, intervalText, changeText, LEGEND, nearEdge, plainText, sortCompared } from './compare.js';
import { comparedJson, foldedText, jsonText, save, svgText } from './files.js';
import { listenToKeys, showHelp } from './keys.js';

/** @typedef {import('./state.js').State} State */

/** @param {string} id @returns {any} the element, of a type that page.html says */
function part(id) {
	return document.getElementById(id);
}

const VIEWS = { flame: 'Flame graph', callers: 'Callers and callees', functions: 'Functions', tree: 'Tree', source: 'Source' };
const COMPARED_VIEWS = ['flame', 'callers', 'functions'];
const MOST_BINARIES = 8; /* in the legend */

/** @typedef {'heat' | 'byProcess' | 'byCpu' | 'byTime' | 'lines' | 'collapse'} Toggle */
/** Buttons that are on or off: id, title, field of the state. @type {[string, string, Toggle][]} */
const TOGGLES = [['heat', 'Heat map', 'heat'], ['by-process', 'Processes', 'byProcess'], ['by-cpu', 'Processors', 'byCpu'],
	['by-time', 'By time', 'byTime'], ['lines', 'By line', 'lines'], ['collapse', 'Collapse recursion', 'collapse']];
/** Those that are about the lanes of time: what else is shown stays. @type {{[field: string]: Partial<import('./state.js').State>}} */
const OF_LANES = { heat: {}, byProcess: { byCpu: false }, byCpu: { byProcess: false } };

class Page {
	/** @param {import('./data.js').Recording} recording */
	constructor(recording) {
		this.recording = recording;
		/** By line, by function; made when it is first shown. @type {Map<boolean, Model>} */
		this.models = new Map();
		this.state = parseState(location.hash);
		const calls = {
			/** @param {string} text */
			choose: (text) => (part('chosen').textContent = text),
			/** @param {number} func */
			name: (func) => this.nameOf(func),
		};
		this.flame = new Flame('flame', { ...calls, zoom: (node) => this.zoom(node) });
		this.callees = new Flame('callees', { ...calls,
			zoom: (node) => this.calleeTree && this.change({ down: pathOf(this.calleeTree, node) }) });
		this.time = new TimeView(recording, {
			select: (from, to, isBase) => this.change(isBase ? { baseFrom: from, baseTo: to } : { from, to }),
			hottest: (from, to, lanes) => this.stackOf(this.model.hottest(from, to, lanes))[0] ?? '',
			wait: (from, to, lane) => this.stackOf(this.model.waitAt(from, to, lane)),
		});
		this.source = new SourceView(recording.sources, (source) => this.change({ source }));
		this.comparison = recording.facts.comparison;
		this.functions = this.comparison ? this.comparedTable() : new Table('functions', [
			{ id: 'self', title: 'Self', isNumber: true, help: 'of the function itself' },
			{ id: 'total', title: 'Total', isNumber: true, help: 'of the function and what it calls' },
			{ id: 'weight', title: 'Self weight', isNumber: true, help: 'time or number of events' },
			{ id: 'change', title: 'Change', isNumber: true, help: 'of the total, in parts of the whole baseline' },
			{ id: 'name', title: 'Function', isNumber: false, help: 'click a row to see its callers and callees' },
			{ id: 'binary', title: 'Binary', isNumber: false, help: 'program, library, kernel' },
			{ id: 'source', title: 'Source', isNumber: false, help: 'where its code was seen first' },
		], {
			row: (i) => this.functionRow(i),
			click: (i, column) => this.openFunction(this.sums[i].func, column === 'source'),
			sort: (sort) => this.change({ sort: sort === 'weight' ? 'self' : sort }),
		});
		this.treeTable = new TreeTable((func) => ({ name: this.nameOf(func), binary: shown(this.model.funcs[func].binary) }));
		/** What scrolls a table, by id. @type {Record<string, Table>} */
		this.tables = { 'functions-scroll': this.functions, 'tree-scroll': this.treeTable.table,
			'lines-scroll': this.source.lineTable, 'insns-scroll': this.source.insnTable };
		/** @type {import('./model.js').FuncSum[]} */
		this.sums = [];
		/** Functions of the table of a comparison. @type {number[]} */
		this.compared = [];
		/** @type {Uint8Array | null} */
		this.matches = null;
		/** What was last searched for, and in what. @type {{funcs: import('./model.js').Func[], search: string, matches: Uint8Array | null}} */
		this.matched = { funcs: [], search: '', matches: null };
		/** @type {import('./model.js').Tree | undefined} */
		this.treeByTime = undefined;
		/** What this.tree is the tree of. */
		this.key = '';
		this.state = this.checked(this.state);
		this.keys = this.keyTable().filter((k) => !this.comparison || !k.ofTime);
		this.fillBar();
		listenToKeys(this.keys);
		addEventListener('hashchange', () => this.take(this.checked(parseState(location.hash))));
		addEventListener('resize', () => this.show());
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolor());
		addEventListener('beforeprint', () => this.print(true));
		addEventListener('afterprint', () => this.print(false));
	}

	/** @returns {Table} */
	comparedTable() {
		part('functions').classList.add('compared');
		return new Table('functions', COMPARED_COLUMNS, {
			row: (i) => this.comparedRow(this.compared[i]),
			click: (i) => this.reveal(this.compared[i]),
			sort: (sort) => this.change({ sort }),
		});
	}

	recolor() {
		this.key = '';
		this.show();
	}

	/** Show all of the view, for paper, or what there is room for. @param {boolean} on */
	print(on) {
		document.documentElement.classList.toggle('printing', on);
		this.recolor();
	}

	/** @param {State} s @returns {State} without ids that the recording does not have */
	checked(s) {
		const { events, threads } = this.recording.facts;
		if (!events[s.event]?.nr)
			s.event = Math.max(0, events.findIndex((e) => e.nr));
		if (!threads[s.thread])
			s.thread = -1;
		if (!this.modelOf(s.lines).funcs[s.focus])
			s.focus = -1;
		if (!this.recording.sources[s.source])
			s.source = 0;
		for (const [from, to] of /** @type {const} */ ([['from', 'to'], ['baseFrom', 'baseTo'], ['timeFrom', 'timeTo']]))
			if (s[from] < 0 || s[to] < s[from] || s[to] >= cellsOf(this.recording))
				Object.assign(s, { [from]: 0, [to]: -1 });
		s.byCpu &&= this.recording.cpus.cell.length > 0;
		if (!(s.view in VIEWS) || (this.comparison && !COMPARED_VIEWS.includes(s.view)))
			s.view = 'flame';
		if (this.comparison)
			Object.assign(s, { from: 0, to: -1, baseFrom: 0, baseTo: -1, byTime: false, lines: false, noKinds: '', thread: -1 });
		return s;
	}

	/** @param {Partial<State>} changes a step that the browser's Back undoes */
	change(changes) {
		const state = { ...this.state, ...changes };
		const hash = stateText(state);
		if (hash !== stateText(this.state))
			history.pushState(null, '', '#' + hash);
		this.take(state);
	}

	/** @param {State} state */
	take(state) {
		this.state = state;
		this.show();
	}

	/** @param {boolean} lines @returns {Model} */
	modelOf(lines) {
		const model = this.models.get(lines) ?? new Model(this.recording, lines);
		this.models.set(lines, model);
		return model;
	}

	get model() {
		return this.modelOf(this.state.lines);
	}

	get event() {
		return this.recording.facts.events[this.state.event];
	}

	/** @param {number} func @returns {string} */
	nameOf(func) {
		const f = this.model.funcs[func];
		return shown(f.name) + (this.state.lines && f.line ? `:${f.line}` : '') + (kindOf(f) === 'inlined' ? ' (inlined)' : '');
	}

	/** @param {number} node @returns {string[]} its function and those that call it */
	stackOf(node) {
		const names = [];
		for (let i = node; i; i = this.model.parent[i])
			names.push(this.nameOf(this.model.func[i]));
		return names;
	}

	/** The tree of the selection; kept until the selection changes. @returns {import('./model.js').Tree} */
	selected() {
		const { event, thread, from, to, keep, hide, noKinds, baseFrom, baseTo, lines, collapse, noBinaries } = this.state;
		const key = JSON.stringify([event, thread, from, to, keep, hide, noKinds, baseFrom, baseTo, lines, collapse, noBinaries]);
		if (this.key !== key || !this.tree) {
			this.tree = selectTree(this.model, this.state);
			this.treeByTime = undefined;
			for (const flame of [this.flame, this.callees])
				flame.reset(this.model.funcs);
		}
		this.key = key;
		return this.tree;
	}

	/** @param {string} search @returns {Uint8Array | null} by function; null: nothing is searched for */
	matching(search) {
		const { funcs } = this.model;
		if (this.matched.funcs !== funcs || this.matched.search !== search)
			this.matched = { funcs, search, matches: pattern(search) && matching(funcs, search) };
		return this.matched.matches;
	}

	/** @returns {import('./model.js').Tree} as selected(), by time */
	selectedByTime() {
		const tree = this.selected();
		this.treeByTime ??= selectByTime(this.model, this.state, tree);
		return this.treeByTime;
	}

	show() {
		const { state } = this;
		const tree = this.selected();
		this.matches = this.matching(state.search);
		this.showBar(tree);
		if (!this.comparison)
			this.time.show(state);
		part('flame-view').hidden = state.view !== 'flame' && state.view !== 'callers';
		part('functions-view').hidden = state.view !== 'functions';
		part('tree-view').hidden = state.view !== 'tree';
		part('source-view').hidden = state.view !== 'source';
		if (state.view === 'functions')
			this.showFunctions(tree);
		else if (state.view === 'source')
			this.source.show(state.source, selectCosts(this.model, state), this.event?.time ?? false, part('filters').hidden);
		else if (state.view === 'tree')
			this.treeTable.show(state.up ? invert(tree, -1) : tree, (w) => percent(w, nowOf(tree)));
		else
			this.showFlame(tree);
	}

	/** @param {import('./model.js').Tree} tree */
	showFlame(tree) {
		const { state } = this;
		const isCallers = state.view === 'callers';
		const hasBoth = isCallers && state.focus >= 0;
		const how = { noRoot: hasBoth, matches: this.matches, isTime: this.event?.time ?? false, whole: nowOf(tree),
			cell: this.recording.facts.cell, comparison: this.comparison };
		this.flameTree = isCallers ? invert(tree, state.focus) : state.byTime ? this.selectedByTime() : tree;
		part('chosen').textContent = !isCallers ? '' : !hasBoth ? 'Callers of all functions; choose one in Functions'
			: `Callers of ${this.nameOf(state.focus)}, and below it what it calls`;
		part('callees-scroll').hidden = !hasBoth;
		part('flame-view').classList.toggle('both', hasBoth);
		this.flame.show(this.flameTree, { ...how, zoom: nodeOfPath(this.flameTree, state.zoom), icicle: !hasBoth && state.icicle });
		if (!hasBoth)
			return;
		this.calleeTree = callees(tree, state.focus);
		this.callees.show(this.calleeTree, { ...how, zoom: nodeOfPath(this.calleeTree, state.down), icicle: true });
	}

	/** @param {import('./model.js').Tree} tree */
	showFunctions(tree) {
		const { funcs } = this.model;
		if (this.comparison) {
			this.showCompared(tree, this.comparison);
			return;
		}
		const { sort } = this.state;
		/** @type {(s: import('./model.js').FuncSum) => string} */
		const text = (s) => (sort === 'name' ? funcs[s.func].name : sort === 'binary' ? funcs[s.func].binary : funcs[s.func].file);
		this.sums = sumFunctions(tree, funcs.length).filter((s) => !this.matches || this.matches[s.func]);
		this.functions.table.classList.toggle('plain', !tree.was);
		/** @type {(s: import('./model.js').FuncSum) => number} */
		const change = (s) => Math.abs(s.total - 2 * s.wasTotal);
		this.sums.sort((a, b) => (sort === 'self' ? b.self - a.self || b.total - a.total
			: sort === 'total' ? b.total - a.total || b.self - a.self
				: sort === 'change' ? change(b) - change(a) : text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) || a.func - b.func);
		this.functions.show(this.sums.length, sort);
	}

	/** @param {number} i @returns {import('./table.js').Row} */
	functionRow(i) {
		const { func, self, total, was, wasTotal } = this.sums[i];
		const f = this.model.funcs[func];
		const tree = this.selected();
		const whole = nowOf(tree);
		const change = tree.wasTotal ? (100 * (total - 2 * wasTotal)) / (tree.wasTotal[0] || 1) : 0;
		return {
			cells: [percent(self - was, whole), percent(total - wasTotal, whole), weightText(self - was, this.event.time),
				`${change < 0 ? '' : '+'}${change.toFixed(2)}%`, this.nameOf(func), shown(f.binary), f.file ? `${shown(f.file)}:${f.line}` : ''],
			link: this.sourceOf(func) >= 0 ? 'source' : undefined,
		};
	}

	/** @param {import('./model.js').Tree} tree @param {import('./data.js').Comparison} comparison */
	showCompared(tree, comparison) {
		const { funcs } = this.model;
		const { sort, keep, hide, noBinaries } = this.state;
		const rows = funcs.map((f) => comparison.rows[f.number]);
		const kept = keep || hide || noBinaries ? new Set(sumFunctions(tree, funcs.length).map((s) => s.func)) : null;
		const which = funcs.map((_, i) => i).filter((i) => (!this.matches || this.matches[i]) && (!kept || kept.has(i)));
		this.compared = sortCompared(rows, sort, (i) => (sort === 'name' ? funcs[i].name : funcs[i].binary), which);
		this.functions.show(this.compared.length, COMPARED_COLUMNS.some((c) => c.id === sort) ? sort : 'verdict');
	}

	/** @param {number} func @returns {import('./table.js').Row} */
	comparedRow(func) {
		const f = this.model.funcs[func];
		const { comparison } = this;
		const row = comparison?.rows[f.number];
		if (!comparison || !row)
			return { cells: [] };
		return {
			cells: [comparison.verdicts[row.verdict], plainText(row), changeText(row.change), intervalText(row),
				...[...row.self, ...row.total].map((cost) => costText(cost, this.event.time)), this.nameOf(func) + shown(row.remark), shown(f.binary)],
			color: colorOfVerdict(comparison.verdicts[row.verdict], nearEdge(row)),
		};
	}

	/** Show where a function costs most in the flame graph, zoomed so far that it can be seen. @param {number} func */
	reveal(func) {
		const tree = this.selected();
		let best = 0;
		tree.func.forEach((f, i) => (best = f === func && tree.total[i] > tree.total[best] * Number(best > 0) ? i : best));
		const isNarrow = tree.total[best] < tree.total[0] / 50;
		this.change({ view: 'flame', focus: func, zoom: best && isNarrow ? pathOf(tree, tree.parent[best]) : '' });
		if (best)
			this.flame.chooseNode(best);
		else
			part('chosen').textContent = `${this.nameOf(func)} has no stacks of its own`;
		part('flame-scroll').focus();
	}

	/** @param {number} func @returns {number} the function's code in the page; -1: it is not there */
	sourceOf(func) {
		const f = this.model.funcs[func];
		return this.recording.sources.findIndex((s) => s.name === f?.name && s.binary === f.binary);
	}

	/** @param {number} func @param {boolean} wantsSource */
	openFunction(func, wantsSource) {
		const source = wantsSource ? this.sourceOf(func) : -1;
		this.change(source >= 0 ? { view: 'source', source } : { view: 'callers', focus: func, zoom: '', down: '' });
	}

	/** The function that the user looks at. @returns {number} */
	chosenFunction() {
		const { flame, state } = this;
		return state.view === 'callers' ? state.focus : flame.chosen ? flame.tree?.func[flame.chosen.node] ?? -1 : -1;
	}

	/** @param {number} node */
	zoom(node) {
		if (this.flameTree)
			this.change({ zoom: pathOf(this.flameTree, node) });
	}

	/* ---- the bar ---- */

	fillBar() {
		const { events, threads } = this.recording.facts;
		events.forEach((e, i) => e.nr && part('event').append(element('option', { value: String(i) }, shown(e.name))));
		part('thread').append(element('option', { value: '-1' }, `all (${count(threads.length)})`));
		threads.forEach((t, i) => part('thread').append(element('option', { value: String(i) }, `${shown(t.name)} (${t.pid}/${t.tid})`)));
		part('event').addEventListener('change', () => this.change({ event: Number(part('event').value) }));
		part('thread').addEventListener('change', () => this.change({ thread: Number(part('thread').value) }));
		part('search').addEventListener('input', () => this.search(part('search').value));
		for (const [view, title] of Object.entries(VIEWS).filter(([id]) => !this.comparison || COMPARED_VIEWS.includes(id))) {
			const button = element('button', { type: 'button', 'data-view': view }, title);
			button.addEventListener('click', () => this.change({ view, zoom: '' }));
			part('views').append(button);
		}
		/** @type {[string, string, () => void][]} */
		const actions = [['keep', 'Keep matches', () => this.change({ keep: this.state.search, zoom: '' })],
			['hide', 'Hide matches', () => this.change({ hide: this.state.search, zoom: '' })],
			['reset', 'Reset', () => this.reset()],
			['save-svg', 'SVG', () => this.saveAs('svg')], ['save-png', 'PNG', () => this.saveAs('png')],
			['save-folded', 'Folded', () => this.saveAs('folded')], ['save-json', 'JSON', () => this.saveAs('json')],
			['keys', 'Keys (?)', () => showHelp(this.keys)]];
		for (const [id, title, run] of actions) {
			const button = element('button', { type: 'button', id }, title);
			button.addEventListener('click', run);
			part('actions').append(button);
		}
		for (const [id, title, field] of TOGGLES) {
			if ((field === 'byCpu' && !this.recording.cpus.cell.length) || (this.comparison && field !== 'collapse'))
				continue;
			const button = element('button', { type: 'button', id }, title);
			button.addEventListener('click', () => this.toggle(field));
			part('shape').append(button);
		}
		for (const id of this.comparison ? ['event', 'thread'] : [])
			part(id).parentElement.hidden = true;
		part('time').parentElement.hidden = Boolean(this.comparison);
		for (const [title, verdicts, sign] of this.comparison ? LEGEND : []) {
			const entry = element('span', { class: 'entry' });
			const box = element('span', { class: 'swatch' });
			box.style.background = colorOfVerdict(verdicts[0], sign);
			entry.append(box, title);
			part('legend').append(entry);
		}
		for (const kind of this.comparison ? [] : KINDS) {
			const button = element('button', { type: 'button', 'data-kind': kind, title: `Show or hide stacks that end in ${kind} code` });
			const box = element('span', { class: 'swatch' });
			box.style.background = colorOf(kind, '');
			button.append(box, kind);
			button.addEventListener('click', () => this.toggleIn('noKinds', kind, ','));
			part('legend').append(button);
		}
		for (const name of this.largestBinaries()) {
			const button = element('button', { type: 'button', 'data-binary': name,
				title: 'Show its functions, or count them as their callers' }, shown(name));
			button.addEventListener('click', () => this.toggleIn('noBinaries', name, '/'));
			part('legend').append(button);
		}
	}

	/** @returns {string[]} the binaries with most places in the code */
	largestBinaries() {
		const { cells, stacks, frames, facts } = this.recording;
		const sums = new Float64Array(facts.binaries.length + 1);
		const numbers = this.comparison ? cells.weight : cells.nr;
		cells.stack.forEach((stack, i) => (sums[stack ? frames[stacks.frame[stack]].binaryId : 0] += numbers[i]));
		return Array.from(sums.keys()).filter((i) => i && sums[i]).sort((a, b) => sums[b] - sums[a])
			.slice(0, MOST_BINARIES).map((i) => facts.binaries[i - 1]);
	}

	/** @param {import('./model.js').Tree} tree */
	showBar(tree) {
		const { state } = this;
		part('event').value = String(state.event);
		part('thread').value = String(state.thread);
		if (part('search').value !== state.search)
			part('search').value = state.search;
		part('search').setAttribute('aria-invalid', String(Boolean(state.search) && !pattern(state.search)));
		part('matched').textContent = !state.search ? '' : !this.matches ? 'no regular expression'
			: `${percent(sumMatches(tree, this.matches), tree.total[0])} match; n: next`;
		for (const button of document.querySelectorAll('[data-view]'))
			button.setAttribute('aria-pressed', String(button.getAttribute('data-view') === state.view));
		for (const button of document.querySelectorAll('[data-kind]'))
			button.setAttribute('aria-pressed', String(!state.noKinds.split(',').includes(button.getAttribute('data-kind') ?? '')));
		for (const button of document.querySelectorAll('[data-binary]'))
			button.setAttribute('aria-pressed', String(!state.noBinaries.split('/').includes(button.getAttribute('data-binary') ?? '')));
		for (const [id, , field] of TOGGLES)
			part(id)?.setAttribute('aria-pressed', String(state[field]));
		part('keep').disabled = part('hide').disabled = !this.matches;
		const { cell } = this.recording.facts;
		const filters = [state.keep && `stacks with ${shown(state.keep)}`, state.hide && `stacks without ${shown(state.hide)}`,
			state.to >= 0 && `from ${duration(state.from * cell)} to ${duration((state.to + 1) * cell)}`,
			state.timeTo >= 0 && `time zoomed to ${duration(state.timeFrom * cell)} to ${duration((state.timeTo + 1) * cell)}`,
			state.noKinds && `without ${state.noKinds.split(',').join(', ')}`,
			state.noBinaries && `functions of ${shown(state.noBinaries.split('/').join(', '))} count as their callers`].filter(Boolean);
		part('baseline').hidden = this.comparison ? state.view === 'functions' : state.baseTo < 0;
		part('baseline').textContent = `Compared with ${duration(state.baseFrom * cell)} to ${duration((state.baseTo + 1) * cell)}, as if that were ` +
			'as long. Orange: more now; blue: less; grey: equal. Widths are the sums of both.';
		if (this.comparison)
			part('baseline').textContent = 'Widths are the sums of both sides; what is gone is hollow. The colour is that of the ' +
				'verdict about the function itself, the stronger the larger the change is at least.';
		part('filters').hidden = !filters.length;
		part('filters').textContent = `Shown: ${filters.join('; ')}. ${weightText(nowOf(tree), this.event?.time ?? false)}, ` +
			`${percent(nowOf(tree), this.event?.weight ?? 0)} of all.`;
	}

	/** Typing is one step for the browser's Back. @param {string} text */
	search(text) {
		this.state = { ...this.state, search: text };
		history.replaceState(null, '', '#' + stateText(this.state));
		this.show();
	}

	reset() {
		this.change({ keep: '', hide: '', noKinds: '', search: '', from: 0, to: -1, baseFrom: 0, baseTo: -1, timeFrom: 0,
			timeTo: -1, thread: -1, zoom: '', down: '', focus: -1, noBinaries: '', collapse: false, lines: false, byTime: false });
	}

	/** @param {Toggle} field */
	toggle(field) {
		/* Functions have other numbers when lines are apart. */
		const other = field === 'lines' ? { focus: -1 } : {};
		this.change({ [field]: !this.state[field], ...(OF_LANES[field] ?? { zoom: '', down: '' }), ...other });
	}

	/**
	 * @param {'noKinds' | 'noBinaries'} field a list
	 * @param {string} name to put in or take out
	 * @param {string} separator
	 */
	toggleIn(field, name, separator) {
		const names = new Set(this.state[field].split(separator).filter(Boolean));
		if (!names.delete(name))
			names.add(name);
		this.change({ [field]: [...names].join(separator), zoom: '', down: '' });
	}

	/**
	 * Move or change the span of time; without one, begin with a tenth of what is there.
	 * @param {number} move
	 * @param {number} grow both in lengths of the span
	 */
	moveSpan(move, grow) {
		const { from, to, timeFrom, timeTo } = this.state;
		const [first, last] = timeTo >= 0 ? [timeFrom, timeTo] : [0, cellsOf(this.recording) - 1];
		if (to < 0) {
			this.change({ from: first, to: first + Math.floor((last - first) / 10) });
			return;
		}
		const size = Math.max(1, Math.round((to - from + 1) * (1 + grow)));
		const start = Math.max(0, Math.min(from + Math.round((to - from + 1) * move), last + 1 - size));
		this.change({ from: start, to: Math.min(last, start + size - 1) });
	}

	zoomTime() {
		const { from, to, timeTo } = this.state;
		if (to < 0 || (timeTo >= 0 && this.state.timeFrom === from && timeTo === to))
			this.change({ timeFrom: 0, timeTo: -1 });
		else
			this.change({ timeFrom: from, timeTo: to });
	}

	/** The span becomes the baseline; without one, the baseline goes. */
	setBaseline() {
		const { from, to } = this.state;
		this.change(to < 0 ? { baseFrom: 0, baseTo: -1 } : { baseFrom: from, baseTo: to, from: 0, to: -1 });
	}

	/** @param {string} type */
	saveAs(type) {
		const tree = this.selected();
		const { funcs } = this.model;
		if (type === 'png') {
			this.flame.canvas.toBlob((blob) => blob && save('flame.png', blob));
			return;
		}
		const text = type === 'folded' ? foldedText(tree, funcs)
			: type === 'svg' ? this.svg() : this.comparison ? comparedJson(this.comparison, funcs)
				: jsonText(sumFunctions(tree, funcs.length), funcs, this.state);
		save(`flame.${type}`, new Blob([text], { type: type === 'svg' ? 'image/svg+xml' : 'text/plain' }));
	}

	svg() {
		const { flame } = this;
		const tree = this.flameTree ?? this.selected();
		return svgText(layoutBoxes(tree, nodeOfPath(tree, this.state.zoom), 0.0004), {
			width: 1200, icicle: this.state.icicle, name: (i) => flame.name(i), text: (i) => flame.text(i),
			color: (i) => flame.color(i),
		});
	}

	/** @returns {import('./keys.js').Key[]} */
	keyTable() {
		const parent = () => this.flameTree?.parent[nodeOfPath(this.flameTree, this.state.zoom)] ?? 0;
		/** @type {(view: string) => () => void} */
		const show = (view) => () => this.change({ view, zoom: '' });
		const ofTime = true;
		return [
			{ keys: ['?'], help: 'this help', run: () => showHelp(this.keys) },
			{ keys: ['1'], help: 'flame graph', run: show('flame') },
			{ keys: ['2'], help: 'callers and callees of the chosen function', run: () => this.change({
				view: 'callers', zoom: '', down: '', focus: this.chosenFunction() }) },
			{ keys: ['3'], help: 'functions', run: show('functions') },
			{ ofTime, keys: ['4'], help: 'tree', run: show('tree') },
			{ ofTime, keys: ['5'], help: 'source and instructions', run: show('source') },
			{ ofTime, keys: ['s'], help: 'source of the chosen function', run: () => {
				const source = this.sourceOf(this.chosenFunction());
				this.change(source >= 0 ? { view: 'source', source } : { view: 'source' });
			} },
			{ keys: ['n', 'N'], help: 'next match of the search, the one before', run: (key) => this.flame.nextMatch(key === 'n' ? 1 : -1) },
			{ keys: ['/'], help: 'search', run: () => part('search').focus() },
			{ keys: ['k'], help: 'keep only stacks that match', run: () => this.matches && part('keep').click() },
			{ keys: ['h'], help: 'hide stacks that match', run: () => this.matches && part('hide').click() },
			{ keys: ['i'], help: 'flame graph or icicle', run: () => this.change({ icicle: !this.state.icicle }) },
			{ keys: ['d'], help: 'the tree from the innermost functions, or from the outermost', run: () => this.change({ up: !this.state.up }) },
			{ keys: ['c'], help: 'collapse recursion, also through other functions', run: () => this.toggle('collapse') },
			{ ofTime, keys: ['t'], help: 'flame graph in the order of time, or the heaviest first', run: () => this.toggle('byTime') },
			{ ofTime, keys: ['l'], help: 'each line of a function apart', run: () => this.toggle('lines') },
			{ ofTime, keys: ['m'], help: 'heat map, or threads over time', run: () => this.toggle('heat') },
			{ ofTime, keys: ['o'], help: 'processes over time, or threads', run: () => this.toggle('byProcess') },
			{ ofTime, keys: ['p'], help: 'processors over time, or threads', run: () => part('by-cpu') && this.toggle('byCpu') },
			{ ofTime, keys: [',', '.'], help: 'move the span of time back, on', run: (key) => this.moveSpan(key === '.' ? 1 : -1, 0) },
			{ ofTime, keys: ['<', '>'], help: 'halve the span of time, double it', run: (key) => this.moveSpan(0, key === '>' ? 1 : -0.5) },
			{ ofTime, keys: ['z'], help: 'show the span only, over time; again: all', run: () => this.zoomTime() },
			{ ofTime, keys: ['b'], help: 'compare with the span (Shift and drag does the same); without a span: no more', run: () => this.setBaseline() },
			{ keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], help: 'in the flame graph: choose a function',
				where: ['flame-scroll'], run: (key) => this.flame.move(key) },
			{ keys: ['Enter'], help: 'in the flame graph: zoom into the chosen function', where: ['flame-scroll'],
				run: () => this.flame.chosen && this.zoom(this.flame.chosen.node) },
			{ keys: ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'], help: 'in a table: choose a row',
				where: Object.keys(this.tables), run: (key, id) => this.tables[id].move(key) },
			{ keys: ['Enter'], help: 'in a table: open the chosen row, as a click does', where: Object.keys(this.tables),
				run: (_key, id) => this.tables[id].open() },
			{ keys: ['ArrowRight', 'ArrowLeft'], help: 'in the tree: open the chosen row, close it', where: ['tree-scroll'],
				run: (key) => this.treeTable.turn(key === 'ArrowRight') },
			{ keys: ['Backspace'], help: 'zoom out by one', run: () => this.zoom(parent()) },
			{ keys: ['0'], help: 'zoom out', run: () => this.change({ zoom: '' }) },
			{ keys: ['Escape'], help: 'leave the search; else zoom out', run: () => (document.activeElement === part('search')
				? part('search').blur() : this.change({ zoom: '' })) },
			{ keys: ['r'], help: 'reset filters, spans, search and zoom', run: () => this.reset() },
		];
	}
}

/** @param {import('./model.js').Tree} tree @returns {number} the weight of it, without the baseline's */
function nowOf(tree) {
	return tree.total[0] - (tree.wasTotal?.[0] ?? 0);
}

async function start() {
	const message = part('message');
	try {
		const recording = readRecording(await unpack(part('data').textContent));
		const { title, facts, doubts } = describe(recording);
		document.title = part('title').textContent = title;
		part('facts').textContent = facts;
		part('doubts').textContent = doubts.join(' ');
		part('doubts').hidden = !doubts.length;
		part('main').hidden = false;
		new Page(recording).show();
		message.hidden = true;
	} catch (error) {
		part('main').hidden = true;
		message.className = 'error';
		message.textContent = 'This page cannot show its samples: ' +
			(error instanceof DataError ? error.message : `they are damaged (${error})`) + '.';
	}
}

start();
