// Start: unpack, build, and show what the state says. Every action changes the state; show() does the rest.
import { DataError, readRecording, unpack } from './data.js';
import { callees, invert, Model, sumFunctions, sumMatches } from './model.js';
import { KINDS, kindOf, matching, pattern, selectTree } from './select.js';
import { colorOf } from './theme.js';
import { parseState, stateText } from './state.js';
import { layoutBoxes, nodeOfPath, pathOf } from './layout.js';
import { Flame } from './flame.js';
import { TimeView } from './time.js';
import { element, Table, TreeTable } from './table.js';
import { describe } from './header.js';
import { count, duration, percent, shown, weightText } from './text.js';
import { foldedText, jsonText, save, svgText } from './files.js';
import { listenToKeys, showHelp } from './keys.js';

/** @typedef {import('./state.js').State} State */

/** @param {string} id @returns {any} the element, of a type that page.html says */
function part(id) {
	return document.getElementById(id);
}

const VIEWS = { flame: 'Flame graph', callers: 'Callers', functions: 'Functions', tree: 'Tree' };

class Page {
	/** @param {import('./data.js').Recording} recording */
	constructor(recording) {
		this.recording = recording;
		this.model = new Model(recording);
		const { funcs } = this.model;
		this.flame = new Flame(funcs, {
			zoom: (node) => this.zoom(node),
			choose: (text) => (part('chosen').textContent = text),
		});
		this.time = new TimeView(recording, (from, to) => this.change({ from, to }));
		this.functions = new Table('functions', [
			{ id: 'self', title: 'Self', isNumber: true, help: 'of the function itself' },
			{ id: 'total', title: 'Total', isNumber: true, help: 'of the function and what it calls' },
			{ id: 'weight', title: 'Self weight', isNumber: true, help: 'time or number of events' },
			{ id: 'name', title: 'Function', isNumber: false, help: 'click a row to see its callers' },
			{ id: 'binary', title: 'Binary', isNumber: false, help: 'program, library, kernel' },
			{ id: 'source', title: 'Source', isNumber: false, help: 'where its code was seen first' },
		], {
			row: (i) => this.functionRow(i),
			click: (i) => this.change({ view: 'callers', focus: this.sums[i].func, zoom: '' }),
			sort: (sort) => this.change({ sort: sort === 'weight' ? 'self' : sort }),
		});
		this.treeTable = new TreeTable((func) => ({ name: this.nameOf(func), binary: shown(funcs[func].binary) }));
		/** @type {import('./model.js').FuncSum[]} */
		this.sums = [];
		/** @type {Uint8Array | null} */
		this.matches = null;
		/** What this.tree is the tree of. */
		this.key = '';
		this.state = this.checked(parseState(location.hash));
		this.keys = this.keyTable();
		this.fillBar();
		listenToKeys(this.keys);
		addEventListener('hashchange', () => this.take(this.checked(parseState(location.hash))));
		addEventListener('resize', () => this.show());
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
			this.flame.colors.clear();
			this.show();
		});
	}

	/** @param {State} s @returns {State} without ids that the recording does not have */
	checked(s) {
		const { events, threads } = this.recording.facts;
		if (!events[s.event]?.nr)
			s.event = Math.max(0, events.findIndex((e) => e.nr));
		if (!threads[s.thread])
			s.thread = -1;
		if (!this.model.funcs[s.focus])
			s.focus = -1;
		if (!(s.view in VIEWS))
			s.view = 'flame';
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

	get event() {
		return this.recording.facts.events[this.state.event];
	}

	/** @param {number} func @returns {string} */
	nameOf(func) {
		const f = this.model.funcs[func];
		return shown(f.name) + (kindOf(f) === 'inlined' ? ' (inlined)' : '');
	}

	/** The tree of the selection; kept until the selection changes. @returns {import('./model.js').Tree} */
	selected() {
		const { event, thread, from, to, keep, hide, noKinds } = this.state;
		const key = JSON.stringify([event, thread, from, to, keep, hide, noKinds]);
		if (this.key !== key || !this.tree)
			this.tree = selectTree(this.model, this.state);
		this.key = key;
		return this.tree;
	}

	show() {
		const { state } = this;
		const tree = this.selected();
		this.matches = state.search && pattern(state.search) ? matching(this.model.funcs, state.search) : null;
		this.showBar(tree);
		this.time.show(state.event, state.from, state.to);
		part('flame-view').hidden = state.view !== 'flame' && state.view !== 'callers';
		part('functions-view').hidden = state.view !== 'functions';
		part('tree-view').hidden = state.view !== 'tree';
		part('legend').hidden = part('flame-view').hidden;
		if (state.view === 'functions')
			this.showFunctions(tree);
		else if (state.view === 'tree')
			this.treeTable.show(state.up ? this.inverted(tree, -1) : tree, (w) => percent(w, tree.total[0]));
		else
			this.showFlame(tree);
	}

	/** @param {import('./model.js').Tree} tree @param {number} func @returns {import('./model.js').Tree} */
	inverted(tree, func) {
		return invert(tree, this.model.funcs.length, func);
	}

	/** @param {import('./model.js').Tree} tree */
	showFlame(tree) {
		const { state } = this;
		const isCallers = state.view === 'callers';
		this.flameTree = !isCallers ? tree : state.up && state.focus >= 0
			? callees(tree, this.model.funcs.length, state.focus) : this.inverted(tree, state.focus);
		part('chosen').textContent = !isCallers ? '' : state.focus < 0 ? 'Callers of all functions; choose one in Functions'
			: `${state.up ? 'What is called by' : 'Callers of'} ${this.nameOf(state.focus)}; d: the other direction`;
		this.flame.show(this.flameTree, {
			zoom: nodeOfPath(this.flameTree, state.zoom), icicle: state.icicle,
			matches: this.matches, isTime: this.event?.time ?? false, whole: tree.total[0],
		});
	}

	/** @param {import('./model.js').Tree} tree */
	showFunctions(tree) {
		const { funcs } = this.model;
		const { sort } = this.state;
		/** @type {(s: import('./model.js').FuncSum) => string} */
		const text = (s) => (sort === 'name' ? funcs[s.func].name : sort === 'binary' ? funcs[s.func].binary : funcs[s.func].file);
		this.sums = sumFunctions(tree, funcs.length).filter((s) => !this.matches || this.matches[s.func]);
		this.sums.sort((a, b) => (sort === 'self' ? b.self - a.self || b.total - a.total
			: sort === 'total' ? b.total - a.total || b.self - a.self
				: text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) || a.func - b.func);
		this.functions.show(this.sums.length, sort);
	}

	/** @param {number} i @returns {import('./table.js').Row} */
	functionRow(i) {
		const { func, self, total } = this.sums[i];
		const f = this.model.funcs[func];
		const whole = this.selected().total[0];
		return { cells: [percent(self, whole), percent(total, whole), weightText(self, this.event.time), this.nameOf(func),
			shown(f.binary), f.file ? `${shown(f.file)}:${f.line}` : ''] };
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
		for (const [view, title] of Object.entries(VIEWS)) {
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
		for (const kind of KINDS) {
			const button = element('button', { type: 'button', 'data-kind': kind, title: `Show or hide stacks that end in ${kind} code` });
			const box = element('span', { class: 'swatch' });
			box.style.background = colorOf(kind, '');
			button.append(box, kind);
			button.addEventListener('click', () => this.toggleKind(kind));
			part('legend').append(button);
		}
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
			: `${percent(sumMatches(tree, this.matches), tree.total[0])} match`;
		for (const button of document.querySelectorAll('[data-view]'))
			button.setAttribute('aria-pressed', String(button.getAttribute('data-view') === state.view));
		for (const button of document.querySelectorAll('[data-kind]'))
			button.setAttribute('aria-pressed', String(!state.noKinds.split(',').includes(button.getAttribute('data-kind') ?? '')));
		part('keep').disabled = part('hide').disabled = !this.matches;
		const { cell } = this.recording.facts;
		const filters = [state.keep && `stacks with ${shown(state.keep)}`, state.hide && `stacks without ${shown(state.hide)}`,
			state.to >= 0 && `from ${duration(state.from * cell)} to ${duration((state.to + 1) * cell)}`,
			state.noKinds && `without ${state.noKinds.split(',').join(', ')}`].filter(Boolean);
		part('filters').hidden = !filters.length;
		part('filters').textContent = `Shown: ${filters.join('; ')}. ${weightText(tree.total[0], this.event?.time ?? false)}, ` +
			`${percent(tree.total[0], this.event?.weight ?? 0)} of all.`;
	}

	/** Typing is one step for the browser's Back. @param {string} text */
	search(text) {
		this.state = { ...this.state, search: text };
		history.replaceState(null, '', '#' + stateText(this.state));
		this.show();
	}

	reset() {
		this.change({ keep: '', hide: '', noKinds: '', search: '', from: 0, to: -1, thread: -1, zoom: '', focus: -1 });
	}

	/** @param {string} kind */
	toggleKind(kind) {
		const kinds = new Set(this.state.noKinds.split(',').filter(Boolean));
		if (!kinds.delete(kind))
			kinds.add(kind);
		this.change({ noKinds: KINDS.filter((k) => kinds.has(k)).join(','), zoom: '' });
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
			: type === 'json' ? jsonText(sumFunctions(tree, funcs.length), funcs, this.state) : this.svg();
		save(`flame.${type}`, new Blob([text], { type: type === 'svg' ? 'image/svg+xml' : 'text/plain' }));
	}

	svg() {
		const { flame } = this;
		const tree = this.flameTree ?? this.selected();
		return svgText(layoutBoxes(tree, nodeOfPath(tree, this.state.zoom), 0.0004), {
			width: 1200, icicle: this.state.icicle, name: (i) => flame.name(i), text: (i) => flame.text(i),
			color: (i) => flame.color(tree.func[i]),
		});
	}

	/** @returns {import('./keys.js').Key[]} */
	keyTable() {
		const parent = () => this.flameTree?.parent[nodeOfPath(this.flameTree, this.state.zoom)] ?? 0;
		/** @type {(view: string) => () => void} */
		const show = (view) => () => this.change({ view, zoom: '' });
		return [
			{ keys: ['?'], help: 'this help', run: () => showHelp(this.keys) },
			{ keys: ['1'], help: 'flame graph', run: show('flame') },
			{ keys: ['2'], help: 'callers', run: show('callers') },
			{ keys: ['3'], help: 'functions', run: show('functions') },
			{ keys: ['4'], help: 'tree', run: show('tree') },
			{ keys: ['/'], help: 'search', run: () => part('search').focus() },
			{ keys: ['k'], help: 'keep only stacks that match', run: () => this.matches && part('keep').click() },
			{ keys: ['h'], help: 'hide stacks that match', run: () => this.matches && part('hide').click() },
			{ keys: ['i'], help: 'flame graph or icicle', run: () => this.change({ icicle: !this.state.icicle }) },
			{ keys: ['d'], help: 'the other direction of callers and tree', run: () => this.change({ up: !this.state.up, zoom: '' }) },
			{ keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], help: 'in the flame graph: choose a function',
				where: 'flame-scroll', run: (key) => this.flame.move(key) },
			{ keys: ['Enter'], help: 'in the flame graph: zoom into the chosen function', where: 'flame-scroll',
				run: () => this.flame.chosen && this.zoom(this.flame.chosen.node) },
			{ keys: ['Backspace'], help: 'zoom out by one', run: () => this.zoom(parent()) },
			{ keys: ['0'], help: 'zoom out', run: () => this.change({ zoom: '' }) },
			{ keys: ['Escape'], help: 'leave the search; else zoom out', run: () => (document.activeElement === part('search')
				? part('search').blur() : this.change({ zoom: '' })) },
			{ keys: ['r'], help: 'reset filters, span, search and zoom', run: () => this.reset() },
		];
	}
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
